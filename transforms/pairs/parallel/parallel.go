// Package parallel joins pages that are translations of each other, paragraph by
// paragraph, as in a manual that is published in many languages. It makes pairs of
// kind bitext for every two languages.
//
// # Method
//
// Of several pages in one language the most translated one takes part (Choose). Pages
// align on block ordinals, counted before filters. Two pages with different numbers of
// blocks are not joined at all, or their sentences are aligned (Config.Align), by vectors, too,
// where pages have them. The text of a block is its kept sentences joined by a space.
// A block that lost a sentence to a filter, on either side, is dropped, because
// the texts would not say the same. So are blocks that are nearly equal, in another
// language than their page, too short, or of unlike lengths. If the blocks of two
// languages have nearly the same words, the text is in one of the two languages at
// most; the other page's block is then not paired with third languages either.
//
// Every text of a block has the group of the page and the block, so that translations
// of each other are never negatives of each other.
//
// # Determinism
//
// The result depends on the pages and the configuration, not on the order of the
// pages. Pairs are ordered by block, then by the languages, the smaller code first.
package parallel

import (
	"encoding/binary"
	"strconv"

	"sentweave/schemas"
	"sentweave/transforms/pairs/galechurch"

	"github.com/zeebo/xxh3"
)

// Page is one language's version of a page.
type Page struct {
	// Language is the page's, as the caller knows it (from its path or address); the
	// sentences carry their own.
	Language string
	// Identified says that the caller does not know it: Language is what was identified
	// in the text.
	Identified bool
	Document   schemas.Document
	// Vectors are embeddings of the sentences of the document, in their order, nil for a sentence without one. They are of one
	// dimension in all pages, and none is all zeros. Nil if there are none, or sentences are not aligned.
	Vectors [][]float32
}

// Drop is a block of two pages that gives no pair.
type Drop struct {
	LanguageA, LanguageB string
	Block                int32
	Reason               string
	// Measure is what decided: the ratio of lengths, the share of text in another
	// language, the length of the shorter side, the share of common words, which is 1
	// where all letters and digits are the same; 0 otherwise.
	Measure float64
	// TextA and TextB are the texts, empty where a page has none.
	TextA, TextB string
}

// Result is what Join makes of one page. Its slices are reused by the next call.
type Result struct {
	Pairs []schemas.Pair
	// Drops has an entry for every block and two languages, where at least one of
	// the pages has text, that gives no pair.
	Drops []Drop
	// Joined is the number of blocks and two languages that give pairs: one each,
	// or one a sentence. Joined and the drops together are what came in.
	Joined int
	// Aligned says that Pairs and Drops are of aligned sentences, with one pair for each that is joined.
	Aligned bool
}

// Joiner joins pages. It is safe for concurrent use.
type Joiner struct {
	config     Config
	equivalent map[string]string
}

// New returns a joiner, or all faults of the configuration.
func New(c Config) (*Joiner, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	j := &Joiner{config: c, equivalent: map[string]string{}}
	for _, group := range c.Equivalent {
		for _, language := range group {
			j.equivalent[language] = group[0]
		}
	}
	return j, nil
}

// Join writes the pairs of one page to r. Key identifies the page over all
// languages (its path without the language); origin goes into every row. Ids are
// derived from key, languages, block and sentence. Of pages of one language one takes
// part, as Choose chooses it.
func (j *Joiner) Join(r *Result, key, origin string, pages []Page) {
	r.clear()
	_ = j.walk(r, key, origin, pages, func() error { return nil })
}

// JoinBlocks is Join that calls use after each block, when r holds what that block gives, and after each two
// pages whose sentences were aligned: of many languages a page makes more pairs than go into memory. It takes
// time and memory that grow with the square of the languages. An error of use ends it.
func (j *Joiner) JoinBlocks(r *Result, key, origin string, pages []Page, use func() error) error {
	r.clear()
	return j.walk(r, key, origin, pages, func() error {
		defer r.clear()
		return use()
	})
}

func (r *Result) clear() { *r = Result{Pairs: r.Pairs[:0], Drops: r.Drops[:0]} }

