package bitext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/random"
	"sentweave/transforms/read/bitext"
	"sentweave/transforms/read/jsonfields"
	"sentweave/transforms/read/tmx"
)

// Work is what all phases know of a job. It travels to workers.
type Work struct {
	Config Config
	// Folders are those of the inputs, absolute.
	Folders []string
	Sources []Source
	// Seed decides which groups are held out.
	Seed uint64
	// Joined are the languages of corpora with records that have no text in the pivot's: where another
	// record translates such a text from the pivot, the pair has the group of that translation.
	Joined []string
	// Langid is empty where no model is used.
	Langid units.File

	folders []storage.Folder
	wanted  []string
}

// setup opens what all units need.
func (w *Work) setup() (err error) {
	w.folders = make([]storage.Folder, len(w.Folders))
	for i, location := range w.Folders {
		if w.folders[i], err = storage.Locate(location); err != nil {
			return err
		}
	}
	w.wanted, err = w.Config.wanted()
	return err
}

// item is a record of a source.
type item struct {
	source *Source
	number int64 // of the record in its files, from 0
	*bitext.Record
	languages []string // of the texts
	// pairs are the texts that make pairs.
	pairs [][2]int
	// documents name what the texts are from, where that is known.
	documents []string
	// further are the texts of a record that make no pair: those that follow another one in their
	// language, and those of TMX that cannot be used. Each has a reason.
	further []tmx.Variant
	// again says that the pair occurred before.
	again bool
}

// each calls use for the records of a unit, in order, with their texts in normalization form C (Unicode Standard Annex 15): texts that
// differ in how their accents are written are equal.
func (w *Work) each(ctx context.Context, unit graph.Unit, use func(item) error) error {
	gauge := units.GaugeOf(ctx)
	gauge.Expect(w.linesOf(unit.Spans))
	counted := func(record item) error {
		gauge.Add(1)
		for i, text := range record.Texts {
			record.Texts[i] = norm.NFC.Bytes(text)
		}
		return use(record)
	}
	for spans := unit.Spans; len(spans) > 0; {
		number, err := strconv.Atoi(spans[0].Name)
		if err != nil || number < 0 || number >= len(w.Sources) || len(spans) <= len(w.Sources[number].Files) {
			return fmt.Errorf("span %q does not name one of the %d corpora: launcher and worker are different programs", spans[0].Name, len(w.Sources))
		}
		s := &w.Sources[number]
		if err := w.segment(ctx, s, spans[0], spans[1:1+len(s.Files)], counted); err != nil {
			return fmt.Errorf("read %s: %w", s.place(), inWork(err))
		}
		spans = spans[1+len(s.Files):]
	}
	return nil
}

// linesOf counts the lines of a unit, as far as they are known: not those of Parquet, and
// not those that only a reading counts.
func (w *Work) linesOf(spans []dataset.Span) (n int64) {
	for len(spans) > 0 {
		number, err := strconv.Atoi(spans[0].Name)
		if err != nil || number < 0 || number >= len(w.Sources) || len(spans) <= len(w.Sources[number].Files) {
			return n // which each reports
		}
		if s := &w.Sources[number]; s.Format != formatParquet {
			n += spans[0].To - spans[0].From
		}
		spans = spans[1+len(w.Sources[number].Files):]
	}
	return n
}

