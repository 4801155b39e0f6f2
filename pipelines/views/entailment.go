package views

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/testsets/nli"
)

const (
	// stepLabel drops items whose hypothesis does not follow.
	stepLabel = "label"

	reasonNoGold       = "no_gold"
	reasonUnknownLabel = "unknown_label"
	reasonEmpty        = "empty"
)

func (c config) planEntailment(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	items, err := units.OpenDataset[schemas.Benchmark](ctx, c.Texts)
	if err != nil {
		return nil, fmt.Errorf("texts: %w", err)
	}
	if err := units.CheckSplits(ctx, c.Splits, items); err != nil {
		return nil, err
	}
	b := c.builder(settings, items.Manifest())
	graph.Write(b, "entailment", b.Units(b.Pack(items.Manifest())), &entailmentTask{Config: c, Items: items})
	return c.job(output, b)
}

// entailmentTask takes the hypotheses that follow from their premises as views of these.
type entailmentTask struct {
	Config config
	Items  *units.Dataset
}

// Setup implements graph.Task.
func (t *entailmentTask) Setup(ctx context.Context) error {
	return units.Reopen[schemas.Benchmark](ctx, t.Items)
}

// Chains implements graph.Task.
func (t *entailmentTask) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainTexts, stepLanguage, stepSplit, stepLabel, stepView)}
}

// Write implements graph.Writer.
func (t *entailmentTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	w := writer{attempt: attempt, kind: kindEntailment}
	return units.DatasetRows(ctx, t.Items, unit.Unit, func(b schemas.Benchmark) error { return t.item(ctx, &w, b) })
}

func (t *entailmentTask) item(ctx context.Context, w *writer, b schemas.Benchmark) error {
	premise := texts.Text{ID: schemas.DerivedID("item", b.ID, b.LanguageA), Text: b.TextA, Language: b.LanguageA}
	sample := b.TextA + "\n" + b.TextB
	switch {
	case b.LanguageA != t.Config.Language || b.LanguageB != "" && b.LanguageB != t.Config.Language:
		return w.drop(premise, stepLanguage, ReasonLanguage, sample)
	case len(t.Config.Splits) > 0 && !slices.Contains(t.Config.Splits, b.Split):
		return w.drop(premise, stepSplit, ReasonSplit, "split "+strconv.Quote(b.Split)+": "+sample)
	case b.Skip:
		return w.drop(premise, stepLabel, reasonNoGold, sample)
	case b.Label == nli.Neutral, b.Label == nli.Contradiction:
		return w.drop(premise, stepLabel, b.Label, sample)
	case b.Label != nli.Entailment:
		return w.drop(premise, stepLabel, reasonUnknownLabel, "label "+strconv.Quote(b.Label)+": "+sample)
	case b.TextA == "" || b.TextB == "":
		return w.drop(premise, stepView, reasonEmpty, sample)
	}
	w.origin = schemas.Origin(b.Task, b.Split)
	return w.put(ctx, premise, b.TextB, b.LanguageB)
}
