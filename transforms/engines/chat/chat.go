// Package chat translates by a language model behind an endpoint that speaks the chat
// completions of OpenAI: POST /chat/completions.
//
// Texts are sent as numbered lines and must come back as lines with the same numbers,
// each once, in any order. Any other answer is malformed, and the request is cut in
// two. Line breaks in a text become spaces. The temperature is 0, except for models
// that accept none, such as reasoning models: if an endpoint rejects a parameter, the
// request is sent once more without it, or with its new name.
package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"

	"sentweave/schemas/language"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/web"
)

// name of the engine.
const name = "chat"

// Config says which model. It is also the engine's settings, whose flags have the tags.
type Config struct {
	Server string `help:"Address of the endpoint with its version, as in http://localhost:8000/v1." placeholder:"URL"`
	Model  string `help:"The model's name there." placeholder:"NAME"`
	// Without these names there is no key.
	KeyVariable string `help:"Environment variable with the key." placeholder:"NAME"`
	KeyFile     string `help:"File with the key." placeholder:"FILE"`
	// "Use the formal address."
	Instructions string `help:"Instructions that follow the fixed ones." placeholder:"TEXT"`
	// An answer that ends there was cut.
	MaxTokens int `help:"Most tokens of an answer; left to the endpoint if not given."`
	// Endpoints bill tokens of both prompt and answer: measure it.
	PerMillion float64 `name:"price" placeholder:"DOLLARS" help:"Dollars for a million characters of text to translate, as measured."`
	// Limits default to 20 texts and 4,000 characters a request: models lose count in
	// longer lists.
	Limits engines.Limits `kong:"-"`
}

// DefaultConfig returns the configuration described above, for a model of a server.
func DefaultConfig(server, model string) Config {
	return Config{Server: server, Model: model, Limits: engines.Limits{Items: 20, Characters: 4000}}
}

// Describe implements engines.Settings.
func (c Config) Describe() engines.Description {
	return engines.Description{
		Name: name, Help: "any endpoint that speaks OpenAI's protocol", Unpriced: c.PerMillion == 0,
		Faults: errors.Join(engines.Needs(name, "server", c.Server), engines.Needs(name, "model", c.Model),
			engines.AtLeastZero(name+"-max-tokens", c.MaxTokens), engines.AtLeastZero(name+"-price", c.PerMillion)),
	}
}

// Open implements engines.Settings.
func (c Config) Open(_ context.Context, call engines.Config) (engines.Engine, error) {
	c.Limits = call.Suiting(DefaultConfig(c.Server, c.Model).Limits)
	return Open(c)
}

// Engine is a language model.
type Engine struct {
	config Config
	client *web.Client
	key    engines.Secret
	// untempered and renamed are what the endpoint has complained of: a temperature, and
	// max_tokens by that name.
	untempered, renamed atomic.Bool
}

// Open returns the engine. It sends nothing.
func Open(config Config) (*Engine, error) {
	client, key, err := web.Open(config.Server, config.KeyVariable, config.KeyFile)
	if err != nil {
		return nil, err
	}
	return &Engine{config: config, client: client, key: key}, nil
}

// Name implements engines.Engine.
func (e *Engine) Name() string { return name }

// Identity implements engines.Engine. The prompt is among the options; the server
// is not, since a model is the same wherever it runs. Whether a model takes a temperature
// is the model's.
func (e *Engine) Identity(p engines.Pair) (engines.Identity, error) {
	options, err := json.Marshal(struct { // fields in the order of their names
		MaxTokens   int    `json:"max_tokens"`
		Prompt      string `json:"prompt"`
		Temperature int    `json:"temperature"`
	}{e.config.MaxTokens, e.prompt("source", "target"), 0})
	return engines.Identity{Engine: name, Model: e.config.Model, Options: string(options)}, errors.Join(err, e.Supports(p))
}

// Limits implements engines.Engine.
func (e *Engine) Limits() engines.Limits { return e.config.Limits }

