package dedup

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
)

// The keys of documents stay with the dataset, in the files that the units have spilled, so that documents of before are read only
// where a unit is written anew. One that was dropped is dropped from more documents, too: the one that stays in its place is in
// these, or gives way to another one with a smaller id. So a unit that loses as many documents as before is as it was. Where documents
// are gone, some that were dropped come back, and such a unit is only as it was if none of those that it loses was kept.

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

// unread are the number and the bytes of the shards that a unit reads which takes nothing over.
func unread(m *dataset.Manifest, packed []dataset.Unit) (shards int, size int64) {
	known := map[string]bool{}
	for _, u := range packed {
		for _, span := range u.Spans {
			known[span.Name] = known[span.Name] || u.Adopts != nil
		}
	}
	for _, s := range m.Shards {
		if !known[s.Name] {
			shards, size = shards+1, size+s.Bytes
		}
	}
	return shards, size
}

// spillKept spills what a unit of the extended dataset has spilled, with the new number of the unit. It is not found where the
// dataset is of an older program, or a user has deleted the file.
func (t *keysTask) spillKept(ctx context.Context, unit graph.Unit, output *exchange.Output) (found bool, err error) {
	env := t.Extended.Env()
	kept := env.Plan.SpillsKept
	if kept == nil {
		return false, nil
	}
	end := kept.First + kept.Count
	keys := exchange.ByHash("keys", units.Range{First: end, Count: env.Plan.Units - end})
	var value []byte
	for record, err := range keys.Spilled(ctx, env, kept.First+*unit.Adopts) {
		if errors.Is(err, fs.ErrNotExist) && !found {
			return false, nil
		}
		if err != nil {
			return found, fmt.Errorf("extend: %w", err)
		}
		found = true
		c, err := parseClaim(record.Value)
		if err != nil {
			return found, err
		}
		c.unit = uint32(unit.Ordinal - t.Documents.First)
		value = c.append(value[:0])
		if err := output.Add(record.Key, value); err != nil {
			return found, err
		}
	}
	return found, nil
}

// sameLosers says whether the unit loses the documents that the unit of the extended dataset has lost.
func (t *copyTask) sameLosers(ctx context.Context, unit graph.Unit) (bool, error) {
	left := int64(0)
	for _, span := range unit.Spans {
		left += t.Documents.Manifest().RowsOf(span)
	}
	for _, span := range t.Extended.WrittenBy(*unit.Adopts).Spans {
		left -= span.To
	}
	losers := map[string]bool{}
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return false, err
		}
		if _, id, err := reasonOf(record.Value); err != nil {
			return false, err
		} else if t.Named {
			losers[hex.EncodeToString(id)] = true
		}
		left--
	}
	if left != 0 || len(losers) == 0 {
		return left == 0, nil
	}
	env, m := t.Extended.Env(), t.Extended.Manifest()
	for _, s := range m.Shards {
		if s.Name != dataset.ShardName(*unit.Adopts) {
			continue
		}
		for values, err := range dataset.Texts(ctx, env.Folder, m, s, []string{"id"}) {
			if err != nil || losers[values[0]] {
				return false, err
			}
		}
	}
	return true, nil
}
