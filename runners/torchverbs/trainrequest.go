package torchverbs

import (
	"cmp"
	"context"
	"encoding/json"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
)

// begin opens the encoder that is trained. Its folder is to be closed.
func (t *Train) begin(ctx context.Context) (e *settings, origin *cache.Folder, err error) {
	origin = &cache.Folder{} // none
	if t.From != "" {
		if origin, err = fetch(ctx, t.From); err != nil {
			return nil, nil, err
		}
	}
	if e, err = t.open(ctx, origin.Path, t.From); err != nil {
		origin.Close()
	}
	return e, origin, err
}

// complete completes the configuration by what is recorded of the model, and returns the options that decide whether a training
// that is there goes on. Threads are those of libtorch, 0 where they are not known: then a training on any number goes on.
func (t *Train) complete(ctx context.Context, c *train.Config, e *settings, threads int, note func(string)) (o train.Options, err error) {
	if o.Task, err = t.task(ctx, c.Validation); err != nil {
		return o, err
	}
	r := recorded{
		recordedEncoder{e.folder.Config, e.folder.Pooling, e.folder.MaxTokens}, c.Objectives,
		recordedRun{Device: t.Device, Precision: t.Precision, Threads: threads},
	}
	if t.From != "" {
		input, err := model.Input(ctx, "from", t.From)
		if err != nil {
			return o, err
		}
		r.From = input.XXH3
	}
	if err := t.prepare(ctx, *c, e, r.From, note); err != nil {
		return o, err
	}
	c.Vocabulary = e.fingerprint
	if c.Model, err = json.Marshal(r); err != nil {
		return o, err
	}
	o.Encoding, o.Private, o.Named = e.encoding(), []string{model.OptimizerName}, t.named(*c)
	o.Changeable = map[string]string{"config.model.threads": "--other-threads", "config.max_spike": "", "config.checkpoint_every": ""}
	if t.OtherThreads || threads == 0 {
		o.Changeable["config.model.threads"] = ""
	}
	return o, nil
}

// Standing returns what is in the folder of --out, or the error with which the verb would refuse that
// without --overwrite. Without --threads a training on any number of threads goes on, as far as this tells.
func (t *Train) Standing(ctx context.Context) (dataset.Fate, error) {
	c, err := t.config()
	if err != nil {
		return dataset.Fresh, err
	}
	e, origin, err := t.begin(ctx)
	if err != nil {
		return dataset.Fresh, err
	}
	defer origin.Close()
	o, err := t.complete(ctx, &c, e, t.Threads, func(string) {})
	if err != nil {
		return dataset.Fresh, err
	}
	return train.Standing(ctx, t.Out, c, o)
}

// prepare completes the configurations of the objectives. What is trained is what is
// encoded with later: they have the encoder's pooling. Encoder is the hash of the encoder of --from.
func (t *Train) prepare(ctx context.Context, c train.Config, e *settings, encoder string, note func(text string)) error {
	for _, name := range objective.Names() {
		settings, ok := c.Objectives[name]
		if !ok {
			continue
		}
		facts := objective.Facts{Pooling: string(e.folder.Pooling), Vocabulary: e.fingerprint, Precision: t.Precision, Encoder: encoder,
			Note: note}
		trained := false // by a period before
		for _, s := range c.Periods {
			trains := false
			for _, m := range s.Mixture {
				if m.Objective == name {
					facts.Examples, facts.Tokens = append(facts.Examples, m.Dataset), cmp.Or(m.MaxTokens, e.encoding().MaxTokens)
					if trained {
						facts.Encoder = ""
					}
				}
				o, ok := objective.Find(m.Objective)
				trains = trains || !ok || !o.Frozen
			}
			trained = trained || trains
		}
		retained, err := t.keepsHead(e.folder)
		if err != nil {
			return err
		}
		if !retained { // it knows the frequencies
			facts.Unigrams = func(ctx context.Context) ([]int64, error) { return unigrams(ctx, c.Periods, name, e) }
		}
		if err := settings.Prepare(ctx, facts); err != nil {
			return err
		}
		if p, ok := settings.(objective.OverPrefixes); ok {
			if err := p.Fits(name, e.folder.Config.HiddenSize); err != nil {
				return err
			}
		}
	}
	return nil
}

// unigrams counts the ids in the examples with which an objective begins; nil if it
// has none.
func unigrams(ctx context.Context, periods []train.Period, name string, e *settings) (counts []int64, err error) {
	for _, s := range periods {
		for _, m := range s.Mixture {
			if m.Objective != name {
				continue
			}
			examples, err := batches.OpenExamples(ctx, m.Dataset, e.fingerprint)
			if err != nil {
				return nil, err
			}
			list, err := examples.CountTokens(ctx, e.encoding())
			if err != nil {
				return nil, err
			}
			for len(counts) < len(list) {
				counts = append(counts, 0)
			}
			for id, n := range list {
				counts[id] += n
			}
		}
		if counts != nil {
			break
		}
	}
	return counts, nil
}
