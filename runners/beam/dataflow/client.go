package dataflow

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/googleapis/gax-go/v2"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/option"
)

// Client speaks with the service about the jobs of one project in one region. Its
// methods may be called from many goroutines, and end with their contexts.
type Client struct {
	project, region string
	service         *df.Service
	pace            pace
}

// pace says how long a client waits, and for what.
type pace struct {
	// retryFirst, retryLongest and retryFor bound the pauses and the time of tries.
	retryFirst, retryLongest, retryFor time.Duration
	// pollFirst and pollLongest bound the pauses between looks at a running job.
	pollFirst, pollLongest time.Duration
	// cancelFor is how long a cancelled job may take to end.
	cancelFor time.Duration
}

var servicePace = pace{
	retryFirst: 500 * time.Millisecond, retryLongest: 20 * time.Second, retryFor: 2 * time.Minute,
	pollFirst: time.Second, pollLongest: 15 * time.Second, cancelFor: 10 * time.Minute,
}

// NewClient connects with the machine's own credentials: those that
// GOOGLE_APPLICATION_CREDENTIALS names, those of `gcloud auth application-default
// login`, or those of the machine in Google's cloud. Nothing is sent yet, but for the
// question whether this is such a machine.
func NewClient(ctx context.Context, o Options) (*Client, error) {
	if err := errors.Join(o.validateProject(), o.validateRegion()); err != nil {
		return nil, err
	}
	// The source of tokens keeps this context.
	lasting := context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, &http.Client{Timeout: tokenTimeout})
	credentials, err := google.FindDefaultCredentials(lasting, df.CloudPlatformScope)
	if err != nil {
		return nil, &Fault{Action: "connect to Dataflow", Reason: "there are no credentials",
			WayOut: "`gcloud auth application-default login` makes some, GOOGLE_APPLICATION_CREDENTIALS names a file of some", err: err}
	}
	settings := []option.ClientOption{option.WithHTTPClient(&http.Client{Transport: authorized{credentials.TokenSource}})}
	if endpoint := o.endpoint(); endpoint != "" {
		settings = append(settings, option.WithEndpoint(endpoint))
	}
	service, err := df.NewService(ctx, settings...)
	if err != nil {
		return nil, fmt.Errorf("connect to Dataflow: %w", err)
	}
	return &Client{project: o.Project, region: o.Region, service: service, pace: servicePace}, nil
}

// jobs is the part of the service that we use.
func (c *Client) jobs() *df.ProjectsLocationsJobsService { return c.service.Projects.Locations.Jobs }

// retry calls until it succeeds, fails for a reason that another try would not
// remove, or the time is up. What it calls must be safe to repeat.
func (c *Client) retry(ctx context.Context, action string, call func(ctx context.Context) error) error {
	limited, stop := context.WithTimeout(ctx, c.pace.retryFor)
	defer stop()
	backoff := gax.Backoff{Initial: c.pace.retryFirst, Max: c.pace.retryLongest, Multiplier: 2}
	var last error
	for {
		err := call(limited)
		if err == nil {
			return nil
		}
		// A try that ran out of time says less than the one before.
		if last == nil || limited.Err() == nil {
			last = err
		}
		if !transient(err) || limited.Err() != nil || gax.Sleep(limited, backoff.Pause()) != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return c.explain(action, last)
}

// tokenTimeout bounds the request for a token.
const tokenTimeout = 30 * time.Second

// authorized adds a token to requests. Unlike oauth2.Transport it waits for the token
// no longer than the request's context lasts.
type authorized struct{ source oauth2.TokenSource }

// RoundTrip implements http.RoundTripper.
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	type answer struct {
		token *oauth2.Token
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		token, err := a.source.Token()
		answers <- answer{token, err}
	}()
	var got answer
	select {
	case <-r.Context().Done():
		got.err = r.Context().Err()
	case got = <-answers:
	}
	if got.err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // which nobody reads
		}
		return nil, got.err
	}
	r = r.Clone(r.Context())
	got.token.SetAuthHeader(r)
	return http.DefaultTransport.RoundTrip(r)
}

// JobURL is the page of a job in Google's console.
func (c *Client) JobURL(id string) string {
	return fmt.Sprintf("https://console.cloud.google.com/dataflow/jobs/%s/%s?project=%s", c.region, id, c.project)
}