// walk joins the pages, and calls visit for each block.
func (j *Joiner) walk(r *Result, key, origin string, pages []Page, visit func() error) error {
	pages, _ = j.Choose(pages)
	w := walk{joiner: j, result: r, key: key, origin: origin}
	for _, p := range pages {
		w.pages = append(w.pages, j.cut(p))
	}
	w.next = make([]int, len(w.pages))
	w.at = make([]*block, len(w.pages))
	w.alike = make([]likeness, len(w.pages)*len(w.pages))
	w.original = w.findOriginal()
	if j.config.Align {
		w.compareBlocks()
	}
	for w.advance() {
		w.compare()
		w.joinBlock()
		if err := visit(); err != nil {
			return err
		}
	}
	return w.align(visit)
}

// walk goes through the blocks of all pages at once.
type walk struct {
	joiner      *Joiner
	result      *Result
	key, origin string
	pages       []page
	next        []int    // the next block of each page
	at          []*block // the block of each page at the current ordinal, or nil
	ordinal     int32
	alike       []likeness // of the current blocks, by pairs of pages
	original    int        // the page from which the others were translated, or -1
	// Where sentences are aligned: those of each page, and which two pages are aligned.
	texts [][]galechurch.Sentence
	apart []bool
}

// advance goes to the next ordinal at which a page has text; false at the end.
func (w *walk) advance() bool {
	ok := false
	for i, p := range w.pages {
		if n := w.next[i]; n < len(p.blocks) && (!ok || p.blocks[n].ordinal < w.ordinal) {
			w.ordinal, ok = p.blocks[n].ordinal, true
		}
	}
	for i := range w.pages {
		w.at[i] = nil
		if n := w.next[i]; n < len(w.pages[i].blocks) && w.pages[i].blocks[n].ordinal == w.ordinal {
			w.at[i] = &w.pages[i].blocks[n]
			w.next[i]++
		}
	}
	return ok
}

// joinBlock makes the pairs at the current ordinal.
func (w *walk) joinBlock() {
	for i := range w.pages {
		for k := i + 1; k < len(w.pages); k++ {
			a, b := &w.pages[i], &w.pages[k]
			if w.at[i] == nil && w.at[k] == nil || !w.joins(a, b) || w.aligns(i, k) {
				continue
			}
			if reason, measure := w.joiner.judge(a, b, w.at[i], w.at[k], w.of(i, k)); reason != "" {
				w.drop(Drop{LanguageA: a.language, LanguageB: b.language, Reason: reason, Measure: measure}, w.at[i], w.at[k])
				continue
			}
			w.result.Joined++
			w.emit(a, b, w.at[i], w.at[k])
		}
	}
}

// joins says whether two pages give pairs: one of them has the language of the pivot, if that is set.
func (w *walk) joins(a, b *page) bool {
	pivot := w.joiner.config.Pivot
	return pivot == "" || a.language == pivot || b.language == pivot
}

// drop adds a drop with the block and the texts of x or y, or of both; the other one is nil.
func (w *walk) drop(d Drop, x, y *block) {
	if y != nil {
		d.Block, d.TextB = y.ordinal, y.text
	}
	if x != nil {
		d.Block, d.TextA = x.ordinal, x.text
	}
	w.result.Drops = append(w.result.Drops, d)
}

func mismatched(a, b *page) bool { return !a.counted || !b.counted || a.count != b.count }

// judge returns why block x of page a and block y of page b are not a pair, or "".
func (j *Joiner) judge(a, b *page, x, y *block, l *likeness) (string, float64) {
	switch {
	case mismatched(a, b):
		return ReasonMismatched, 0
	case x == nil || y == nil:
		return reasonMissing, 0
	case !j.config.KeepIncomplete && !(x.complete && y.complete):
		return reasonIncomplete, 0
	}
	return j.judgeTexts(x, y, l)
}

// judgeTexts returns why the texts of two blocks are not a pair, or "".
func (j *Joiner) judgeTexts(x, y *block, l *likeness) (string, float64) {
	if w := min(x.weight, y.weight); w < j.config.MinCharacters {
		return reasonTooShort, w
	}
	if l.untranslated {
		return ReasonUntranslated, l.share
	}
	if x.left || y.left {
		return reasonWrongLanguage, 1
	}
	if share := max(x.foreign, y.foreign); share > .5 {
		return reasonWrongLanguage, share
	}
	if ratio := j.ratio(x.weight, y.weight); ratio > j.config.MaxLengthRatio {
		return reasonLengthRatio, ratio
	}
	return "", 0
}

