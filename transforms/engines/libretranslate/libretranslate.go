// Package libretranslate translates by a LibreTranslate server: POST /translate with a
// list of texts.
//
// Open reads the server's languages once from GET /languages. A server does not tell
// its limits (texts a request, characters a text). Config names them. A request that
// the server still refuses as too large is cut.
//
// The server treats translations as HTML, also those of plain text, and replaces what
// looks like a character reference. In texts that contain any, ampersands are
// therefore escaped.
//
// Source: LibreTranslate, libretranslate/app.py, commit 39429cb.
package libretranslate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/web"
)

// name of the engine.
const name = "libretranslate"

// Config says which server. It is also the engine's settings, whose flags have the tags.
type Config struct {
	Server string `help:"Address, as in http://localhost:5000." placeholder:"URL"`
	// Without these names there is no key.
	KeyVariable string `help:"Environment variable with the key." placeholder:"NAME"`
	KeyFile     string `help:"File with the key." placeholder:"FILE"`
	// The server does not tell the version of its models. Empty is the default.
	Model string `help:"Name of the server's models in the memory." default:"argos"`
	// The default price, 0, is that of one's own server.
	PerMillion float64 `name:"price" placeholder:"DOLLARS" help:"Dollars for a million characters."`
	// Limits of the server. Default 50 texts and 10,000 characters a request.
	Limits engines.Limits `kong:"-"`
}

// DefaultConfig returns the configuration described above, for a server.
func DefaultConfig(server string) Config {
	return Config{Server: server, Model: "argos", Limits: engines.Limits{Items: 50, Characters: 10_000}}
}

// Describe implements engines.Settings.
func (c Config) Describe() engines.Description {
	return engines.Description{
		Name: name, Unpriced: c.PerMillion == 0,
		Faults: errors.Join(engines.Needs(name, "server", c.Server), engines.AtLeastZero(name+"-price", c.PerMillion)),
	}
}

// Open implements engines.Settings.
func (c Config) Open(ctx context.Context, call engines.Config) (engines.Engine, error) {
	c.Limits = call.Suiting(DefaultConfig(c.Server).Limits)
	return engines.Reach(ctx, call, c, Open)
}

// Engine is a LibreTranslate server.
type Engine struct {
	config  Config
	client  *web.Client
	key     engines.Secret
	codes   engines.Codes
	targets map[string][]string // by the server's codes
}

// Open asks the server for its languages.
func Open(ctx context.Context, config Config) (*Engine, error) {
	config.Model = cmp.Or(config.Model, DefaultConfig("").Model)
	client, key, err := web.Open(config.Server, config.KeyVariable, config.KeyFile)
	if err != nil {
		return nil, err
	}
	e := &Engine{config: config, client: client, key: key, codes: engines.Codes{}, targets: map[string][]string{}}
	var languages []struct {
		Code    string   `json:"code"`
		Targets []string `json:"targets"`
	}
	if err := client.Get(ctx, "/languages", nil, &languages); err != nil {
		client.Close()
		return nil, fmt.Errorf("ask for languages: %w", err)
	}
	for _, l := range languages {
		e.targets[l.Code] = l.Targets
	}
	e.learn()
	return e, nil
}

// models are the names that the server's models have, and older servers tell, where
// they mean something else elsewhere (libretranslate/language.py).
var models = map[string]string{"pb": "por", "zh": "zho_Hans", "zt": "zho_Hant"}

// learn fills the table of languages.
func (e *Engine) learn() {
	// "pt" comes before "pt-BR", and both before "pb".
	theirs := slices.SortedFunc(maps.Keys(e.targets), func(a, b string) int {
		_, modelA := models[a]
		_, modelB := models[b]
		switch {
		case modelA && !modelB:
			return 1
		case modelB && !modelA:
			return -1
		}
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	for _, code := range theirs {
		if ours, ok := models[code]; !ok {
			e.codes.AddCodes(code)
		} else if _, ok := e.codes[ours]; !ok {
			e.codes[ours] = code
		}
	}
	if simplified, ok := e.codes["zho_Hans"]; ok { // what "zh" means to the server
		e.codes["zho"] = simplified
	}
}

// Name implements engines.Engine.
func (e *Engine) Name() string { return name }

// Identity implements engines.Engine.
func (e *Engine) Identity(p engines.Pair) (engines.Identity, error) {
	return engines.Identity{Engine: name, Model: e.config.Model, Options: `{"format":"text"}`}, e.Supports(p)
}

// Limits implements engines.Engine.
func (e *Engine) Limits() engines.Limits { return e.config.Limits }

// Price implements engines.Engine.
func (e *Engine) Price() float64 { return e.config.PerMillion }

// Supports implements engines.Engine.
func (e *Engine) Supports(p engines.Pair) error {
	_, _, err := e.pair(p)
	return err
}

func (e *Engine) pair(p engines.Pair) (source, target string, err error) {
	source, target, err = e.codes.Pair(name, p)
	if err == nil && !slices.Contains(e.targets[source], target) {
		err = fmt.Errorf("the server translates %s, but not into %s: %w", p.Source, p.Target, engines.ErrUnsupported)
	}
	return source, target, err
}

// Close implements engines.Engine.
func (e *Engine) Close() error {
	e.client.Close()
	return nil
}

type request struct {
	Q      []string `json:"q"`
	Source string   `json:"source"`
	Target string   `json:"target"`
	Format string   `json:"format"`
	Key    string   `json:"api_key,omitempty"`
}

// escape returns a text as the server takes it for itself: it reads HTML.
func escape(text string) string {
	if html.UnescapeString(text) == text {
		return text
	}
	return strings.ReplaceAll(text, "&", "&amp;")
}

// Characters implements engines.Measured.
func (e *Engine) Characters(text string) int { return engines.Characters(escape(text)) }

// Translate implements engines.Engine.
func (e *Engine) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	source, target, err := e.pair(p)
	if err != nil {
		return nil, err
	}
	sent := make([]string, len(texts))
	for i, text := range texts {
		sent[i] = escape(text)
	}
	var answer struct {
		Translated json.RawMessage `json:"translatedText"`
		Error      string          `json:"error"`
	}
	if err := e.client.Post(ctx, "/translate", request{sent, source, target, "text", e.key.Reveal()}, nil, &answer); err != nil {
		if c := new(web.Complaint); errors.As(err, &c) && wantsKey.MatchString(c.Message) {
			return nil, &engines.Fault{Unbilled: true, Err: fmt.Errorf("%w: give a key by environment variable or file", err)}
		}
		return nil, err
	}
	var translated []string
	if err := jsonfile.Unmarshal(answer.Translated, &translated); err != nil && answer.Error != "" {
		return nil, engines.Faultf(engines.Failed, "the answer has no translations: %.200q", e.key.Scrub(answer.Error))
	} else if err != nil {
		return nil, engines.Faultf(engines.Malformed, "the answer has no list translatedText")
	}
	if len(translated) != len(texts) {
		return nil, engines.Faultf(engines.Malformed, "%d texts have %d translations", len(texts), len(translated))
	}
	answers := make([]engines.Answer, len(texts))
	for i, text := range translated {
		if text == sent[i] { // nothing to translate: it comes back as it was sent
			text = texts[i]
		}
		answers[i].Text = text
	}
	return answers, nil
}

// wantsKey finds what is said where a key is missing, by the status of a bad request.
var wantsKey = regexp.MustCompile(`(?i)\bAPI key\b`)
