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
	"sentweave/transforms/random"
	"sentweave/transforms/testsets/senteval"
)

// Transfer is the task transfer.
var Transfer = protocol.Task{
	Name: "transfer", Measures: "a classifier on a frozen encoder, trained in English and tested in every language: XNLI, PAWS-X, reviews and labelled tables of your own",
	From: []protocol.Source{protocol.FromBenchmarks}, Languages: true, Trains: true, Read: readTransfer,
}

// trainedOn has the tasks whose training is another task: XNLI has none of its own.
var trainedOn = map[string]string{"xnli": "multinli"}

// positiveAbove is the score above which a review is positive (Yang et al. 2021).
const positiveAbove = 3

// heldOut is the share of the English training that ends it, where there is no part dev.
const heldOut = .1

// transfers is the protocol of each task by itself.
type transfers struct {
	classifications
	list []transferTask
}

// readTransferTask is what is trained on and tested.
type transferTask struct {
	name       string
	form       probe.Form
	classes    []string
	train, dev []sentences
	// tests are by language, that of English first.
	languages []string
	tests     [][]sentences
}

// readTransfer reads the tasks whose rows have labels, or single texts with scores, and that are
// not SentEval's, which has protocols of its own.
func readTransfer(reader *protocol.Input) (protocol.Protocol, error) {
	t := &transfers{classifications: classifications{preset: reader.Probe, config: probeOf(reader.Probe), seeds: reader.Seeds}}
	byTask := map[string][]folders.Set{}
	for _, set := range reader.Sets.All() {
		byTask[set.Task] = append(byTask[set.Task], set)
	}
	var reasons []string
	for _, name := range slices.Sorted(maps.Keys(byTask)) {
		if _, ok := senteval.TaskByName(name); ok && name != taskSNLI || slices.Contains(slices.Collect(maps.Values(trainedOn)), name) {
			continue
		}
		candidate, err := readTransferTask(reader, name, byTask)
		if err != nil {
			return nil, fmt.Errorf("read %s: %s: %w", reader.Task, name, err)
		}
		if candidate.missing != "" {
			reasons = append(reasons, name+" "+candidate.missing)
			continue
		}
		t.list = append(t.list, candidate.transferTask)
	}
	if len(t.list) == 0 {
		return nil, protocol.Absent("%s: the datasets have no task with labels, trained in %s and tested in another language; %s",
			reader.Task, english, strings.Join(append(reasons, "they have "+tasksOf(reader.Sets)), "; "))
	}
	for _, reason := range reasons {
		reader.Notes = append(reader.Notes, reader.Task+": left out: "+reason)
	}
	return t, nil
}

// readTask is a task, or what it lacks.
type readTask struct {
	transferTask
	missing string
}

