package dedup

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// A document that was dropped from documents is dropped from more of them, too: the one that stays in its place is in these, or gives
// way to another one with a smaller id. So the documents that were kept tell the keys of all of a unit, and a unit of which none
// is lost now is as it was.

// packOnto packs the shards of documents, and keeps the units that the extended dataset was copied by. Fresh are the pieces of the
// other shards.
func packOnto(old []dataset.Unit, m *dataset.Manifest, fresh []dataset.Piece, size int64) []dataset.Unit {
	reading := slices.IndexFunc(old, func(u dataset.Unit) bool { return len(u.Spans) == 0 })
	if reading < 0 {
		reading = len(old)
	}
	old = old[:reading/2] // as many units copy as spill keys
	kept := map[string][]dataset.Span{}
	for _, u := range old {
		for _, span := range u.Spans {
			kept[span.Name] = append(kept[span.Name], span)
		}
	}
	var pieces []dataset.Piece
	for _, s := range m.Shards {
		for _, span := range kept[s.Name] {
			pieces = append(pieces, dataset.Piece{Span: span, Weight: s.Bytes / int64(len(kept[s.Name]))})
		}
		for len(fresh) > 0 && fresh[0].Span.Name == s.Name {
			pieces, fresh = append(pieces, fresh[0]), fresh[1:]
		}
	}
	return dataset.PackOnto(old, pieces, size, nil)
}

// extend copies a unit of the extended dataset if all of its documents stay. If not, those that it has are dropped from the unit's
// documents as ever, and those that it has not, once more.
func (t *copyTask) extend(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Document], losers *cursor) error {
	if none, err := losers.end(); err != nil {
		return err
	} else if none {
		return units.Adopt(ctx, t.Extended, unit.Unit, attempt)
	}
	kept, stop := iter.Pull2(t.keptIDs(ctx, *unit.Adopts))
	defer stop()
	id, err, more := kept()
	row := uint32(0)
	err = units.DatasetRows(ctx, t.Documents, unit.Unit, func(d schemas.Document) error {
		r := schemas.Reject{Reason: reasonDuplicate}
		if err == nil && more && id == d.ID {
			if r.Reason, err = losers.take(loser{row, 0}); err == nil {
				row++
				id, err, more = kept()
			}
		}
		if err != nil {
			return err
		}
		return t.put(ctx, attempt, d, r)
	})
	if err != nil {
		return err
	}
	if more {
		return fmt.Errorf("extend: document %s of unit %d of %s is not among those that it was made of; "+units.MakeAnew,
			id, *unit.Adopts, t.Extended.Location)
	}
	return losers.finished()
}

// keptIDs yields the ids of the documents of a unit of the extended dataset.
func (t *copyTask) keptIDs(ctx context.Context, unit int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		folder, err := storage.Locate(t.Extended.Location)
		if err != nil {
			yield("", err)
			return
		}
		m := t.Extended.Manifest()
		for _, s := range m.Shards {
			if s.Name != dataset.ShardName(unit) {
				continue
			}
			for texts, err := range dataset.Texts(ctx, folder, m, s, []string{"id"}) {
				if err != nil {
					yield("", err)
					return
				}
				if !yield(texts[0], nil) {
					return
				}
			}
		}
	}
}
