package views

import (
	"context"
	"fmt"
	"strings"

	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/synonym"
)

func (c Config) planSynonym(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	// The plan tells what counts, whatever has said so.
	s := c.synonym(0)
	c.Share, c.MinShare, c.MinUses = &s.Share, &s.MinShare, &s.MinUses
	source, err := c.open(ctx)
	if err != nil {
		return nil, err
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
	if err != nil {
		return nil, err
	}
	if !lexicon.Counted() && (s.MinShare > 0 || s.MinUses > 0) {
		job.Notes = append(job.Notes, fmt.Sprintf("wordnet %s does not tell how often words are used: with min-share or min-uses above 0, as in the preset strict, fewer are replaced, and by rarer ones, than with Princeton's files", c.Wordnet))
	}
	if missing := words.withoutForms(); len(missing) > 0 {
		job.Notes = append(job.Notes, fmt.Sprintf("wordnet %s has no %s: irregular forms are missing, save those of common words, so that rarer ones are not replaced, and some replacements are regular that should not be", c.Wordnet, strings.Join(missing, ", ")))
	}
	return job, nil
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
	attempt, err := dataset.Begin[schemas.Pair](env.Folder, env.Plan, unit.Ordinal, dataset.NewChain(chainTexts, stepLanguage, stepSplit, stepView))
	if err != nil {
		return err
	}
	defer attempt.Abort()
	w := writer{attempt: attempt, kind: Synonym}
	err = t.Source.Each(ctx, unit, func(x texts.Text) error {
		if step, reason := t.Config.takes(x); reason != "" {
			return w.drop(x, step, reason, x.Text)
		}
		view, _ := t.replacer.Replace(x.ID, x.Text)
		return w.put(ctx, x, view, x.Language)
	})
	if err != nil {
		return err
	}
	return attempt.Commit(ctx)
}
