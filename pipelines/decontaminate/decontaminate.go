// Package decontaminate is the pipeline that drops the documents or pairs in which texts of tests are, as the package
// contamination finds them, or writes the texts side by side. Each unit does its rows alone; the texts of the tests are
// in memory.
package decontaminate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/transforms/testsets/contamination"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 1

func init() {
	graph.RegisterWriter[schemas.Document, *documentsTask]()
	graph.RegisterWriter[schemas.Pair, *pairsTask]()
	graph.RegisterWriter[schemas.Contamination, *hitsTask]()
}

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	Documents     string   `help:"Dataset of documents." placeholder:"DIR" takes:"document" group:"Input" xor:"input" required:"" json:"-"`
	Pairs         string   `help:"Dataset of pairs, instead of documents." placeholder:"DIR" takes:"pair" group:"Input" xor:"input" required:"" json:"-"`
	Against       []string `help:"Datasets of benchmarks, or of pairs that tests are made of, such as Tatoeba's; or folders with such datasets, up to two levels below. A row goes if a text of theirs is in it, in whatever language." placeholder:"DIR,…" takes:"benchmark,pair" subtracts:"" group:"Input" required:"" json:"-"`
	Share         float64  `help:"Share of a text of a test that a row must contain, by the evidence of its words, above 0 and at most 1." default:"0.8" group:"Evidence" json:"share"`
	ContainedBits float64  `help:"Least evidence of what a row contains of a text, in bits: a common word has about 3, a rare one 12." default:"60" group:"Evidence" json:"contained_bits"`
	WholeBits     *float64 `help:"Least evidence of a text that is a side of a pair or sentences of a document as a whole, in bits. Without it: 36 in documents, so that no page goes for a common phrase, and 0 in pairs." placeholder:"X" group:"Evidence" json:"whole_bits"`
	Hits          bool     `help:"Drop nothing: write what is found, each with the text of the test and that of the row." group:"Output" json:"hits,omitempty"`
}

func (c Config) matching() contamination.Config {
	m := contamination.Config{Share: c.Share, ContainedBits: c.ContainedBits}
	switch {
	case c.WholeBits != nil:
		m.WholeBits = *c.WholeBits
	case c.Pairs == "":
		m.WholeBits = contamination.DefaultConfig().WholeBits
	}
	return m
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{c.matching().Validate()}
	errs.Check((c.Documents == "") != (c.Pairs == ""), "give either documents or pairs: the dataset to clean")
	errs.Check(len(c.Against) > 0, "against is empty: give the datasets of the tests")
	return errs.Err()
}

// Plan cuts the rows into units.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	c.WholeBits = new(c.matching().WholeBits)
	rows, role, err := units.OpenDocumentsOrPairs(ctx, c.Documents, c.Pairs)
	if err != nil {
		return nil, err
	}
	b := graph.New(settings)
	packed, files, err := b.PackPages(role, rows)
	if err != nil {
		return nil, err
	}
	work := Work{Matching: c.matching(), Rows: rows, Items: role}
	if work.Tests, err = openTests(ctx, c.Against); err != nil {
		return nil, err
	}
	for i, t := range work.Tests {
		input := t.Dataset.Manifest().Input(fmt.Sprint("against ", i))
		if input.XXH3 == rows.Manifest().Input(role).XXH3 {
			return nil, fmt.Errorf("against: %s is the dataset that is to be cleaned: no row would stay", t.Dataset.Location)
		}
		b.Input(input)
	}
	list := b.Units(packed)
	work.First = list.First
	draft := dataset.Draft{Pipeline: "decontaminate", PipelineVersion: Version, Config: c, Layout: files}
	switch {
	case c.Hits:
		draft.Schema, draft.Layout = schemas.Contamination{}.Schema(), ""
		graph.Write(b, "find", list, &hitsTask{work})
	case role == chainPairs:
		draft.Schema = schemas.Pair{}.Schema()
		graph.Write(b, "clean", list, &pairsTask{work})
	default:
		draft.Schema = schemas.Document{}.Schema()
		graph.Write(b, "clean", list, &documentsTask{work})
	}
	job, err := b.Job(output, draft)
	if err != nil {
		return nil, err
	}
	for _, location := range c.Against { // where the same command would find it the next time
		if _, inside := storage.Relative(storage.Resolved(location), storage.Resolved(job.Output)); inside {
			return nil, fmt.Errorf("out: %s is in %s, whose datasets are those of the tests: give a folder elsewhere", output, location)
		}
	}
	job.Notes = append(job.Notes, noteOf(work.Tests))
	return job, nil
}

