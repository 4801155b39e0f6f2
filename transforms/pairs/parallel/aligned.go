package parallel

import (
	"strconv"

	"sentweave/schemas"
	"sentweave/transforms/pairs/galechurch"
)

const (
	// cognate is the number of first letters by which words of two languages are taken for one (Simard, Foster and
	// Isabelle, Using cognates to align sentences in bilingual corpora, TMI 1992).
	cognate = 4
	// leastAligned is the share of the sentences of the shorter page that find a translation. A sixth does where
	// the page is another one of the Debian handbook, and nine tenths where a tenth of the blocks is gone.
	leastAligned = 1. / 3
	// surely and leastAgreeing are of pages with equally many blocks: their blocks are taken as shifted if, of the beads of more than
	// this probability, less than this share are in blocks of one ordinal. Fewer than leastBeads tell nothing.
	surely, leastAgreeing = .9, .8
	leastBeads            = 5
	// mostAligned is the number of sentences of a page that are aligned, which takes 200 MB.
	mostAligned = 1 << 17
)

// aligns says whether the sentences of pages i and k are aligned.
func (w *walk) aligns(i, k int) bool { return w.apart != nil && w.apart[i*len(w.pages)+k] }

// compareBlocks finds the pages whose sentences are to be aligned: their blocks differ in number, or are shifted, as where each
// page lacks another block.
func (w *walk) compareBlocks() {
	w.texts, w.apart = make([][]galechurch.Sentence, len(w.pages)), make([]bool, len(w.pages)*len(w.pages))
	ordinals := make([][]int32, len(w.pages))
	for i := range w.pages {
		w.texts[i], ordinals[i] = w.pages[i].sentences()
	}
	for i := range w.pages {
		for k := i + 1; k < len(w.pages); k++ {
			a, b := &w.pages[i], &w.pages[k]
			apart := mismatched(a, b)
			if !apart && w.joins(a, b) {
				certain, agreeing := 0, 0
				for _, bead := range alignTexts(w.texts[i], w.texts[k]) {
					if bead.Probability > surely {
						certain++
						if ordinals[i][bead.FirstA] == ordinals[k][bead.FirstB] {
							agreeing++
						}
					}
				}
				apart = certain >= leastBeads && float64(agreeing) < leastAgreeing*float64(certain)
			}
			w.apart[i*len(w.pages)+k] = apart
		}
	}
}

// alignTexts returns the beads of two texts, none of texts that are too long.
func alignTexts(a, b []galechurch.Sentence) []galechurch.Bead {
	if max(len(a), len(b)) > mostAligned {
		return nil
	}
	return galechurch.Align(a, b)
}

// align joins the pages whose sentences are aligned, and calls visit after each two.
func (w *walk) align(visit func() error) error {
	for i := range w.pages {
		for k := i + 1; k < len(w.pages); k++ {
			a, b := &w.pages[i], &w.pages[k]
			if !w.joins(a, b) || !w.aligns(i, k) {
				continue
			}
			w.joinSentences(a, b, w.texts[i], w.texts[k])
			if err := visit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// sentences is what aligning takes of a page, and the ordinals of the blocks of its sentences.
func (p *page) sentences() (list []galechurch.Sentence, ordinals []int32) {
	var words []word
	for _, b := range p.blocks {
		for i, s := range b.sentences {
			words = appendWords(words[:0], s.Text, cognate)
			hashes := make([]uint64, len(words))
			for h, x := range words {
				hashes[h] = x.hash
			}
			sentence := galechurch.Sentence{Length: Weight(s.Text), Words: hashes, Begins: i == 0}
			if p.vectors != nil {
				sentence.Vector = p.vectors[len(list)]
			}
			list = append(list, sentence)
			ordinals = append(ordinals, b.ordinal)
		}
	}
	return list, ordinals
}

// joinSentences makes a pair or a drop of each bead of pages a and b, and a drop of each sentence without a translation.
func (w *walk) joinSentences(a, b *page, textA, textB []galechurch.Sentence) {
	w.result.Aligned = true
	beads := alignTexts(textA, textB)
	lone := Drop{LanguageA: a.language, LanguageB: b.language, Reason: reasonMissing}
	if float64(len(beads)) < leastAligned*float64(min(len(textA), len(textB))) {
		beads, lone.Reason = nil, ReasonMismatched
	}
	x, y := cursor{page: a, joiner: w.joiner}, cursor{page: b, joiner: w.joiner}
	original := w.original >= 0 && (a == &w.pages[w.original] || b == &w.pages[w.original])
	for _, bead := range append(beads, galechurch.Bead{FirstA: len(textA), EndA: len(textA), FirstB: len(textB), EndB: len(textB)}) {
		for x.next < bead.FirstA {
			w.drop(lone, x.take(1), nil)
		}
		for y.next < bead.FirstB {
			w.drop(lone, nil, y.take(1))
		}
		if bead.EndA == bead.FirstA {
			return
		}
		s, t := x.take(bead.EndA-bead.FirstA), y.take(bead.EndB-bead.FirstB)
		l := w.joiner.like(a, b, s, t, original)
		if reason, measure := w.joiner.judgeTexts(s, t, &l); reason != "" {
			w.drop(Drop{LanguageA: a.language, LanguageB: b.language, Reason: reason, Measure: measure}, s, t)
			continue
		}
		w.result.Joined++
		p := w.row(a, b, s, t, "sentences", strconv.Itoa(int(s.sentences[0].Position)), strconv.Itoa(int(t.sentences[0].Position)))
		score := float32(bead.Probability)
		p.Score = &score
		w.result.Pairs = append(w.result.Pairs, p)
	}
}

// cursor goes through the sentences of a page.
type cursor struct {
	page        *page
	joiner      *Joiner
	next        int // the number of the next sentence
	block, from int // where it is
}

// take returns the next n sentences, which are in one block.
func (c *cursor) take(n int) *block {
	whole := &c.page.blocks[c.block]
	b := &block{ordinal: whole.ordinal, sentences: whole.sentences[c.from : c.from+n]}
	b.set(schemas.JoinSentences(b.sentences))
	b.foreign, b.own = c.joiner.foreign(b.sentences, c.page)
	c.next += n
	if c.from += n; c.from == len(whole.sentences) {
		c.block, c.from = c.block+1, 0
	}
	return b
}
