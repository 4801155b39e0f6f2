package torchverbs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/runners/command"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/stages/objective"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
	"sentweave/transforms/tokens/wordpiece"
)

// checkDatasets looks at every dataset of every period, and returns at once all that
// does not fit the encoder or the objective. What cannot be trained on is reported before a plan
// is written, because the next try would be refused for that plan. Note is told of examples that teach little.
func checkDatasets(ctx context.Context, periods []train.Period, objectives objective.Settings, e *settings, note func(string)) error {
	var errs fault.List
	opened := map[string]*batches.Examples{} // nil where a fault is told already
	type use struct{ dataset, objective string }
	checked := map[use]bool{}
	for _, period := range periods {
		for _, source := range period.Mixture {
			examples, exists := opened[source.Dataset]
			if !exists {
				var err error
				if examples, err = batches.OpenExamples(ctx, source.Dataset, e.fingerprint); err != nil {
					errs.Addf("examples for %s: %w", source.Objective, err)
				} else {
					errs.Add(checkCase(source.Dataset, examples, e))
					if err := noteUnknown(ctx, source.Dataset, examples, e, note); err != nil { // it cannot be read
						errs.Add(err)
						examples = nil
					}
				}
				opened[source.Dataset] = examples
			}
			if u := (use{source.Dataset, source.Objective}); examples != nil && !checked[u] {
				checked[u] = true
				errs.Add(checkKind(ctx, source, objectives, examples, e))
			}
		}
	}
	return errs.Err()
}

// checkKind looks at the first example: a dataset has one kind, as a rule, and the
// training looks at the others when it comes to them.
func checkKind(ctx context.Context, source batches.Source, objectives objective.Settings, examples *batches.Examples, e *settings) error {
	kind, err := examples.Kind(ctx)
	if err != nil {
		return err
	}
	o, ok := objective.Find(source.Objective)
	if ok && !slices.Contains(o.Kinds, kind) {
		return fmt.Errorf("dataset %s holds examples of the kind %s, %s takes %s", source.Dataset, kind, source.Objective,
			strings.Join(o.Kinds, ", "))
	}
	if ok && o.Gold {
		gold, err := examples.OneGold(ctx)
		if err != nil {
			return err
		}
		if gold != "" {
			return fmt.Errorf("dataset %s: all examples have %s, from which %s learns nothing: give examples that differ", source.Dataset,
				gold, source.Objective)
		}
	}
	if ok && o.Negatives && (o.Apart == nil || !o.Apart(objectives.Of(o.Name))) {
		single, err := examples.OneGroup(ctx)
		if err != nil {
			return err
		}
		if single {
			return fmt.Errorf("dataset %s: all examples are of one group, or of the same texts, so none is a negative of another, from which %s learns: give pairs of texts that mean different things",
				source.Dataset, source.Objective)
		}
	}
	if kind == schemas.KindView || kind == schemas.KindBitext {
		return checkViews(ctx, source.Dataset, examples, e)
	}
	return nil
}

// noteUnknown says of which languages of a dataset a third or more of the tokens are [UNK], as where the
// vocabulary does not have their script.
func noteUnknown(ctx context.Context, location string, examples *batches.Examples, e *settings, note func(string)) error {
	counts, err := examples.Unknown(ctx, e.special.Unknown)
	for _, language := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[language]; n[0] > 0 && 3*n[0] >= n[1] {
			note(fmt.Sprintf("dataset %s: %d %% of the tokens of %s are %s, since the vocabulary has no pieces for their words; little is learned from them",
				location, 100*n[0]/n[1], language, e.vocabulary.Piece(e.special.Unknown)))
		}
	}
	return err
}

// checkViews returns an error for views or translations of different texts of which most of the
// first ones are the same: whatever made them has failed.
func checkViews(ctx context.Context, location string, examples *batches.Examples, e *settings) error {
	const first, minimum = 1000, 8
	ids, n, total, err := examples.Commonest(ctx, first)
	if err != nil || total < minimum || 2*n <= total || len(ids) < 3 {
		return err
	}
	text := e.vocabulary.Decode(ids[1 : len(ids)-1]) // which has [CLS] and [SEP] around it
	return fmt.Errorf("dataset %s: the second side of %d of the first %d examples is the same, %q: look at the pairs that it was made of",
		location, n, total, text)
}

// checkCase returns an error for examples whose tokenizer kept case where that of
// the encoder does not, or the other way round: it would be fed pieces later that it
// has never seen.
func checkCase(location string, examples *batches.Examples, e *settings) error {
	if _, ok := e.vocabulary.(*wordpiece.Vocabulary); !ok { // which itself says what becomes of case
		return nil
	}
	switch cased := !e.folder.Tokenizer.Lowercase; {
	case examples.Cased() && !cased:
		return fmt.Errorf("dataset %s holds examples of cased text, the encoder's tokenizer is uncased: give --cased", location)
	case cased && !examples.Cased():
		return fmt.Errorf("dataset %s holds examples of uncased text, the encoder's tokenizer keeps case: make them by `sentweave examples --cased`",
			location)
	case !e.folder.Tokenizer.IsPreset(cased):
		return fmt.Errorf("dataset %s: the encoder's tokenizer treats accents, ideographs, controls or long words otherwise than BERT's, by which examples are made: %+v",
			location, e.folder.Tokenizer)
	}
	return nil
}

// CheckBatches returns an error for each dataset of examples that has fewer rows than a batch takes. Stands says of which
// datasets this can be known; those that cannot be read are left to the training.
func (t *Train) CheckBatches(ctx context.Context, stands func(location string) bool) error {
	c, err := t.config()
	if err != nil { // which Validate says
		return nil
	}
	var errs fault.List
	for i, period := range c.Periods {
		for k, source := range period.Mixture {
			if !stands(source.Dataset) {
				continue
			}
			_, m, err := dataset.Open(ctx, source.Dataset)
			if err == nil && m.Rows < int64(source.BatchSize) {
				errs.Addf("dataset %s has %s, a batch takes %d: take at most %d by %s", source.Dataset, command.Counted(m.Rows, "example"),
					source.BatchSize, m.Rows, t.named(c)(fmt.Sprintf("config.periods[%d].mixture[%d].batch_size", i, k)))
			}
		}
	}
	return errs.Err()
}

// CheckKinds returns an error for each objective whose examples are to be of none of the kinds that
// it takes. Describe tells who makes a dataset, by its location, and the kinds of its examples; nil where
// these are not known.
func (t *Train) CheckKinds(describe func(location string) (maker string, kinds []string)) error {
	c, err := t.config()
	if err != nil { // which Validate says
		return nil
	}
	var errs fault.List
	told := map[batches.Source]bool{}
	for _, period := range c.Periods {
		for _, source := range period.Mixture {
			use := batches.Source{Dataset: source.Dataset, Objective: source.Objective}
			maker, kinds := describe(source.Dataset)
			o, ok := objective.Find(source.Objective)
			if !ok || kinds == nil || told[use] ||
				slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(o.Kinds, kind) }) {
				continue
			}
			told[use] = true
			errs.Addf("%s makes examples of the kind %s, %s takes %s", maker, strings.Join(kinds, " or "), o.Name,
				strings.Join(o.Kinds, ", "))
		}
	}
	return errs.Err()
}
