package views

import (
	"context"
	"fmt"

	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/synonym"
)

func (c Config) planSynonym(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	source, err := texts.Open(ctx, c.Texts)
	if err != nil {
		return nil, fmt.Errorf("texts: %w", err)
	}
	words, input, err := openWordnet(ctx, c.Wordnet)
	if err != nil {
		return nil, err
	}
	lexicon, err := words.read(ctx) // before any work, and in the launcher's words
	if err != nil {
		return nil, err
	}
	job, err := c.job(output, settings, source.Manifest(), []dataset.Input{input}, func(count int) units.Phase {
		return units.NewPhase("synonym", 0, count, &synonymTask{Config: c, Seed: settings.Seed, Source: source, Wordnet: words})
	})
	if err == nil && !lexicon.Counted() {
		job.Notes = append(job.Notes, fmt.Sprintf("wordnet %s does not tell how often words are used: fewer are replaced, and by rarer ones, than with Princeton's files", c.Wordnet))
	}
	return job, err
}

// synonymTask replaces words of each text by synonyms.
type synonymTask struct {
	Config  Config
	Seed    uint64
	Source  *texts.Source
	Wordnet wordnet

	replacer *synonym.Replacer
}

// Setup implements units.Task.
func (t *synonymTask) Setup(ctx context.Context) error {
	lexicon, err := t.Wordnet.read(ctx)
	if err != nil {
		return err
	}
	if t.replacer, err = synonym.New(lexicon, t.Config.synonym(t.Seed)); err != nil {
		return err
	}
	return t.Source.Reopen(ctx)
}

// Do implements units.Task.
func (t *synonymTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	attempt, err := dataset.Begin[schemas.Pair](env.Folder, env.Plan, unit.Ordinal, dataset.NewChain(chainTexts, stepLanguage, stepView))
	if err != nil {
		return err
	}
	defer attempt.Abort()
	w := writer{attempt: attempt, origin: Synonym}
	err = t.Source.Each(ctx, unit, func(x texts.Text) error {
		if x.Language != t.Config.Language {
			return w.drop(x, stepLanguage, reasonLanguage, x.Text)
		}
		view, _ := t.replacer.Replace(x.ID, x.Text)
		return w.put(ctx, x, view, x.Language)
	})
	if err != nil {
		return err
	}
	return attempt.Commit(ctx)
}