// segment reads some lines of a source, or row groups.
func (w *Work) segment(ctx context.Context, s *Source, lines dataset.Span, files []dataset.Span, take func(item) error) error {
	use := take
	if s.Fields != nil {
		use = func(record item) error { return take(w.present(record.folded())) }
	}
	if s.Format == formatParquet {
		return w.parquet(ctx, s, lines, use)
	}
	var sides []*bitext.Lines
	var streams []io.Reader
	for i, f := range s.Files {
		stream, err := f.open(ctx, w.folders[f.Input], files[i].From, files[i].To)
		if err != nil {
			return fmt.Errorf("%s: %w", f.path(), err)
		}
		defer stream.Close()
		if s.Elements {
			stream = io.NopCloser(jsonfields.NewElements(stream))
		}
		streams, sides = append(streams, stream), append(sides, bitext.NewLines(stream, files[i].From == 0))
	}
	if s.Format == formatTMX {
		return w.memory(ctx, s, streams[0], use)
	}
	record := item{source: s, number: lines.From, languages: s.Languages, pairs: w.Config.pairsOf(nil, s.Languages, w.wanted)}
	var next func() (*bitext.Record, error)
	switch s.Format {
	case formatAligned:
		next = bitext.NewAligned(sides, w.Config.Shorter).Next
	case formatJSON:
		next = bitext.NewJSONLines(sides[0], s.Fields.Fields).Next
	default:
		if s.Table.Told && lines.From == 0 {
			if _, _, err := sides[0].Next(); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
		table := bitext.NewTable(sides[0], s.Table.Layout, s.Table.Comma)
		if next = table.Next; s.Table.Header {
			if lines.From > 0 {
				record.number--
			} else if _, _, _, err := table.Values(); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
	}
	for ; ; record.number++ {
		if record.number%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		content, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		record.number += content.Blank
		if record.Record = content; s.Scores {
			content.ScoreOfLast()
		}
		if s.IDs {
			last := len(content.Texts) - 1
			record.documents = documentsOf(content.Texts[last])
			content.Texts = content.Texts[:last]
		}
		if err := use(record); err != nil {
			return err
		}
	}
}

// unbroken returns a text of a memory with a space for each run of white space that has a line end:
// programs break and indent what is in a segment.
func unbroken(text string) string {
	if !strings.ContainsAny(text, "\r\n") {
		return text
	}
	var lines []string
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " ")
}

// memory reads units of TMX.
func (w *Work) memory(ctx context.Context, s *Source, stream io.Reader, use func(item) error) error {
	reader, err := tmx.NewReader(stream, tmx.DefaultConfig())
	if err != nil {
		return err
	}
	record := item{source: s, Record: &bitext.Record{}}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		u, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		record.number, record.languages, record.further = u.Ordinal, record.languages[:0], record.further[:0]
		*record.Record = bitext.Record{Texts: record.Texts[:0], Score: noScore, Reason: u.Reason, Detail: u.Detail}
		for _, v := range u.Variants {
			v.Text = unbroken(v.Text)
			switch {
			case v.Language == language.Undetermined:
				v.Language, v.Reason = "", tmx.UnknownLanguage
				record.further = append(record.further, v)
			case v.Reason != "":
				record.further = append(record.further, v)
			case slices.Contains(record.languages, v.Language):
				v.Reason = reasonVariant
				record.further = append(record.further, v)
			default:
				record.languages, record.Texts = append(record.languages, v.Language), append(record.Texts, []byte(clean(v.Text)))
			}
		}
		if record.pairs = record.pairs[:0]; len(record.languages) > language.MostTogether {
			record.Reason, record.Detail = language.ReasonTooMany, strconv.Itoa(len(record.languages))
		} else if record.pairs = w.Config.pairsOf(record.pairs, record.languages, w.wanted); len(record.pairs) == 0 && record.Reason == "" {
			if record.Reason = reasonAlone; len(record.languages) > 1 {
				record.Reason = reasonLanguages
			}
		}
		if record.Reason != "" {
			record.describe(u)
		}
		if err := use(record); err != nil {
			return err
		}
	}
}

// describe tells what was read of a unit of TMX that makes no pair, and why texts of it cannot be used.
func (record item) describe(u tmx.Unit) {
	record.Sample = []byte(u.Sample)
	var faults []string
	for _, v := range u.Variants {
		record.Sample = append(append(record.Sample, unbroken(v.Text)...), '\n')
		if v.Reason != "" {
			faults = append(faults, strings.TrimSpace(v.Reason+" "+v.Tag))
		}
	}
	if record.Reason == reasonAlone {
		record.Detail = strings.Join(faults, ", ")
	}
}

