// Package google translates by Cloud Translation, version 3 ("Advanced"), through
// Google's client, with a model or a glossary. It sends texts in requests, or in
// batches through a folder in Cloud Storage.
//
// Credentials are those of the environment (GOOGLE_APPLICATION_CREDENTIALS, or `gcloud
// auth application-default login`), or of a file.
//
// Source: https://cloud.google.com/translate/docs, as of the client v1.19.0: quotas
// (30,000 code points and 1,024 texts a request, 6,000,000 characters a minute),
// pricing, languages; batches at /advanced/batch-translation there, and in the
// reference of BatchTranslateText.
package google

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	translate "cloud.google.com/go/translate/apiv3"
	"cloud.google.com/go/translate/apiv3/translatepb"
	"google.golang.org/api/option"

	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/engines"
)

// name of the engine.
const name = "google"

// Limits of a request.
const (
	maxItems      = 1024
	maxCharacters = 30_000
)

// List prices in US dollars of a million characters, after the free 500,000 a month
// and before rebates. Models of one's own and glossaries do not bill the same: see
// the page. Of the language model input and output are billed, 10 dollars each.
const (
	PriceGeneral = 20
	PriceLLM     = 20
	PriceCustom  = 80
)

// Config says how Cloud Translation is used.
type Config struct {
	Settings
	// Characters is the number of characters in a request, at most maxCharacters. The
	// documentation advises 5,000, the default: long requests are slow and often fail.
	// It is nothing to batches, which have maxBatchCharacters.
	Characters int
	// BatchPoll is the longest pause between two looks at a batch; the first is a
	// thirtieth. Default 1 minute.
	BatchPoll time.Duration
}

// DefaultConfig returns the configuration described above, for a project.
func DefaultConfig(project string) Config {
	return Config{Settings: Settings{Project: project, Location: "global", Model: general}, Characters: 5000, BatchPoll: time.Minute}
}

const (
	general = "general/nmt"
	llm     = "general/translation-llm"
	scheme  = "gs://"
)

