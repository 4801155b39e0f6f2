// Package vectors shows embeddings of texts and their translations: plots of them, and the nearest texts of some.
package vectors

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// Texts are the locations of texts and of what was learned of their embeddings.
type Texts struct {
	// Texts is a dataset of pairs, and Embeddings is that of their embeddings.
	Texts, Embeddings string
	// Components and Distilled are folders of components and of a split; "" for none.
	Components, Distilled string
	// Groups is the most texts that are shown.
	Groups int
}

// Parallel are texts with their translations, as they were embedded.
type Parallel struct {
	config Texts
	title  string
	groups map[string]uint64 // by the id of a pair
	// shown are at most Texts.Groups of them, by group and language: those that are in all
	// languages or, if none does, in two or more.
	shown map[uint64]map[string]schemas.Embedding
}

// Read reads the texts and their embeddings. A text is found by the id of its pair and its
// side. The embeddings are read twice, so that only the vectors that are shown are held.
func (c Texts) Read(ctx context.Context) (*Parallel, error) {
	t := &Parallel{config: c, groups: map[string]uint64{}, shown: map[uint64]map[string]schemas.Embedding{}}
	for p, err := range rows[schemas.Pair](ctx, c.Texts) {
		if err != nil {
			return nil, fmt.Errorf("texts: %w", err)
		}
		if p.Group != nil {
			t.groups[p.ID] = *p.Group
		}
	}
	languagesOf, languages := map[uint64][]string{}, map[string]bool{}
	err := t.each(ctx, func(e schemas.Embedding, group uint64) {
		if !slices.Contains(languagesOf[group], e.Language) {
			languagesOf[group] = append(languagesOf[group], e.Language)
			languages[e.Language] = true
		}
	})
	if err != nil {
		return nil, err
	}
	maximum := 0
	for _, list := range languagesOf {
		maximum = max(maximum, len(list))
	}
	t.title = "Parallel texts"
	minimum := len(languages)
	if maximum < minimum {
		t.title, minimum = "Parallel texts, none of them in all languages", 2
	}
	for _, group := range slices.Sorted(maps.Keys(languagesOf)) {
		if len(languagesOf[group]) >= minimum && len(t.shown) < c.Groups {
			t.shown[group] = map[string]schemas.Embedding{}
		}
	}
	if len(t.shown) == 0 {
		return nil, fmt.Errorf("embeddings %s: no embedding is of a text that %s has in two languages: embed that dataset",
			c.Embeddings, c.Texts)
	}
	return t, t.each(ctx, func(e schemas.Embedding, group uint64) {
		if t.shown[group] != nil {
			t.shown[group][e.Language] = e
		}
	})
}

// each reads the embeddings of texts that have translations.
func (t *Parallel) each(ctx context.Context, do func(e schemas.Embedding, group uint64)) error {
	for e, err := range rows[schemas.Embedding](ctx, t.config.Embeddings) {
		if err != nil {
			return fmt.Errorf("embeddings: %w", err)
		}
		id, _, _ := strings.Cut(e.ID, "/")
		if group, ok := t.groups[id]; ok {
			do(e, group)
		}
	}
	return nil
}

// rows yields all rows of a dataset, or the error of opening it.
func rows[T schemas.Row](ctx context.Context, location string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		folder, m, err := dataset.OpenAs[T](ctx, location)
		if err != nil {
			var zero T
			yield(zero, err)
			return
		}
		dataset.Rows[T](ctx, folder, m)(yield)
	}
}