func readTransferTask(reader *protocol.Input, name string, byTask map[string][]folders.Set) (t readTask, err error) {
	t.name = name
	parts := map[string]map[string][]labelledRow{} // by language and split
	source := name
	if origin, ok := trainedOn[name]; ok {
		source = origin
		for _, set := range byTask[origin] {
			if set.Language == english {
				if err := labelledRows(reader, set, parts, "training of "+name); err != nil {
					return t, err
				}
			}
		}
	}
	for _, set := range byTask[name] {
		if set.Language == english || reader.Wants(set.Language) {
			if err := labelledRows(reader, set, parts, ""); err != nil {
				return t, err
			}
		}
	}
	train := parts[english]["train"]
	dev := parts[english]["dev"]
	if source != name {
		train = parts["training of "+name]["train"]
	}
	switch {
	case len(train) == 0:
		t.missing = fmt.Sprintf("has no training of labelled rows in %s, which would be the part train of %s", english, source)
		return t, nil
	case len(parts[english]["test"]) == 0:
		t.missing = "has no test in " + english
		return t, nil
	}
	pairs := train[0].items.texts[1].Text != ""
	t.form = probe.Alone
	if pairs {
		t.form = probe.Joined
	}
	labels := map[string]bool{}
	for _, r := range train {
		labels[r.label] = true
	}
	t.classes = slices.Sorted(maps.Keys(labels))
	if len(t.classes) < 2 {
		return t, fmt.Errorf("the training has the label %s alone", strings.Join(t.classes, ""))
	}
	add := func(list *[]sentences, rows []labelledRow, what string) error {
		for _, r := range rows {
			r.items.class = slices.Index(t.classes, r.label)
			if r.items.class < 0 {
				return fmt.Errorf("row %s of %s has the label %q, which does not occur in the training: the labels there are %s", r.where, what, r.label,
					strings.Join(t.classes, ", "))
			}
			if pairs != (r.items.texts[1].Text != "") {
				own, first := "two texts", "one"
				if pairs {
					own, first = "one text", "two"
				}
				return fmt.Errorf("row %s of %s has %s where the first training row has %s", r.where, what, own, first)
			}
			*list = append(*list, r.items)
			fmt.Fprintf(&reader.Hash, "%q %q %q %d\n", name, what, r.items.texts, r.items.class)
		}
		return nil
	}
	if err := add(&t.train, train, "train"); err != nil {
		return t, err
	}
	if err := add(&t.dev, dev, "dev"); err != nil {
		return t, err
	}
	codes := slices.Sorted(maps.Keys(parts))
	for _, code := range append([]string{english}, slices.DeleteFunc(codes, func(c string) bool { return c == english })...) {
		if len(parts[code]["test"]) == 0 {
			continue
		}
		var test []sentences
		if err := add(&test, parts[code]["test"], "test in "+code); err != nil {
			return t, err
		}
		t.languages, t.tests = append(t.languages, code), append(t.tests, test)
	}
	if len(t.dev) == 0 { // a tenth of the training
		order := make([]int, len(t.train))
		for i := range order {
			order[i] = i
		}
		draw := random.New(1, 0, "evaluate transfer", name, 0)
		random.Shuffle(&draw, order)
		n := max(1, int(math.Round(heldOut*float64(len(order)))))
		var rest []sentences
		for i, index := range order {
			if i < n {
				t.dev = append(t.dev, t.train[index])
			} else {
				rest = append(rest, t.train[index])
			}
		}
		t.train = rest
	}
	if len(t.train) == 0 {
		return t, fmt.Errorf("the training has %d rows, which are too few", len(train))
	}
	return t, nil
}

// labelledRow is an item with its label and its place, for errors.
type labelledRow struct {
	items sentences
	label string
	where string
}

// labelledRows adds the rows of a set that have gold, under its language or under another key.
func labelledRows(reader *protocol.Input, set folders.Set, parts map[string]map[string][]labelledRow, key string) error {
	if key == "" {
		key = set.Language
	}
	if parts[key] == nil {
		parts[key] = map[string][]labelledRow{}
	}
	for r, err := range reader.Sets.Each(reader.Context, set) {
		if err != nil {
			return err
		}
		if r.Skip {
			continue
		}
		row := labelledRow{label: r.Label, where: fmt.Sprintf("%d of %s", r.Row, r.File)}
		if r.Label == "" && r.TextB == "" && r.Target != nil {
			row.label = map[bool]string{true: "positive", false: "negative"}[*r.Target > positiveAbove]
		}
		if row.label == "" {
			continue // pairs with scores: their task is similarity
		}
		row.items.id = r.ID
		row.items.texts[0] = encoder.Text{Text: r.TextA, Language: r.LanguageA}
		if r.TextB != "" {
			row.items.texts[1] = encoder.Text{Text: r.TextB, Language: r.LanguageB}
		}
		parts[key][r.Split] = append(parts[key][r.Split], row)
	}
	return nil
}

// Texts implements protocol.Protocol.
func (t *transfers) Texts() iter.Seq[encoder.Text] {
	return t.textsOf(func(task transferTask) [][]sentences {
		return append([][]sentences{task.train, task.dev}, task.tests...)
	})
}

// Tested yields the texts of the items, without those of the training.
func (t *transfers) Tested() iter.Seq[encoder.Text] {
	return t.textsOf(func(task transferTask) [][]sentences { return task.tests })
}

