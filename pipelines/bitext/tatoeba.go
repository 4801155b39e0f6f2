package bitext

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/language"
	"sentweave/transforms/read/bitext"
)

// Tatoeba publishes sentences in one file and the pairs of numbers of those that translate
// each other in another; and it publishes both by language. They are joined by three exchanges:
// links meet their sentence with the smaller number, then the other one, then pairs meet equal
// ones. No map holds them all.

// Formats of its files.
const (
	formatSentences = "sentences"
	formatLinks     = "links"
)

// tatoebaName is the origin of the pairs.
const tatoebaName = "tatoeba"

const chainSentences = "sentences"

// reasonNoSentence: a link names a sentence that is in no file.
const reasonNoSentence = "no_sentence"

// tatoebaPivot is English, or the first of the languages that are asked for.
func tatoebaPivot(codes []string) string {
	if len(codes) == 0 || slices.Contains(codes, "eng") {
		return "eng"
	}
	return codes[0]
}

func (s Source) isTatoeba() bool { return s.Format == formatSentences || s.Format == formatLinks }

// tatoeba adds the phases that join sentences by their links.
func (w Work) tatoeba(b *graph.Builder, list []dataset.Unit) {
	inputs := b.Units(list)
	n := max(1, graph.Bucketing(inputs.Count, 1))
	first, second, pairs := b.Buckets(n), b.Buckets(n), b.Buckets(n)
	graph.Spill(b, "sentences", inputs, &sentencesTask{Work: w}, exchange.ByHash("sentences", first))
	graph.Spill(b, "links", first, &linksTask{Work: w}, exchange.ByHash("links", second))
	graph.Spill(b, "pairs", second, &linkedTask{Work: w}, exchange.ByHash("pairs", pairs))
	graph.Write(b, "bitext", pairs, &tatoebaTask{Task: writeTask{Work: w}})
}

// Records of the first two exchanges have the number of a sentence as their key. Of their
// values a sentence sorts before its links.
const (
	isSentence = 0
	isLink     = 1
)

// sentence is a text with its language.
type sentence struct {
	id             uint64
	language, text string
}

// append appends a sentence: the number, the length of the code, the code, the text.
func (s sentence) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, s.id)
	return append(append(append(dst, byte(len(s.language))), s.language...), s.text...)
}

var errSentence = errors.New("a sentence that is cut short")

func parseSentence(value []byte) (s sentence, err error) {
	if len(value) < 9 || len(value) < 9+int(value[8]) {
		return s, errSentence
	}
	n := 9 + int(value[8])
	return sentence{binary.BigEndian.Uint64(value), string(value[9:n]), string(value[n:])}, nil
}

// tatoebaChains are those of all its phases.
func (w *Work) tatoebaChains() []dataset.Chain {
	return append([]dataset.Chain{dataset.NewChain(chainSentences, stepRead)}, (&writeTask{Work: *w}).Chains()...)
}

// drops are what a unit drops: counts, with samples.
type drops struct {
	out    *exchange.Output
	counts map[[3]string]int64 // by chain, language, reason
}

func newDrops(output *exchange.Output) drops { return drops{output, map[[3]string]int64{}} }

// add counts a record, of which number and sample tell more.
func (d drops) add(chain, code, reason string, number uint64, sample string) {
	d.counts[[3]string{chain, code, reason}]++
	id := schemas.DerivedID("bitext reject", chain, reason, strconv.FormatUint(number, 10), sample)
	if d.out.Rejects().Wants(stepRead, reason, code, id) {
		d.out.Rejects().Add(schemas.Reject{ID: id, Source: tatoebaName, Offset: int64(number), Step: stepRead, Reason: reason,
			Language: code, Sample: excerpt.Bytes(strings.ToValidUTF8(sample, "?"), schemas.MaxSample)})
	}
}

// count fills the funnel.
func (d drops) count() (err error) {
	for c, n := range d.counts { // counting commutes
		err = errors.Join(err, d.out.Funnel().Drop(c[0], c[1], stepRead, c[2], n))
	}
	return err
}

// sentencesTask spills sentences and links by the number of the sentence. A link goes to
// the smaller one, whichever way it is written.
type sentencesTask struct {
	Work Work
	graph.Nothing
}