// namedTests is how many tests a note names.
const namedTests = 12

// noteOf says which datasets are looked for.
func noteOf(tests []Test) string {
	names, rows := []string{}, int64(0)
	for _, t := range tests {
		names, rows = append(names, t.Dataset.Location), rows+t.Dataset.Manifest().Rows
	}
	if more := len(names) - namedTests; more > 0 {
		names = append(names[:namedTests], fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("the texts of %d rows of tests are looked for: %s", rows, strings.Join(names, ", "))
}

// Test is a dataset of texts of tests.
type Test struct {
	Dataset *units.Dataset
	// Pairs says that its rows are pairs; else they are benchmarks.
	Pairs bool
}

// deepest is how far below a folder that the user names a manifest may lie.
const deepest = 2

// openTests opens datasets, and those below folders that are none, by their names.
func openTests(ctx context.Context, locations []string) (tests []Test, err error) {
	add := func(location string) (isTest bool, err error) {
		_, m, err := dataset.Open(ctx, location)
		if err != nil {
			return false, err
		}
		if m.Rows == 0 {
			return false, fmt.Errorf("%s has no rows", location)
		}
		t := Test{Pairs: m.Plan.Schema == schemas.Pair{}.Schema().Name}
		switch {
		case t.Pairs:
			t.Dataset, err = units.OpenDataset[schemas.Pair](ctx, location)
		case m.Plan.Schema == schemas.Benchmark{}.Schema().Name:
			t.Dataset, err = units.OpenDataset[schemas.Benchmark](ctx, location)
		default:
			return false, nil
		}
		if err != nil {
			return false, err
		}
		tests = append(tests, t)
		return true, nil
	}
	for _, location := range locations {
		isTest, err := add(location)
		if err == nil && !isTest {
			return nil, fmt.Errorf("against: %s holds neither benchmarks nor pairs", location)
		}
		if !errors.Is(err, dataset.ErrNoDataset) {
			if err != nil {
				return nil, fmt.Errorf("against: %w", err)
			}
			continue
		}
		below, err := datasetsBelow(ctx, location)
		if err != nil {
			return nil, fmt.Errorf("against: %w", err)
		}
		count := len(tests)
		for _, name := range below {
			if _, err := add(storage.Join(location, name)); err != nil {
				return nil, fmt.Errorf("against: %w", err)
			}
		}
		if len(tests) == count {
			return nil, fmt.Errorf("against: %s holds no dataset of benchmarks or pairs, nor do folders up to %d levels below: `sentweave benchmarks` and `sentweave pairs --kind bitext` make them of test sets",
				location, deepest)
		}
	}
	return tests, nil
}

// datasetsBelow returns the names of the folders below one that hold a dataset, complete or not, sorted.
func datasetsBelow(ctx context.Context, location string) (names []string, err error) {
	folder, err := storage.Locate(location)
	if err != nil {
		return nil, err
	}
	for info, err := range folder.List(ctx, "") {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s does not exist", location)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", location, err)
		}
		dir, isPlan := strings.CutSuffix(info.Name, "/"+dataset.PlanName)
		if base := path.Base(info.Name); base == dataset.ManifestName {
			dir = path.Dir(info.Name)
		} else if !isPlan {
			continue
		}
		if strings.Count(dir, "/") < deepest {
			names = append(names, dir)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
