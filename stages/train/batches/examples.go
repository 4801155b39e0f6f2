package batches

import (
	"context"
	"fmt"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/stages/objective/joined"
)

// Examples is an open dataset of examples, or a part of one.
type Examples struct {
	folder   storage.Folder
	manifest *dataset.Manifest
	shards   []dataset.Shard
	// groups are the row groups with rows of the part, whose number they have. A nil has is
	// that of all rows.
	groups []rowGroup
	has    func(*schemas.Example) bool
	part   string // what the rows of a part are, for errors
	// classes of the examples, where they were counted.
	classes *classes
}

// OpenExamples opens a complete dataset of examples. One without rows, or made
// with another vocabulary than that of the fingerprint (the hash that
// dataset.VocabularyInput gives), is an error; an empty fingerprint takes any.
func OpenExamples(ctx context.Context, location, vocabulary string) (*Examples, error) {
	folder, m, err := dataset.OpenAs[schemas.Example](ctx, location)
	if err != nil {
		return nil, err
	}
	e := &Examples{folder: folder, manifest: m, shards: m.Shards}
	if m.Rows == 0 {
		return nil, fmt.Errorf("dataset %s is empty: `sentweave inspect %s` shows what dropped its rows", folder, folder)
	}
	if got := e.Vocabulary(); vocabulary != "" && got != vocabulary {
		if got == "" {
			got = "one that it does not name"
		}
		return nil, fmt.Errorf("dataset %s was made with the vocabulary %s, that of the model and the other datasets is %s: make all examples with the model's vocabulary",
			folder, got, vocabulary)
	}
	e.groups = rowGroups(e.shards)
	return e, nil
}

// rowGroups cuts shards.
func rowGroups(shards []dataset.Shard) (groups []rowGroup) {
	size := int64(schemas.Example{}.Schema().RowGroup)
	for i, s := range shards {
		for start := int64(0); start < s.Rows; start += size {
			groups = append(groups, rowGroup{shard: i, index: start / size, rows: int(min(size, s.Rows-start))})
		}
	}
	return groups
}

// Split returns the part of the rows of a whole dataset for which a function is true, which
// are held out, and the others. It reads all of them.
func (e *Examples) Split(ctx context.Context, match func(*schemas.Example) bool) (part, rest *Examples, err error) {
	a, b := *e, *e
	a.groups, b.groups = nil, nil
	a.has, b.has = match, func(row *schemas.Example) bool { return !match(row) }
	a.part, b.part = " held out", " not held out"
	counts := make([]int, len(e.groups)) // of the part
	size, first := int64(schemas.Example{}.Schema().RowGroup), 0
	for _, s := range e.shards {
		row := int64(0)
		for r, err := range dataset.SpanRows[schemas.Example](ctx, e.folder, e.manifest, dataset.Span{Name: s.Name, To: groupsOf(s)}) {
			if err != nil {
				return nil, nil, err
			}
			if match(&r) {
				counts[first+int(row/size)]++
			}
			row++
		}
		first += int(groupsOf(s))
	}
	for i, g := range e.groups {
		if counts[i] > 0 {
			a.groups = append(a.groups, rowGroup{g.shard, g.index, counts[i]})
		}
		if counts[i] < g.rows {
			b.groups = append(b.groups, rowGroup{g.shard, g.index, g.rows - counts[i]})
		}
	}
	return &a, &b, nil
}

// Vocabulary is the fingerprint of the vocabulary with which the dataset was
// made; empty if it does not say.
func (e *Examples) Vocabulary() string {
	return e.manifest.Plan.InputHash(dataset.VocabularyRole)
}

// Cased says whether the tokenizer that made the examples kept case.
func (e *Examples) Cased() bool {
	var settings struct {
		Cased bool `json:"cased"`
	}
	_ = jsonfile.Unmarshal(e.manifest.Plan.Config, &settings) // a config without it is of uncased examples
	return settings.Cased
}

// Kind is that of the first example.
func (e *Examples) Kind(ctx context.Context) (string, error) {
	for x, err := range dataset.Rows[schemas.Example](ctx, e.folder, e.manifest) {
		return x.Kind, err
	}
	return "", fmt.Errorf("dataset %s has no rows", e.folder)
}

// Commonest returns the second side that most of the first examples have, at most so many,
// how many have it, and how many there are.
func (e *Examples) Commonest(ctx context.Context, limit int) (ids []int32, n, total int, err error) {
	counts := map[uint64]int{}
	for x, err := range dataset.Rows[schemas.Example](ctx, e.folder, e.manifest) {
		if err != nil {
			return nil, 0, 0, err
		}
		key := joined.TextKey(x.TokensB)
		if counts[key]++; counts[key] > n {
			ids, n = x.TokensB, counts[key]
		}
		if total++; total == limit {
			break
		}
	}
	return ids, n, total, nil
}

// Unknown counts, by the languages of sides, the tokens of some examples between [CLS] and [SEP], and those of them that
// have an id, such as [UNK]'s. The examples are taken from places all over the dataset.
func (e *Examples) Unknown(ctx context.Context, id int32) (counts map[string][2]int, err error) {
	const places, rows = 32, 50
	counts = map[string][2]int{}
	for i := range int64(places) {
		position := (e.manifest.Rows - 1) * i / (places - 1) // of the dataset
		shard := e.shards[0]
		for _, shard = range e.shards {
			if position < shard.Rows {
				break
			}
			position -= shard.Rows
		}
		span := dataset.Span{Name: shard.Name, From: position, To: min(shard.Rows, position+rows), Rows: true}
		for x, err := range dataset.SpanRows[schemas.Example](ctx, e.folder, e.manifest, span) {
			if err != nil {
				return nil, err
			}
			for _, side := range []struct {
				language string
				ids      []int32
			}{{x.LanguageA, x.TokensA}, {x.LanguageB, x.TokensB}} {
				n := counts[side.language]
				for i, token := range side.ids {
					if i == 0 || i == len(side.ids)-1 {
						continue
					}
					if n[1]++; token == id {
						n[0]++
					}
				}
				counts[side.language] = n
			}
		}
	}
	return counts, nil
}

