package classifiers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/transforms/testsets/senteval"
)

// Table is texts, or pairs of texts, with classes that a user gives.
type Table struct {
	Name     string
	Language string
	Pairs    bool // rows have two texts
	// Files are by part: train, dev and test, or the pool that is cut into folds.
	Files map[string]string
	// Rows gives the rows of a part that have gold, with their lines.
	Rows func(part string, use func(r schemas.Benchmark, line int)) error
}

// ReadTable returns the protocol that trains a classifier on a table. The classes are those of the first part, each of
// which needs two rows.
func ReadTable(reader *protocol.Input, t Table) (protocol.Protocol, error) {
	l := labelled{language: t.Language, pairs: t.Pairs, parts: map[string][]sentences{}}
	l.task.Name = t.Name
	type row struct {
		schemas.Benchmark
		line int
	}
	rows := map[string][]row{}
	for _, part := range []string{senteval.Pool, "train", "dev", "test"} {
		if t.Files[part] == "" {
			continue
		}
		if err := t.Rows(part, func(r schemas.Benchmark, line int) { rows[part] = append(rows[part], row{r, line}) }); err != nil {
			return nil, err
		}
		l.task.Files = append(l.task.Files, senteval.File{Name: t.Files[part], Split: part})
	}
	if len(reader.Missing) > 0 {
		return nil, nil
	}
	first := l.task.Files[0].Split
	counts := map[string]int{}
	for _, r := range rows[first] {
		counts[r.Label]++
	}
	l.task.Classes = slices.Sorted(maps.Keys(counts))
	if len(l.task.Classes) < 2 {
		return nil, fmt.Errorf("%s: %s has the label %s alone: a classifier needs two", reader.Task, t.Files[first],
			strings.Join(l.task.Classes, ""))
	}
	for _, label := range l.task.Classes {
		if counts[label] < 2 {
			return nil, fmt.Errorf("%s: %s has one row of the label %s: nothing can be learned of it; leave it out, or give more",
				reader.Task, t.Files[first], label)
		}
	}
	if err := probeOf(reader.Probe).Parted(slices.Max(slices.Collect(maps.Values(counts))), first == senteval.Pool); err != nil &&
		rows["dev"] == nil {
		return nil, fmt.Errorf("%s: %s: %w: give more rows, or a part dev, or take --probe=%s, of fewer parts", reader.Task, t.Files[first],
			err, ProbePrototyping)
	}
	for _, file := range l.task.Files {
		for _, r := range rows[file.Split] {
			item := sentences{id: r.ID, texts: [2]encoder.Text{{Text: r.TextA, Language: r.LanguageA},
				{Text: r.TextB, Language: r.LanguageB}}}
			if item.class = slices.Index(l.task.Classes, r.Label); item.class < 0 {
				return nil, fmt.Errorf("%s: line %d of %s has the label %q, which does not occur in %s", reader.Task, r.line, file.Name,
					r.Label, t.Files[first])
			}
			l.parts[file.Split] = append(l.parts[file.Split], item)
		}
	}
	return &classifications{preset: reader.Probe, config: probeOf(reader.Probe), seeds: reader.Seeds, sets: []labelled{l}}, nil
}
