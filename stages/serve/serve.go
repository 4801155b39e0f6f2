// Package serve is the stage that answers OpenAI's requests of embeddings over HTTP, with vectors of the encoders that it is given.
//
// Source: https://platform.openai.com/docs/api-reference/embeddings.
//
// Texts of all requests wait in one queue, and are encoded together. An Encoder whose vectors do not depend on their neighbours
// gives a text the same answer whatever else is asked for at the same time.
//
// Neither answers nor what is printed hold the key or texts.
package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/stages/pcr"
	"sentweave/transforms/engines"
)

// Encoder gives the vectors of texts. It is used by several goroutines at once.
type Encoder interface {
	// Dimension is the size of a vector.
	Dimension() int
	// Sequence returns the ids of a text, one at least, and how many more were cut off, which are more than the model takes.
	Sequence(text string) (ids []int32, cut int)
	// EncodeSequences writes the vectors of texts, given by their ids, into dst, one after another.
	EncodeSequences(ctx context.Context, dst []float32, sequences [][]int32) error
}

// Model is what requests name.
type Model struct {
	Name string
	Encoder
	// Prompts are the encoders that put a prompt before texts, by the name of the prompt.
	Prompts map[string]Encoder
	// Components are taken off the vectors of a request that names its language; nil for none.
	Components *pcr.Components
}

