package https

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/storage"
)

const (
	// agent is the name by which servers know the program.
	agent = "sentweave"
	// atOnce is how many requests wait for bytes of one host at once, in a process.
	atOnce = 16
	// redirects are followed up to this number.
	redirects = 5
)

// patience bounds requests.
type patience struct {
	// stall is how long nothing may come. Pause is that before the second try; each later one is twice as long. Longest is
	// the longest pause that a server may ask for.
	stall, pause, longest time.Duration
	// tries are those of what fails again and again, and firstTries those of a host that has never answered.
	tries, firstTries int
}

var patient = patience{stall: time.Minute, pause: time.Second, longest: 5 * time.Minute, tries: 8, firstTries: 3}

// client sends requests to all hosts.
type client struct {
	http *http.Client
	patience
	hosts sync.Map // of *host by name
}

type host struct {
	places   chan struct{}
	answered atomic.Bool
}

func newClient(transport *http.Transport, p patience) *client {
	transport = transport.Clone()
	transport.DisableCompression = true // the bytes are those of the file
	transport.MaxIdleConnsPerHost, transport.MaxResponseHeaderBytes = atOnce, 1<<20
	return &client{patience: p, http: &http.Client{Transport: transport, CheckRedirect: checkRedirect}}
}

func checkRedirect(next *http.Request, via []*http.Request) error {
	switch {
	case len(via) > redirects:
		return fmt.Errorf("%w more than %d times", errRedirected, redirects)
	case via[0].URL.Scheme == "https" && next.URL.Scheme != "https" || !Allowed(next.URL):
		return fmt.Errorf("%w to %s, and only https is followed", errRedirected, next.URL)
	}
	return nil
}

func (f *Folder) host() *host {
	h, _ := f.client.hosts.LoadOrStore(f.base.Host, &host{places: make(chan struct{}, atOnce)})
	return h.(*host)
}