// Price implements engines.Engine.
func (e *Engine) Price() float64 { return e.config.PerMillion }

// Supports implements engines.Engine: every two languages that have names. Whether
// the model speaks them shows in the quality of what it writes.
func (e *Engine) Supports(p engines.Pair) error {
	if err := engines.CheckPair(p); err != nil {
		return err
	}
	for _, code := range []string{p.Source, p.Target} {
		if language.Name(code) == code {
			return fmt.Errorf("there is no name for language %s to put into the prompt: %w", code, engines.ErrUnsupported)
		}
	}
	return nil
}

// Close implements engines.Engine.
func (e *Engine) Close() error {
	e.client.Close()
	return nil
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	Model               string    `json:"model"`
	Messages            []message `json:"messages"`
	Temperature         *float64  `json:"temperature,omitempty"`
	MaxTokens           int       `json:"max_tokens,omitempty"`
	MaxCompletionTokens int       `json:"max_completion_tokens,omitempty"`
}

type completion struct {
	Choices []struct {
		Message struct {
			Content *string `json:"content"`
			Refusal string  `json:"refusal"`
		} `json:"message"`
		Reason string `json:"finish_reason"`
	} `json:"choices"`
}

// complete sends messages, with the parameters that the endpoint takes.
func (e *Engine) complete(ctx context.Context, messages []message) (c completion, err error) {
	for {
		r := request{Model: e.config.Model, Messages: messages}
		untempered, renamed := e.untempered.Load(), e.renamed.Load()
		if !untempered {
			r.Temperature = new(float64)
		}
		if renamed {
			r.MaxCompletionTokens = e.config.MaxTokens
		} else {
			r.MaxTokens = e.config.MaxTokens
		}
		err = e.client.Post(ctx, "/chat/completions", r, web.Bearer(e.key), &c)
		switch {
		case !untempered && complains(err, "temperature"):
			e.untempered.Store(true)
		case !renamed && e.config.MaxTokens > 0 && complains(err, "max_tokens"):
			e.renamed.Store(true)
		default:
			return c, err
		}
	}
}

var unsupported = regexp.MustCompile(`(?i)\bunsupported\b|\bnot support`)

// complains says whether an endpoint does not take a parameter. Proxies tell it by the
// message alone.
func complains(err error, parameter string) bool {
	var c *web.Complaint
	if !errors.As(err, &c) || c.Status != http.StatusBadRequest && c.Status != http.StatusUnprocessableEntity {
		return false
	}
	concerns := c.Param == parameter || strings.Contains(c.Message, "'"+parameter+"'")
	return concerns && (strings.HasPrefix(c.Code, "unsupported_") || unsupported.MatchString(c.Message))
}

// Translate implements engines.Engine.
func (e *Engine) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	if err := e.Supports(p); err != nil {
		return nil, err
	}
	c, err := e.complete(ctx, []message{{"system", e.prompt(language.Name(p.Source), language.Name(p.Target))}, {"user", number(texts)}})
	if err != nil {
		return nil, err
	}
	if len(c.Choices) == 0 {
		return nil, engines.Faultf(engines.Malformed, "the answer has no choices")
	}
	choice := c.Choices[0]
	switch {
	case choice.Reason == "length":
		return nil, engines.Faultf(engines.Malformed, "the answer was cut at its longest length")
	case choice.Reason == "content_filter" || choice.Message.Refusal != "":
		return nil, engines.Faultf(engines.Refused, "the model refuses to translate this: %.200s",
			e.key.Scrub(cmp.Or(choice.Message.Refusal, choice.Reason)))
	case choice.Message.Content == nil:
		return nil, engines.Faultf(engines.Malformed, "the answer has no content")
	}
	translations, err := parse(*choice.Message.Content, texts)
	if err != nil {
		return nil, &engines.Fault{Kind: engines.Malformed, Err: err}
	}
	answers := make([]engines.Answer, len(texts))
	for i, text := range translations {
		answers[i].Text = text
	}
	return answers, nil
}
