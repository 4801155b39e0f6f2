package translations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sentweave/schemas/language"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/apertium"
	"sentweave/transforms/engines/apy"
	"sentweave/transforms/engines/chat"
	"sentweave/transforms/engines/command"
	"sentweave/transforms/engines/google"
	"sentweave/transforms/engines/identity"
	"sentweave/transforms/engines/libretranslate"
	"sentweave/transforms/engines/verbatim"
)

// Engines says which engine translates into which language, how each is reached and
// what it may cost. Nothing of it but the identity of the engines stands in the
// plan: another server, rate or budget goes on with what there is. Keys are named by
// the variable or file that holds them, and read where they are used.
type Engines struct {
	Engine []string `help:"Engine, or TARGET=ENGINE for a language of its own: google, libretranslate, apertium, apy (a server of Apertium), chat (any endpoint that speaks OpenAI's protocol), command (a program of yours), identity (texts as they are)." placeholder:"[TARGET=]ENGINE,…" group:"Engine"`

	Google         googleEngine         `embed:"" prefix:"google-"`
	LibreTranslate libreTranslateEngine `embed:"" prefix:"libretranslate-"`
	Apertium       apertiumEngine       `embed:"" prefix:"apertium-"`
	APY            apyEngine            `embed:"" prefix:"apy-"`
	Chat           chatEngine           `embed:"" prefix:"chat-"`
	Command        commandEngine        `embed:"" prefix:"command-"`

	Requests             int           `help:"Requests under way at once." default:"4" group:"Engine"`
	RequestTimeout       time.Duration `help:"What a request may take." default:"1m" group:"Engine"`
	Attempts             int           `help:"How often a request that fails for no fault of its own is sent." default:"8" group:"Engine"`
	RetryPause           time.Duration `help:"Pause before the second attempt; each later one is twice as long." default:"500ms" group:"Engine"`
	RequestsPerMinute    int           `help:"Most requests a minute; the engine's usual quota if not given." group:"Engine"`
	CharactersPerMinute  int           `help:"Most characters a minute; the engine's usual quota if not given." group:"Engine"`
	TextsPerRequest      int           `help:"Most texts of a request; a number that suits the engine if not given. More than the engine takes at all (google 1024, apy 1) counts as that." group:"Engine"`
	CharactersPerRequest int           `help:"Most characters of a request; a number that suits the engine if not given. More than the engine takes at all (google 30000) counts as that." group:"Engine"`
	CharactersPerText    int           `help:"Most characters of a text, as a server may be set to; longer ones are not sent, and rows with the reason too_long." group:"Engine"`
	Budget               string        `help:"What the dataset may cost in all its runs: characters sent, as in 500000 or 2M, or money, as in 20USD." placeholder:"BUDGET" group:"Engine"`
}

type googleEngine struct {
	Project     string  `help:"Google: project that pays." placeholder:"PROJECT" group:"Engine"`
	Location    string  `help:"Google: region of a glossary or of a model of one's own." default:"global" group:"Engine"`
	Model       string  `help:"Google: general/nmt, general/translation-llm, or a model of one's own." default:"general/nmt" group:"Engine"`
	Glossary    string  `help:"Google: glossary." placeholder:"ID" group:"Engine"`
	IgnoreCase  bool    `help:"Google: find terms of the glossary in any case." group:"Engine"`
	Credentials string  `help:"Google: file of a service account; the default credentials if not given." placeholder:"FILE" group:"Engine"`
	Price       float64 `help:"Google: dollars for a million characters; the list price if not given." group:"Engine"`
	Endpoint    string  `help:"Google: another address of the service." placeholder:"HOST:PORT" group:"Engine"`

	Codes map[string]string `help:"Google: languages that the program does not know it to have, with Google's code, as in fao=fo." placeholder:"OURS=THEIRS,…" mapsep:"," group:"Engine"`

	Batch        string        `help:"Google: folder in Cloud Storage, gs://BUCKET/FOLDER, by which texts go in batches in the place of requests; needs --google-location." placeholder:"gs://…" group:"Engine"`
	BatchTimeout time.Duration `help:"Google: what a batch may take, which --request-timeout says of requests." default:"24h" group:"Engine"`
	KeepBatches  bool          `help:"Google: leave the files of batches in the folder." group:"Engine"`
}

