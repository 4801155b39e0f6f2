package joined

import (
	"context"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Negatives are the hard negatives of texts: a dataset of examples is joined to those of a
// training by the tokens of their first sides. It keeps 4 bytes a token of the negatives,
// and some 40 bytes a text.
type Negatives struct {
	folder   storage.Folder
	manifest *dataset.Manifest
	tokens   []int32
	of       map[uint64]span // by hash of the first side
}

// span is a part of a list.
type span struct{ from, to int }

// OpenNegatives reads the dataset. Of several negatives of one text, the first counts; of
// pairs with labels of inference, contradictions count.
func OpenNegatives(ctx context.Context, location, vocabulary string) (*Negatives, error) {
	folder, m, err := dataset.OpenAs[schemas.Example](ctx, location)
	if err != nil {
		return nil, fmt.Errorf("negatives: %w", err)
	}
	if vocabulary != "" && m.Plan.InputHash(dataset.VocabularyRole) != vocabulary {
		return nil, fmt.Errorf("negatives: dataset %s was made with another vocabulary than the model's: make all examples with the model's vocabulary",
			folder)
	}
	labels := schemas.Labels()
	n := &Negatives{folder: folder, manifest: m, of: map[uint64]span{}}
	for row, err := range dataset.Rows[schemas.Example](ctx, folder, m) {
		if err != nil {
			return nil, fmt.Errorf("negatives: %w", err)
		}
		key := TextKey(row.TokensA)
		otherLabel := row.Label != nil && (int(*row.Label) >= len(labels) || labels[*row.Label] != "contradiction")
		if _, ok := n.of[key]; ok || otherLabel || len(row.TokensB) == 0 {
			continue
		}
		row.Unmask()
		n.of[key] = span{len(n.tokens), len(n.tokens) + len(row.TokensB)}
		n.tokens = append(n.tokens, row.TokensB...)
	}
	if len(n.of) == 0 {
		return nil, fmt.Errorf("negatives: dataset %s has no hard negatives: no pairs, or none that is a contradiction", folder)
	}
	return n, nil
}

// Drop removes the negatives that are the second side of their text in a dataset that is
// trained on: they are right there. It reads these datasets. That none is left is an error, and that no text of
// the training has one: then the datasets do not belong together.
func (n *Negatives) Drop(ctx context.Context, examples []string) error {
	matched := false
	for i, location := range examples {
		if slices.Contains(examples[:i], location) {
			continue
		}
		folder, m, err := dataset.OpenAs[schemas.Example](ctx, location)
		if err != nil {
			return err
		}
		for row, err := range dataset.Rows[schemas.Example](ctx, folder, m) {
			if err != nil {
				return err
			}
			row.Unmask()
			key := TextKey(row.TokensA)
			s, ok := n.of[key]
			matched = matched || ok
			if ok && slices.Equal(n.tokens[s.from:s.to], row.TokensB) {
				delete(n.of, key)
			}
		}
	}
	if !matched && len(examples) > 0 {
		return fmt.Errorf("negatives: no text of the training has a hard negative in %s: its first sides must be first sides of the training, tokenised alike",
			n.folder)
	}
	if len(n.of) == 0 {
		return fmt.Errorf("negatives: every second side in dataset %s is the second side of the same text in the training, so none is a hard negative: give second sides that do not mean the same",
			n.folder)
	}
	return nil
}

// String is the location.
func (n *Negatives) String() string { return n.folder.String() }

// Len is the number of texts that have a negative.
func (n *Negatives) Len() int { return len(n.of) }

// TextKey identifies a text by its tokens.
func TextKey(tokens []int32) uint64 {
	h := xxh3.New()
	for _, id := range tokens {
		_, _ = h.Write([]byte{byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)}) // it has no errors
	}
	return h.Sum64()
}

// Input implements objective.Join.
func (n *Negatives) Input(role string) dataset.Input { return n.manifest.Input(role + "/negatives") }

// Attach implements objective.Join: it sets Negative where there is one.
func (n *Negatives) Attach(_ context.Context, list []*Example) error {
	for _, e := range list {
		if s, ok := n.of[e.Key]; ok {
			e.Negative = cut(n.tokens[s.from:s.to], e.Most)
		}
	}
	return nil
}

// cut returns tokens shortened to limit, with the last one, [SEP]; 0 does not cut.
func cut(tokens []int32, limit int) []int32 {
	if limit == 0 || len(tokens) <= limit {
		return tokens
	}
	return append(slices.Clone(tokens[:limit-1]), tokens[len(tokens)-1])
}
