package classifiers

import (
	"context"
	"maps"
	"math"
	"slices"

	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
	"sentweave/transforms/measure/probe"
	"sentweave/transforms/testsets/senteval"
)

// figures measures a set: a classifier where there are classes, and relatedness where there
// are scores. The first figures are those of the set, the others those of its versions, on
// which what was trained on the set is tested, too.
func (c *classifications) figures(ctx context.Context, e encoder.Encoder, set labelled, versions []labelled, keep protocol.Keeper) (
	[][]figure, error) {
	features, err := set.features(ctx, e, set.order())
	if err != nil {
		return nil, err
	}
	tested := set.tested()
	tests := []map[string]probe.Rows{features}
	for _, v := range versions {
		f, err := v.features(ctx, e, []string{tested})
		if err != nil {
			return nil, err
		}
		tests = append(tests, f)
	}
	sets := append([]labelled{set}, versions...)
	var extra []probe.Rows
	var scored []probe.Scored
	for k, v := range sets {
		if k > 0 {
			extra = append(extra, tests[k][tested])
		}
		scored = append(scored, v.scored("test", tests[k]))
	}
	classes, scores := set.task.Name, set.task.Name
	if set.task.Name == "sick" {
		classes, scores = "sick-e", "sick-r"
	}
	// item is the part of a set, without what the model makes of it.
	item := func(k, seed int, subtask, split string) protocol.Part {
		p, number := protocol.Part{Subtask: subtask, Language: sets[k].language}, int64(seed)
		if k > 0 {
			p.Subtask = zeroShot + subtask
		}
		p.Seed = &number
		p.A, p.B = sets[k].sidesOf(split)
		return p
	}
	var examples []probe.Scored
	for k, v := range sets {
		for _, part := range slices.Sorted(maps.Keys(tests[k])) {
			examples = append(examples, v.scored(part, tests[k]))
		}
	}
	cache, err := c.trainings(set.task.Name, set.language, len(set.task.Classes), examples...)
	if err != nil {
		return nil, err
	}
	defer cache.close()
	accuracy, f1, pearsons, spearmans := make([][]float64, len(sets)), make([][]float64, len(sets)), make([][]float64, len(sets)),
		make([][]float64, len(sets))
	for seed := range c.seeds {
		if len(set.task.Classes) > 0 {
			r, err := trained(ctx, cache, classes, seed,
				func() (probe.Result, error) { return c.classify(ctx, uint64(seed), set, features, extra) })
			if err != nil {
				return nil, err
			}
			accuracy[0], f1[0] = append(accuracy[0], r.Test), append(f1[0], f1Of(r.Predicted, set.classes(tested)))
			keep(item(0, seed, classes, tested).Classified(set.task.Classes, set.classes(tested), r.Predicted))
			for k := range versions {
				keep(item(1+k, seed, classes, tested).Classified(set.task.Classes, extra[k].Classes, r.AlsoPredicted[k]))
				accuracy[1+k], f1[1+k] = append(accuracy[1+k], r.Also[k]), append(f1[1+k], f1Of(r.AlsoPredicted[k], extra[k].Classes))
			}
		}
		if set.task.High > 0 {
			predicted, err := trained(ctx, cache, scores, seed, func() ([][]float64, error) {
				return probe.Relatedness(ctx, uint64(seed), set.scored("train", features), set.scored("dev", features), scored...)
			})
			if err != nil {
				return nil, err
			}
			for k, test := range scored {
				p := item(k, seed, scores, "test")
				p.Score, p.Gold = predicted[k], test.Scores
				keep(p)
				pearsons[k] = append(pearsons[k], orZero(metrics.LinearCorrelation(predicted[k], test.Scores)))
				spearmans[k] = append(spearmans[k], orZero(metrics.RankCorrelation(predicted[k], test.Scores)))
			}
		}
	}
	n := len(set.parts[tested])
	list := make([][]figure, len(sets))
	for k := range sets {
		if accuracy[k] != nil {
			list[k] = append(list[k], figure{classes, metrics.Accuracy, n, accuracy[k]})
		}
		if set.task.Name == "mrpc" {
			list[k] = append(list[k], figure{classes, metrics.F1, n, f1[k]})
		}
		if pearsons[k] != nil {
			list[k] = append(list[k], figure{scores, metrics.Pearson, n, pearsons[k]}, figure{scores, metrics.Spearman, n, spearmans[k]})
		}
	}
	return list, nil
}

// taskSNLI is SentEval's task of inference, which has a configuration of its own.
const taskSNLI = "snli"

