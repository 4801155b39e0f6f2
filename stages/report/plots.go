package report

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/storage"
	"sentweave/stages/distill"
	"sentweave/stages/pcr"
	"sentweave/transforms/measure/neighbors"
)

// plots shows parallel texts before and, if there are components or a distilled split, after they are
// taken off or apart: those that stand in all languages or, if none does, in two or more. A text
// is found by the id of its pair and its side.
func (c Config) plots(ctx context.Context) ([]scatter, error) {
	groups := map[string]uint64{} // by the id of a pair
	for p, err := range rows[schemas.Pair](ctx, c.Texts) {
		if err != nil {
			return nil, fmt.Errorf("texts: %w", err)
		}
		if p.Group != nil {
			groups[p.ID] = *p.Group
		}
	}
	groupOf := func(e schemas.Embedding) (uint64, bool) {
		id, _, _ := strings.Cut(e.ID, "/")
		group, ok := groups[id]
		return group, ok
	}
	// The embeddings are read twice, so that only the vectors that are shown are held.
	languagesOf, languages := map[uint64][]string{}, map[string]bool{}
	for e, err := range rows[schemas.Embedding](ctx, c.Embeddings) {
		if err != nil {
			return nil, fmt.Errorf("embeddings: %w", err)
		}
		if group, ok := groupOf(e); ok && !slices.Contains(languagesOf[group], e.Language) {
			languagesOf[group] = append(languagesOf[group], e.Language)
			languages[e.Language] = true
		}
	}
	most := 0
	for _, list := range languagesOf {
		most = max(most, len(list))
	}
	title, least := "Parallel texts", len(languages)
	if most < least {
		title, least = "Parallel texts, none of them in all languages", 2
	}
	found := map[uint64]map[string]schemas.Embedding{} // what is shown, by group and language
	for _, group := range slices.Sorted(maps.Keys(languagesOf)) {
		if len(languagesOf[group]) >= least && len(found) < c.Groups {
			found[group] = map[string]schemas.Embedding{}
		}
	}
	for e, err := range rows[schemas.Embedding](ctx, c.Embeddings) {
		if err != nil {
			return nil, fmt.Errorf("embeddings: %w", err)
		}
		if group, ok := groupOf(e); ok && found[group] != nil {
			found[group][e.Language] = e
		}
	}
	var before neighbors.Matrix
	var placed []Placed
	for _, group := range slices.Sorted(maps.Keys(found)) {
		for _, l := range slices.Sorted(maps.Keys(found[group])) {
			e := found[group][l]
			before.Dim = len(e.Vector)
			before.Data = append(before.Data, e.Vector...)
			placed = append(placed, Placed{Language: l, Group: group, Text: e.Text})
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("embeddings %s: none of them has a text that stands in two languages of %s: embed that dataset", c.Embeddings, c.Texts)
	}
	plots, err := plotsOf(ctx, title, before, placed)
	if err == nil && c.Components != "" {
		plots, err = c.withoutComponents(ctx, plots, before, placed)
	}
	if err == nil && c.Distilled != "" {
		plots, err = c.distilled(ctx, plots, before, placed)
	}
	return plots, err
}

// withoutComponents adds the plots after components are taken off.
func (c Config) withoutComponents(ctx context.Context, plots []scatter, before neighbors.Matrix, placed []Placed) ([]scatter, error) {
	folder, err := storage.At(c.Components)
	if err != nil {
		return nil, err
	}
	components, err := pcr.Load(ctx, folder)
	if err != nil {
		return nil, err
	}
	after := neighbors.Matrix{Data: slices.Clone(before.Data), Dim: before.Dim}
	for i, p := range placed {
		if err := components.Apply(p.Language, after.Row(i)); err != nil {
			return nil, err
		}
	}
	less, err := plotsOf(ctx, "The same after PCR", after, placed)
	return append(plots, less...), err
}

// distilled adds the plots of the parts that are drawn out of vectors (Tiyajamorn et al. 2021, figures 5 and 6).
func (c Config) distilled(ctx context.Context, plots []scatter, before neighbors.Matrix, placed []Placed) ([]scatter, error) {
	folder, err := storage.At(c.Distilled)
	if err != nil {
		return nil, err
	}
	d, err := distill.Load(ctx, folder)
	if err != nil {
		return nil, err
	}
	languages := make([]string, len(placed))
	for i, p := range placed {
		languages[i] = p.Language
	}
	for _, part := range []string{"meaning", "language"} {
		if d.Has(part) != nil { // of projections
			continue
		}
		drawn, err := d.Apply(before, languages, part)
		if err != nil {
			return nil, fmt.Errorf("distilled %s: %w", c.Distilled, err)
		}
		more, err := plotsOf(ctx, "The same, "+d.Vectors(part), drawn, placed)
		if err != nil {
			return nil, err
		}
		plots = append(plots, more...)
	}
	return plots, nil
}

// joinedGroups is the number of groups whose texts are joined by lines.
const joinedGroups = 12
