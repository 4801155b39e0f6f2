package vectors

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sentweave/schemas/storage"
	"sentweave/stages/distill"
	"sentweave/stages/pcr"
	"sentweave/stages/report/markup"
	"sentweave/transforms/measure/neighbors"
)

// Plots shows the texts before and, if there are components or a distilled split, after they are
// taken off or apart.
func (t *Parallel) Plots(ctx context.Context) ([]markup.Scatter, error) {
	var vectors neighbors.Matrix
	var placed []Placed
	for _, group := range slices.Sorted(maps.Keys(t.shown)) {
		for _, l := range slices.Sorted(maps.Keys(t.shown[group])) {
			e := t.shown[group][l]
			vectors.Dim = len(e.Vector)
			vectors.Data = append(vectors.Data, e.Vector...)
			placed = append(placed, Placed{Language: l, Group: group, Text: e.Text})
		}
	}
	plots, err := plotsOf(ctx, t.title, vectors, placed)
	if err == nil && t.config.Components != "" {
		plots, err = t.config.withoutComponents(ctx, plots, vectors, placed)
	}
	if err == nil && t.config.Distilled != "" {
		plots, err = t.config.distilled(ctx, plots, vectors, placed)
	}
	return plots, err
}

// withoutComponents adds the plots after components are taken off.
func (c Texts) withoutComponents(ctx context.Context, plots []markup.Scatter, vectors neighbors.Matrix, placed []Placed) (
	[]markup.Scatter, error) {
	folder, err := storage.Locate(c.Components)
	if err != nil {
		return nil, err
	}
	components, err := pcr.Load(ctx, folder)
	if err != nil {
		return nil, err
	}
	reduced := neighbors.Matrix{Data: slices.Clone(vectors.Data), Dim: vectors.Dim}
	for i, p := range placed {
		if err := components.Apply(p.Language, reduced.Row(i)); err != nil {
			return nil, err
		}
	}
	reducedPlots, err := plotsOf(ctx, "The same after PCR", reduced, placed)
	return append(plots, reducedPlots...), err
}

// distilled adds the plots of the parts that are drawn out of vectors (Tiyajamorn et al. 2021, figures 5 and 6).
func (c Texts) distilled(ctx context.Context, plots []markup.Scatter, vectors neighbors.Matrix, placed []Placed) ([]markup.Scatter, error) {
	folder, err := storage.Locate(c.Distilled)
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
		drawn, err := d.Apply(vectors, languages, part)
		if err != nil {
			return nil, fmt.Errorf("distilled %s: %w", c.Distilled, err)
		}
		partPlots, err := plotsOf(ctx, "The same, "+d.Vectors(part), drawn, placed)
		if err != nil {
			return nil, err
		}
		plots = append(plots, partPlots...)
	}
	return plots, nil
}

// joinedGroups is the number of groups whose texts are joined by lines.
const joinedGroups = 12
