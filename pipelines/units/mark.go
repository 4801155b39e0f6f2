package units

import (
	"context"
	"errors"
	"strings"
)

// A runner hands a worker's error on as text, wrapped into its own report of
// many lines. These marks let the launcher find the message again.
const (
	markBegin = "⟦sentweave: "
	markEnd   = "⟧"
)

// causeKey finds in a context the place for the error that ends a job.
type causeKey struct{}

// withCause returns a context in which report keeps the error itself, for a launcher
// in the same process.
func withCause(ctx context.Context, cause *error) context.Context {
	return context.WithValue(ctx, causeKey{}, cause)
}

// report marks an error that a DoFn returns to the runner, which calls one at a time.
func report(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause, ok := ctx.Value(causeKey{}).(*error); ok && *cause == nil {
		*cause = err
	}
	return errors.New(markBegin + err.Error() + markEnd)
}

// Unmark returns the error of the worker inside the report of a runner, or the report
// itself if it holds none.
func Unmark(err error) error {
	if err == nil {
		return nil
	}
	_, rest, ok := strings.Cut(err.Error(), markBegin)
	if !ok {
		return err
	}
	message, _, ok := strings.Cut(rest, markEnd)
	if !ok {
		return err
	}
	return errors.New(message)
}
