package fill

import (
	"context"
	"slices"
	"sync"

	"sentweave/pipelines/identifier"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/checks"
	"sentweave/transforms/testsets/benchmark"
)

// judge checks translations by the rules of a job.
type judge struct {
	Quality Quality
	Langid  units.File // without a location where languages are not looked at

	accepted map[checks.Verdict]bool
	checkers sync.Pool // of *checks.Checker; each has its own identifier
}

// setup opens what the rules need, once for all goroutines.
func (j *judge) setup(ctx context.Context) error {
	j.accepted = map[checks.Verdict]bool{checks.OK: true}
	for _, verdict := range j.Quality.Accept {
		j.accepted[checks.Verdict(verdict)] = true
	}
	var languages *langid.FastText
	if j.Langid.Location != "" {
		var err error
		if languages, err = identifier.Load(ctx, j.Langid); err != nil {
			return err
		}
	}
	if _, err := checks.NewChecker(j.Quality.checks(), nil); err != nil {
		return err
	}
	j.checkers.New = func() any {
		var clone checks.Identifier
		if languages != nil {
			clone = languages.Clone().(*langid.FastText)
		}
		c, _ := checks.NewChecker(j.Quality.checks(), clone) // its configuration is checked above
		return c
	}
	return nil
}

// checker returns one for a goroutine, and what takes it back.
func (j *judge) checker() (c *checks.Checker, release func()) {
	c = j.checkers.Get().(*checks.Checker)
	return c, func() { j.checkers.Put(c) }
}

// check returns a translation as one line, with the reason if it cannot be used.
func (j *judge) check(c *checks.Checker, p engines.Pair, text string, said answer) answer {
	said.text = benchmark.Clean(said.text)
	if verdict := c.Check(p, text, said.text); !j.accepted[verdict] || said.text == "" {
		said.reason = string(verdict)
	}
	return said
}

// known judges a row of a memory: anew, if that is asked for, as if its engine had said
// it now, unless it says why the engine gave none. Otherwise what other rules have
// rejected may be accepted here.
func (j *judge) known(c *checks.Checker, row *schemas.Translation, anew bool) {
	if row.Translation == "" {
		return
	}
	reason := checks.Verdict(row.Reason)
	switch {
	case anew && (row.Reason == "" || slices.Contains(checks.Verdicts(), reason)):
		p := engines.Pair{Source: row.SourceLanguage, Target: row.TargetLanguage}
		row.Reason = j.check(c, p, row.Text, answer{text: row.Translation}).reason
	case j.accepted[reason]:
		row.Reason = ""
	default:
		return
	}
	row.Status = schemas.TranslationOK
	if row.Reason != "" {
		row.Status = schemas.TranslationRejected
	}
}
