// Package deepl translates by the API of DeepL, version 2: POST /v2/translate with a
// list of texts, under a key of the plan Free or Pro.
//
// Open reads the available languages from GET /v2/languages. Where DeepL has several
// varieties of a language, the one with the most speakers is taken: American English,
// Brazilian Portuguese, simplified Chinese. Config.Codes chooses another.
//
// Too many requests (429, 529) and server errors are tried again after pauses. A
// request that is too large (413) is cut in two. A wrong key (403) and a used-up quota
// (456) end the run.
//
// Source: https://developers.deepl.com/api-reference (translate, languages, usage and
// quota) and /docs/best-practices/error-handling there; DeepL's Python client 1.32.0,
// which the tests run beside this package.
package deepl

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/web"
)

// name of the engine.
const name = "deepl"

// Addresses of the plans. Keys of the plan Free end with freeKey.
const (
	pro     = "https://api.deepl.com"
	free    = "https://api-free.deepl.com"
	freeKey = ":fx"
)

// Limits of a request: 50 texts, and 128 KiB in all. mostBytes of texts leave room for
// what JSON escapes.
const (
	mostTexts = 50
	mostBytes = 100 << 10
)

// pricePro is the price in US dollars of a million characters (code points of the source)
// in the plan API Pro, besides what the plan costs a month, as looked up in November 2026.
// In euros it is 20.
//
// Source: https://support.deepl.com/hc/articles/360020685720 (characters, euros), and for
// dollars https://chatscontrol.com/blog/deepl-api-pricing-plans-limits-2026.
const pricePro = 25

// Config says how DeepL is used. It is also the engine's settings, whose flags have the
// tags.
type Config struct {
	KeyVariable string `help:"Environment variable with the key; DEEPL_AUTH_KEY if not given." default:"DEEPL_AUTH_KEY" placeholder:"NAME"`
	KeyFile     string `help:"File with the key, in the place of the variable." placeholder:"FILE"`
	Server      string `help:"Another address of the API; that of the key's plan if not given." placeholder:"URL"`
	Model       string `help:"quality_optimized, prefer_quality_optimized or latency_optimized; DeepL's choice if not given." enum:",quality_optimized,prefer_quality_optimized,latency_optimized" default:"" placeholder:"TYPE"`
	Formality   string `help:"less or more, which some languages lack, or prefer_less or prefer_more, which are ignored there." enum:",less,more,prefer_less,prefer_more" default:"" placeholder:"FORM"`
	Glossary    string `help:"Glossary, which must have the languages." placeholder:"ID"`

	Codes map[string]string `help:"Variety of a language to translate into, by DeepL's code, as in eng=EN-GB,por=PT-PT." placeholder:"OURS=THEIRS,…" mapsep:","`

	PerMillion float64 `name:"price" placeholder:"DOLLARS" help:"Dollars for a million characters; the list price of the key's plan if not given."`
}

// Describe implements engines.Settings.
func (c Config) Describe() engines.Description {
	_, err := c.codes()
	return engines.Description{Name: name, Faults: errors.Join(err, engines.AtLeastZero(name+"-price", c.PerMillion))}
}

// Open implements engines.Settings. An estimate needs no key: without one it goes by the
// languages that are documented, and the list price.
func (c Config) Open(ctx context.Context, call engines.Config) (engines.Engine, error) {
	if call.Estimate && c.KeyFile == "" && os.Getenv(c.KeyVariable) == "" {
		return describe(c)
	}
	return engines.Reach(ctx, call, c, Open)
}

// codes returns Codes by codes of schemas/language.
func (c Config) codes() (engines.Codes, error) {
	codes := engines.Codes{}
	var errs fault.List
	for _, code := range slices.Sorted(maps.Keys(c.Codes)) {
		ours, err := language.Parse(code)
		if err == nil && codes[ours] != "" {
			err = fmt.Errorf("%s has two varieties, %s and %s", ours, codes[ours], c.Codes[code])
		}
		if err != nil {
			errs.Addf("deepl-codes: %w", err)
		}
		codes[ours] = c.Codes[code]
	}
	return codes, errs.Err()
}

// Engine is an account of DeepL.
type Engine struct {
	config           Config
	client           *web.Client // nil of one that is only described
	key              engines.Secret
	sources, targets engines.Codes
	formal           map[string]bool // by DeepL's codes of targets
}

// listed is a language that the API tells.
type listed struct {
	Code   string `json:"language"`
	Formal bool   `json:"supports_formality"`
}

// Open asks the API for its languages.
func Open(ctx context.Context, config Config) (*Engine, error) {
	variable := config.KeyVariable
	if config.KeyFile != "" {
		variable = ""
	}
	key, err := engines.ReadSecret(variable, config.KeyFile)
	if err == nil && key.Empty() {
		err = errors.New("there is no key: name the variable or the file that holds it")
	}
	if err != nil {
		return nil, err
	}
	client, err := web.New(cmp.Or(config.Server, address(key)), key)
	if err != nil {
		return nil, err
	}
	e := &Engine{config: config, client: client, key: key}
	var sources, targets []listed
	if err = e.get(ctx, "/v2/languages?type=source", &sources); err == nil {
		err = e.get(ctx, "/v2/languages?type=target", &targets)
	}
	if err == nil {
		err = e.learn(sources, targets)
	}
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("ask for languages: %w", err)
	}
	return e, nil
}