// like compares two texts: untranslated they are if they are one, or nearly so.
// Languages that are taken for each other may well have most words in common. Of a
// text and its original the numbers count, too, and each word counts alike: captions
// are left with a word translated, as in "Abbildung 3.2: The Tools menu".
func (j *Joiner) like(a, b *page, x, y *block, original bool) likeness {
	if sameWords(x.text, y.text) {
		return likeness{untranslated: true, same: true, share: 1}
	}
	if j.related(a.language, b.language) {
		return likeness{}
	}
	share := overlap(x, y, j.config.MaxOverlap)
	if share == 0 && original && j.config.MaxOverlap < 1 {
		share = contained(x, y, j.config.MaxOverlap)
	}
	return likeness{untranslated: share > 0, share: share}
}

func (j *Joiner) ratio(a, b float64) float64 {
	slack := max(j.config.LengthSlack, 1e-9) // two empty texts are alike
	return (max(a, b) + slack) / (min(a, b) + slack)
}

func (w *walk) emit(a, b *page, x, y *block) {
	ordinal := strconv.Itoa(int(w.ordinal))
	if !w.joiner.config.Sentences || !w.joiner.alike(a, b, x, y) {
		w.result.Pairs = append(w.result.Pairs, w.row(a, b, x, y, ordinal))
		return
	}
	for i := range x.sentences {
		p := w.row(a, b, x, y, ordinal, strconv.Itoa(i))
		p.TextA, p.TextB = x.sentences[i].Text, y.sentences[i].Text
		w.result.Pairs = append(w.result.Pairs, p)
	}
}

// alike says whether the sentences of two blocks can be taken as translations of
// each other, one by one. A single doubtful pair speaks against all: sentences
// behind it may be shifted.
func (j *Joiner) alike(a, b *page, x, y *block) bool {
	if len(x.sentences) != len(y.sentences) || len(x.sentences) < 2 {
		return false
	}
	var s, t block
	for i := range x.sentences {
		s.set(x.sentences[i].Text)
		t.set(y.sentences[i].Text)
		if min(s.weight, t.weight) < j.config.MinCharacters || j.ratio(s.weight, t.weight) > j.config.MaxLengthRatio {
			return false
		}
		if j.like(a, b, &s, &t, false).untranslated {
			return false
		}
	}
	return true
}

// row is the pair of the texts of x and y. The parts, with the page and the languages, make its id.
func (w *walk) row(a, b *page, x, y *block, parts ...string) schemas.Pair {
	positionA, positionB := x.ordinal, y.ordinal
	return schemas.Pair{
		ID:        schemas.DerivedID(schemas.KindBitext, append([]string{w.key, a.language, b.language}, parts...)...),
		Kind:      schemas.KindBitext,
		TextA:     x.text,
		TextB:     y.text,
		LanguageA: a.language,
		LanguageB: b.language,
		DocumentA: a.document,
		DocumentB: b.document,
		PositionA: &positionA,
		PositionB: &positionB,
		Origin:    w.origin,
		Group:     w.group(b, x, y),
	}
}

// group is that of the block of the original, or else of x, so that it is that of the block's pair with a third language.
func (w *walk) group(b *page, x, y *block) *uint64 {
	ordinal := x.ordinal
	if w.original >= 0 && b == &w.pages[w.original] {
		ordinal = y.ordinal
	}
	group := Group(w.key, ordinal)
	return &group
}

// Group returns the group of the texts of a block of a page, equal for all
// languages: the XXH3-64 of key and block. The sentences of a block share it,
// because elsewhere the block may stand whole.
func Group(key string, block int32) uint64 {
	b := make([]byte, 0, 256)
	b = append(b, key...)
	b = append(b, 0) // ends the key
	return xxh3.Hash(binary.LittleEndian.AppendUint32(b, uint32(block)))
}
