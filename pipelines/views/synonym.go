package views

import (
	"context"
	"fmt"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/augment/synonym"
)

func (c config) planSynonym(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
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
	b := c.builder(settings, source.Manifest(), input)
	graph.Write(b, "synonym", b.Units(b.Pack(source.Manifest())),
		&synonymTask{Config: c, Seed: settings.Seed, Source: source, Wordnet: words})
	job, err := c.job(output, b)
	if err != nil {
		return nil, err
	}
	if !lexicon.Counted() && (s.MinShare > 0 || s.MinUses > 0) {
		job.Notes = append(job.Notes, fmt.Sprintf(
			"wordnet %s does not tell how often words are used: with min-share or min-uses above 0, as in the preset strict, fewer are replaced, and by rarer ones, than with Princeton's files",
			c.Wordnet))
	}
	if missing := words.withoutForms(); len(missing) > 0 {
		job.Notes = append(job.Notes, fmt.Sprintf(
			"wordnet %s has no %s: irregular forms are missing, save those of common words, so that rarer ones are not replaced, and some replacements are regular that should not be",
			c.Wordnet, strings.Join(missing, ", ")))
	}
	return job, nil
}

// synonymTask replaces words of each text by synonyms.
type synonymTask struct {
	Config  config
	Seed    uint64
	Source  *texts.Source
	Wordnet wordnet

	replacer *synonym.Replacer
}

// Setup implements graph.Task.
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

// Chains implements graph.Task.
func (t *synonymTask) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainTexts, stepLanguage, stepSplit, stepView)}
}

// Write implements graph.Writer.
func (t *synonymTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	w := writer{attempt: attempt, kind: kindSynonym}
	return t.Source.Each(ctx, unit.Unit, func(x texts.Text) error {
		if step, reason := t.Config.takes(x); reason != "" {
			return w.drop(x, step, reason, x.Text)
		}
		view, _ := t.replacer.Replace(x.ID, x.Text)
		return w.put(ctx, x, view, x.Language)
	})
}
