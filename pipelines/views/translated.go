package views

import (
	"context"
	"fmt"
	"slices"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/memory/lookup"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/checks"
	"sentweave/transforms/engines/chrf"
)

const (
	// stepTranslation drops texts that the memories have no translation of.
	stepTranslation = "translation"

	// reasonMissing: no memory has the text. A back-translation is what memories have for
	// the whole way: of a text whose translation there was rejected nothing was sent back,
	// so that its way has no end, and it counts here.
	reasonMissing = "not_translated"
	// reasonRejected: the translation failed the quality control; of a back-translation,
	// that on the way back.
	reasonRejected  = "rejected"
	reasonRoundTrip = string(checks.RoundTrip)
)

// planTranslated plans views that are in translation memories: translations, or
// texts that were translated there and back.
func (c config) planTranslated(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	source, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	forward, inputs, err := lookup.Open(ctx, "there", c.There)
	if err != nil {
		return nil, err
	}
	backward, backInputs, err := lookup.Open(ctx, "back", c.Back)
	if err != nil {
		return nil, err
	}
	pairs, err := c.pairs()
	if err != nil {
		return nil, err
	}
	b := c.builder(settings, source.Manifest(), slices.Concat(inputs, backInputs)...)
	reading := b.Pack(source.Manifest())
	writing := b.Units(reading)
	if err := (lookup.Lookup{Texts: source, Reading: reading, Splits: c.Splits, Pairs: pairs, There: forward, Back: backward}).Add(b,
		writing); err != nil {
		return nil, err
	}
	graph.Write(b, "write", writing, &translatedTask{Config: c, Source: source, Pairs: pairs})
	return c.job(output, b)
}

// pairs returns the pairs of languages that are looked up, in the order of the
// setting: with two languages to go through, the first one's text is text_a.
func (c config) pairs() ([]engines.Pair, error) {
	codes, setting := c.Targets, "targets"
	if c.Kind == kindBackTranslation {
		codes, setting = c.Through, "through"
	}
	var pairs []engines.Pair
	for _, code := range codes {
		target, err := language.Parse(code)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", setting, err)
		}
		p := engines.Pair{Source: c.Language, Target: target}
		if target == c.Language || slices.Contains(pairs, p) {
			return nil, fmt.Errorf("%s: %s is the language of the texts, or is named twice", setting, code)
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// translatedTask pairs each text with what the memories have for it.
type translatedTask struct {
	Config config
	Source *texts.Source
	Pairs  []engines.Pair
}

// Setup implements graph.Task.
func (t *translatedTask) Setup(ctx context.Context) error { return t.Source.Reopen(ctx) }

// Chains implements graph.Task.
func (t *translatedTask) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainTexts, stepLanguage, stepSplit, stepTranslation, stepView)}
}

// Write implements graph.Writer.
func (t *translatedTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	answers, stop := lookup.Answers(ctx, unit)
	defer stop()
	w := writer{attempt: attempt, kind: t.Config.Kind}
	var scorer chrf.Scorer
	number := 0
	return t.Source.Each(ctx, unit.Unit, func(x texts.Text) error {
		place := number
		number++
		if step, reason := t.Config.takes(x); reason != "" {
			return w.drop(x, step, reason, x.Text)
		}
		translations := make([]lookup.Answer, len(t.Pairs))
		for p := range t.Pairs {
			var err error
			if translations[p], err = answers.Take(place, p); err != nil {
				return err
			}
		}
		if t.Config.Kind == kindBackTranslation {
			return t.back(ctx, &w, &scorer, x, translations)
		}
		return t.translations(ctx, &w, x, translations)
	})
}

// unusable returns why an answer gives no view, or "".
func unusable(a lookup.Answer) string {
	switch {
	case !a.Found:
		return reasonMissing
	case a.Rejected:
		return reasonRejected
	}
	return ""
}

// back pairs a text with its back-translation, or its two back-translations through
// two languages with each other, as in the paper. The pair's score is the chrF2 of
// what came back, as a quality of the round trip; of two, the lower one.
func (t *translatedTask) back(ctx context.Context, w *writer, scorer *chrf.Scorer, x texts.Text, answers []lookup.Answer) error {
	worst := 100.0
	for _, a := range answers {
		if reason := unusable(a); reason != "" {
			return w.drop(x, stepTranslation, reason, x.Text)
		}
		worst = min(worst, scorer.Segment(a.Text, x.Text).Score())
	}
	if worst < t.Config.MinChrF {
		return w.drop(x, stepTranslation, reasonRoundTrip, x.Text)
	}
	if len(answers) == 2 {
		group := x.Meaning()
		x.Text, x.Group = answers[0].Text, &group
	}
	score := float32(worst)
	return w.putScored(ctx, x, answers[len(answers)-1].Text, x.Language, &score)
}

// translations pairs a text with each of its translations, unless an earlier text has
// given the pair. In the funnel each counts as a text of its own.
func (t *translatedTask) translations(ctx context.Context, w *writer, x texts.Text, answers []lookup.Answer) error {
	for p, a := range answers {
		view := x
		view.ID = schemas.DerivedID("translated", x.ID, t.Pairs[p].Target)
		var err error
		if reason := unusable(a); reason != "" {
			err = w.drop(view, stepTranslation, reason, x.Text)
		} else if a.Repeated {
			err = w.attempt.Funnel().Drop(chainTexts, view.Language, stepView, reasonRepeated, 1) // not lost: no sample
		} else {
			err = w.put(ctx, view, a.Text, t.Pairs[p].Target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
