package mine

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
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
	return d, nil
}

// gold are the true pairs, by the hashes of their texts, whichever is the source.
type gold struct {
	pairs []uint64 // both ways
	// groups are those of texts, in the order of their hashes.
	groups []group
}

type group struct{ text, group uint64 }

func pairOf(a, b uint64) uint64 {
	var texts [16]byte
	binary.BigEndian.PutUint64(texts[:], a)
	binary.BigEndian.PutUint64(texts[8:], b)
	return xxh3.Hash(texts[:])
}

// readGold reads the true pairs.
func readGold(ctx context.Context, d *units.Dataset) (*gold, error) {
	folder, err := storage.Locate(d.Location)
	if err != nil {
		return nil, err
	}
	g := &gold{}
	for p, err := range dataset.Rows[schemas.Pair](ctx, folder, d.Manifest()) {
		if err != nil {
			return nil, err
		}
		a, b := xxh3.HashString(p.TextA), xxh3.HashString(p.TextB)
		g.pairs = append(g.pairs, pairOf(a, b), pairOf(b, a))
		id := xxh3.HashString(p.ID) // a pair without a group has its own
		if p.Group != nil {
			id = *p.Group
		}
		g.groups = append(g.groups, group{a, id}, group{b, id})
	}
	slices.Sort(g.pairs)
	g.pairs = slices.Compact(g.pairs)
	slices.SortFunc(g.groups, func(a, b group) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.group, b.group)) })
	g.groups = slices.Compact(g.groups)
	return g, nil
}

// len is the number of different pairs.
func (g *gold) len() int { return (len(g.pairs) + 1) / 2 }

// has says whether two texts are a true pair.
func (g *gold) has(a, b uint64) bool {
	_, ok := slices.BinarySearch(g.pairs, pairOf(a, b))
	return ok
}

// groupsOf are those of a text.
func (g *gold) groupsOf(text uint64) []group {
	compare := func(x group, text uint64) int { return cmp.Compare(x.text, text) }
	first, _ := slices.BinarySearchFunc(g.groups, text, compare)
	last := first
	for last < len(g.groups) && g.groups[last].text == text {
		last++
	}
	return g.groups[first:last]
}

// alike says whether two texts are of one group.
func (g *gold) alike(a, b uint64) bool {
	others := g.groupsOf(b)
	return slices.ContainsFunc(g.groupsOf(a), func(x group) bool {
		return slices.ContainsFunc(others, func(y group) bool { return x.group == y.group })
	})
}
