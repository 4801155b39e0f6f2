// Package endpoint is an encoder behind a service that speaks OpenAI's protocol of embeddings: POST /embeddings.
//
// Source: https://platform.openai.com/docs/api-reference/embeddings.
//
// An engines.Caller sends the texts: the endpoint is an engine whose answer to a text is the vector, as the bytes of
// little-endian float32. So requests have bounds, pauses, attempts and a budget as those of translation services have, and a
// request that the service refuses or answers wrongly is cut in two until the text that is to blame is alone.
package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
	"sentweave/stages/encoder"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/web"
)

// Config says which model of which service encodes, and how it is asked.
type Config struct {
	// Location is the address of the service with its version, and behind # the name of the model there:
	// https://host/v1#MODEL.
	Location string
	// Dimensions is the size of vectors to ask for, 0 for the model's own.
	Dimensions int
	// KeyVariable and KeyFile name what holds the key; without either there is none.
	KeyVariable, KeyFile string
	// Price is that of a million tokens, in dollars.
	Price float64
	// Budget bounds and counts what this and other endpoints cost together; nil for neither.
	Budget *Budget
	// Call says how requests are sent.
	Call engines.Config
}

// DefaultCall returns how requests are sent: up to four at once, each of at most 32 texts, which is what
// text-embeddings-inference takes, and of about 64 KiB.
func DefaultCall() engines.Config {
	c := engines.DefaultConfig()
	c.Attempts, c.Blank = 6, true
	c.Limits = engines.Limits{Items: 32, Characters: 1 << 16}
	return c
}

// Limits bound what a command asks of services. The command line reads the tags.
type Limits struct {
	Budget       float64 `help:"Dollars that this command may spend at most on all services; 0 is no bound. Vectors that were paid for are kept, so that the same command goes on with another budget." placeholder:"DOLLARS" group:"Endpoints" json:"-"`
	RequestTexts int     `help:"Most texts of a request." default:"32" placeholder:"N" group:"Endpoints" json:"-"`
	Requests     int     `help:"Requests under way at once." default:"4" placeholder:"N" group:"Endpoints" json:"-"`
}

// Call is DefaultCall within the limits that are set.
func (l Limits) Call() engines.Config {
	c := DefaultCall()
	c.Limits.Items, c.Parallel = cmp.Or(l.RequestTexts, c.Limits.Items), cmp.Or(l.Requests, c.Parallel)
	return c
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	address, _, err := c.parts()
	if err == nil {
		_, err = web.New(address, engines.Secret{})
	}
	errs.Add(err)
	errs.Check(c.Dimensions >= 0, "dimensions is %d, it must be 0, the model's own, or more", c.Dimensions)
	errs.Check(c.Price >= 0 && !math.IsInf(c.Price, 0), "price is %v, it must be a number of dollars from 0 on", c.Price)
	errs.Check(c.Budget == nil || c.Budget.limit >= 0, "the budget is below 0")
	errs.Check(c.Budget == nil || c.Budget.limit == 0 || c.Price > 0, "the budget is in dollars: give the price of a million tokens of %s",
		Name(c.Location))
	errs.Add(c.Call.Validate())
	return errs.Err()
}

// parts returns the address and the model.
func (c Config) parts() (address, name string, err error) {
	address, name, _ = strings.Cut(c.Location, "#")
	if name == "" {
		err = errors.New("an endpoint is the address of a service with its version, and a model behind a #, as in https://host/v1#MODEL")
	}
	return address, name, err
}

// Name is what the model is called in results: the last part of its name at the service. The name leaves the address out, since
// a user may have put a key there.
func Name(location string) string {
	_, name, _ := strings.Cut(location, "#")
	return path.Base(cmp.Or(name, "endpoint"))
}

// Identity is what decides vectors: the address, the model and the dimensions.
func (c Config) Identity() string {
	address, model, _ := strings.Cut(c.Location, "#")
	return fmt.Sprintf("endpoint %s#%s %d", strings.TrimRight(address, "/"), model, c.Dimensions)
}