// google is the configuration of that engine.
func (e Engines) google() google.Config {
	g := e.Google
	c := google.DefaultConfig(g.Project)
	c.Location, c.Model = cmp.Or(g.Location, c.Location), cmp.Or(g.Model, c.Model)
	c.Glossary, c.IgnoreCase, c.CredentialsFile = g.Glossary, g.IgnoreCase, g.Credentials
	c.PerMillion, c.Endpoint = g.Price, g.Endpoint
	c.Batch, c.KeepBatches = g.Batch, g.KeepBatches
	c.Characters = min(cmp.Or(max(0, e.CharactersPerRequest), c.Characters), google.MaxCharacters)
	c.Codes = map[string]string{}
	for _, code := range slices.Sorted(maps.Keys(g.Codes)) {
		ours, err := language.Parse(code)
		if err != nil {
			ours = code // which Validate finds
		}
		c.Codes[ours] = g.Codes[code]
	}
	return c
}

type libreTranslateEngine struct {
	Server      string  `help:"LibreTranslate: address, as in http://localhost:5000." placeholder:"URL" group:"Engine"`
	KeyVariable string  `help:"LibreTranslate: environment variable with the key." placeholder:"NAME" group:"Engine"`
	KeyFile     string  `help:"LibreTranslate: file with the key." placeholder:"FILE" group:"Engine"`
	Model       string  `help:"LibreTranslate: name of the server's models in the memory." default:"argos" group:"Engine"`
	Price       float64 `help:"LibreTranslate: dollars for a million characters." group:"Engine"`
}

type apertiumEngine struct {
	Program string `help:"Apertium: the program; that on PATH if not given." placeholder:"FILE" env:"SENTWEAVE_APERTIUM" group:"Engine"`
	Data    string `help:"Apertium: folder that holds the folder modes; that of the program if not given." placeholder:"DIR" group:"Engine"`
}

type apyEngine struct {
	Server      string `help:"APy: address, as in http://localhost:2737." placeholder:"URL" group:"Engine"`
	KeyVariable string `help:"APy: environment variable with the key." placeholder:"NAME" group:"Engine"`
	KeyFile     string `help:"APy: file with the key." placeholder:"FILE" group:"Engine"`
	Model       string `help:"APy: name of what the server has installed in the memory." default:"apertium" group:"Engine"`
}

type chatEngine struct {
	Server       string  `help:"Chat: address of the endpoint, as in http://localhost:8000/v1." placeholder:"URL" group:"Engine"`
	Model        string  `help:"Chat: the model's name there." placeholder:"NAME" group:"Engine"`
	KeyVariable  string  `help:"Chat: environment variable with the key." placeholder:"NAME" group:"Engine"`
	KeyFile      string  `help:"Chat: file with the key." placeholder:"FILE" group:"Engine"`
	Instructions string  `help:"Chat: instructions that follow the fixed ones." placeholder:"TEXT" group:"Engine"`
	MaxTokens    int     `help:"Chat: most tokens of an answer; left to the endpoint if not given." group:"Engine"`
	Price        float64 `help:"Chat: dollars for a million characters of text to translate, as measured." group:"Engine"`
}

type commandEngine struct {
	Program         string   `help:"Command: program that reads one JSON object a line and answers so." placeholder:"FILE" group:"Engine"`
	Arguments       []string `help:"Command: its arguments." placeholder:"ARGUMENT,…" group:"Engine"`
	Model           string   `help:"Command: name and version of what it does, in the memory." placeholder:"NAME" group:"Engine"`
	SecretVariables []string `help:"Command: environment variables whose values no error may show." placeholder:"NAME,…" group:"Engine"`
	Price           float64  `help:"Command: dollars for a million characters." group:"Engine"`
}

// names are those of the engines.
var names = []string{"google", "libretranslate", "apertium", "apy", "chat", "command", "identity"}

// canCost are the engines whose price is what the user says, if anything.
var canCost = map[string]bool{"libretranslate": true, "chat": true, "command": true}

