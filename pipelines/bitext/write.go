package bitext

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/identifier"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/blank"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/language"
	"sentweave/transforms/clean/characters"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/pairs/parallel"
	"sentweave/transforms/read/tmx"
)

// The chain of the funnel and its steps. Its languages are pairs: "deu-eng".
const (
	chainPairs     = "pairs"
	stepRead       = "read"
	stepPart       = "part"
	stepTexts      = "texts"
	stepDuplicates = "duplicates"
	stepLanguages  = "languages"
)

// Reasons besides those of the readers.
const (
	// reasonAlone: a unit of TMX has texts in fewer than two languages.
	reasonAlone = "no_translation"
	// reasonLanguages: a record that tells its languages, as a unit of TMX does, is in other ones
	// than were asked for.
	reasonLanguages = "other_languages"
	// reasonVariant: a record of TMX, JSON or Parquet has a text in the language before this one. It
	// counts once, for the first pair of the record with that language.
	reasonVariant = "further_variant"
	// ReasonOtherPart: the group is in the other part.
	ReasonOtherPart = "other_part"
	reasonEmpty     = "empty"
	// ReasonEqual: both sides are the same text.
	ReasonEqual = "equal"
	// ReasonRatio: one side is much longer than the other.
	ReasonRatio     = "length_ratio"
	reasonDuplicate = "duplicate"
	// ReasonLanguage: a side is in another language than its file says.
	ReasonLanguage = "wrong_language"
	// ReasonScript: a side is in another script than is wanted of its language.
	ReasonScript = "wrong_script"
)

// slack is added to both lengths before they are compared, because short texts vary more: as
// for blocks of pages.
var slack = parallel.DefaultConfig().LengthSlack

var noScore = math.NaN()

// clean returns a text as the readers of lines give it.
func clean(text string) string {
	if blank.IsBlank(text) {
		return ""
	}
	return strings.TrimSpace(text)
}

// writeTask reads the records of a unit, and writes those that pass.
type writeTask struct {
	Work Work
	// Noted says that an exchange tells of duplicates and groups.
	Noted bool

	identifiers sync.Pool // of langid.Identifier
}

// Setup implements graph.Task.
func (t *writeTask) Setup(ctx context.Context) error {
	if t.Work.Langid.Location != "" {
		model, err := identifier.Load(ctx, t.Work.Langid)
		if err != nil {
			return err
		}
		t.identifiers.New = func() any { return model.Clone() }
	}
	return t.Work.setup()
}

// Chains implements graph.Task.
func (t *writeTask) Chains() []dataset.Chain {
	steps := []string{stepRead, stepTexts, stepDuplicates, stepLanguages}
	if t.Work.Config.HeldoutShare > 0 {
		steps = slices.Insert(steps, 1, stepPart)
	}
	return []dataset.Chain{dataset.NewChain(chainPairs, steps...)}
}

// Write implements graph.Writer.
func (t *writeTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	w, stop := t.writer(attempt)
	defer stop()
	if t.Noted {
		notes, stop := newNotes(ctx, unit)
		defer stop()
		w.notes = notes
	}
	gauge := units.GaugeOf(ctx)
	err := t.Work.each(ctx, unit, func(record item) error {
		gauge.Item() // here and not in each, which reads a record for its key, too
		return w.record(ctx, record)
	})
	if err != nil {
		return err
	}
	if w.notes != nil {
		if err := w.notes.finished(); err != nil {
			return err
		}
	}
	return w.flush()
}

// writer returns the writer of a unit, and the function that ends it.
func (t *writeTask) writer(attempt *dataset.Attempt[schemas.Pair]) (w *writer, stop func()) {
	w = &writer{task: t, config: t.Work.Config, attempt: attempt, counts: map[count]*int64{}}
	if t.identifiers.New == nil {
		return w, func() {}
	}
	w.identifier = t.identifiers.Get().(langid.Identifier)
	return w, func() { t.identifiers.Put(w.identifier) }
}

// count is what is counted of a unit; the reason is empty for what is kept.
type count struct{ pair, step, reason string }

func (c count) compare(right count) int {
	return cmp.Or(strings.Compare(c.pair, right.pair), strings.Compare(c.step, right.step), strings.Compare(c.reason, right.reason))
}

// writer takes the records of a unit.
type writer struct {
	task       *writeTask
	config     Config
	attempt    *dataset.Attempt[schemas.Pair]
	identifier langid.Identifier
	notes      *notes
	counts     map[count]*int64
	languages  [2]string // of the last pair
	label      string    // of languages
	kept       *int64    // pairs with label
	guesses    []langid.Guess
	doubt      bool // the language of the last text was in doubt
	keyer      keyer
	row        uint32 // of the next pair that counts

	// What the last row points to.
	position int32
	group    uint64
	target   float64
	score    float32
}

const (
	// mostUnread is the number of pairs up to which a record that cannot be read counts for each
	// of them; it counts once for no language beyond, since a line of nothing would count for thousands.
	mostUnread = 64
	// mostCounted is the number of counts after which they go to the funnel.
	mostCounted = 1 << 16
)

