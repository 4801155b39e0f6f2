package joined

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Teacher is a dataset of embeddings that is joined to examples by id: the vector of a
// side has the id of the pair with /a or /b, as the stage embed makes it, or the id
// itself; exampleOf tells which vector of a benchmark is that of which example. It keeps 16
// bytes a vector, or 32 of a benchmark, and reads the row groups that it is asked for;
// examples in the order of the embeddings need few of them.
type Teacher struct {
	folder    storage.Folder
	manifest  *dataset.Manifest
	language  string
	dimension int

	mutex  sync.Mutex
	places []place // by hash, once they are needed
}

// place says in which row group the vector of an id stands.
type place struct {
	hash         uint64 // of the id
	shard, group uint32
}

// OpenTeacher opens a dataset whose vectors examples are drawn to: those of the sides of a language, or of the first
// sides if it is empty.
func OpenTeacher(ctx context.Context, location, language string) (*Teacher, error) {
	folder, m, err := dataset.OpenAs[schemas.Embedding](ctx, location)
	if err != nil {
		return nil, fmt.Errorf("teacher: %w", err)
	}
	t := &Teacher{folder: folder, manifest: m, language: language}
	for e, err := range dataset.Rows[schemas.Embedding](ctx, folder, m) {
		if err != nil {
			return nil, fmt.Errorf("teacher: %w", err)
		}
		t.dimension = len(e.Vector)
		break
	}
	if t.dimension == 0 {
		return nil, fmt.Errorf("teacher: dataset %s holds no vectors", folder)
	}
	return t, nil
}

// Dimension is the size of the vectors.
func (t *Teacher) Dimension() int { return t.dimension }

// Input implements objective.Join.
func (t *Teacher) Input(role string) dataset.Input { return t.manifest.Input(role + "/teacher") }

// Attach implements objective.Join: it sets Joined to the teacher's vectors.
func (t *Teacher) Attach(ctx context.Context, list []*Example) error {
	t.mutex.Lock() // sources may share the teacher
	defer t.mutex.Unlock()
	if t.places == nil {
		if err := t.index(ctx); err != nil {
			return err
		}
	}
	byID := make(map[string][]*Example, len(list))
	var groups []place
	for _, e := range list {
		id, position, err := t.find(e)
		if err != nil {
			return err
		}
		byID[id] = append(byID[id], e)
		groups = append(groups, place{shard: position.shard, group: position.group})
	}
	slices.SortFunc(groups, func(a, b place) int { return cmp.Or(cmp.Compare(a.shard, b.shard), cmp.Compare(a.group, b.group)) })
	groups = slices.Compact(groups)
	for len(groups) > 0 { // neighbours are read together, since a shard's hash is checked with every reading
		n := 1
		for n < len(groups) && groups[n].shard == groups[0].shard && groups[n].group == groups[n-1].group+1 {
			n++
		}
		span := dataset.Span{From: int64(groups[0].group), To: int64(groups[n-1].group) + 1}
		err := t.rows(ctx, groups[0].shard, span, func(_ int64, row schemas.Embedding) error {
			list := byID[row.ID]
			if id := exampleOf(row.ID); list == nil && id != "" {
				list = byID[id]
			}
			if len(list) > 0 && len(row.Vector) != t.dimension {
				return fmt.Errorf("the vector of %q in the teacher %s has %d numbers, the first one has %d", row.ID, t.folder,
					len(row.Vector), t.dimension)
			}
			for _, e := range list {
				e.Joined = row.Vector
			}
			return nil
		})
		if err != nil {
			return err
		}
		groups = groups[n:]
	}
	for _, e := range list {
		if e.Joined == nil { // another id with the hash was found
			return t.missing(e)
		}
	}
	return nil
}

// find returns the id of the vector that an example is drawn to, and its place.
func (t *Teacher) find(e *Example) (id string, position place, err error) {
	name, err := Side(e, t.language)
	if err != nil {
		return "", position, err
	}
	for _, id := range []string{e.ID + "/" + name, e.ID} {
		hash := xxh3.HashString(id)
		if i, ok := slices.BinarySearchFunc(t.places, hash, func(p place, hash uint64) int { return cmp.Compare(p.hash, hash) }); ok {
			return id, t.places[i], nil
		}
	}
	return "", position, t.missing(e)
}

func (t *Teacher) missing(e *Example) error {
	return fmt.Errorf("the teacher %s has no vector of the example %s: embed the pairs or benchmarks that the examples were made of",
		t.folder, e.ID)
}

// exampleOf returns the id of the example of an item whose vector has the id ITEM/LANGUAGE/a, "" for
// vectors of others.
func exampleOf(id string) string {
	rest, isFirst := strings.CutSuffix(id, "/a")
	i := strings.LastIndexByte(rest, '/')
	if !isFirst || i < 0 {
		return ""
	}
	return schemas.ItemExampleID(rest[:i], rest[i+1:])
}

// index notes where the vectors stand.
func (t *Teacher) index(ctx context.Context) error {
	places := make([]place, 0, t.manifest.Rows)
	size := int64(schemas.Embedding{}.Schema().RowGroup)
	for shard, s := range t.manifest.Shards {
		err := t.rows(ctx, uint32(shard), dataset.Span{To: (s.Rows + size - 1) / size}, func(row int64, e schemas.Embedding) error {
			places = append(places, place{xxh3.HashString(e.ID), uint32(shard), uint32(row / size)})
			if id := exampleOf(e.ID); id != "" {
				places = append(places, place{xxh3.HashString(id), uint32(shard), uint32(row / size)})
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.hash, b.hash) })
	for i := range places[1:] {
		if places[i].hash == places[i+1].hash {
			return fmt.Errorf("the teacher %s has two vectors of one id, in %s", t.folder,
				strings.Join([]string{t.manifest.Shards[places[i].shard].Name, t.manifest.Shards[places[i+1].shard].Name}, " and "))
		}
	}
	t.places = places
	return nil
}

// rows calls use with the rows of a span of a shard, counted from its first.
func (t *Teacher) rows(ctx context.Context, shard uint32, span dataset.Span, use func(row int64, e schemas.Embedding) error) error {
	span.Name = t.manifest.Shards[shard].Name
	row := int64(0)
	for e, err := range dataset.SpanRows[schemas.Embedding](ctx, t.folder, t.manifest, span) {
		if err == nil {
			err = use(row, e)
		}
		if err != nil {
			return err
		}
		row++
	}
	return nil
}

// Side is the name of the side of an example whose vector is the target, by its language.
func Side(e *Example, language string) (string, error) {
	switch language {
	case "", e.LanguageA:
		return "a", nil
	case e.LanguageB:
		return "b", nil
	}
	return "", fmt.Errorf("its languages are %q and %q, teacher_language is %q", e.LanguageA, e.LanguageB, language)
}
