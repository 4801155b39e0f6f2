package corpus

import (
	"context"
	"fmt"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/document"
)

// Trace reads the records of the units whose source, id or URL is the wanted
// one, runs the chain of steps on each and hands out what became of it. It
// returns how many it found. A file whose name is the wanted one is read alone;
// otherwise all files are read.
func (c Config) Trace(ctx context.Context, list []dataset.Unit, wanted string, use func(*document.Outcome) error) (int, error) {
	folder, err := storage.At(c.Input)
	if err != nil {
		return 0, err
	}
	layout, err := ParseLayout(c.Layout)
	if err != nil {
		return 0, err
	}
	build, err := c.NewBuilder(ctx, c.Langid)
	if err != nil {
		return 0, err
	}
	builder := build()
	byName := false
	for _, u := range list {
		for _, span := range u.Spans {
			byName = byName || span.Name == wanted
		}
	}
	found := 0
	reader := recordReader{config: c, layout: layout, folder: folder}
	for _, u := range list {
		for _, span := range u.Spans {
			if byName && span.Name != wanted {
				continue
			}
			err := reader.records(ctx, span, func(r document.Record, fault document.Verdict) error {
				if !byName && schemas.ID(r.Source, r.Offset) != wanted && r.URL != wanted {
					return nil
				}
				found++
				return use(outcomeOf(builder, r, fault))
			})
			if err != nil {
				return found, fmt.Errorf("read %s in %s: %w", span.Name, folder, err)
			}
		}
	}
	return found, nil
}
