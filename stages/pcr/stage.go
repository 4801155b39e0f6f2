package pcr

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/transforms/measure/neighbors"
)

// Version of the stage: raised when the same input gives other components.
const Version = 1

// RecordName is the file that is written last, beside FileName.
const RecordName = "pcr.json"

var files = dataset.LearnedFiles{Record: RecordName, File: FileName, Lacks: "components"}

// StageConfig is the configuration of the stage. The tags are read by the command
// line; the json names are in the record.
type StageConfig struct {
	Embeddings string   `help:"Dataset of embeddings to fit on, such as those of training text." required:"" placeholder:"DIR" takes:"embedding" group:"Input" json:"-"`
	Languages  []string `help:"Languages to fit; all that are there by default." placeholder:"CODE,..." group:"Input" json:"languages,omitempty"`
	MaxTexts   int      `help:"Most embeddings of a language: those whose ids have the least hashes." default:"10000" group:"Input" json:"max_texts"`
	Config
}

// Validate returns all faults at once.
func (c StageConfig) Validate() error {
	errs := fault.List{c.Config.Validate()}
	errs.Check(c.Embeddings != "", "embeddings is empty: give a dataset of embeddings")
	errs.Check(c.MaxTexts >= c.Components, "max-texts is %d, fewer than the components", c.MaxTexts)
	return errs.Err()
}

// Record is what RecordName holds: what was asked for and what it was fitted on.
type Record struct {
	dataset.Learned[StageConfig]
	Texts map[string]int `json:"texts"`
}

// Options say how the stage runs; they do not change what it makes.
type Options struct {
	// Overwrite replaces other components that are in the output.
	Overwrite bool
}

// Run fits the components of a dataset of embeddings into the folder at output.
// Existed says that the same request was met before; another one is refused unless it
// is to be overwritten. Memory is MaxTexts embeddings a language.
func Run(ctx context.Context, output string, c StageConfig, o Options) (r *Record, existed bool, err error) {
	folder, input, m, r, err := c.request(ctx, output)
	if err != nil {
		return nil, false, err
	}
	var existing Record
	if existed, err := r.Present(ctx, folder, files, &existing, o.Overwrite); err != nil || existed {
		return &existing, existed, err
	}
	chosen, err := c.choose(ctx, input, m)
	if err != nil {
		return nil, false, err
	}
	var matrix neighbors.Matrix
	var languages []string
	for _, l := range slices.Sorted(maps.Keys(chosen)) {
		for _, e := range chosen[l].sorted() {
			if matrix.Dim == 0 {
				matrix.Dim = len(e.vector)
			}
			if len(e.vector) != matrix.Dim {
				return nil, false, fmt.Errorf("embeddings %s: row %s has %d dimensions, others have %d", input, e.id, len(e.vector),
					matrix.Dim)
			}
			matrix.Data = append(matrix.Data, e.vector...)
			languages = append(languages, l)
		}
		r.Texts[l] = len(chosen[l])
	}
	for _, l := range c.Languages {
		if r.Texts[l] == 0 {
			return nil, false, fmt.Errorf("embeddings %s: no embedding has the language %q", input, l)
		}
	}
	if len(languages) == 0 {
		return nil, false, fmt.Errorf("embeddings %s: the dataset has no row", input)
	}
	components, err := Fit(matrix, languages, c.Config)
	if err != nil {
		return nil, false, err
	}
	data, err := components.marshal()
	if err == nil {
		err = r.Save(ctx, folder, FileName, data)
	}
	if err != nil {
		return nil, false, fmt.Errorf("write components: %w", err)
	}
	if err := dataset.WriteRecord(ctx, folder, RecordName, " ", r); err != nil {
		return nil, false, fmt.Errorf("write components: %w", err)
	}
	return r, false, nil
}

// request opens the folder at output and the embeddings, and returns the record of what is asked for.
func (c StageConfig) request(ctx context.Context, output string) (folder, input storage.Folder, m *dataset.Manifest, r *Record, err error) {
	if err = c.Validate(); err != nil {
		return nil, nil, nil, nil, err
	}
	if folder, err = storage.Locate(output); err != nil {
		return nil, nil, nil, nil, err
	}
	if input, m, err = dataset.OpenAs[schemas.Embedding](ctx, c.Embeddings); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("embeddings: %w", err)
	}
	r = &Record{Texts: map[string]int{}}
	r.Record = dataset.Record[StageConfig]{Stage: "pcr", Version: Version, Config: c}
	r.From(m)
	return folder, input, m, r, nil
}

// Standing returns what Run would find in the folder at output, or the error with which it would refuse that
// without Overwrite.
func Standing(ctx context.Context, output string, c StageConfig) (dataset.Fate, error) {
	folder, _, _, r, err := c.request(ctx, output)
	if err != nil {
		return dataset.Fresh, err
	}
	var existing Record
	return r.Standing(ctx, folder, files, &existing)
}

// candidate is an embedding with its place in the choice.
type candidate struct {
	hash   uint64
	id     string
	vector []float32
}

func (c candidate) compare(d candidate) int {
	return cmp.Or(cmp.Compare(c.hash, d.hash), strings.Compare(c.id, d.id))
}

// leastHashes keeps the candidates with the least hashes; the greatest comes first.
type leastHashes []candidate

func (l leastHashes) Len() int           { return len(l) }
func (l leastHashes) Less(i, j int) bool { return l[i].compare(l[j]) > 0 }
func (l leastHashes) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *leastHashes) Push(c any)        { *l = append(*l, c.(candidate)) }
func (l *leastHashes) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

func (l leastHashes) sorted() []candidate {
	return slices.SortedFunc(slices.Values(l), candidate.compare)
}

// choose reads the embeddings and keeps MaxTexts of each language, whatever the
// order of the rows.
func (c StageConfig) choose(ctx context.Context, input storage.Folder, m *dataset.Manifest) (map[string]leastHashes, error) {
	chosen := map[string]leastHashes{}
	for e, err := range dataset.Rows[schemas.Embedding](ctx, input, m) {
		if err != nil {
			return nil, err
		}
		if len(c.Languages) > 0 && !slices.Contains(c.Languages, e.Language) {
			continue
		}
		l := chosen[e.Language]
		next := candidate{xxh3.HashString(e.ID), e.ID, e.Vector}
		if len(l) < c.MaxTexts {
			next.vector = slices.Clone(e.Vector)
			heap.Push(&l, next)
		} else if next.compare(l[0]) < 0 {
			next.vector = slices.Clone(e.Vector)
			l[0] = next
			heap.Fix(&l, 0)
		}
		chosen[e.Language] = l
	}
	return chosen, nil
}