var identifier = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9:._/-]*$`)

// Validate returns all faults of c, joined, or nil.
func (c Config) Validate() error {
	var faults fault.List
	faults.Check(identifier.MatchString(c.Project) && !strings.Contains(c.Project, "/"),
		"project %q: want the identifier of a Google Cloud project", c.Project)
	faults.Check(identifier.MatchString(c.Location) && !strings.Contains(c.Location, "/"),
		"location %q: want global, or a region such as us-central1", c.Location)
	faults.Check(identifier.MatchString(c.Model) && (c.own() || c.Model == general || c.Model == llm),
		"model %q: want %s, %s, or the identifier of a model of your own, without its project", c.Model, general, llm)
	faults.Check(c.Glossary == "" || identifier.MatchString(c.Glossary) && !strings.Contains(c.Glossary, "/"),
		"glossary %q: want the identifier of one, without its project", c.Glossary)
	faults.Check(c.Location != "global" || c.Glossary == "" && !c.own(),
		"location global has no glossaries and no models of your own: give their region")
	faults.Check(c.Characters >= 1 && c.Characters <= maxCharacters, "characters %d: want 1 to %d in a request", c.Characters,
		maxCharacters)
	faults.Check(c.PerMillion >= 0, "price %v: want none below 0", c.PerMillion)
	for _, ours := range slices.Sorted(maps.Keys(c.Codes)) {
		canonical, err := language.Parse(ours)
		faults.Check(err == nil, "codes: %v", err)
		faults.Check(err != nil || canonical == ours, "codes: language %q is written %q", ours, canonical)
		faults.Check(c.Codes[ours] != "", "codes: the service's code of %s is empty", ours)
	}
	if c.Batch != "" {
		bucket, folder, _ := strings.Cut(strings.TrimPrefix(c.Batch, scheme), "/")
		faults.Check(strings.HasPrefix(c.Batch, scheme) && bucket != "" && strings.Trim(folder, "/") != "",
			"batch %q: want a folder in Cloud Storage, as in gs://BUCKET/FOLDER", c.Batch)
		faults.Check(c.Location != "global", "location global has no batches: give a region, such as us-central1")
		faults.Check(c.Model != llm, "model %s takes no batches: leave batch out, or take %s", llm, general)
		faults.Check(c.BatchPoll > 0, "batch poll is %v; it must be above 0", c.BatchPoll)
	}
	return faults.Err()
}

// own says whether the model is one of the user's.
func (c Config) own() bool { return !strings.Contains(c.Model, "/") }

// Engine is Cloud Translation.
type Engine struct {
	config Config
	client *translate.TranslationClient // nil of one that is only described
	codes  engines.Codes
	parent string

	mutex sync.Mutex
	read  map[string]time.Time // batches whose answers were given, by their folder
}

// describe returns an engine that says of itself what any does, but translates
// nothing: for estimates, which need no credentials.
func describe(config Config) (*Engine, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	codes := languages()
	for ours, theirs := range config.Codes {
		codes[ours] = theirs
	}
	return &Engine{
		config: config, codes: codes, parent: "projects/" + config.Project + "/locations/" + config.Location,
		read: map[string]time.Time{},
	}, nil
}

// Open connects; options are those of the client, besides what config says. It
// sends nothing.
func Open(ctx context.Context, config Config, options ...option.ClientOption) (*Engine, error) {
	e, err := describe(config)
	if err != nil {
		return nil, err
	}
	if config.CredentialsFile != "" {
		options = append(options, option.WithAuthCredentialsFile(option.ServiceAccount, config.CredentialsFile))
	}
	if config.Endpoint != "" {
		options = append(options, option.WithEndpoint(config.Endpoint))
	}
	if config.Batch != "" {
		if _, err := storage.Locate(config.Batch); err != nil {
			return nil, fmt.Errorf("batch: %w", err)
		}
	}
	if e.client, err = translate.NewTranslationClient(ctx, options...); err != nil {
		return nil, fmt.Errorf("connect to Cloud Translation: %w; `gcloud auth application-default login` makes credentials, GOOGLE_APPLICATION_CREDENTIALS names a file of some",
			err)
	}
	return e, nil
}

// Name implements engines.Engine.
func (e *Engine) Name() string { return name }

// Identity implements engines.Engine. General models are the same in every project
// and region, and in batches: these name models and glossaries as requests do, give
// them the texts as they are under the same MIME type, and have the same model by
// default.
func (e *Engine) Identity(p engines.Pair) (engines.Identity, error) {
	model, glossary := e.config.Model, e.config.Glossary
	if e.config.own() {
		model = e.model()
	}
	if glossary != "" {
		glossary = e.glossary()
	}
	options, err := json.Marshal(struct { // fields in the order of their names
		Glossary   string `json:"glossary"`
		IgnoreCase bool   `json:"ignore_case"`
		Type       string `json:"mime_type"`
	}{glossary, e.config.IgnoreCase, mimeType})
	return engines.Identity{Engine: name, Model: model, Options: string(options)}, errors.Join(err, e.Supports(p))
}

func (e *Engine) model() string    { return e.parent + "/models/" + e.config.Model }
func (e *Engine) glossary() string { return e.parent + "/glossaries/" + e.config.Glossary }

func (e *Engine) glossaryConfig() *translatepb.TranslateTextGlossaryConfig {
	return &translatepb.TranslateTextGlossaryConfig{Glossary: e.glossary(), IgnoreCase: e.config.IgnoreCase}
}

// Limits implements engines.Engine: those of a request, and of a new project's quota,
// which is not that of batches.
func (e *Engine) Limits() engines.Limits {
	if e.config.Batch != "" {
		return engines.Limits{Items: maxBatchItems, Characters: maxBatchCharacters, TextCharacters: maxBatchText}
	}
	return engines.Limits{Items: maxItems, Characters: e.config.Characters, TextCharacters: maxCharacters, CharactersPerMinute: 6_000_000}
}

// Price implements engines.Engine.
func (e *Engine) Price() float64 {
	switch {
	case e.config.PerMillion > 0:
		return e.config.PerMillion
	case e.config.Model == llm:
		return PriceLLM
	case e.config.own():
		return PriceCustom
	}
	return PriceGeneral
}

// Supports implements engines.Engine.
func (e *Engine) Supports(p engines.Pair) error {
	_, _, err := e.codes.Pair(name, p)
	return err
}

// Close implements engines.Engine. It deletes the files of the batches that were read.
func (e *Engine) Close() error {
	if e.client == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return errors.Join(e.sweep(ctx, 0), e.client.Close())
}

// mimeType keeps the service from reading texts as HTML, its default.
const mimeType = "text/plain"

// Translate implements engines.Engine.
func (e *Engine) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	if e.client == nil {
		return nil, errors.New("translate: the engine is only described, not connected")
	}
	if e.config.Batch != "" {
		return e.translateBatch(ctx, p, texts)
	}
	source, target, err := e.codes.Pair(name, p)
	if err != nil {
		return nil, err
	}
	request := &translatepb.TranslateTextRequest{
		Contents: texts, MimeType: mimeType, SourceLanguageCode: source, TargetLanguageCode: target, Parent: e.parent, Model: e.model(),
	}
	if e.config.Glossary != "" {
		request.GlossaryConfig = e.glossaryConfig()
	}
	response, err := e.client.TranslateText(ctx, request)
	if err != nil {
		return nil, faultOf(ctx, "translate text", err)
	}
	translations := response.GetTranslations()
	if e.config.Glossary != "" {
		translations = response.GetGlossaryTranslations()
	}
	if len(translations) != len(texts) {
		return nil, engines.Faultf(engines.Malformed, "%d texts have %d translations", len(texts), len(translations))
	}
	answers := make([]engines.Answer, len(texts))
	for i, t := range translations {
		answers[i].Text = t.GetTranslatedText()
	}
	return answers, nil
}