// textsOf yields the texts of some parts of each task.
func (t *transfers) textsOf(parts func(transferTask) [][]sentences) iter.Seq[encoder.Text] {
	return func(yield func(encoder.Text) bool) {
		for _, task := range t.list {
			sides := 1
			if task.form != probe.Alone {
				sides = 2
			}
			for _, items := range parts(task) {
				for _, item := range items {
					for _, text := range item.texts[:sides] {
						if !yield(text) {
							return
						}
					}
				}
			}
		}
	}
}

// Measure implements protocol.Protocol.
func (t *transfers) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) (
	results []schemas.Result, err error) {
	for _, task := range t.list {
		rows, err := t.one(ctx, e, base, task, keep)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", task.name, err)
		}
		results = append(results, rows...)
	}
	return results, nil
}

// part is the items of a test, without what the model makes of them.
func (task transferTask) part(test, seed int) protocol.Part {
	number := int64(seed)
	p := protocol.Part{Subtask: task.name + "/" + task.languages[test], Language: task.languages[test], Seed: &number}
	for _, item := range task.tests[test] {
		p.A = append(p.A, item.texts[0])
		if task.form != probe.Alone {
			p.B = append(p.B, item.texts[1])
		}
	}
	return p
}

func (t *transfers) one(ctx context.Context, e encoder.Encoder, base schemas.Result, task transferTask,
	keep protocol.Keeper) (results []schemas.Result, err error) {
	// All texts are encoded together, so that what treats vectors sees all languages.
	parts := append([][]sentences{task.train, task.dev}, task.tests...)
	vectors, err := encodeItems(ctx, e, slices.Concat(parts...), task.form)
	if err != nil {
		return nil, err
	}
	var rows []probe.Rows
	offset := 0
	for _, items := range parts {
		r := probe.Rows{Form: task.form, Vectors: vectors.Vectors[offset : offset+len(items)]}
		if task.form != probe.Alone {
			r.Second = vectors.Second[offset : offset+len(items)]
		}
		for _, item := range items {
			r.Classes = append(r.Classes, item.class)
		}
		rows, offset = append(rows, r), offset+len(items)
	}
	var scored []probe.Scored
	for _, r := range rows {
		scored = append(scored, probe.Scored{Rows: r})
	}
	cache, err := t.trainings(task.name, english, len(task.classes), scored...)
	if err != nil {
		return nil, err
	}
	defer cache.close()
	accuracy := make([][]float64, len(task.languages))
	split := probe.Parts{Train: rows[0], Dev: rows[1], Test: rows[2], Extra: rows[3:]}
	for seed := range t.seeds {
		r, err := trained(ctx, cache, task.name, seed, func() (probe.Result, error) {
			return t.config.Split(ctx, uint64(seed), split, len(task.classes))
		})
		if err != nil {
			return nil, err
		}
		predicted := append([][]int{r.Predicted}, r.AlsoPredicted...)
		for k, value := range append([]float64{r.Test}, r.Also...) {
			accuracy[k] = append(accuracy[k], value)
			keep(task.part(k, seed).Classified(task.classes, rows[2+k].Classes, predicted[k]))
		}
	}
	settings := map[string]string{"head": map[probe.Form]string{probe.Alone: "u", probe.Joined: "u v |u-v| u*v"}[task.form],
		"trained": english}
	fill := func(r *schemas.Result, values []float64) error {
		t.fill(r, values, nil)
		r.Settings, err = protocol.MergeSettings(r.Settings, settings)
		return err
	}
	overall, n := make([]float64, t.seeds), 0
	for k, code := range task.languages {
		r := base
		r.Subtask, r.Language, r.Metric, r.N = task.name+"/"+code, code, metrics.Accuracy, int64(len(task.tests[k]))
		if err := fill(&r, accuracy[k]); err != nil {
			return nil, err
		}
		results = append(results, r)
		for seed, value := range accuracy[k] {
			overall[seed] += value / float64(len(task.languages))
		}
		n += len(task.tests[k])
	}
	if len(task.languages) > 1 {
		r := base
		r.Subtask, r.Metric, r.N = task.name+"/"+metrics.SubtaskMean, metrics.Accuracy, int64(n)
		settings["languages"] = strings.Join(task.languages, " ")
		if err := fill(&r, overall); err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}