// Setup implements graph.Task.
func (t *sentencesTask) Setup(context.Context) error { return t.Work.setup() }

// Chains implements graph.Task.
func (t *sentencesTask) Chains() []dataset.Chain { return t.Work.tatoebaChains() }

// Spill implements graph.Spiller.
func (t *sentencesTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	codes := map[string]string{}
	counts, dropped := map[string]int64{}, newDrops(output)
	var key, value []byte
	put := func(id uint64) error {
		key = binary.BigEndian.AppendUint64(key[:0], id)
		return output.Add(key, value)
	}
	err := t.Work.lines(ctx, unit, func(format string, line []byte, tooLong bool) error {
		if format == formatLinks {
			a, b, reason := bitext.Link(line)
			if tooLong {
				reason = bitext.TooLong
			}
			if reason != "" {
				dropped.add(chainPairs, language.Undetermined, reason, 0, string(line))
				return nil
			}
			if a > b {
				a, b = b, a
			}
			value = binary.BigEndian.AppendUint64(append(value[:0], isLink), b)
			return put(a)
		}
		id, tag, text, reason := bitext.Sentence(line)
		if tooLong {
			reason = bitext.TooLong
		}
		if reason != "" {
			dropped.add(chainSentences, language.Undetermined, reason, id, string(line))
			return nil
		}
		code, ok := codes[tag]
		if !ok {
			var err error
			if code, err = language.Parse(tag); err != nil {
				code = language.Undetermined
			}
			codes[tag] = code
		}
		counts[code]++
		s := sentence{id: id, language: code, text: string(text)}
		if !t.Work.takesLanguage(code) {
			s.text = ""
		}
		value = s.append(append(value[:0], isSentence))
		return put(id)
	})
	if err != nil {
		return err
	}
	for code, n := range counts { // counting commutes
		err = errors.Join(err, output.Funnel().Keep(chainSentences, code, n))
	}
	return errors.Join(err, dropped.count())
}

// takesLanguage says whether texts in a language are taken.
func (w *Work) takesLanguage(code string) bool {
	return code != language.Undetermined && (len(w.wanted) == 0 || language.MatchesAny(code, w.wanted))
}

// lines calls use for the lines of a unit of Tatoeba's files.
func (w *Work) lines(ctx context.Context, unit graph.Unit, use func(format string, line []byte, tooLong bool) error) error {
	for spans := unit.Spans; len(spans) > 1; spans = spans[2:] {
		number, err := strconv.Atoi(spans[0].Name)
		if err != nil || number < 0 || number >= len(w.Sources) {
			return fmt.Errorf("span %q does not name one of the %d files: launcher and worker are different programs", spans[0].Name, len(w.Sources))
		}
		s := w.Sources[number]
		if err := w.span(ctx, s, spans[1], use); err != nil {
			return fmt.Errorf("read %s: %w", s.place(), inWork(err))
		}
	}
	return nil
}

func (w *Work) span(ctx context.Context, s Source, span dataset.Span, use func(format string, line []byte, tooLong bool) error) error {
	stream, err := s.Files[0].open(ctx, w.folders[s.Files[0].Input], span.From, span.To)
	if err != nil {
		return err
	}
	defer stream.Close()
	lines := bitext.NewLines(stream, span.From == 0)
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, tooLong, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = use(s.Format, line, tooLong)
		}
		if err != nil {
			return err
		}
	}
}

// linksTask gives each link its first sentence, and sends it to the second one.
type linksTask struct {
	Work Work
	graph.Nothing
}

// Chains implements graph.Task.
func (t *linksTask) Chains() []dataset.Chain { return t.Work.tatoebaChains() }

// Spill implements graph.Spiller.
func (t *linksTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var key, value, last []byte
	dropped := newDrops(output)
	err := atSentences(ctx, unit, func(id uint64, s *sentence, record []byte) (err error) {
		switch {
		case record[0] == isSentence:
			return output.Add(binary.BigEndian.AppendUint64(key[:0], id), record)
		case len(record) != 9:
			return errSentence
		}
		key = binary.BigEndian.AppendUint64(key[:0], id)
		key = append(key, record[1:]...)
		if bytes.Equal(key, last) { // it is written in both directions
			return nil
		}
		last = append(last[:0], key...)
		if s == nil {
			dropped.add(chainPairs, language.Undetermined, reasonNoSentence, id, fmt.Sprint(binary.BigEndian.Uint64(record[1:])))
			return nil
		}
		value = s.append(append(value[:0], isLink))
		return output.Add(record[1:], value)
	})
	return errors.Join(err, dropped.count())
}