// record takes the pairs of a record.
func (w *writer) record(ctx context.Context, record item) error {
	if len(w.counts) > mostCounted {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if record.Reason != "" {
		if len(record.pairs) == 0 || len(record.pairs) > mostUnread {
			w.drop(record, 0, record.sample(), count{language.Undetermined, stepRead, record.Reason}, record.Detail)
			return nil
		}
		for part, p := range record.pairs {
			pair := w.pair(record.languages[p[0]], record.languages[p[1]])
			w.drop(record, part, record.sample(p[:]...), count{pair, stepRead, record.Reason}, record.Detail)
		}
		return nil
	}
	pivot := w.task.Work.pivotOf(record)
	for part, p := range record.pairs {
		if err := w.take(ctx, record, part, p, pivot); err != nil {
			return err
		}
	}
	for n, v := range record.further {
		w.variant(record, len(record.pairs)+n, v)
	}
	return nil
}

// sample returns what was read of a record that cannot be used, in valid UTF-8: what it tells itself, or its texts of these numbers.
func (record item) sample(sides ...int) (texts [2]string) {
	valid := func(text []byte) string {
		return strings.ToValidUTF8(string(text[:min(len(text), schemas.MaxSample)]), "\ufffd")
	}
	if len(record.Sample) > 0 {
		return [2]string{valid(record.Sample)}
	}
	for i, side := range sides {
		if side < len(record.Texts) {
			texts[i] = valid(record.Texts[side])
		}
	}
	return texts
}

// variant counts a text of a record that makes no pair.
func (w *writer) variant(record item, part int, v tmx.Variant) {
	if v.Reason != reasonVariant {
		if v.Language == "" || w.task.Work.takesLanguage(v.Language) {
			w.drop(record, part, [2]string{clean(v.Text)}, count{language.Undetermined, stepRead, v.Reason}, v.Tag)
		}
		return
	}
	for _, p := range record.pairs {
		texts := [2]string{string(record.Texts[p[0]]), string(record.Texts[p[1]])}
		if side := slices.Index([]string{record.languages[p[0]], record.languages[p[1]]}, v.Language); side >= 0 {
			texts[side] = clean(v.Text)
			pair := w.pair(record.languages[p[0]], record.languages[p[1]])
			w.drop(record, part, texts, count{pair, stepRead, reasonVariant}, v.Tag)
			return
		}
	}
}

// take judges a pair, and writes it. The order of its steps is that of the funnel, but that
// a pair counts whatever its texts are, as long as there are two.
func (w *writer) take(ctx context.Context, record item, part int, p [2]int, pivot int) error {
	languageA, languageB := record.languages[p[0]], record.languages[p[1]]
	pair := w.pair(languageA, languageB)
	group, duplicate := w.keyer.groupOf(record, p, pivot), record.again
	if w.notes != nil && w.task.Work.counts(record, p, pivot, group) {
		repeated, shared, err := w.notes.take(w.row)
		if err != nil {
			return err
		}
		w.row++
		if duplicate = repeated; shared != nil {
			group = *shared
		}
	}
	drop := func(step, reason, detail string) error {
		texts := [2]string{string(record.Texts[p[0]]), string(record.Texts[p[1]])}
		w.drop(record, part, texts, count{pair, step, reason}, detail)
		return nil
	}
	if !w.task.Work.takesPart(group) {
		return drop(stepPart, ReasonOtherPart, "")
	}
	if len(record.Texts[p[0]]) == 0 || len(record.Texts[p[1]]) == 0 {
		return drop(stepTexts, reasonEmpty, "")
	}
	key := w.keyer.key(w.config.Kind, languageA, languageB, record.Texts[p[0]], record.Texts[p[1]])
	a, b := string(record.Texts[p[0]]), string(record.Texts[p[1]])
	if w.config.Kind == schemas.KindBitext {
		if reason, detail := w.compare(a, b); reason != "" {
			return drop(stepTexts, reason, detail)
		}
	}
	if w.config.Kind == schemas.KindNLI && len(record.Label) == 0 {
		return drop(stepTexts, reasonEmpty, "label")
	}
	for _, side := range [2]struct{ text, language string }{{a, languageA}, {b, languageB}} {
		if codes := w.task.Work.wanted; len(codes) > 0 && !characters.InScriptOf(side.text, side.language, codes) {
			return drop(stepTexts, ReasonScript, side.language)
		}
	}
	if duplicate {
		return drop(stepDuplicates, reasonDuplicate, "")
	}
	if w.identifier != nil {
		for _, side := range [2]struct{ text, language string }{{a, languageA}, {b, languageB}} {
			if detail := w.foreign(side.text, side.language); detail != "" {
				return drop(stepLanguages, ReasonLanguage, detail)
			}
		}
	}
	row := schemas.Pair{Kind: w.config.Kind, TextA: a, TextB: b, LanguageA: languageA, LanguageB: languageB, Origin: w.config.Origin}
	if row.Origin == "" {
		row.Origin = record.source.Name
	}
	row.ID = schemas.HexID(key)
	if w.config.Repeated {
		row.ID = schemas.DerivedID("bitext", row.ID, row.Origin, strconv.FormatInt(record.number, 10), strconv.Itoa(part))
	}
	if record.number >= 0 && record.number <= math.MaxInt32 {
		w.position = int32(record.number)
		row.PositionA, row.PositionB = &w.position, &w.position
	}
	if record.documents != nil {
		row.DocumentA, row.DocumentB = record.documents[p[0]], record.documents[p[1]]
	}
	switch w.config.Kind {
	case schemas.KindBitext:
		w.group = group
		row.Group = &w.group
	case schemas.KindSTS, schemas.KindQE:
		w.target = record.Score
		row.Target = &w.target
	case schemas.KindNLI:
		row.Label = string(record.Label)
	}
	if w.score = float32(record.Score); row.Target == nil && !math.IsNaN(record.Score) {
		row.Score = &w.score
	}
	*w.kept++
	return w.attempt.Write(ctx, row)
}

// compare returns why two texts are not translations of each other, or "".
func (w *writer) compare(a, b string) (reason, detail string) {
	if a == b {
		return ReasonEqual, ""
	}
	x, y := parallel.Weight(a)+slack, parallel.Weight(b)+slack
	if ratio := max(x, y) / min(x, y); ratio > w.config.MaxRatio {
		return ReasonRatio, strconv.FormatFloat(ratio, 'f', 2, 64)
	}
	return "", ""
}

// pair is the language of a pair in the funnel.
func (w *writer) pair(a, b string) string {
	if w.kept == nil || w.languages != [2]string{a, b} {
		w.languages, w.label = [2]string{a, b}, schemas.LanguagePair(a, b)
		w.kept = w.counter(count{pair: w.label})
	}
	return w.label
}

// counter returns where something is counted.
func (w *writer) counter(c count) *int64 {
	n := w.counts[c]
	if n == nil {
		n = new(int64)
		w.counts[c] = n
	}
	return n
}

// drop counts a pair of a record that is not used, and may keep its texts as a sample.
func (w *writer) drop(record item, part int, texts [2]string, c count, detail string) {
	*w.counter(c)++
	id := schemas.DerivedID("bitext reject", record.source.Name, strconv.FormatInt(record.number, 10), strconv.Itoa(part))
	rejects := w.attempt.Rejects()
	if !rejects.Wants(c.step, c.reason, c.pair, id) {
		return
	}
	sample := excerpt.Bytes(texts[0], schemas.MaxSample/2-1) + "\n" + excerpt.Bytes(texts[1], schemas.MaxSample/2-1)
	rejects.Add(schemas.Reject{
		ID: id, Source: record.source.Name, Offset: record.number, Step: c.step, Reason: c.reason, Language: c.pair, Detail: detail,
		Sample: strings.TrimSpace(sample),
	})
}

// flush counts what the unit gave.
func (w *writer) flush() error {
	f := w.attempt.Funnel()
	// In order, since a funnel tells the first languages apart if there are very many.
	for _, c := range slices.SortedFunc(maps.Keys(w.counts), count.compare) {
		n, err := *w.counts[c], error(nil)
		if c.reason == "" {
			err = f.Keep(chainPairs, c.pair, n)
		} else {
			err = f.Drop(chainPairs, c.pair, c.step, c.reason, n)
		}
		if err != nil {
			return err
		}
	}
	clear(w.counts)
	w.kept = nil
	return nil
}

// keyer makes keys of texts.
type keyer struct{ buffer []byte }

// key is the identity of a pair: of both languages and texts, for bitext in whichever order.
func (k *keyer) key(kind, languageA, languageB string, a, b []byte) [16]byte {
	if kind == schemas.KindBitext && (languageA > languageB || languageA == languageB && string(a) > string(b)) {
		languageA, languageB, a, b = languageB, languageA, b, a
	}
	k.buffer = append(append(k.buffer[:0], kind...), 0)
	k.buffer = append(append(k.buffer, languageA...), 0)
	k.buffer = append(append(k.buffer, languageB...), 0)
	k.buffer = strconv.AppendInt(k.buffer, int64(len(a)), 10) // for texts may hold any character
	k.buffer = append(append(k.buffer, 0), a...)
	return xxh3.Hash128(append(k.buffer, b...)).Bytes()
}

// groupOf returns the identity of the text that all translations of it share: that in the
// pivot's language, see pivotOf, or the first one of the pair.
func (k *keyer) groupOf(record item, p [2]int, pivot int) uint64 {
	index := p[0]
	if pivot >= 0 {
		index = pivot
	}
	return k.group(record.languages[index], record.Texts[index])
}

// text is the identity of a text, too, for the exchange.
func (k *keyer) text(language string, text []byte) [16]byte {
	k.buffer = append(append(append(k.buffer[:0], language...), 0), text...)
	return xxh3.Hash128(k.buffer).Bytes()
}

// group is the identity of a text.
func (k *keyer) group(language string, text []byte) uint64 {
	k.buffer = append(append(append(k.buffer[:0], language...), 0), text...)
	return xxh3.Hash(k.buffer)
}