// OneGold returns the label or the target that all examples have, "" if two differ. It reads
// until two do.
func (e *Examples) OneGold(ctx context.Context) (gold string, err error) {
	for x, err := range dataset.Rows[schemas.Example](ctx, e.folder, e.manifest) {
		if err != nil {
			return "", err
		}
		description := "no gold"
		switch {
		case x.Kind == schemas.KindNLI && x.Label != nil && int(*x.Label) < len(schemas.Labels()) && *x.Label >= 0:
			description = "the label " + schemas.Labels()[*x.Label]
		case x.Label != nil:
			description = fmt.Sprint("the label ", *x.Label)
		case x.Target != nil:
			description = fmt.Sprint("the target ", *x.Target)
		}
		if gold != "" && gold != description {
			return "", nil
		}
		gold = description
	}
	return gold, nil
}

// OneGroup says whether all examples are of the group or the texts of the first one, so that none
// is a negative of another. It reads until one is not.
func (e *Examples) OneGroup(ctx context.Context) (bool, error) {
	var first *schemas.Example
	for x, err := range dataset.Rows[schemas.Example](ctx, e.folder, e.manifest) {
		if err != nil {
			return false, err
		}
		if first == nil {
			first = &x
			continue
		}
		group := x.Group != nil && first.Group != nil && *x.Group == *first.Group
		if !group && !(slices.Equal(x.TokensA, first.TokensA) && slices.Equal(x.TokensB, first.TokensB)) {
			return false, nil
		}
	}
	return true, nil
}

// Rows is the number of examples.
func (e *Examples) Rows() (n int64) {
	for _, g := range e.groups {
		n += int64(g.rows)
	}
	return n
}

// Input identifies the dataset by its content.
func (e *Examples) Input(role string) dataset.Input { return e.manifest.Input(role) }

// rowError is the error of an example that cannot be trained on.
type rowError struct {
	Dataset, Shard string
	// Row counts the shard's rows from 0.
	Row int64
	ID  string
	Err error
}

// Error names dataset, shard and row.
func (e *rowError) Error() string {
	return fmt.Sprintf("row %d (id %q) of %s in dataset %s does not fit: %v", e.Row, e.ID, e.Shard, e.Dataset, e.Err)
}

// Unwrap returns the reason.
func (e *rowError) Unwrap() error { return e.Err }

// read returns the examples of row groups in their order. Neighbouring groups are
// read together, since a shard's hash is checked with every reading.
func (e *Examples) read(ctx context.Context, groups []rowGroup, f *fit) ([]example, error) {
	rows := 0
	for _, g := range groups {
		rows += g.rows
	}
	list := make([]example, 0, rows)
	size := int64(schemas.Example{}.Schema().RowGroup)
	for len(groups) > 0 {
		n := 1
		for n < len(groups) && groups[n].shard == groups[0].shard && groups[n].index == groups[n-1].index+1 {
			n++
		}
		shard := e.shards[groups[0].shard]
		row := groups[0].index * size
		span := dataset.Span{Name: shard.Name, From: groups[0].index, To: groups[n-1].index + 1}
		for r, err := range dataset.SpanRows[schemas.Example](ctx, e.folder, e.manifest, span) {
			if err != nil {
				return nil, err
			}
			if e.has == nil || e.has(&r) {
				x, err := f.example(&r)
				if err != nil {
					return nil, &rowError{Dataset: e.folder.String(), Shard: shard.Name, Row: row, ID: r.ID, Err: err}
				}
				list = append(list, *x)
			}
			row++
		}
		groups = groups[n:]
	}
	return list, nil
}

// CountTokens counts how often each id of the vocabulary occurs in the examples with
// their masks undone, except ids that are never masked. It is the unigram distribution
// that a masked language model predicts.
func (e *Examples) CountTokens(ctx context.Context, encoding Encoding) ([]int64, error) {
	if err := encoding.Validate(); err != nil {
		return nil, err
	}
	counts := make([]int64, encoding.Vocabulary.Size)
	for _, shard := range e.shards {
		row := int64(0)
		for r, err := range dataset.SpanRows[schemas.Example](ctx, e.folder, e.manifest,
			dataset.Span{Name: shard.Name, To: groupsOf(shard)}) {
			if err != nil {
				return nil, err
			}
			r.Unmask()
			for _, ids := range [][]int32{r.TokensA, r.TokensB} {
				for _, id := range ids {
					if id < 0 || int(id) >= len(counts) {
						return nil, &rowError{e.folder.String(), shard.Name, row, r.ID,
							fmt.Errorf("id %d is outside the vocabulary of %d", id, len(counts))}
					}
					counts[id]++
				}
			}
			row++
		}
	}
	for _, id := range encoding.Vocabulary.Special {
		counts[id] = 0
	}
	return counts, nil
}

func groupsOf(s dataset.Shard) int64 {
	size := int64(schemas.Example{}.Schema().RowGroup)
	return (s.Rows + size - 1) / size
}
