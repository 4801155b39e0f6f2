// Package classifiers has the tasks that train classifiers on the vectors of an encoder that stays as it is: those of
// SentEval, transfer from English to other languages, and labelled tables of a user.
package classifiers

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
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/folders"
	"sentweave/stages/metrics"
	"sentweave/transforms/measure/probe"
	"sentweave/transforms/read/texts"
	"sentweave/transforms/testsets/senteval"
)

// SentEval is the task senteval.
var SentEval = protocol.Task{
	Name: "senteval", Measures: "classifiers on SentEval's tasks, trained and tested in each language of the benchmarks by itself, or in English in SentEval's folder",
	From: []protocol.Source{protocol.FromBenchmarks, protocol.FromData}, Group: protocol.GroupXEVAL, Languages: true, Trains: true,
	Read: readTrained,
}

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
	ProbeLiterature  = "literature"
	ProbePrototyping = "prototyping"
	ProbeLBFGS       = "lbfgs"
)

func probeOf(preset string) probe.Config {
	switch preset {
	case ProbePrototyping:
		return probe.Prototyping()
	case ProbeLBFGS:
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
	// version is that under which trainings are kept, 0 for none, and observe is called before each; nil for none.
	version int
	observe func(what string, seed, seeds int)
}

// labelled is a task in a language: its items by their parts.
type labelled struct {
	language string
	task     senteval.Task
	pairs    bool // items have two texts
	parts    map[string][]sentences
}

// sentences is an item: one or two texts, with a class or a score, or both as in SICK.
type sentences struct {
	id    string
	texts [2]encoder.Text
	class int
	score float64
}

// readTrained reads SentEval's classifications and relatedness, in every language.
func readTrained(reader *protocol.Input) (protocol.Protocol, error) {
	c := classifications{preset: reader.Probe, config: probeOf(reader.Probe), seeds: reader.Seeds}
	sets, rows, err := trainedSets(reader, senteval.Task.Trains)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", reader.Task, err)
	}
	byLanguage := map[string][]string{}
	for _, set := range sets {
		t, _ := senteval.TaskByName(set.Task)
		l, err := readLabelled(reader, t, set, rows(set))
		if err != nil {
			return nil, fmt.Errorf("read %s: %s in %s: %w", reader.Task, set.Task, set.Language, err)
		}
		c.sets = append(c.sets, l)
		byLanguage[set.Language] = append(byLanguage[set.Language], set.Task)
	}
	if len(c.sets) == 0 {
		if reader.Sets == nil {
			return nil, protocol.Absent("%s: %s has no folder of SentEval's tasks: expected MR/rt-polarity.pos and others in %s",
				reader.Task, reader.Folder, strings.Join(sentEvalFolders, ", "))
		}
		return nil, protocol.Absent("%s: the datasets have none of its tasks in the languages asked for; they have %s in %s",
			reader.Task, tasksOf(reader.Sets), strings.Join(reader.Sets.Languages(), ", "))
	}
	for _, code := range slices.Sorted(maps.Keys(byLanguage)) {
		var missing []string
		for _, member := range averaged {
			if task := strings.TrimSuffix(strings.TrimSuffix(member, "-e"), "-r"); !slices.Contains(byLanguage[code], member) &&
				!slices.Contains(byLanguage[code], task) {
				missing = append(missing, member)
			}
		}
		if len(missing) > 0 {
			reader.Notes = append(reader.Notes,
				fmt.Sprintf("%s in %s: there is no %s, so that averages of which they are a part are not given", reader.Task, code,
					strings.Join(missing, ", ")))
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

func readLabelled(reader *protocol.Input, t senteval.Task, set folders.Set, rows iter.Seq2[schemas.Benchmark, error]) (labelled, error) {
	l := labelled{language: set.Language, task: t, pairs: t.Pairs(), parts: map[string][]sentences{}}
	ids := map[string]bool{}
	for r, err := range rows {
		if err != nil {
			return l, err
		}
		if r.Skip {
			continue
		}
		if ids[r.ID] {
			return l, fmt.Errorf("row %d of %s occurs twice: give one dataset in each language", r.Row, r.File)
		}
		ids[r.ID] = true
		item := sentences{id: r.ID, texts: [2]encoder.Text{}}
		for i, x := range slices.Collect(texts.OfItem(r)) {
			item.texts[i] = encoder.TextOf(x)
		}
		if t.Pairs() && r.TextB == "" {
			return l, fmt.Errorf("row %d of %s has no second text", r.Row, r.File)
		}
		if len(t.Classes) > 0 {
			class, ok := t.Class(r.Label)
			if !ok {
				return l, fmt.Errorf("row %d of %s has the label %q, which is not one of %s", r.Row, r.File, r.Label,
					strings.Join(t.Classes, ", "))
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
		fmt.Fprintf(&reader.Hash, "%q %q %q %d %v\n", set.Task, r.Split, item.texts, item.class, item.score)
	}
	for _, f := range t.Files {
		if len(l.parts[f.Split]) == 0 {
			return l, fmt.Errorf("there is no row of the split %s", f.Split)
		}
	}
	return l, nil
}

// Texts implements protocol.Protocol.
func (c *classifications) Texts() iter.Seq[encoder.Text] { return c.textsOf(labelled.order) }

// Tested yields the texts of the items, without those of the training.
func (c *classifications) Tested() iter.Seq[encoder.Text] {
	return c.textsOf(func(set labelled) []string { return []string{set.tested()} })
}

// textsOf yields the texts of some parts of each set.
func (c *classifications) textsOf(parts func(labelled) []string) iter.Seq[encoder.Text] {
	return func(yield func(encoder.Text) bool) {
		for _, set := range c.sets {
			for _, part := range parts(set) {
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

// data is the hash of the items of all parts, which decide what is learned and what is tested.
func (l labelled) data() string {
	var h protocol.DataHash
	for _, part := range l.order() {
		for _, item := range l.parts[part] {
			h.Add([]any{part, item.class, item.score}, item.texts[:l.sides()]...)
		}
	}
	return h.Sum()
}

// sides is the number of texts of an item.
func (l labelled) sides() int {
	if l.pairs {
		return 2
	}
	return 1
}

// zeroShot comes before the subtasks of what was trained in English and tested in another
// language.
const zeroShot = "zero-shot/"

// Measure implements protocol.Protocol.
func (c *classifications) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) (
	list []schemas.Result, err error) {
	var transferred []schemas.Result
	for i, set := range c.sets {
		versions := c.versions(set)
		figures, err := c.figures(ctx, e, set, versions, keep)
		if err != nil {
			return nil, fmt.Errorf("%s in %s: %w", set.task.Name, set.language, err)
		}
		base.Language, base.DataXXH3 = set.language, set.data()
		list = append(list, c.rows(base, "", figures[0])...)
		for k, version := range versions {
			r := base
			r.Language, r.DataXXH3 = version.language, protocol.JointHash(base, schemas.Result{DataXXH3: version.data()})
			transferred = append(transferred, c.rows(r, zeroShot, figures[1+k])...)
		}
		if i+1 == len(c.sets) || c.sets[i+1].language != set.language { // the sets of a language follow each other
			list = append(list, c.averages(base, "", list)...)
		}
	}
	for _, code := range c.languages() {
		base.Language = code
		transferred = append(transferred, c.averages(base, zeroShot, transferred)...)
	}
	list = append(list, transferred...)
	return append(list, c.overLanguages(base, list)...), nil
}

// rows are the figures of a set.
func (c *classifications) rows(base schemas.Result, prefix string, figures []figure) (list []schemas.Result) {
	for _, f := range figures {
		r := base
		r.Subtask, r.Metric, r.N = prefix+f.subtask, f.metric, int64(f.n)
		c.fill(&r, f.values, nil)
		if prefix != "" {
			r.Settings = strings.TrimSuffix(r.Settings, "}") + `,"trained":"` + english + `"}`
		}
		list = append(list, r)
	}
	return list
}

// averages are those of a language of whose members none is missing: an average of fewer
// is none.
func (c *classifications) averages(base schemas.Result, prefix string, list []schemas.Result) (averages []schemas.Result) {
	for _, average := range []struct {
		name string
		of   []string
	}{{subtaskAverage7, averaged[:7]}, {subtaskAverage9, averaged}} {
		r, sum := base, 0.0
		var members []schemas.Result
		for _, f := range list {
			if f.Language == base.Language && strings.HasPrefix(f.Subtask, prefix) &&
				slices.Contains(average.of, f.Subtask[len(prefix):]) && (f.Metric == metrics.Accuracy || f.Metric == metrics.Pearson) {
				sum, members = sum+f.Value, append(members, f)
				r.N += f.N
			}
		}
		if len(members) == len(average.of) {
			r.Subtask, r.Metric, r.DataXXH3 = prefix+average.name, metrics.Mean, protocol.JointHash(members...)
			c.fill(&r, []float64{sum / float64(len(members))}, average.of)
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
func (c *classifications) fill(r *schemas.Result, values []float64, members []string) {
	settings := map[string]any{"probe": c.preset, "seeds": c.seeds}
	if members != nil {
		settings["of"] = strings.Join(members, " ")
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
	r.Settings = protocol.EncodeSettings(settings)
}