// Config says where requests come from, and how many are taken. The command line reads the tags.
type Config struct {
	Listen         string        `help:"Address to listen on (${default}). One that is not of this machine's loopback needs a key." default:"127.0.0.1:8000" placeholder:"HOST:PORT" group:"Service"`
	KeyVariable    string        `help:"Environment variable with the key that requests must bring, as Authorization: Bearer KEY." placeholder:"NAME" group:"Service"`
	KeyFile        string        `help:"File with that key." placeholder:"FILE" group:"Service"`
	ReadTimeout    time.Duration `help:"Longest time in which a request has to come." default:"30s" group:"Service"`
	RequestTimeout time.Duration `help:"Longest time of a request in all." default:"2m" group:"Service"`
	DrainTimeout   time.Duration `help:"Longest time that requests under way are given when the service is asked to stop." default:"30s" group:"Service"`

	RequestBytes  dataset.Bytes `help:"Most bytes of a request." default:"4MiB" group:"Limits"`
	RequestTexts  int           `help:"Most texts of a request." default:"2048" group:"Limits"`
	RequestTokens int           `help:"Most tokens of a request." default:"300000" group:"Limits"`
	QueueTexts    int           `help:"Most texts that wait or are encoded; a request that would make it more is refused with the status 429." default:"8192" group:"Limits"`
	RefuseLong    bool          `help:"Refuse texts of more tokens than a model takes, as OpenAI does, with the status 400; they are cut otherwise." group:"Limits"`
	BatchTokens   int           `help:"Tokens that are encoded together, of all requests. Other requests wait for two such batches at most; a GPU wants 65536." default:"1024" group:"Limits"`
	BatchWait     time.Duration `help:"Longest time that texts wait for others to be encoded with, while several requests come at once." default:"10ms" group:"Limits"`
	// Lanes is how many batches can be encoded at once.
	Lanes int `kong:"-"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	address, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil {
		errs.Addf("listen %q is not an address: %w; give host:port, as in 127.0.0.1:8000", c.Listen, err)
	} else {
		errs.Check(address.IP.IsLoopback() || c.KeyVariable != "" || c.KeyFile != "",
			"listen %q can be reached from other machines: name what holds a key by --key-file or --key-variable", c.Listen)
	}
	for _, f := range []struct {
		name string
		n    int
	}{{"request-bytes", int(c.RequestBytes)}, {"request-texts", c.RequestTexts}, {"request-tokens", c.RequestTokens},
		{"queue-texts", c.QueueTexts}, {"batch-tokens", c.BatchTokens}, {"read-timeout", int(c.ReadTimeout)},
		{"request-timeout", int(c.RequestTimeout)}} {
		errs.Check(f.n >= 1, "%s is not above 0", f.name)
	}
	errs.Check(c.QueueTexts >= c.RequestTexts, "queue-texts is %d, fewer than the %d of --request-texts: no such request could be taken",
		c.QueueTexts, c.RequestTexts)
	errs.Check(c.BatchWait >= 0 && c.DrainTimeout >= 0, "batch-wait and drain-timeout must not be below 0")
	return errs.Err()
}

// leastKey is the number of characters below which a key counts as one that is soon guessed.
const leastKey = 8

// ReadKey returns the key that requests must bring, none if c names none. The errors, for one that cannot be read, that the header
// Authorization cannot bring (RFC 6750: one word of ASCII), or that is soon guessed, do not show it.
func (c Config) ReadKey() (engines.Secret, error) {
	key, err := engines.ReadSecret(c.KeyVariable, c.KeyFile)
	if err != nil || key.Empty() {
		return key, err
	}
	var errs fault.List
	const way = "`openssl rand -hex 32` prints one that does"
	outside := strings.ContainsFunc(key.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' })
	errs.Check(!outside, "the key holds spaces, or characters other than those of ASCII, and no header Authorization can bring it: "+way)
	errs.Check(len(key.Reveal()) >= leastKey, "the key is soon guessed, since it has fewer than %d characters: "+way, leastKey)
	if len(errs) > 0 {
		return engines.Secret{}, errs.Err()
	}
	return key, nil
}

// maxBodies bounds the bytes of all requests under way, as a multiple of those of one.
const maxBodies = 8

// Server answers requests.
type Server struct {
	config   Config
	key      *[sha256.Size]byte // nil without one
	models   []Model
	began    time.Time
	queue    *queue
	bodies   *semaphore.Weighted // bytes
	metrics  *metrics
	draining atomic.Bool
	cutting  sync.Map // names of models of which it was noted that a text was cut
	note     func(string)
}

// New returns a server that answers by Handler, with an error for a key that cannot be read, or for components of vectors of another
// size. Note is told of what fails on the side of the service, and, once for each model, that a text was cut. The server must be closed.
func New(c Config, models []Model, note func(string)) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	for _, m := range models {
		if m.Components == nil {
			continue
		}
		if err := m.Components.Suits(m.Dimension()); err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Name, err)
		}
	}
	key, err := c.ReadKey()
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, models: models, began: time.Now(), bodies: semaphore.NewWeighted(maxBodies * int64(c.RequestBytes)), note: note}
	if !key.Empty() {
		sum := sha256.Sum256([]byte(key.Reveal()))
		s.key = &sum
	}
	s.metrics = newMetrics()
	s.queue = newQueue(c, s.metrics)
	return s, nil
}

// Close waits for batches that are being encoded. No request may be under way.
func (s *Server) Close() { s.queue.close() }

// lastAnswers is how long requests that are dropped at the end have for their errors.
const lastAnswers = time.Second

// Serve answers requests that come over a listener until ctx ends. From then on no new ones are taken; those under way are answered
// within the time that the configuration gives them.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	running, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	server := &http.Server{Handler: s.Handler(), ReadTimeout: s.config.ReadTimeout, IdleTimeout: 2 * time.Minute,
		WriteTimeout: s.config.RequestTimeout + s.config.ReadTimeout, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return running }}
	drained := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		s.draining.Store(true)
		limited, cancel := context.WithTimeout(running, s.config.DrainTimeout)
		defer cancel()
		err := server.Shutdown(limited)
		if err != nil { // it looks for answered requests only every half second in the end
			err = server.Shutdown(limited)
		}
		if err != nil {
			err = fmt.Errorf("requests were not answered within %v of --drain-timeout", s.config.DrainTimeout)
			s.note(err.Error())
			abort() // so that they are answered with an error
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAnswers)
			defer cancel()
			if server.Shutdown(last) != nil {
				err = errors.Join(err, server.Close())
			}
		}
		drained <- err
	})
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		stop()
		return errors.Join(err, server.Close())
	}
	return <-drained
}

// Handler answers requests. It needs no listener.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range []struct {
		method, path string
		open         bool // without a key
		answer       func(http.ResponseWriter, *http.Request) error
	}{
		{http.MethodPost, "/v1/embeddings", false, s.embeddings},
		{http.MethodGet, "/v1/models", false, s.list},
		{http.MethodGet, "/v1/models/{name...}", false, s.model},
		{http.MethodGet, "/metrics", false, s.metrics.answer},
		{http.MethodGet, "/healthz", true, func(w http.ResponseWriter, _ *http.Request) error { return writeText(w, "ok\n") }},
		{http.MethodGet, "/readyz", true, s.ready},
		{"", "/", false, func(http.ResponseWriter, *http.Request) error {
			return refuse(http.StatusNotFound, "", "there is no such path: /v1/embeddings, /v1/models, /healthz, /readyz and /metrics are there")
		}},
	} {
		mux.HandleFunc(r.path, func(w http.ResponseWriter, q *http.Request) {
			began, counted := time.Now(), &counted{ResponseWriter: w}
			var err error
			switch {
			case !r.open && !s.hasKey(q):
				counted.Header().Set("WWW-Authenticate", "Bearer")
				err = &refusal{http.StatusUnauthorized, "", "invalid_api_key", "the key is not right: send it as Authorization: Bearer KEY"}
			case s.key == nil && !isLoopback(q.Host):
				err = refuse(http.StatusForbidden, "", "without a key only requests to 127.0.0.1, [::1] or localhost are answered")
			case r.method != "" && q.Method != r.method && (r.method != http.MethodGet || q.Method != http.MethodHead):
				counted.Header().Set("Allow", r.method)
				err = refuse(http.StatusMethodNotAllowed, "", "this path answers %s", r.method)
			default:
				err = r.answer(counted, q)
			}
			if err != nil {
				s.fail(counted, q, err)
			}
			s.metrics.request(r.path, counted.status, time.Since(began))
		})
	}
	return mux
}

// hasKey compares in a time that does not depend on the key.
func (s *Server) hasKey(q *http.Request) bool {
	scheme, given, _ := strings.Cut(q.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(given)))
	return s.key == nil || strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], s.key[:]) == 1
}

// isLoopback says whether a request names this machine: a page of a browser may have a name of its own that leads here.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "localhost" || net.ParseIP(strings.Trim(host, "[]")).IsLoopback()
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if s.draining.Load() {
		return refuse(http.StatusServiceUnavailable, "", "the service is stopping")
	}
	return writeText(w, "ready\n")
}
