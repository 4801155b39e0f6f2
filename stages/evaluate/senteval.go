package evaluate

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/stages/folders"
	"sentweave/transforms/measure/probe"
	"sentweave/transforms/read/texts"
	"sentweave/transforms/testsets/senteval"
)

var sentEval = task{
	name: "senteval", measures: "classifiers on SentEval's tasks, trained and tested in each language of the benchmarks by itself, or in English in SentEval's folder",
	from: []source{fromBenchmarks, fromData}, languages: true, trains: true, read: readTrained,
}

// metricF1 is that of the positive class.
const metricF1 = "f1"

// Subtasks of the averages of CMLM's tables: of seven classifications and, with both
// figures of SICK, of nine.
const (
	subtaskAverage7 = "avg-7"
	subtaskAverage9 = "avg-9"
)

// averaged are the subtasks of both averages; relatedness counts by Pearson's correlation.
var averaged = []string{"mr", "cr", "subj", "mpqa", "sst2", "trec", "mrpc", "sick-e", "sick-r"}

// Names of the presets of classifiers.
const (
	probeLiterature  = "literature"
	probePrototyping = "prototyping"
	probeLBFGS       = "lbfgs"
)

func (c Config) probe() probe.Config {
	switch c.Probe {
	case probePrototyping:
		return probe.Prototyping()
	case probeLBFGS:
		return probe.LBFGS()
	}
	return probe.Literature()
}

// classifications is the protocol of SentEval: small classifiers on vectors that stay as
// they are.
type classifications struct {
	preset string
	config probe.Config
	seeds  int
	sets   []labelled
}

// labelled is a task in a language: its items by their parts.
type labelled struct {
	language string
	task     senteval.Task
	parts    map[string][]sentences
}

// sentences is an item: one or two texts, with a class or a score, or both as in SICK.
type sentences struct {
	texts [2]encoder.Text
	class int
	score float64
}

// readTrained reads SentEval's classifications and relatedness, in every language. SNLI,
// whose features of half a million pairs take gigabytes, is not measured.
func readTrained(in *input) (protocol, error) {
	c := classifications{preset: in.Probe, config: in.Config.probe(), seeds: in.Seeds}
	sets, rows, err := in.trainedSets(senteval.Task.Trains)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", in.task, err)
	}
	there := map[string][]string{}
	for _, set := range sets {
		t, _ := senteval.TaskByName(set.Task)
		l, err := readLabelled(in, t, set, rows(set))
		if err != nil {
			return nil, fmt.Errorf("read %s: %s in %s: %w", in.task, set.Task, set.Language, err)
		}
		c.sets = append(c.sets, l)
		there[set.Language] = append(there[set.Language], set.Task)
	}
	if len(c.sets) == 0 {
		if in.sets == nil {
			return nil, absence{fmt.Errorf("%s: %s has no folder of SentEval's tasks: expected MR/rt-polarity.pos and others in %s", in.task, in.folder, strings.Join(sentEvalFolders, ", "))}
		}
		return nil, absence{fmt.Errorf("%s: the datasets have none of its tasks in the languages asked for; they have %s in %s", in.task, tasksOf(in.sets), strings.Join(in.sets.Languages(), ", "))}
	}
	for _, code := range slices.Sorted(maps.Keys(there)) {
		var missing []string
		for _, member := range averaged {
			if task := strings.TrimSuffix(strings.TrimSuffix(member, "-e"), "-r"); !slices.Contains(there[code], member) && !slices.Contains(there[code], task) {
				missing = append(missing, member)
			}
		}
		if len(missing) > 0 {
			in.notes = append(in.notes, fmt.Sprintf("%s in %s: there is no %s, so that averages of which they are a part are not given", in.task, code, strings.Join(missing, ", ")))
		}
	}
	return &c, nil
}