// enter waits for a place among the requests to the host. Nobody waits for bytes without one, and nobody keeps one between reads, so
// that whoever reads several files at once cannot wait for itself.
func (h *host) enter(ctx context.Context) (leave func(), err error) {
	select {
	case h.places <- struct{}{}:
		return func() { <-h.places }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Faults that end the tries.
var (
	errRedirected = errors.New("the server redirects")
	errChanged    = errors.New("it has changed since it was opened; `sentweave corpus` with --overwrite makes the dataset anew")
	errPage       = errors.New("the answer is a web page in the place of the file")
	errMethod     = errors.New("the server does not take such requests")
	errStalled    = errors.New("the server sends nothing")
)

// passing is a fault that may pass.
type passing struct {
	error
	after time.Duration // that the server asks for
}

func (p passing) Unwrap() error { return p.error }

// repeat tries until there is no fault, or one that does not pass, or too many. Failures counts those so far. The error names the file.
func (f *Folder) repeat(ctx context.Context, name string, failures *int, try func() error) error {
	named := func(err error) error { return &fs.PathError{Op: "read", Path: f.address(name), Err: err} }
	for {
		leave, err := f.host().enter(ctx)
		if err != nil {
			return err
		}
		err = try()
		leave()
		var fault passing
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.As(err, &fault):
			return named(err)
		}
		tries := f.client.tries
		if !f.host().answered.Load() {
			tries = f.client.firstTries
		}
		if *failures++; *failures >= tries {
			return named(fmt.Errorf("%w after %d tries: %w", storage.ErrUnavailable, *failures, err))
		}
		if fault.after > f.client.longest {
			return named(fmt.Errorf("%w: the server asks to wait for %s: %w", storage.ErrUnavailable, fault.after, err))
		}
		// Those that failed at the same time must not come back at the same time.
		pause := f.client.pause << (*failures - 1)
		pause = max(fault.after, pause/2) + time.Duration(xxh3.HashString(name)%uint64(pause/2+1))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// request asks for a file or a range of it.
type request struct {
	method, name, ranged, ifMatch string
}

// stream is an answer whose body is read.
type stream struct {
	state
	status int
	from   int64 // the first byte that the body has of the file
	body   io.ReadCloser
	life   context.Context
	end    context.CancelCauseFunc
	stall  time.Duration
}

// send makes one request. Answers without the file are faults.
func (f *Folder) send(ctx context.Context, ask request) (*stream, error) {
	s := &stream{stall: f.client.stall}
	s.life, s.end = context.WithCancelCause(ctx)
	q, err := http.NewRequestWithContext(s.life, ask.method, f.address(ask.name), nil)
	if err != nil {
		s.end(nil)
		return nil, err
	}
	q.Header.Set("User-Agent", agent)
	q.Header.Set("Accept-Encoding", "identity")
	for key, value := range map[string]string{"Range": ask.ranged, "If-Match": ask.ifMatch} {
		if value != "" {
			q.Header.Set(key, value)
		}
	}
	timer := s.watch()
	response, err := f.client.http.Do(q)
	timer.Stop()
	if err != nil {
		err = s.unreachable(err)
		s.end(nil)
		return nil, err
	}
	f.host().answered.Store(true)
	s.state, s.status, s.body = stateOf(response), response.StatusCode, response.Body
	if err := fault(response, ask); err != nil {
		s.close()
		return nil, err
	}
	if s.status == http.StatusPartialContent {
		if _, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes %d-", &s.from); err != nil {
			s.close()
			return nil, fmt.Errorf("the server does not tell which part of the file it gives: Content-Range is %.80q",
				response.Header.Get("Content-Range"))
		}
	}
	return s, nil
}

// watch ends the stream unless the timer is stopped in time.
func (s *stream) watch() *time.Timer { return time.AfterFunc(s.stall, func() { s.end(errStalled) }) }

// unreachable is the fault of a request or read that broke.
func (s *stream) unreachable(err error) error {
	var u *url.Error // it repeats the address
	if errors.As(err, &u) {
		err = u.Err
	}
	switch {
	case errors.Is(context.Cause(s.life), errStalled):
		return passing{error: fmt.Errorf("%w for %s", errStalled, s.stall)}
	case errors.Is(err, errRedirected):
		return err
	}
	return passing{error: err}
}

// Read reads from the body. The end of the body is io.EOF, whether or not the file has ended.
func (s *stream) Read(p []byte) (int, error) {
	timer := s.watch()
	n, err := s.body.Read(p)
	timer.Stop()
	if err != nil && err != io.EOF {
		err = s.unreachable(err)
	}
	return n, err
}

func (s *stream) close() {
	s.end(nil)
	_ = s.body.Close() // only read from
}

// fault says why an answer does not give the file, nil if it does.
func fault(response *http.Response, ask request) error {
	switch code := response.StatusCode; {
	case code == http.StatusOK || code == http.StatusPartialContent:
		if isPage(response, ask.name) {
			return errPage
		}
		return nil
	case code == http.StatusRequestedRangeNotSatisfiable && ask.ifMatch == "" && stateOf(response).size == 0:
		return nil // an empty file has no first byte
	case code == http.StatusNotFound || code == http.StatusGone:
		return fs.ErrNotExist
	case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusUnavailableForLegalReasons:
		return fmt.Errorf("%w: %s", fs.ErrPermission, response.Status)
	case code == http.StatusPreconditionFailed || code == http.StatusRequestedRangeNotSatisfiable:
		return errChanged
	case code == http.StatusMethodNotAllowed || code == http.StatusNotImplemented:
		return fmt.Errorf("%w: %s", errMethod, response.Status)
	case code >= http.StatusInternalServerError || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout ||
		code == http.StatusTooEarly:
		return passing{fmt.Errorf("the server answers %s", response.Status), RetryAfter(response.Header)}
	}
	return fmt.Errorf("the server answers %s", response.Status)
}

// RetryAfter reads the header of that name: seconds, or a date, which is taken relative to the server's own clock. It is 0
// without one.
func RetryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	retry, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	sent, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return max(0, retry.Sub(sent))
}