// tokensOfText is what a text takes at most besides a token for each byte: models put tokens of their own around a text.
const tokensOfText = 8

// Tokens is the most tokens that a text takes: tokens are of a byte or more.
func Tokens(text string) int { return len(text) + tokensOfText }

// Cost is the most that texts cost, in dollars.
func (c Config) Cost(texts []encoder.Text) float64 {
	tokens := int64(0)
	for _, t := range texts {
		tokens += int64(Tokens(t.Text))
	}
	return engines.Cost(tokens, c.Price)
}

// Encoder is a model of a service. It is used by one goroutine at a time.
type Encoder struct {
	engine *engine
	caller *engines.Caller
}

// Open reads the key and sends nothing. The encoder must be closed.
func Open(c Config) (*Encoder, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	address, model, _ := c.parts()
	client, key, err := web.Open(address, c.KeyVariable, c.KeyFile)
	if err != nil {
		return nil, err
	}
	e := &engine{config: c, model: model, client: client, header: web.Bearer(key)}
	if c.Budget != nil {
		e.meter = &meter{c.Budget, c.Price}
		c.Call.Budget = e.meter
	}
	caller, err := engines.NewCaller(e, c.Call)
	return &Encoder{e, caller}, err
}

// Name implements encoder.Encoder.
func (e *Encoder) Name() string { return Name(e.engine.config.Location) }

// Close ends connections.
func (e *Encoder) Close() error { return e.engine.Close() }

