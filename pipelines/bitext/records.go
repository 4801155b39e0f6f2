package bitext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/random"
	"sentweave/transforms/read/bitext"
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
		if w.folders[i], err = storage.At(location); err != nil {
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
	// again says that the pair stands there before.
	again bool
}

// each calls use for the records of a unit, in order.
func (w *Work) each(ctx context.Context, unit graph.Unit, use func(item) error) error {
	gauge := units.GaugeOf(ctx)
	gauge.Expect(w.linesOf(unit.Spans))
	counted := func(it item) error {
		gauge.Add(1)
		return use(it)
	}
	for spans := unit.Spans; len(spans) > 0; {
		number, err := strconv.Atoi(spans[0].Name)
		if err != nil || number < 0 || number >= len(w.Sources) || len(spans) <= len(w.Sources[number].Files) {
			return fmt.Errorf("span %q names none of %d corpora: launcher and worker are different programs", spans[0].Name, len(w.Sources))
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
		use = func(it item) error { return take(w.present(it.folded())) }
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
		streams, sides = append(streams, stream), append(sides, bitext.NewLines(stream, files[i].From == 0))
	}
	if s.Format == formatTMX {
		return w.memory(ctx, s, streams[0], use)
	}
	it := item{source: s, number: lines.From, languages: s.Languages, pairs: w.Config.pairsOf(nil, s.Languages, w.wanted)}
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
				it.number--
			} else if _, _, _, err := table.Values(); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
	}
	for ; ; it.number++ {
		if it.number%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		record, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		it.number += record.Blank
		if it.Record = record; s.Scores {
			record.ScoreOfLast()
		}
		if s.IDs {
			last := len(record.Texts) - 1
			it.documents = documentsOf(record.Texts[last])
			record.Texts = record.Texts[:last]
		}
		if err := use(it); err != nil {
			return err
		}
	}
}

// unbroken returns a text of a memory with a space for each run of white space that has a line end:
// programs break and indent what stands in a segment.
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
	it := item{source: s, Record: &bitext.Record{}}
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
		it.number, it.languages, it.further = u.Ordinal, it.languages[:0], it.further[:0]
		*it.Record = bitext.Record{Texts: it.Texts[:0], Score: noScore, Reason: u.Reason, Detail: u.Detail}
		for _, v := range u.Variants {
			v.Text = unbroken(v.Text)
			switch {
			case v.Language == language.Undetermined:
				v.Language, v.Reason = "", tmx.UnknownLanguage
				it.further = append(it.further, v)
			case v.Reason != "":
				it.further = append(it.further, v)
			case slices.Contains(it.languages, v.Language):
				v.Reason = reasonVariant
				it.further = append(it.further, v)
			default:
				it.languages, it.Texts = append(it.languages, v.Language), append(it.Texts, []byte(clean(v.Text)))
			}
		}
		if it.pairs = it.pairs[:0]; len(it.languages) > language.MostTogether {
			it.Reason, it.Detail = language.ReasonTooMany, strconv.Itoa(len(it.languages))
		} else if it.pairs = w.Config.pairsOf(it.pairs, it.languages, w.wanted); len(it.pairs) == 0 && it.Reason == "" {
			if it.Reason = reasonAlone; len(it.languages) > 1 {
				it.Reason = reasonLanguages
			}
		}
		if err := use(it); err != nil {
			return err
		}
	}
}

// folded leaves out of a record of JSON or Parquet the texts that follow another one in their
// language, as a unit of TMX does.
func (it item) folded() item {
	fields := it.source.Fields
	if it.Reason != "" || len(it.Texts) == len(it.languages) {
		return it
	}
	record, there := *it.Record, 0
	record.Texts = make([][]byte, len(it.languages))
	for i, text := range it.Texts {
		code := fields.Languages[i]
		switch at := slices.Index(it.languages, code); {
		case text == nil:
		case record.Texts[at] == nil:
			record.Texts[at] = text
			there++
		default:
			it.further = append(it.further, tmx.Variant{Reason: reasonVariant, Tag: strings.TrimPrefix(fields.Texts[i], translation+"."), Language: code, Text: string(text)})
		}
	}
	if there < 2 && it.source.Format == formatJSON {
		absent := slices.IndexFunc(record.Texts, func(text []byte) bool { return text == nil })
		record.Reason, record.Detail = bitext.Field, fields.Texts[slices.Index(fields.Languages, it.languages[absent])]
	}
	it.Record = &record
	return it
}

// present leaves out of a record of JSON or Parquet the texts that are absent or null: as a unit of
// TMX it makes the pairs of those that are there. A record with fewer than two keeps them all.
func (w *Work) present(it item) item {
	if it.Reason != "" || !slices.ContainsFunc(it.Texts, func(text []byte) bool { return text == nil }) {
		return it
	}
	var languages []string
	var texts [][]byte
	for i, text := range it.Texts {
		if text != nil {
			languages, texts = append(languages, it.languages[i]), append(texts, text)
		}
	}
	if len(texts) < 2 {
		return it
	}
	record := *it.Record
	record.Texts = texts
	it.Record, it.languages = &record, languages
	if it.pairs = w.Config.pairsOf(nil, languages, w.wanted); len(it.pairs) == 0 {
		record.Reason = reasonLanguages
	}
	return it
}

// pairsOf appends the pairs that texts in some languages make. Pairs of kinds other than
// bitext are the two texts. Of more than two languages they are those with the pivot, or,
// where it is none of them, with the first; all with Combinations.
func (c Config) pairsOf(pairs [][2]int, languages, wanted []string) [][2]int {
	if c.Kind != schemas.KindBitext {
		return append(pairs, [2]int{0, 1})
	}
	var taken []int
	for i, code := range languages {
		if len(wanted) == 0 || takes(wanted, code) {
			taken = append(taken, i)
		}
	}
	hub := max(0, slices.IndexFunc(taken, func(i int) bool { return languages[i] == c.Pivot }))
	for x, i := range taken {
		for y := x + 1; y < len(taken); y++ {
			if c.Combinations || x == hub || y == hub {
				pairs = append(pairs, [2]int{i, taken[y]})
			}
		}
	}
	return pairs
}

// makesPairs says whether pairsOf makes any.
func (c Config) makesPairs(languages, wanted []string) bool {
	taken := len(languages)
	if c.Kind == schemas.KindBitext && len(wanted) > 0 {
		taken = 0
		for _, code := range languages {
			if takes(wanted, code) {
				taken++
			}
		}
	}
	return c.Kind != schemas.KindBitext || taken > 1
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
func (w *Work) pivotOf(it item) int {
	at := -1
	for i, code := range it.languages {
		if code == w.Config.Pivot && len(it.Texts[i]) > 0 {
			at = i
		}
	}
	return at
}

// waits says that the group of a pair is known only when all texts have been read.
func (w *Work) waits(it item, p [2]int, pivot int) bool {
	return len(w.Joined) > 0 && pivot < 0 && len(it.Texts[p[0]]) > 0 && len(it.Texts[p[1]]) > 0
}

// counts says whether a pair has a row in the exchange: it has two texts, and its group, as
// far as the record tells it, does not put it into the other part.
func (w *Work) counts(it item, p [2]int, pivot int, group uint64) bool {
	return len(it.Texts[p[0]]) > 0 && len(it.Texts[p[1]]) > 0 && (w.waits(it, p, pivot) || w.takesPart(group))
}

func takes(wanted []string, code string) bool {
	return slices.ContainsFunc(wanted, func(w string) bool { return language.Matches(code, w) })
}