// Validate returns all faults at once, without opening anything.
func (e Engines) Validate() error {
	var errs []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	fault(len(e.Engine) == 0, "engine is empty: give one of %s", strings.Join(names, ", "))
	seen := map[string]bool{}
	for _, entry := range e.Engine {
		target, name, err := parseEngine(entry)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		fault(seen[target], "engine: %q is a second engine for the same language", entry)
		seen[target] = true
		given := func(value, flag string) { fault(value == "", "engine %s needs --%s-%s", name, name, flag) }
		switch name {
		case "google":
			given(e.Google.Project, "project")
			if err := e.google().Validate(); err != nil && e.Google.Project != "" {
				errs = append(errs, fmt.Errorf("engine google: %w", err))
			}
		case "libretranslate":
			given(e.LibreTranslate.Server, "server")
		case "apy":
			given(e.APY.Server, "server")
		case "chat":
			given(e.Chat.Server, "server")
			given(e.Chat.Model, "model")
		case "command":
			given(e.Command.Program, "program")
			given(e.Command.Model, "model")
		}
	}
	for _, n := range []struct {
		flag string
		n    int
	}{
		{"requests", e.Requests}, {"attempts", e.Attempts}, {"requests-per-minute", e.RequestsPerMinute}, {"characters-per-minute", e.CharactersPerMinute},
		{"texts-per-request", e.TextsPerRequest}, {"characters-per-request", e.CharactersPerRequest}, {"characters-per-text", e.CharactersPerText}, {"chat-max-tokens", e.Chat.MaxTokens},
	} {
		fault(n.n < 0, "%s is %d: want 0, which is the default, or more", n.flag, n.n)
	}
	if _, err := parseBudget(e.Budget); err != nil {
		errs = append(errs, err)
	}
	fault(e.RequestTimeout < 0 || e.RetryPause < 0 || e.Google.BatchTimeout < 0, "request-timeout is %v, retry-pause %v and google-batch-timeout %v: want 0, which is the default, or more", e.RequestTimeout, e.RetryPause, e.Google.BatchTimeout)
	for _, price := range []float64{e.Google.Price, e.LibreTranslate.Price, e.Chat.Price, e.Command.Price} {
		fault(!(price >= 0), "a price of %v: want 0 or more dollars for a million characters", price)
	}
	return errors.Join(errs...)
}

// parseEngine reads [TARGET=]ENGINE.
func parseEngine(entry string) (target, name string, err error) {
	name = entry
	if before, after, ok := strings.Cut(entry, "="); ok {
		if target, err = language.Parse(before); err != nil {
			return "", "", fmt.Errorf("engine %q: %w", entry, err)
		}
		name = after
	}
	if !slices.Contains(names, name) {
		return "", "", fmt.Errorf("engine %q is none of %s", name, strings.Join(names, ", "))
	}
	return target, name, nil
}

// of returns the name of the engine for a target language.
func (e Engines) of(target string) (string, error) {
	general := ""
	for _, entry := range e.Engine {
		only, name, err := parseEngine(entry)
		switch {
		case err != nil:
			return "", err
		case only == target:
			return name, nil
		case only == "":
			general = name
		}
	}
	if general == "" {
		return "", fmt.Errorf("no engine translates into %s: give --engine ENGINE, or --engine %s=ENGINE", target, target)
	}
	return general, nil
}

// opener opens an engine by its name.
type opener func(ctx context.Context, name string) (engines.Engine, error)

// describe is open for estimates: what an engine says of itself needs no credentials.
func (e Engines) describe(ctx context.Context, name string) (engines.Engine, error) {
	if name == google.Name {
		return google.Describe(e.google())
	}
	return e.open(ctx, name)
}

// open opens an engine to translate.
func (e Engines) open(ctx context.Context, name string) (engines.Engine, error) {
	switch name {
	case "google":
		return google.Open(ctx, e.google())
	case "libretranslate":
		c := libretranslate.DefaultConfig(e.LibreTranslate.Server)
		c.KeyVariable, c.KeyFile, c.PerMillion = e.LibreTranslate.KeyVariable, e.LibreTranslate.KeyFile, e.LibreTranslate.Price
		c.Model, c.Limits = cmp.Or(e.LibreTranslate.Model, c.Model), e.limits(c.Limits)
		return reach(ctx, e.caller(name), func(ctx context.Context) (engines.Engine, error) { return libretranslate.Open(ctx, c) })
	case "apertium":
		c := apertium.DefaultConfig()
		c.Program, c.Data = cmp.Or(e.Apertium.Program, c.Program), cmp.Or(e.Apertium.Data, c.Data)
		c.Idle, c.Limits = max(c.Idle, e.caller(name).Parallel), e.limits(c.Limits)
		engine, err := apertium.Open(ctx, c)
		if err != nil {
			return nil, err
		}
		return verbatim.Engine{Engine: engine}, nil
	case "apy":
		c := apy.DefaultConfig(e.APY.Server)
		c.KeyVariable, c.KeyFile, c.Model = e.APY.KeyVariable, e.APY.KeyFile, cmp.Or(e.APY.Model, c.Model)
		return reach(ctx, e.caller(name), func(ctx context.Context) (engines.Engine, error) {
			engine, err := apy.Open(ctx, c)
			if err != nil {
				return nil, err
			}
			return verbatim.Engine{Engine: engine}, nil
		})
	case "chat":
		c := chat.DefaultConfig(e.Chat.Server, e.Chat.Model)
		c.KeyVariable, c.KeyFile, c.Instructions = e.Chat.KeyVariable, e.Chat.KeyFile, e.Chat.Instructions
		c.MaxTokens, c.PerMillion, c.Limits = e.Chat.MaxTokens, e.Chat.Price, e.limits(c.Limits)
		return chat.Open(c)
	case "command":
		c := command.DefaultConfig(e.Command.Model, e.Command.Program, e.Command.Arguments...)
		c.SecretVariables, c.PerMillion = e.Command.SecretVariables, e.Command.Price
		c.Idle, c.Limits = max(c.Idle, e.caller(name).Parallel), e.limits(c.Limits)
		return command.Open(c)
	}
	return identity.Engine{}, nil
}

