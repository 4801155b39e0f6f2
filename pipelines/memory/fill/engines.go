package fill

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/catalog"
)

// Engines says which engine translates into which language, how each is reached and
// what it may cost. Nothing of it but the identity of the engines is in the
// plan: another server, rate or budget goes on with what there is. Keys are named by
// the variable or file that holds them, and read where they are used.
type Engines struct {
	Engine []string `help:"Engine, or TARGET=ENGINE for a language of its own: ${engines}." placeholder:"[TARGET=]ENGINE,…"`

	Settings catalog.Settings `embed:""`

	Requests             int           `help:"Requests under way at once." default:"4" placeholder:"N"`
	RequestTimeout       time.Duration `help:"What a request may take." default:"1m"`
	Attempts             int           `help:"How often a request that fails for no fault of its own is sent." default:"8" placeholder:"N"`
	RetryPause           time.Duration `help:"Pause before the second attempt; each later one is twice as long." default:"500ms"`
	RequestsPerMinute    int           `help:"Most requests a minute; the engine's usual quota if not given." placeholder:"N"`
	CharactersPerMinute  int           `help:"Most characters a minute; the engine's usual quota if not given." placeholder:"N"`
	TextsPerRequest      int           `help:"Most texts of a request; a number that suits the engine if not given. More than the engine takes at all counts as that." placeholder:"N"`
	CharactersPerRequest int           `help:"Most characters of a request; a number that suits the engine if not given. More than the engine takes at all counts as that." placeholder:"N"`
	CharactersPerText    int           `help:"Most characters of a text, as a server may be set to; longer ones are not sent, and rows with the reason too_long." placeholder:"N"`
	Budget               string        `help:"What the dataset may cost in all its runs: characters sent, as in 500000 or 2M, or money, as in 20USD." placeholder:"BUDGET"`
}

// Validate returns all faults at once, without opening anything.
func (e Engines) Validate() error {
	_, err := parseBudget(e.Budget)
	errs := fault.List{
		engines.AtLeastZero("requests", e.Requests), engines.AtLeastZero("request-timeout", e.RequestTimeout),
		engines.AtLeastZero("attempts", e.Attempts), engines.AtLeastZero("retry-pause", e.RetryPause),
		engines.AtLeastZero("requests-per-minute", e.RequestsPerMinute),
		engines.AtLeastZero("characters-per-minute", e.CharactersPerMinute),
		engines.AtLeastZero("texts-per-request", e.TextsPerRequest), engines.AtLeastZero("characters-per-request", e.CharactersPerRequest),
		engines.AtLeastZero("characters-per-text", e.CharactersPerText), err,
	}
	if len(e.Engine) == 0 {
		errs.Addf("engine is empty: give one of %s", catalog.Help())
	}
	targets := map[string]bool{}
	for _, entry := range e.Engine {
		target, name, err := e.parse(entry)
		switch {
		case err != nil:
			errs.Add(err)
			continue
		case targets[target]:
			errs.Addf("engine: %q is a second engine for the same language", entry)
		}
		targets[target] = true
		errs.Add(e.Settings.Named(name).Describe().Faults)
	}
	return errs.Err()
}

// parse reads [TARGET=]ENGINE.
func (e *Engines) parse(entry string) (target, name string, err error) {
	name = entry
	if tag, engine, ok := strings.Cut(entry, "="); ok {
		if target, err = language.Parse(tag); err != nil {
			return "", "", fmt.Errorf("engine %q: %w", entry, err)
		}
		name = engine
	}
	if e.Settings.Named(name) == nil {
		return "", "", fmt.Errorf("engine %q is not one of %s", name, catalog.Help())
	}
	return target, name, nil
}

// of returns the name of the engine for a target language.
func (e Engines) of(target string) (string, error) {
	general := ""
	for _, entry := range e.Engine {
		scope, name, err := e.parse(entry)
		switch {
		case err != nil:
			return "", err
		case scope == target:
			return name, nil
		case scope == "":
			general = name
		}
	}
	if general == "" {
		return "", fmt.Errorf("no engine translates into %s: give --engine ENGINE, or --engine %s=ENGINE", target, target)
	}
	return general, nil
}

// open opens an engine to translate, or for an estimate.
func (e Engines) open(ctx context.Context, name string, estimate bool) (engines.Engine, error) {
	c := e.caller(name)
	c.Estimate = estimate
	return e.Settings.Named(name).Open(ctx, c)
}

// caller returns how an engine is called, but for the budget.
func (e Engines) caller(name string) engines.Config {
	c := engines.DefaultConfig()
	c.Finish = true
	c.Parallel, c.Attempts = cmp.Or(e.Requests, c.Parallel), cmp.Or(e.Attempts, c.Attempts)
	c.Timeout, c.Pause = cmp.Or(e.RequestTimeout, c.Timeout), cmp.Or(e.RetryPause, c.Pause)
	c.MaxPause = max(c.MaxPause, c.Pause)
	if batch := e.Settings.Named(name).Describe().Batch; batch > 0 {
		c.Timeout, c.Finish = batch, false // it goes on by itself for hours, and is found again
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
