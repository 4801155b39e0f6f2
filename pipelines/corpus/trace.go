package corpus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/document"
	"sentweave/transforms/read/layout"
)

// errTraced ends the reading of a file in which the wanted record has been found.
var errTraced = errors.New("traced")

// Trace reads the records of the units whose source, FILE:OFFSET, id or URL is the
// wanted one, runs the chain of steps on each and hands out what became of it. It
// returns how many it found. Where a file has the wanted name, that file alone is
// read; otherwise all files are.
func (c Config) Trace(ctx context.Context, list []dataset.Unit, wanted string, use func(*document.Outcome) error) (int, error) {
	folder, err := storage.At(c.Input)
	if err != nil {
		return 0, err
	}
	layout, err := layout.Parse(c.Layout)
	if err != nil {
		return 0, err
	}
	build, err := c.newBuilder(ctx, c.Langid, true)
	if err != nil {
		return 0, err
	}
	builder := build()
	name, offset := place(list, wanted)
	found := 0
	reader := recordReader{config: c, layout: layout, folder: folder}
	for _, u := range list {
		for _, span := range u.Spans {
			if name != "" && span.Name != name {
				continue
			}
			err := reader.records(ctx, span, func(r document.Record, fault document.Verdict) error {
				switch {
				case name == "" && schemas.ID(r.Source, r.Offset) != wanted && r.URL != wanted:
					return nil
				case offset >= 0 && r.Offset < offset:
					return nil
				case offset >= 0 && r.Offset > offset:
					return errTraced // offsets increase
				}
				found++
				return use(outcomeOf(builder, r, fault))
			})
			if err != nil && !errors.Is(err, errTraced) {
				return found, fmt.Errorf("read %s in %s: %w", span.Name, folder, err)
			}
		}
	}
	return found, nil
}

// place returns the file that is wanted, if it is among the units, and the offset in
// it, -1 for all of the file.
func place(list []dataset.Unit, wanted string) (name string, offset int64) {
	file, digits, ok := cutLast(wanted, ":")
	offset, err := strconv.ParseInt(digits, 10, 64)
	ok = ok && err == nil && offset >= 0
	for _, u := range list {
		for _, span := range u.Spans {
			if span.Name == wanted {
				return wanted, -1
			}
			if ok && span.Name == file {
				name = file
			}
		}
	}
	if name == "" {
		return "", -1
	}
	return name, offset
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