// address returns that of the plan of a key.
func address(key engines.Secret) string {
	if strings.HasSuffix(key.Reveal(), freeKey) {
		return free
	}
	return pro
}

func (e *Engine) header() http.Header {
	return http.Header{"Authorization": {"DeepL-Auth-Key " + e.key.Reveal()}}
}

func (e *Engine) get(ctx context.Context, path string, answer any) error {
	return explain(e.client.Get(ctx, path, e.header(), answer))
}

// explain returns an error of the API as what it means.
func explain(err error) error {
	var fault *engines.Fault
	var complaint *web.Complaint
	if !errors.As(err, &fault) || !errors.As(err, &complaint) {
		return err
	}
	switch complaint.Status {
	case http.StatusForbidden:
		fault.Err = fmt.Errorf("%w: DeepL does not take the key", complaint)
	case 456:
		fault.Err = fmt.Errorf("%w: the quota is used up; raise it in the account, or wait for the next month, and run again: what was answered is kept",
			complaint)
	case 529:
		fault.Kind = engines.Throttled
	}
	return fault
}

// Name implements engines.Engine.
func (e *Engine) Name() string { return name }

// Identity implements engines.Engine. The variety that is translated into is an option.
func (e *Engine) Identity(p engines.Pair) (engines.Identity, error) {
	_, target, err := e.pair(p)
	options, encoding := json.Marshal(struct { // fields in the order of their names
		Formality string `json:"formality"`
		Glossary  string `json:"glossary"`
		Target    string `json:"target"`
	}{e.config.Formality, e.config.Glossary, target})
	return engines.Identity{Engine: name, Model: cmp.Or(e.config.Model, "default"), Options: string(options)}, errors.Join(err, encoding)
}

// Limits implements engines.Engine.
func (e *Engine) Limits() engines.Limits { return engines.Limits{Items: mostTexts, Bytes: mostBytes} }

// Price implements engines.Engine. The plan Free costs nothing, up to its quota.
func (e *Engine) Price() float64 {
	if e.config.PerMillion == 0 && address(e.key) == free {
		return 0
	}
	return cmp.Or(e.config.PerMillion, pricePro)
}

// Quota implements engines.Metered.
func (e *Engine) Quota(ctx context.Context) string {
	var usage struct {
		Count int64 `json:"character_count"`
		Limit int64 `json:"character_limit"`
	}
	if e.client == nil {
		return "what the quota leaves is not known without a key"
	}
	if err := e.get(ctx, "/v2/usage", &usage); err != nil {
		return fmt.Sprintf("what the quota leaves is not known: %v", err)
	}
	if usage.Limit == 0 {
		return fmt.Sprintf("%d characters were translated this month, and there is no quota", usage.Count)
	}
	return fmt.Sprintf("%d of %d characters are left this month", max(0, usage.Limit-usage.Count), usage.Limit)
}

// Supports implements engines.Engine.
func (e *Engine) Supports(p engines.Pair) error {
	_, _, err := e.pair(p)
	return err
}

// Close implements engines.Engine.
func (e *Engine) Close() error {
	if e.client != nil {
		e.client.Close()
	}
	return nil
}

type request struct {
	Text      []string `json:"text"`
	Source    string   `json:"source_lang"`
	Target    string   `json:"target_lang"`
	Formality string   `json:"formality,omitempty"`
	Glossary  string   `json:"glossary_id,omitempty"`
	Model     string   `json:"model_type,omitempty"`
	Billed    bool     `json:"show_billed_characters"` // as DeepL's own clients ask
}

// Translate implements engines.Engine.
func (e *Engine) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	source, target, err := e.pair(p)
	if err != nil {
		return nil, err
	}
	if e.client == nil {
		return nil, errors.New("translate: the engine is only described, not connected")
	}
	var answer struct {
		Translations []struct {
			Text *string `json:"text"`
		} `json:"translations"`
	}
	r := request{texts, source, target, e.config.Formality, e.config.Glossary, e.config.Model, true}
	if err := explain(e.client.Post(ctx, "/v2/translate", r, e.header(), &answer)); err != nil {
		return nil, err
	}
	if len(answer.Translations) != len(texts) {
		return nil, engines.Faultf(engines.Malformed, "%d texts have %d translations", len(texts), len(answer.Translations))
	}
	answers := make([]engines.Answer, len(texts))
	for i, t := range answer.Translations {
		if t.Text == nil {
			return nil, engines.Faultf(engines.Malformed, "translation %d has no text", i)
		}
		answers[i].Text = *t.Text
	}
	return answers, nil
}
