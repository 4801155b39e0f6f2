package evaluate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"sentweave/stages/encoder"
	"sentweave/transforms/measure/probe"
	"sentweave/transforms/testsets/senteval"
)

// figures measures a set: a classifier where there are classes, and relatedness where there
// are scores. The first figures are those of the set, the others those of its versions, on
// which what was trained on the set is tested, too.
func (c *classifications) figures(ctx context.Context, e encoder.Encoder, set labelled, versions []labelled) ([][]figure, error) {
	features, err := set.features(ctx, e, set.order())
	if err != nil {
		return nil, err
	}
	tested := set.tested()
	tests := []map[string][][]float32{features}
	for _, v := range versions {
		f, err := v.features(ctx, e, []string{tested})
		if err != nil {
			return nil, err
		}
		tests = append(tests, f)
	}
	sets := append([]labelled{set}, versions...)
	var also []probe.Rows
	var scored []probe.Scored
	for k, v := range sets {
		if k > 0 {
			also = append(also, probe.Rows{Vectors: tests[k][tested], Classes: v.classes(tested)})
		}
		scored = append(scored, v.scored("test", tests[k]))
	}
	accuracy, f1, pearson, spearman := make([][]float64, len(sets)), make([][]float64, len(sets)), make([][]float64, len(sets)), make([][]float64, len(sets))
	for seed := range c.seeds {
		if len(set.task.Classes) > 0 {
			r, err := c.classify(ctx, uint64(seed), set, features, also)
			if err != nil {
				return nil, err
			}
			accuracy[0], f1[0] = append(accuracy[0], r.Test), append(f1[0], f1Of(r.Predicted, set.classes(tested)))
			for k := range versions {
				accuracy[1+k], f1[1+k] = append(accuracy[1+k], r.Also[k]), append(f1[1+k], f1Of(r.AlsoPredicted[k], also[k].Classes))
			}
		}
		if set.task.High > 0 {
			predicted, err := probe.Relatedness(ctx, uint64(seed), set.scored("train", features), set.scored("dev", features), scored...)
			if err != nil {
				return nil, err
			}
			for k, test := range scored {
				pearson[k] = append(pearson[k], orZero(Pearson(predicted[k], test.Scores)))
				spearman[k] = append(spearman[k], orZero(Spearman(predicted[k], test.Scores)))
			}
		}
	}
	n := len(set.parts[tested])
	classes, scores := set.task.Name, set.task.Name
	if set.task.Name == "sick" {
		classes, scores = "sick-e", "sick-r"
	}
	list := make([][]figure, len(sets))
	for k := range sets {
		if accuracy[k] != nil {
			list[k] = append(list[k], figure{classes, MetricAccuracy, n, accuracy[k]})
		}
		if set.task.Name == "mrpc" {
			list[k] = append(list[k], figure{classes, metricF1, n, f1[k]})
		}
		if pearson[k] != nil {
			list[k] = append(list[k], figure{scores, MetricPearson, n, pearson[k]}, figure{scores, MetricSpearman, n, spearman[k]})
		}
	}
	return list, nil
}

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
func (c *classifications) classify(ctx context.Context, seed uint64, l labelled, features map[string][][]float32, also []probe.Rows) (probe.Result, error) {
	rows := func(part string) probe.Rows { return probe.Rows{Vectors: features[part], Classes: l.classes(part)} }
	n := len(l.task.Classes)
	switch {
	case l.tested() == senteval.Pool:
		return c.config.Nested(ctx, seed, rows(senteval.Pool), n, also...)
	case l.parts["dev"] == nil:
		return c.config.CrossValidated(ctx, seed, rows("train"), rows("test"), n, also...)
	}
	return c.config.Split(ctx, seed, rows("train"), rows("dev"), rows("test"), n, also...)
}

func (l labelled) classes(part string) (classes []int) {
	for _, item := range l.parts[part] {
		classes = append(classes, item.class)
	}
	return classes
}

func (l labelled) scored(part string, features map[string][][]float32) probe.Scored {
	s := probe.Scored{Vectors: features[part]}
	for _, item := range l.parts[part] {
		s.Scores = append(s.Scores, item.score)
	}
	return s
}

// features encodes the texts of some parts: u of a text, and of two |u−v| with u·v by
// components, as SentEval has them for paraphrases and relatedness.
func (l labelled) features(ctx context.Context, e encoder.Encoder, parts []string) (map[string][][]float32, error) {
	sides := l.sides()
	var texts []encoder.Text
	for _, part := range parts {
		for _, item := range l.parts[part] {
			texts = append(texts, item.texts[:sides]...)
		}
	}
	v, err := e.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	dense, ok := v.(encoder.Dense)
	if !ok {
		return nil, notDense(e)
	}
	if dense.Len() != len(texts) {
		return nil, fmt.Errorf("%s gave %d vectors for %d texts", e.Name(), dense.Len(), len(texts))
	}
	features, at := map[string][][]float32{}, 0
	for _, part := range parts {
		for range l.parts[part] {
			row := dense.Row(at)
			if sides == 2 {
				row = compared(row, dense.Row(at+1))
			}
			features[part] = append(features[part], row)
			at += sides
		}
	}
	return features, nil
}

// notDense is the error of an encoder whose vectors no classifier takes.
func notDense(e encoder.Encoder) error {
	return sparseVectors{fmt.Errorf("%s has no vectors of a fixed size, which a classifier needs", e.Name())}
}

// sparseVectors is the error for vectors that a task cannot take. With a group of tasks it
// leaves out the task of that model.
type sparseVectors struct{ error }

// order lists the parts in the order of the task's files, each once.
func (l labelled) order() (parts []string) {
	for _, f := range l.task.Files {
		if !slices.Contains(parts, f.Split) {
			parts = append(parts, f.Split)
		}
	}
	return parts
}

func compared(u, v []float32) []float32 {
	row := make([]float32, 2*len(u))
	for i := range u {
		row[i], row[len(u)+i] = max(u[i]-v[i], v[i]-u[i]), u[i]*v[i]
	}
	return row
}

// f1Of is the F1 of class 1, 0 where it is neither predicted nor there.
func f1Of(predicted, gold []int) float64 {
	both, one := 0, 0
	for i, class := range predicted {
		if class == 1 && gold[i] == 1 {
			both++
		}
		one += min(1, class) + min(1, gold[i])
	}
	if one == 0 {
		return 0
	}
	return 2 * float64(both) / float64(one)
}