// atSentences calls use for the records of a unit, with the sentence of their number, or nil
// if there is none. Of several of a number the first counts, and is called once.
func atSentences(ctx context.Context, unit graph.Unit, use func(id uint64, s *sentence, record []byte) error) error {
	var last []byte
	var current *sentence
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		if len(record.Key) != 8 || len(record.Value) == 0 {
			return errSentence
		}
		if !bytes.Equal(last, record.Key) {
			last, current = append(last[:0], record.Key...), nil
		}
		if record.Value[0] == isSentence {
			if current != nil {
				continue
			}
			s, err := parseSentence(record.Value[1:])
			if err != nil {
				return err
			}
			current = &s
		}
		if err := use(binary.BigEndian.Uint64(record.Key), current, record.Value); err != nil {
			return err
		}
	}
	return nil
}

// linkedTask makes pairs of links whose both sentences are there, and sends them to those
// that are equal.
type linkedTask struct {
	Work Work
	graph.Nothing
}

// Setup implements graph.Task.
func (t *linkedTask) Setup(context.Context) error { return t.Work.setup() }

// Chains implements graph.Task.
func (t *linkedTask) Chains() []dataset.Chain { return t.Work.tatoebaChains() }

// Spill implements graph.Spiller.
func (t *linkedTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var k keyer
	var value []byte
	dropped := newDrops(output)
	err := atSentences(ctx, unit, func(id uint64, b *sentence, record []byte) error {
		if record[0] == isSentence {
			return nil
		}
		a, err := parseSentence(record[1:])
		if err != nil {
			return err
		}
		switch {
		case b == nil:
			dropped.add(chainPairs, language.Undetermined, reasonNoSentence, id, a.text)
			return nil
		case a.language == b.language || !t.Work.takesLanguage(a.language) || !t.Work.takesLanguage(b.language):
			dropped.add(chainPairs, schemas.LanguagePair(a.language, b.language), reasonLanguages, id, a.text+"\n"+b.text)
			return nil
		}
		x, y := a, *b
		if x.language > y.language {
			x, y = y, x
		}
		pair := k.key(t.Work.Config.Kind, x.language, y.language, []byte(x.text), []byte(y.text))
		first := x.append(nil)
		value = y.append(append(binary.AppendUvarint(value[:0], uint64(len(first))), first...))
		return output.Add(pair[:], value)
	})
	return errors.Join(err, dropped.count())
}

// tatoebaTask writes the pairs that pass. Of equal ones the first stays, by the numbers of
// their sentences.
type tatoebaTask struct{ Task writeTask }

// Setup implements graph.Task.
func (t *tatoebaTask) Setup(ctx context.Context) error { return t.Task.Setup(ctx) }

// Chains implements graph.Task.
func (t *tatoebaTask) Chains() []dataset.Chain { return t.Task.Work.tatoebaChains() }

// Write implements graph.Writer.
func (t *tatoebaTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	w, stop := t.Task.writer(attempt)
	defer stop()
	source := &Source{Name: tatoebaName}
	var last []byte
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		length, n := binary.Uvarint(record.Value)
		if n <= 0 || length > uint64(len(record.Value)-n) {
			return errSentence
		}
		rest := record.Value[n:]
		x, errX := parseSentence(rest[:length])
		y, errY := parseSentence(rest[length:])
		if err := errors.Join(errX, errY); err != nil {
			return err
		}
		pair := item{
			source: source, number: int64(x.id<<32 | y.id&(1<<32-1)), languages: []string{x.language, y.language}, pairs: [][2]int{{0, 1}},
			Record:    &bitext.Record{Texts: [][]byte{[]byte(x.text), []byte(y.text)}, Score: noScore},
			documents: []string{strconv.FormatUint(x.id, 10), strconv.FormatUint(y.id, 10)},
			again:     !t.Task.Work.Config.Repeated && bytes.Equal(last, record.Key),
		}
		last = append(last[:0], record.Key...)
		if err := w.record(ctx, pair); err != nil {
			return err
		}
	}
	return w.flush()
}
