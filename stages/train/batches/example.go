package batches

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/stages/objective"
	"sentweave/stages/objective/joined"
	"sentweave/transforms/tokens/masking"
)

// Encoding describes the ids that the model accepts. The ids of examples must fit it.
type Encoding struct {
	// Vocabulary has the ids, and which of them are never masked.
	Vocabulary masking.Vocabulary
	// Padding fills up shorter sequences of a batch.
	Padding int32
	// MaxTokens is the most tokens of a side that the model takes.
	MaxTokens int
}

// Validate returns all faults at once.
func (e Encoding) Validate() error {
	var errs fault.List
	errs.Check(e.Vocabulary.Size >= 1, "encoding: the vocabulary has %d entries", e.Vocabulary.Size)
	errs.Check(e.Padding >= 0 && e.Padding < e.Vocabulary.Size, "encoding: the padding is %d, outside the vocabulary of %d", e.Padding,
		e.Vocabulary.Size)
	errs.Check(e.MaxTokens >= 3, "encoding: the model takes %d tokens, it must be at least 3", e.MaxTokens)
	return errs.Err()
}

// example is an example with what batches are made by.
type example struct {
	objective.Example
	// length is that of both sides.
	length int
	// key is equal for examples that should not be in one batch: those of one
	// group where the others of the batch are negatives, and an example and itself.
	key uint64
}

// fit is what a source asks of a row.
type fit struct {
	objective *objective.Objective
	config    objective.Config
	encoding  Encoding
	maxTokens int
	special   []bool // by id
}

func newFit(s Source, c objective.Config, e Encoding) fit {
	o, _ := objective.Find(s.Objective)
	f := fit{objective: o, config: c, encoding: e, maxTokens: s.MaxTokens, special: make([]bool, e.Vocabulary.Size)}
	for _, id := range e.Vocabulary.Special {
		if id >= 0 && id < e.Vocabulary.Size {
			f.special[id] = true
		}
	}
	return f
}

// example checks a row, whose slices it takes over. An error says why it does not fit.
func (f *fit) example(row *schemas.Example) (*example, error) {
	if err := row.Validate(); err != nil {
		return nil, err
	}
	if !slices.Contains(f.objective.Kinds, row.Kind) {
		return nil, fmt.Errorf("its kind is %s, %s takes %s", row.Kind, f.objective.Name, strings.Join(f.objective.Kinds, ", "))
	}
	for _, column := range []struct {
		name string
		ids  []int32
	}{{"tokens_a", row.TokensA}, {"tokens_b", row.TokensB}, {"mask_tokens", row.MaskTokens}} {
		for i, id := range column.ids {
			if id >= f.encoding.Vocabulary.Size {
				return nil, fmt.Errorf("%s[%d] is %d, outside the vocabulary of %d: it was tokenised with another one", column.name, i, id,
					f.encoding.Vocabulary.Size)
			}
		}
		if n := len(column.ids); f.maxTokens == 0 && n > f.encoding.MaxTokens {
			return nil, fmt.Errorf("%s has %d tokens, the model takes %d: --tokens cuts them, or max_tokens in a file of settings",
				column.name, n, f.encoding.MaxTokens)
		}
	}
	if !f.objective.Masked { // as the pipeline did with all kinds before its version 2
		row.Unmask()
	}
	key := uint64(0)
	if f.objective.Join != nil {
		key = joined.TextKey(row.TokensA)
	}
	e := &example{Example: objective.Example{
		Key: key, Most: f.maxTokens,
		ID: row.ID, LanguageA: row.LanguageA, LanguageB: row.LanguageB, A: f.cut(row.TokensA), B: f.cut(row.TokensB),
		Positions: row.MaskPositions, Targets: row.MaskTokens, Label: row.Label, Target: row.Target, Group: row.Group,
	}}
	if len(e.B) < len(row.TokensB) {
		n, _ := slices.BinarySearch(e.Positions, int32(len(e.B)-1)) // where now the last token stands
		e.Positions, e.Targets = e.Positions[:n], e.Targets[:n]
	}
	e.length = len(e.A) + len(e.B)
	e.key = xxh3.HashString(e.ID)
	if f.objective.Negatives && e.Group != nil {
		e.key = *e.Group
	}
	if f.objective.Fit != nil {
		if err := f.objective.Fit(f.config, &e.Example, f.special); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// cut shortens ids in place; the last token, [SEP], stays.
func (f *fit) cut(ids []int32) []int32 {
	if f.maxTokens == 0 || len(ids) <= f.maxTokens {
		return ids
	}
	ids[f.maxTokens-1] = ids[len(ids)-1]
	return ids[:f.maxTokens]
}
