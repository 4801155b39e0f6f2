package mine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/transforms/measure/mining"
)

// mostGold bounds the true pairs, of which a unit holds 64 bytes each.
const mostGold = 1 << 21

// openGold opens the true pairs for a plan.
func openGold(ctx context.Context, location string) (*units.Dataset, error) {
	d, err := units.OpenDataset[schemas.Pair](ctx, location)
	if err != nil {
		return nil, fmt.Errorf("gold: %w", err)
	}
	if rows := d.Manifest().Rows; rows == 0 || rows > mostGold {
		return nil, fmt.Errorf("gold: %s has %d pairs, want 1 to %d", location, rows, mostGold)
	}
	for p, err := range units.AllRows[schemas.Pair](ctx, d) {
		if err != nil {
			return nil, err
		}
		if p.Kind != schemas.KindBitext {
			return nil, fmt.Errorf("gold: %s has pairs of the kind %s, want %s: translations", location, p.Kind, schemas.KindBitext)
		}
		break
	}
	return d, nil
}

// gold are the true pairs, by the hashes of their texts, whichever is the source.
type gold struct {
	pairs [][2]uint64 // in their order, the smaller hash first
	// groups are those of texts, in the order of their hashes.
	groups []group
	// present has the places in groups of the texts that are among the sentences of a side.
	present [2]mining.Bits
}

type group struct{ text, group uint64 }

func pairOf(a, b uint64) [2]uint64 { return [2]uint64{min(a, b), max(a, b)} }

func comparePairs(a, b [2]uint64) int { return slices.Compare(a[:], b[:]) }

// readGold reads the true pairs; nil where there is no dataset of them.
func readGold(ctx context.Context, d *units.Dataset) (*gold, error) {
	if d == nil {
		return nil, nil
	}
	g := &gold{}
	for p, err := range units.AllRows[schemas.Pair](ctx, d) {
		if err != nil {
			return nil, err
		}
		a, b := xxh3.HashString(p.TextA), xxh3.HashString(p.TextB)
		g.pairs = append(g.pairs, pairOf(a, b))
		id := xxh3.HashString(p.ID) // a pair without a group has its own
		if p.Group != nil {
			id = *p.Group
		}
		g.groups = append(g.groups, group{a, id}, group{b, id})
	}
	slices.SortFunc(g.pairs, comparePairs)
	g.pairs = slices.Compact(g.pairs)
	slices.SortFunc(g.groups, func(a, b group) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.group, b.group)) })
	g.groups = slices.Compact(g.groups)
	g.present = [2]mining.Bits{mining.NewBits(len(g.groups)), mining.NewBits(len(g.groups))}
	return g, nil
}

// mark marks a text that is among the sentences of a side.
func (g *gold) mark(side int, text uint64) {
	if first, of := g.find(text); len(of) > 0 {
		g.present[side].Set(first)
	}
}

// among returns how many true pairs have a text among the sentences of either side. None is an error.
func (g *gold) among() (count int, err error) {
	for _, p := range g.pairs {
		a, _ := g.find(p[0])
		b, _ := g.find(p[1])
		if g.present[source].Has(a) && g.present[target].Has(b) || g.present[source].Has(b) && g.present[target].Has(a) {
			count++
		}
	}
	if count == 0 {
		return 0, fmt.Errorf("gold: none of its %d pairs has one text among the sentences of source and the other among those of target: "+
			"give pairs of these sentences, letter by letter", len(g.pairs))
	}
	return count, nil
}

// has says whether two texts are a true pair.
func (g *gold) has(a, b uint64) bool {
	_, ok := slices.BinarySearchFunc(g.pairs, pairOf(a, b), comparePairs)
	return ok
}

// find returns the groups of a text, and the place of the first one.
func (g *gold) find(text uint64) (first int, of []group) {
	first, _ = slices.BinarySearchFunc(g.groups, text, func(x group, text uint64) int { return cmp.Compare(x.text, text) })
	last := first
	for last < len(g.groups) && g.groups[last].text == text {
		last++
	}
	return first, g.groups[first:last]
}

// alike says whether two texts are of one group.
func (g *gold) alike(a, b uint64) bool {
	_, of := g.find(a)
	_, others := g.find(b)
	return slices.ContainsFunc(of, func(x group) bool {
		return slices.ContainsFunc(others, func(y group) bool { return x.group == y.group })
	})
}