// orZero counts a correlation of scores that are all equal, which tell nothing, as 0.
func orZero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// tested is the part that is tested.
func (l labelled) tested() string {
	if l.parts[senteval.Pool] != nil {
		return senteval.Pool
	}
	return "test"
}

// classify trains and tests by the scheme that SentEval has for the parts that there are.
func (c *classifications) classify(ctx context.Context, seed uint64, l labelled, features map[string]probe.Rows,
	extra []probe.Rows) (probe.Result, error) {
	n := len(l.task.Classes)
	parts := probe.Parts{Train: features["train"], Dev: features["dev"], Test: features["test"], Extra: extra}
	switch {
	case l.tested() == senteval.Pool:
		return c.config.Nested(ctx, seed, features[senteval.Pool], n, extra...)
	case l.parts["dev"] == nil:
		return c.config.CrossValidated(ctx, seed, parts, n)
	}
	config := c.config
	if l.task.Name == taskSNLI { // as SentEval trains on it
		config.EpochSize, config.MaxEpoch = 1, 15
		if c.preset != ProbeLBFGS {
			config.Penalties = []float64{1e-9}
		}
	}
	return config.Split(ctx, seed, parts, n)
}

// sidesOf are the texts of a part: the second ones are nil if items have one.
func (l labelled) sidesOf(part string) (a, b []encoder.Text) {
	for _, item := range l.parts[part] {
		a = append(a, item.texts[0])
		if l.pairs {
			b = append(b, item.texts[1])
		}
	}
	return a, b
}

func (l labelled) classes(part string) (classes []int) {
	for _, item := range l.parts[part] {
		classes = append(classes, item.class)
	}
	return classes
}

func (l labelled) scored(part string, features map[string]probe.Rows) probe.Scored {
	s := probe.Scored{Rows: features[part]}
	for _, item := range l.parts[part] {
		s.Scores = append(s.Scores, item.score)
	}
	return s
}

// features encodes the texts of some parts. The features of two texts are |u−v| with u·v by
// components, as SentEval has them for paraphrases and relatedness, and u and v besides for
// inference.
func (l labelled) features(ctx context.Context, e encoder.Encoder, parts []string) (map[string]probe.Rows, error) {
	var items []sentences
	for _, part := range parts {
		items = append(items, l.parts[part]...)
	}
	form := probe.Alone
	if l.pairs {
		form = probe.Compared
	}
	if l.task.Name == taskSNLI {
		form = probe.Joined
	}
	rows, err := encodeItems(ctx, e, items, form)
	if err != nil {
		return nil, err
	}
	features, offset := map[string]probe.Rows{}, 0
	for _, part := range parts {
		f := probe.Rows{Form: form, Vectors: rows.Vectors[offset : offset+len(l.parts[part])], Classes: l.classes(part)}
		if form != probe.Alone {
			f.Second = rows.Second[offset : offset+len(l.parts[part])]
		}
		features[part] = f
		offset += len(l.parts[part])
	}
	return features, nil
}

// encodeItems encodes the texts of items, each different one of a language once.
func encodeItems(ctx context.Context, e encoder.Encoder, items []sentences, form probe.Form) (rows probe.Rows, err error) {
	sides := 1
	if form != probe.Alone {
		sides = 2
	}
	var texts []encoder.Text
	indices := map[encoder.Text]int{}
	var places []int
	for _, item := range items {
		for _, t := range item.texts[:sides] {
			text := encoder.Text{Text: t.Text, Language: t.Language} // whatever its id
			index, ok := indices[text]
			if !ok {
				index = len(texts)
				indices[text], texts = index, append(texts, t)
			}
			places = append(places, index)
		}
	}
	dense, err := encoder.EncodeDense(ctx, e, texts)
	if err != nil {
		return rows, err
	}
	rows.Form = form
	for i := range items {
		rows.Vectors = append(rows.Vectors, dense.Row(places[i*sides]))
		if form != probe.Alone {
			rows.Second = append(rows.Second, dense.Row(places[i*sides+1]))
		}
	}
	return rows, nil
}

// order lists the parts in the order of the task's files, each once.
func (l labelled) order() (parts []string) {
	for _, f := range l.task.Files {
		if !slices.Contains(parts, f.Split) {
			parts = append(parts, f.Split)
		}
	}
	return parts
}

// f1Of is the F1 of class 1, 0 where it is neither predicted nor there.
func f1Of(predicted, gold []int) float64 {
	truePositives, positives := 0, 0
	for i, class := range predicted {
		if class == 1 && gold[i] == 1 {
			truePositives++
		}
		positives += min(1, class) + min(1, gold[i])
	}
	if positives == 0 {
		return 0
	}
	return 2 * float64(truePositives) / float64(positives)
}