// reach opens an engine that asks a server what it has, as patiently as it will be
// asked for translations.
func reach(ctx context.Context, config engines.Config, open func(context.Context) (engines.Engine, error)) (engine engines.Engine, err error) {
	err = engines.Retry(ctx, config, func(ctx context.Context) (err error) {
		engine, err = open(ctx)
		return err
	})
	return engine, err
}

// limits of requests are what is asked for in the place of what suits an engine that
// has none of its own.
func (e Engines) limits(suits engines.Limits) engines.Limits {
	suits.Items, suits.Characters = cmp.Or(e.TextsPerRequest, suits.Items), cmp.Or(e.CharactersPerRequest, suits.Characters)
	return suits
}

// caller returns how an engine is called, but for the budget.
func (e Engines) caller(name string) engines.Config {
	c := engines.DefaultConfig()
	c.Finish = true
	if e.Requests > 0 {
		c.Parallel = e.Requests
	}
	if e.RequestTimeout > 0 {
		c.Timeout = e.RequestTimeout
	}
	if name == google.Name && e.Google.Batch != "" {
		c.Timeout = cmp.Or(e.Google.BatchTimeout, google.BatchTimeout)
		c.Finish = false // a batch goes on by itself for hours, and is found again
	}
	if e.Attempts > 0 {
		c.Attempts = e.Attempts
	}
	if e.RetryPause > 0 {
		c.Pause, c.MaxPause = e.RetryPause, max(c.MaxPause, e.RetryPause)
	}
	c.Limits = engines.Limits{
		Items: e.TextsPerRequest, Characters: e.CharactersPerRequest, TextCharacters: e.CharactersPerText,
		RequestsPerMinute: e.RequestsPerMinute, CharactersPerMinute: e.CharactersPerMinute,
	}
	return c
}

// budget bounds what is sent: characters, or US dollars. Zero is no bound.
type budget struct {
	characters int64
	dollars    float64
}

// parseBudget reads characters, as in 500000, 500k or 2M, or money, as in 20USD or
// $20; nothing is no bound.
func parseBudget(text string) (budget, error) {
	s := strings.TrimSpace(text)
	if s == "" {
		return budget{}, nil
	}
	money, isMoney := strings.CutSuffix(s, "USD")
	if !isMoney {
		money, isMoney = strings.CutPrefix(s, "$")
	}
	if isMoney {
		dollars, err := strconv.ParseFloat(strings.TrimSpace(money), 64)
		if err != nil || !(dollars > 0) || dollars > 1e12 {
			return budget{}, fmt.Errorf("budget %q: want an amount of US dollars, as in 20USD", text)
		}
		return budget{dollars: dollars}, nil
	}
	unit := int64(1)
	if n := map[byte]int64{'k': 1e3, 'M': 1e6, 'G': 1e9}[s[max(0, len(s)-1)]]; n > 0 {
		s, unit = s[:len(s)-1], n
	}
	characters, err := strconv.ParseInt(s, 10, 64)
	if err != nil || characters < 1 || characters > 1e15/unit {
		return budget{}, fmt.Errorf("budget %q: want characters, as in 500000 or 2M, or money, as in 20USD", text)
	}
	return budget{characters: characters * unit}, nil
}