// Encode implements encoder.Encoder.
func (e *Encoder) Encode(ctx context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	var data []float32
	dimension := 1 // of no vector
	err := e.EncodeEach(ctx, texts, func(indices []int, d encoder.Dense) error {
		if dimension = d.Dim; data == nil {
			data = make([]float32, len(texts)*d.Dim)
		}
		for i, index := range indices {
			copy(data[index*d.Dim:(index+1)*d.Dim], d.Row(i))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return encoder.NewDense(data, dimension)
}

// EncodeEach calls keep with the vectors of some of the texts, by their indices, as they come: once for each request that was
// answered, one call at a time, before the slot of that request sends another one. It returns an error when a text
// has no vector after all attempts, with the address, the reason and what to do.
func (e *Encoder) EncodeEach(ctx context.Context, texts []encoder.Text, keep func(indices []int, d encoder.Dense) error) error {
	list := make([]string, len(texts))
	for i, t := range texts {
		list[i] = t.Text
	}
	var mutex sync.Mutex
	answers, err := e.caller.Journalled(func(b engines.Batch) error {
		var data []float32
		for i, a := range b.Answers {
			if a.Err != nil {
				return noVector(b.Texts[i], a.Err)
			}
			data = appendVector(data, a.Text)
		}
		d, err := encoder.NewDense(data, len(data)/len(b.Answers))
		if err != nil {
			return err
		}
		mutex.Lock()
		defer mutex.Unlock()
		return keep(b.Indices, d)
	}).Translate(ctx, engines.Pair{}, list)
	for i := 0; i < len(answers) && err == nil; i++ {
		if answers[i].Err != nil { // the service was out of order, and has said nothing of the text
			err = noVector(list[i], answers[i].Err)
		}
	}
	return wayOut(err)
}

func noVector(text string, err error) error {
	return fmt.Errorf("no vector of the text %q: %w", excerpt.Characters(text, 80), err)
}

// wayOut adds to an error what the user can do.
func wayOut(err error) error {
	var c *web.Complaint
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, engines.ErrBudget):
		return err
	case errors.As(err, &c) && (c.Status == http.StatusUnauthorized || c.Status == http.StatusForbidden):
		return fmt.Errorf("%w: name the variable or the file that holds the key of this service", err)
	case errors.As(err, &c) && c.Status == http.StatusNotFound:
		return fmt.Errorf("%w: is this the address with its version, as in https://host/v1, and is the model there?", err)
	case engines.KindOf(err) == engines.Refused:
		return fmt.Errorf("%w: shorten that text or leave it out, if the service takes others", err)
	}
	return fmt.Errorf("%w: the vectors that came before are kept; the same command asks for the others when the service is well", err)
}

// engine is the service, as an engine whose translation of a text is its vector.
type engine struct {
	config    Config
	model     string
	client    *web.Client
	header    http.Header
	meter     *meter // nil without a Budget
	floats    atomic.Bool
	dimension atomic.Int64 // 0 before the first vector
}

// Name implements engines.Engine.
func (e *engine) Name() string { return e.config.Location }

// Identity implements engines.Engine.
func (e *engine) Identity(engines.Pair) (engines.Identity, error) {
	return engines.Identity{Engine: "endpoint", Model: e.model, Options: e.config.Identity()}, nil
}

// Limits implements engines.Engine.
func (e *engine) Limits() engines.Limits { return engines.Limits{} }

// Characters implements engines.Measured: budgets and batches count the most tokens that a text takes.
func (e *engine) Characters(text string) int { return Tokens(text) }

// Price implements engines.Engine.
func (e *engine) Price() float64 { return e.config.Price }

// Supports implements engines.Engine.
func (e *engine) Supports(engines.Pair) error { return nil }

// Close implements engines.Engine.
func (e *engine) Close() error {
	e.client.Close()
	return nil
}

// Translate implements engines.Engine. Vectors are asked for as base64, or as numbers where the service does not know base64.
func (e *engine) Translate(ctx context.Context, _ engines.Pair, texts []string) ([]engines.Answer, error) {
	q := request{Model: e.model, Input: texts, Format: "base64", Dimensions: e.config.Dimensions}
	if e.floats.Load() {
		q.Format = "float"
	}
	var r response
	err := e.client.Post(ctx, "/embeddings", q, e.header, &r)
	if c := (*web.Complaint)(nil); q.Format == "base64" && errors.As(err, &c) && (c.Status == http.StatusBadRequest ||
		c.Status == http.StatusUnprocessableEntity) && e.dimension.Load() == 0 { // which may be for base64, whatever it says
		e.floats.Store(true)
		return e.Translate(ctx, engines.Pair{}, texts)
	}
	if err != nil {
		return nil, err
	}
	e.count(texts, r.Usage.Total)
	vectors, err := r.vectors(len(texts))
	if len(r.Data) == 0 && r.Error.Message != "" {
		err = fmt.Errorf("it says %q", excerpt.Characters(r.Error.Message, 200))
	}
	if err != nil {
		return nil, engines.Faultf(engines.Malformed, "%s: %w", e.client.Address("/embeddings"), err)
	}
	answers := make([]engines.Answer, len(texts))
	for i, v := range vectors {
		if err := e.sized(len(v) / 4); err != nil {
			return nil, err
		}
		answers[i].Text = v
	}
	return answers, nil
}

// sized returns an error for vectors of another size than those before, or than was asked for.
func (e *engine) sized(dimension int) error {
	want := int64(e.config.Dimensions)
	if want == 0 && !e.dimension.CompareAndSwap(0, int64(dimension)) {
		want = e.dimension.Load()
	}
	if want != 0 && want != int64(dimension) {
		return engines.Faultf(engines.Fatal, "%s: it gives vectors of %d numbers, where %d were asked for or came before: is it one model, "+
			"and does it know dimensions?", e.client.Address("/embeddings"), dimension, want)
	}
	return nil
}

// count takes the tokens of an answer that the service has counted, in the place of the most that they could be. Where it counts
// none, these are taken.
func (e *engine) count(texts []string, used int64) {
	if e.meter == nil {
		return
	}
	most := int64(0)
	for _, text := range texts {
		most += int64(Tokens(text))
	}
	if used <= 0 {
		used = most
	}
	e.meter.settle(most, used)
}
