// Package apy translates by a server of apertium-apy, which offers Apertium over HTTP:
// POST /translate. A request holds one text, since the protocol has no lists and the
// server splits and joins texts on its own.
//
// Source: apertium-apy, apertium_apy/handlers/translate.py and list_modes.py.
package apy

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"sentweave/schemas/language"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/verbatim"
	"sentweave/transforms/engines/web"
)

// name of the engine.
const name = "apy"

// Config says which server. It is also the engine's settings, whose flags have the tags.
type Config struct {
	Server string `help:"Address, as in http://localhost:2737." placeholder:"URL"`
	// Without these names there is no key.
	KeyVariable string `help:"Environment variable with the key." placeholder:"NAME"`
	KeyFile     string `help:"File with the key." placeholder:"FILE"`
	// The server does not tell versions. Empty is the default.
	Model string `help:"Name of what the server has installed in the memory." default:"apertium"`
}

// DefaultConfig returns the configuration described above, for a server.
func DefaultConfig(server string) Config { return Config{Server: server, Model: "apertium"} }

// Describe implements engines.Settings.
func (c Config) Describe() engines.Description {
	return engines.Description{Name: name, Help: "a server of Apertium", Faults: engines.Needs(name, "server", c.Server)}
}

// Open implements engines.Settings. What is not language is kept from the server.
func (c Config) Open(ctx context.Context, call engines.Config) (engines.Engine, error) {
	engine, err := engines.Reach(ctx, call, c, Open)
	return verbatim.Engine{Engine: engine}, err
}

// Engine is a server of apertium-apy.
type Engine struct {
	config Config
	client *web.Client
	key    engines.Secret
	pairs  map[engines.Pair]string // to the server's langpair
}

// Open asks the server for its pairs.
func Open(ctx context.Context, config Config) (*Engine, error) {
	config.Model = cmp.Or(config.Model, DefaultConfig("").Model)
	client, key, err := web.Open(config.Server, config.KeyVariable, config.KeyFile)
	if err != nil {
		return nil, err
	}
	e := &Engine{config: config, client: client, key: key, pairs: map[engines.Pair]string{}}
	var listed struct {
		Data []struct {
			Source string `json:"sourceLanguage"`
			Target string `json:"targetLanguage"`
		} `json:"responseData"`
	}
	if err := client.Get(ctx, "/listPairs", nil, &listed); err != nil {
		client.Close()
		return nil, fmt.Errorf("ask for pairs: %w", err)
	}
	for _, l := range listed.Data {
		if strings.ContainsRune(l.Source+l.Target, '_') && !areScripts(l.Source, l.Target) {
			continue // a variant of a language, such as cat_valencia
		}
		source, sourceErr := language.Parse(l.Source)
		target, targetErr := language.Parse(l.Target)
		if sourceErr == nil && targetErr == nil {
			e.pairs[engines.Pair{Source: source, Target: target}] = l.Source + "|" + l.Target
		}
	}
	return e, nil
}

// areScripts says whether all parts after an underscore are scripts: codes as ours.
func areScripts(codes ...string) bool {
	for _, code := range codes {
		if strings.ContainsRune(code, '_') && !language.Valid(code) {
			return false
		}
	}
	return true
}

// Name implements engines.Engine.
func (e *Engine) Name() string { return name }

// Identity implements engines.Engine.
func (e *Engine) Identity(p engines.Pair) (engines.Identity, error) {
	return engines.Identity{Engine: name, Model: e.config.Model, Options: `{"format":"txt","markUnknown":"no"}`}, e.Supports(p)
}

// Limits implements engines.Engine.
func (e *Engine) Limits() engines.Limits { return engines.Limits{Items: 1} }

// Price implements engines.Engine.
func (e *Engine) Price() float64 { return 0 }

// Supports implements engines.Engine.
func (e *Engine) Supports(p engines.Pair) error {
	_, err := e.pair(p)
	return err
}

func (e *Engine) pair(p engines.Pair) (string, error) {
	if err := engines.CheckPair(p); err != nil {
		return "", err
	}
	theirs, ok := engines.FindPair(e.pairs, p)
	if !ok {
		return "", fmt.Errorf("the server has no pair %s: %w", p, engines.ErrUnsupported)
	}
	return theirs, nil
}

// Close implements engines.Engine.
func (e *Engine) Close() error {
	e.client.Close()
	return nil
}

// Translate implements engines.Engine.
func (e *Engine) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	pair, err := e.pair(p)
	if err != nil {
		return nil, err
	}
	var answers []engines.Answer
	for _, text := range texts {
		form := url.Values{"langpair": {pair}, "q": {text}, "format": {"txt"}, "markUnknown": {"no"}}
		if !e.key.Empty() {
			form.Set("key", e.key.Reveal())
		}
		var answer struct {
			Data struct {
				Text *string `json:"translatedText"`
			} `json:"responseData"`
			Status int `json:"responseStatus"`
		}
		if err := e.client.PostForm(ctx, "/translate", form, nil, &answer); err != nil {
			return answers, err
		}
		if answer.Status != 200 || answer.Data.Text == nil {
			return answers, engines.Faultf(engines.Malformed, "the answer has status %d and no translatedText", answer.Status)
		}
		answers = append(answers, engines.Answer{Text: strings.TrimSuffix(*answer.Data.Text, "\n")})
	}
	return answers, nil
}