func tasksOf(s *folders.Sets) string {
	var names []string
	for _, set := range s.All() {
		names = append(names, set.Task)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

func readLabelled(in *input, t senteval.Task, set folders.Set, rows iter.Seq2[schemas.Benchmark, error]) (labelled, error) {
	l := labelled{language: set.Language, task: t, parts: map[string][]sentences{}}
	seen := map[string]bool{}
	for r, err := range rows {
		if err != nil {
			return l, err
		}
		if r.Skip {
			continue
		}
		if seen[r.ID] {
			return l, fmt.Errorf("row %d of %s stands twice: give one dataset in each language", r.Row, r.File)
		}
		seen[r.ID] = true
		item := sentences{texts: [2]encoder.Text{}}
		for i, x := range slices.Collect(texts.OfItem(r)) {
			item.texts[i] = encoder.TextOf(x)
		}
		if t.Pairs() && r.TextB == "" {
			return l, fmt.Errorf("row %d of %s has no second text", r.Row, r.File)
		}
		if len(t.Classes) > 0 {
			class, ok := t.Class(r.Label)
			if !ok {
				return l, fmt.Errorf("row %d of %s has the label %q, which is none of %s", r.Row, r.File, r.Label, strings.Join(t.Classes, ", "))
			}
			item.class = class
		}
		if t.High > 0 {
			if r.Target == nil || *r.Target < t.Low || *r.Target > t.High {
				return l, fmt.Errorf("row %d of %s has no score from %v to %v", r.Row, r.File, t.Low, t.High)
			}
			item.score = *r.Target
		}
		l.parts[r.Split] = append(l.parts[r.Split], item)
		fmt.Fprintf(&in.hash, "%q %q %q %d %v\n", set.Task, r.Split, item.texts, item.class, item.score)
	}
	for _, f := range t.Files {
		if len(l.parts[f.Split]) == 0 {
			return l, fmt.Errorf("there is no row of the split %s", f.Split)
		}
	}
	return l, nil
}

func (c *classifications) texts() iter.Seq[encoder.Text] {
	return func(yield func(encoder.Text) bool) {
		for _, set := range c.sets {
			for _, part := range set.order() {
				for _, item := range set.parts[part] {
					for _, text := range item.texts[:set.sides()] {
						if !yield(text) {
							return
						}
					}
				}
			}
		}
	}
}

// sides is the number of texts of an item.
func (l labelled) sides() int {
	if l.task.Pairs() {
		return 2
	}
	return 1
}

func (c *classifications) measure(ctx context.Context, e encoder.Encoder, base schemas.Result) (list []schemas.Result, err error) {
	for i, set := range c.sets {
		figures, err := c.figures(ctx, e, set)
		if err != nil {
			return nil, fmt.Errorf("%s in %s: %w", set.task.Name, set.language, err)
		}
		base.Language = set.language
		for _, f := range figures {
			r := base
			r.Subtask, r.Metric, r.N = f.subtask, f.metric, int64(f.n)
			c.fill(&r, f.values, nil)
			list = append(list, r)
		}
		if i+1 == len(c.sets) || c.sets[i+1].language != set.language { // the sets of a language follow each other
			list = append(list, c.averages(base, list)...)
		}
	}
	return list, nil
}

// averages are those of a language of whose members none is missing: an average of fewer
// is none.
func (c *classifications) averages(base schemas.Result, list []schemas.Result) (averages []schemas.Result) {
	for _, average := range []struct {
		name string
		of   []string
	}{{subtaskAverage7, averaged[:7]}, {subtaskAverage9, averaged}} {
		r, sum, found := base, 0.0, 0
		for _, f := range list {
			if f.Language == base.Language && slices.Contains(average.of, f.Subtask) && (f.Metric == MetricAccuracy || f.Metric == MetricPearson) {
				sum, found = sum+f.Value, found+1
				r.N += f.N
			}
		}
		if found == len(average.of) {
			r.Subtask, r.Metric = average.name, "mean"
			c.fill(&r, []float64{sum / float64(found)}, average.of)
			averages = append(averages, r)
		}
	}
	return averages
}

// figure is a value for each seed.
type figure struct {
	subtask, metric string
	n               int
	values          []float64
}

// fill sets the value, which is the mean over the seeds, and their deviation.
func (c *classifications) fill(r *schemas.Result, values []float64, of []string) {
	settings := map[string]any{"probe": c.preset, "seeds": c.seeds}
	if of != nil {
		settings["of"] = strings.Join(of, " ")
	}
	for _, v := range values {
		r.Value += v / float64(len(values))
	}
	if len(values) > 1 {
		squares := 0.0
		for _, v := range values {
			squares += (v - r.Value) * (v - r.Value)
		}
		spread := math.Sqrt(squares / float64(len(values)-1))
		r.Spread = &spread
		settings["spread"] = "deviation over seeds"
	}
	r.Settings = encode(settings)
}

// figures measures a set: a classifier where there are classes, and relatedness where there
// are scores.
func (c *classifications) figures(ctx context.Context, e encoder.Encoder, set labelled) ([]figure, error) {
	features, err := set.features(ctx, e)
	if err != nil {
		return nil, err
	}
	name := set.task.Name
	var accuracy, f1, pearson, spearman []float64
	for seed := range c.seeds {
		if len(set.task.Classes) > 0 {
			r, err := c.classify(ctx, uint64(seed), set, features)
			if err != nil {
				return nil, err
			}
			accuracy, f1 = append(accuracy, r.Test), append(f1, f1Of(r.Predicted, set.classes(set.tested())))
		}
		if set.task.High > 0 {
			test := set.scored("test", features)
			predicted, err := probe.Relatedness(ctx, uint64(seed), set.scored("train", features), set.scored("dev", features), test)
			if err != nil {
				return nil, err
			}
			for _, m := range []struct {
				to    *[]float64
				value float64
			}{{&pearson, Pearson(predicted, test.Scores)}, {&spearman, Spearman(predicted, test.Scores)}} {
				if math.IsNaN(m.value) {
					m.value = 0 // scores that are all equal tell nothing
				}
				*m.to = append(*m.to, m.value)
			}
		}
	}
	n := len(set.parts[set.tested()])
	classes, scores := name, name
	if name == "sick" {
		classes, scores = "sick-e", "sick-r"
	}
	var list []figure
	if accuracy != nil {
		list = append(list, figure{classes, MetricAccuracy, n, accuracy})
	}
	if name == "mrpc" {
		list = append(list, figure{classes, metricF1, n, f1})
	}
	if pearson != nil {
		list = append(list, figure{scores, MetricPearson, n, pearson}, figure{scores, MetricSpearman, n, spearman})
	}
	return list, nil
}

// tested is the part that is tested.
func (l labelled) tested() string {
	if l.parts[senteval.Pool] != nil {
		return senteval.Pool
	}
	return "test"
}

// classify trains and tests by the scheme that SentEval has for the parts that there are.
func (c *classifications) classify(ctx context.Context, seed uint64, l labelled, features map[string][][]float32) (probe.Result, error) {
	rows := func(part string) probe.Rows { return probe.Rows{Vectors: features[part], Classes: l.classes(part)} }
	n := len(l.task.Classes)
	switch {
	case l.tested() == senteval.Pool:
		return c.config.Nested(ctx, seed, rows(senteval.Pool), n)
	case l.parts["dev"] == nil:
		return c.config.CrossValidated(ctx, seed, rows("train"), rows("test"), n)
	}
	return c.config.Split(ctx, seed, rows("train"), rows("dev"), rows("test"), n)
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

// features encodes the texts of all parts: u of a text, and of two |u−v| with u·v by
// components, as SentEval has them for paraphrases and relatedness.
func (l labelled) features(ctx context.Context, e encoder.Encoder) (map[string][][]float32, error) {
	sides := l.sides()
	var texts []encoder.Text
	for _, part := range l.order() {
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
	for _, part := range l.order() {
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
