package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/identifier"
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
func (c Config) Trace(ctx context.Context, list []dataset.Unit, target string, use func(*document.Outcome) error) (int, error) {
	reader, build, err := c.tracing(ctx)
	if err != nil {
		return 0, err
	}
	builder := build()
	name, offset := place(list, target)
	count := 0
	for _, u := range list {
		for _, span := range u.Spans {
			if name != "" && span.Name != name {
				continue
			}
			err := untilTraced(reader.records(ctx, span, func(r document.Record) error {
				switch {
				case name == "" && schemas.ID(r.Source, r.Offset) != target && r.URL != target:
					return nil
				case offset >= 0 && r.Offset < offset:
					return nil
				case offset >= 0 && r.Offset > offset:
					return errTraced // offsets increase
				}
				count++
				return use(builder.Build(r))
			}))
			if err != nil {
				return count, fmt.Errorf("read %s in %s: %w", span.Name, reader.folder, err)
			}
		}
	}
	return count, nil
}

// tracing returns a reader of the input, and a maker of builders that explain.
func (c Config) tracing(ctx context.Context) (*recordReader, func() *document.Builder, error) {
	folder, err := storage.Locate(c.Input)
	if err != nil {
		return nil, nil, err
	}
	layout, err := layout.Parse(c.Layout)
	if err != nil {
		return nil, nil, err
	}
	classifier, err := c.openQuality(ctx, c.QualityModel)
	if err != nil {
		return nil, nil, err
	}
	files, err := c.LanguageFiles()
	if err != nil {
		return nil, nil, err
	}
	var named document.Config
	if err := openLanguageFiles(ctx, files, &named); err != nil {
		return nil, nil, err
	}
	model, err := identifier.Open(ctx, c.Langid)
	if err != nil {
		return nil, nil, err
	}
	build, err := c.newBuilder(model, func(d *document.Config) {
		d.Explain, d.Quality, d.Models, d.Words = true, classifier, named.Models, named.Words
	})
	return &recordReader{config: c, layout: layout, folder: folder}, build, err
}

// untilTraced returns the error of reading a span, none if all that was wanted has been found.
func untilTraced(err error) error {
	if errors.Is(err, errTraced) {
		return nil
	}
	return err
}

// place returns the file that is wanted, if it is among the units, and the offset in
// it, -1 for all of the file.
func place(list []dataset.Unit, target string) (name string, offset int64) {
	file, digits, ok := cutLast(target, ":")
	offset, err := strconv.ParseInt(digits, 10, 64)
	ok = ok && err == nil && offset >= 0
	for _, u := range list {
		for _, span := range u.Spans {
			if span.Name == target {
				return target, -1
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

// Sampler draws pages of the units of a dataset and traces them. Which ones is a function of the names of
// files and the ids of pages alone.
type Sampler struct {
	config Config
	pages  int
	spans  []dataset.Span // those with the least hashes, in that order
}

// NewSampler returns a sampler that draws so many pages.
func (c Config) NewSampler(pages int) *Sampler { return &Sampler{config: c, pages: pages} }

// Add gives the sampler units to draw from. It keeps no more spans than pages.
func (s *Sampler) Add(list []dataset.Unit) {
	for _, u := range list {
		s.spans = append(s.spans, u.Spans...)
	}
	hash := func(span dataset.Span) uint64 { return xxh3.HashString(fmt.Sprint(span.Name, ":", span.From)) }
	slices.SortFunc(s.spans, func(a, b dataset.Span) int { return cmp.Compare(hash(a), hash(b)) })
	s.spans = slices.Clone(s.spans[:min(len(s.spans), s.pages)])
}

// drawnFrom is how many records of a span are drawn from, its first ones: so much is read of an archive.
const drawnFrom = 1000

// Trace runs the chain of steps on the pages that are drawn and hands out what became of each, file by file.
// Records that hold no page are none of them.
func (s *Sampler) Trace(ctx context.Context, use func(*document.Outcome) error) error {
	reader, build, err := s.config.tracing(ctx)
	if err != nil || len(s.spans) == 0 {
		return err
	}
	builder := build()
	share, count := (s.pages+len(s.spans)-1)/len(s.spans), 0
	slices.SortFunc(s.spans, func(a, b dataset.Span) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.From, b.From))
	})
	for _, span := range s.spans {
		drawn, err := drawFrom(ctx, reader, span, min(share, s.pages-count))
		if err == nil {
			err = untilTraced(reader.records(ctx, span, func(r document.Record) error {
				if len(drawn) == 0 {
					return errTraced
				}
				if !slices.Contains(drawn, r.Offset) {
					return nil
				}
				drawn = slices.DeleteFunc(drawn, func(offset int64) bool { return offset == r.Offset })
				count++
				return use(builder.Build(r))
			}))
		}
		if err != nil {
			return fmt.Errorf("read %s in %s: %w", span.Name, reader.folder, err)
		}
	}
	return nil
}

// drawFrom returns the offsets of n records of a span: those with the least ids.
func drawFrom(ctx context.Context, reader *recordReader, span dataset.Span, n int) ([]int64, error) {
	type candidate struct {
		id     string
		offset int64
	}
	var list []candidate
	count := 0
	err := untilTraced(reader.records(ctx, span, func(r document.Record) error {
		if count++; count > drawnFrom {
			return errTraced
		}
		if r.Reason == "" {
			list = append(list, candidate{schemas.ID(r.Source, r.Offset), r.Offset})
		}
		return ctx.Err()
	}))
	slices.SortFunc(list, func(a, b candidate) int { return strings.Compare(a.id, b.id) })
	var offsets []int64
	for _, c := range list[:min(n, len(list))] {
		offsets = append(offsets, c.offset)
	}
	return offsets, err
}
