package dataflow

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"sentweave/schemas/jsonfile"
)

// Fault is an error of the service, in one line: what was to be done, why it was
// not, and the way out.
type Fault struct {
	Action, Reason, WayOut string
	// Code is the status of HTTP; 0 if there was no answer.
	Code int
	err  error
}

// Error implements error.
func (f *Fault) Error() string {
	text := f.Action + ": " + f.Reason
	if f.WayOut != "" {
		text += "; " + f.WayOut
	}
	return text
}

// Unwrap returns what the client of the service reported.
func (f *Fault) Unwrap() error { return f.err }

// explain turns an error of the service into a Fault.
func (c *Client) explain(action string, err error) error {
	var answer *googleapi.Error
	var token *oauth2.RetrieveError
	var connection *net.OpError
	f := &Fault{Action: action, err: err}
	switch {
	case errors.As(err, &token):
		f.Reason = "the credentials were refused"
		if code := errorCode(token); code != "" {
			f.Reason += " (" + code + ")"
		}
		f.WayOut = "`gcloud auth application-default login` makes new ones"
	case errors.As(err, &answer):
		f.Code = answer.Code
		c.explainAnswer(f, answer)
	case errors.Is(err, context.DeadlineExceeded):
		f.Reason, f.WayOut = "the service did not answer in time", "try again, or see status.cloud.google.com"
	case errors.As(err, &connection):
		f.Reason, f.WayOut = "there is no connection to the service ("+connection.Err.Error()+")", "check the network and its proxy"
	default:
		f.Reason = firstLine(innermost(err).Error())
	}
	return f
}

// explainAnswer fills in what the status of an answer means.
func (c *Client) explainAnswer(f *Fault, answer *googleapi.Error) {
	message := firstLine(answer.Message)
	if message == "" {
		message = http.StatusText(answer.Code)
	}
	f.Reason = message
	lower := strings.ToLower(message)
	switch {
	case answer.Code == http.StatusUnauthorized:
		f.Reason = "the credentials are not valid: " + message
		f.WayOut = "`gcloud auth application-default login` makes new ones"
	case answer.Code == http.StatusForbidden && (strings.Contains(lower, "has not been used") || strings.Contains(lower, "disabled")):
		f.Reason = "the Dataflow API is off in project " + c.project
		f.WayOut = fmt.Sprintf("`gcloud services enable dataflow.googleapis.com --project=%s` turns it on", c.project)
	case answer.Code == http.StatusForbidden:
		f.Reason = "permission denied: " + message
		f.WayOut = "the account needs roles/dataflow.developer on project " + c.project +
			", and roles/iam.serviceAccountUser on the workers' account"
	case answer.Code == http.StatusNotFound && !strings.HasPrefix(f.Action, "submit ") && strings.Contains(f.Action, " job "):
		f.WayOut = fmt.Sprintf("jobs are found only in their project and region, here %s and %s: see --project and --region", c.project,
			c.region)
	case answer.Code == http.StatusNotFound:
		f.WayOut = fmt.Sprintf("check --project %s and --region %s", c.project, c.region)
	case answer.Code == http.StatusConflict:
		f.Reason = "the service has such a job already: " + message
		f.WayOut = "see the jobs of the project, or give another --job-name"
	case answer.Code == http.StatusTooManyRequests:
		f.Reason = "a quota is used up: " + message
		f.WayOut = "wait, ask for less by --max-workers, or see IAM & Admin > Quotas in the console"
	case answer.Code == http.StatusBadRequest && (strings.Contains(lower, "region") || strings.Contains(lower, "location")):
		f.WayOut = fmt.Sprintf("check --region %s; cloud.google.com/dataflow/docs/resources/locations lists those there are", c.region)
	case answer.Code >= http.StatusInternalServerError:
		f.Reason = fmt.Sprintf("the service fails (%d: %s)", answer.Code, message)
		f.WayOut = "try again, or see status.cloud.google.com"
	}
}

// transient says whether another try may succeed.
func transient(err error) bool {
	var answer *googleapi.Error
	var token *oauth2.RetrieveError
	retryable := func(code int) bool {
		return code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code >= http.StatusInternalServerError
	}
	switch {
	case errors.As(err, &token):
		return token.Response != nil && retryable(token.Response.StatusCode)
	case errors.As(err, &answer):
		return retryable(answer.Code)
	}
	// No answer: nobody knows what was done.
	var address *url.Error
	return errors.As(err, &address)
}

// innermost returns what is below the address of a request, which says nothing to a user.
func innermost(err error) error {
	var address *url.Error
	for errors.As(err, &address) {
		err = address.Err
	}
	return err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// errorCode is the code in the answer of the token service, such as invalid_grant.
func errorCode(err *oauth2.RetrieveError) string {
	if err.ErrorCode != "" {
		return err.ErrorCode
	}
	var body struct{ Error string }
	_ = jsonfile.Unmarshal(err.Body, &body) // no JSON, no code
	return body.Error
}
