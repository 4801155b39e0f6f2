package views

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/nli"
)

const (
	// stepLabel drops items whose hypothesis does not follow.
	stepLabel = "label"

	reasonNoGold       = "no_gold"
	reasonUnknownLabel = "unknown_label"
	reasonEmpty        = "empty"
)

func (c Config) planEntailment(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	items, err := units.OpenDataset[schemas.Benchmark](ctx, c.Texts)
	if err != nil {
		return nil, fmt.Errorf("texts: %w", err)
	}
	return c.job(output, settings, items.Manifest(), nil, func(count int) units.Phase {
		return units.NewPhase("entailment", 0, count, &entailmentTask{Config: c, Items: items})
	})
}

// entailmentTask takes the hypotheses that follow from their premises as views of these.
type entailmentTask struct {
	Config Config
	Items  *units.Dataset
}

// Setup implements units.Task.
func (t *entailmentTask) Setup(ctx context.Context) error {
	return units.Reopen[schemas.Benchmark](ctx, t.Items)
}

// Do implements units.Task.
func (t *entailmentTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	attempt, err := dataset.Begin[schemas.Pair](env.Folder, env.Plan, unit.Ordinal, dataset.NewChain(chainTexts, stepLanguage, stepSplit, stepLabel, stepView))
	if err != nil {
		return err
	}
	defer attempt.Abort()
	w := writer{attempt: attempt, kind: Entailment}
	err = units.DatasetRows(ctx, t.Items, unit, func(b schemas.Benchmark) error { return t.item(ctx, &w, b) })
	if err != nil {
		return err
	}
	return attempt.Commit(ctx)
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