// folded leaves out of a record of JSON or Parquet the texts that follow another one in their
// language, as a unit of TMX does.
func (record item) folded() item {
	fields := record.source.Fields
	if record.Reason != "" || len(record.Texts) == len(record.languages) {
		return record
	}
	merged, filled := *record.Record, 0
	merged.Texts = make([][]byte, len(record.languages))
	for i, text := range record.Texts {
		code := fields.Languages[i]
		switch index := slices.Index(record.languages, code); {
		case text == nil:
		case merged.Texts[index] == nil:
			merged.Texts[index] = text
			filled++
		default:
			record.further = append(record.further,
				tmx.Variant{Reason: reasonVariant, Tag: strings.TrimPrefix(fields.Texts[i], translation+"."),
					Language: code, Text: string(text)})
		}
	}
	if filled < 2 && record.source.Format == formatJSON {
		absent := slices.IndexFunc(merged.Texts, func(text []byte) bool { return text == nil })
		merged.Reason, merged.Detail = bitext.Field, fields.Texts[slices.Index(fields.Languages, record.languages[absent])]
	}
	record.Record = &merged
	return record
}

// present leaves out of a record of JSON or Parquet the texts that are absent or null: as a unit of
// TMX it makes the pairs of those that are there. A record with fewer than two keeps them all.
func (w *Work) present(record item) item {
	if record.Reason != "" || !slices.ContainsFunc(record.Texts, func(text []byte) bool { return text == nil }) {
		return record
	}
	var languages []string
	var texts [][]byte
	for i, text := range record.Texts {
		if text != nil {
			languages, texts = append(languages, record.languages[i]), append(texts, text)
		}
	}
	if len(texts) < 2 {
		return record
	}
	reduced := *record.Record
	reduced.Texts = texts
	record.Record, record.languages = &reduced, languages
	if record.pairs = w.Config.pairsOf(nil, languages, w.wanted); len(record.pairs) == 0 {
		reduced.Reason = reasonLanguages
	}
	return record
}

// pairsOf appends the pairs that texts in some languages make. Pairs of kinds other than
// bitext are the two texts. Of more than two languages they are those with the pivot, or,
// where it is not one of them, with the first; all with Combinations.
func (c Config) pairsOf(pairs [][2]int, languages, codes []string) [][2]int {
	if c.Kind != schemas.KindBitext {
		return append(pairs, [2]int{0, 1})
	}
	var indices []int
	for i, code := range languages {
		if len(codes) == 0 || language.MatchesAny(code, codes) {
			indices = append(indices, i)
		}
	}
	hub := max(0, slices.IndexFunc(indices, func(i int) bool { return languages[i] == c.Pivot }))
	for x, i := range indices {
		for y := x + 1; y < len(indices); y++ {
			if c.Combinations || x == hub || y == hub {
				pairs = append(pairs, [2]int{i, indices[y]})
			}
		}
	}
	return pairs
}

// makesPairs says whether pairsOf makes any.
func (c Config) makesPairs(languages, codes []string) bool {
	total := len(languages)
	if c.Kind == schemas.KindBitext && len(codes) > 0 {
		total = 0
		for _, code := range languages {
			if language.MatchesAny(code, codes) {
				total++
			}
		}
	}
	return c.Kind != schemas.KindBitext || total > 1
}

// partVersion is that of the choice of groups.
const partVersion = 1

// takesPart says whether a group is in the part that is asked for.
func (w *Work) takesPart(group uint64) bool {
	if w.Config.HeldoutShare == 0 {
		return true
	}
	choice := random.New(partVersion, w.Seed, "heldout", strconv.FormatUint(group, 16), 0)
	return choice.Bool(w.Config.HeldoutShare) == (w.Config.Part == PartHeldout)
}

// pivotOf returns the number of a record's text in the pivot's language, or -1.
func (w *Work) pivotOf(record item) int {
	index := -1
	for i, code := range record.languages {
		if code == w.Config.Pivot && len(record.Texts[i]) > 0 {
			index = i
		}
	}
	return index
}

// waits says that the group of a pair is known only when all texts have been read.
func (w *Work) waits(record item, p [2]int, pivot int) bool {
	return len(w.Joined) > 0 && pivot < 0 && len(record.Texts[p[0]]) > 0 && len(record.Texts[p[1]]) > 0
}

// counts says whether a pair has a row in the exchange: it has two texts, and its group, as
// far as the record tells it, does not put it into the other part.
func (w *Work) counts(record item, p [2]int, pivot int, group uint64) bool {
	return len(record.Texts[p[0]]) > 0 && len(record.Texts[p[1]]) > 0 && (w.waits(record, p, pivot) || w.takesPart(group))
}
