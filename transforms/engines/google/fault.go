package google

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sentweave/transforms/engines"
)

// aboutRequests finds what is said against an argument that no other text would help: a
// language that the model does not have, a name, a key.
var aboutRequests = regexp.MustCompile(`(?i)\blanguages?\b|\bmodel\b|\bglossary\b|\blocation\b|\bparent\b|\bAPI key\b|\bmime`)

// faultOf returns what an error of the client means, which it had while doing
// something.
//
// Source: https://cloud.google.com/apis/design/errors. The service bills what it
// has translated and returned; whether it did so where the connection broke, nobody
// knows.
func faultOf(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s, ok := status.FromError(err)
	if !ok {
		return fmt.Errorf("%s: %w", doing, err)
	}
	f := &engines.Fault{Err: fmt.Errorf("%s: %s: %s", doing, s.Code(), s.Message()), Unbilled: true}
	switch s.Code() {
	case codes.ResourceExhausted:
		f.Kind = engines.Throttled
	case codes.Unavailable, codes.Aborted:
		f.Kind, f.Unbilled = engines.Unavailable, strings.Contains(s.Message(), "Error while dialing") // as gRPC says it
	case codes.Internal, codes.Unknown, codes.DeadlineExceeded, codes.DataLoss, codes.Canceled:
		f.Kind, f.Unbilled = engines.Failed, false
	case codes.InvalidArgument, codes.OutOfRange:
		f.Kind = engines.Refused
		if aboutRequests.MatchString(s.Message()) {
			f.Kind = engines.Fatal
		}
	default: // credentials, rights, names of models and glossaries
		f.Kind = engines.Fatal
	}
	for _, detail := range s.Details() {
		if retry, ok := detail.(*errdetails.RetryInfo); ok {
			f.RetryAfter = retry.GetRetryDelay().AsDuration()
		}
	}
	return f
}
