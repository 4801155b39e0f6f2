// Package galechurch aligns the sentences of two texts that are translations of each other, where
// each may lack parts of the other one.
//
// # Method
//
// An alignment is a row of beads in the order of both texts: a sentence with a sentence, one with two
// neighbours, or one alone (Gale and Church, A Program for Aligning Sentences in Bilingual Corpora,
// Computational Linguistics 19, 1993). The evidence for a bead is the logarithm of the likelihood ratio of
// its two sides as translations and as strangers:
//
//   - Their lengths. Those of translations vary around a common ratio, those of strangers are log-normal.
//   - Words that both texts have, such as numbers and names. How often a translation repeats a word follows
//     from how often either text has it.
//   - Whether both sides begin a paragraph. No bead reaches over the end of a paragraph.
//   - Where both sides have vectors, the cosine of these, as in Thompson and Koehn, Vecalign: Improved Sentence Alignment in Linear
//     Time and Space, EMNLP 2019. That divides the distance by the mean one to random sentences; here the mean of its text is taken
//     off each vector, which does the same, and how far strangers are is measured at other places of the text. The vector of two
//     neighbours is the normalized sum of theirs, where Vecalign embeds the text of both.
//
// The result is the beads whose posterior probability over all alignments is above a half, as in Moore, Fast
// and Accurate Sentence Alignment of Bilingual Corpora, AMTA 2002: each sentence is in one of these at most,
// and they never cross. The ratio of lengths, its variance, the distances of translations and the probabilities of the kinds of beads are
// learned from the texts themselves by expectation maximization, as by Moore.
//
// # Cost
//
// Texts are aligned from coarse to fine: runs of sentences first, then runs of half their size near the
// alignments that were likely. So time and memory grow with the number of sentences, and not with its square.
// The result depends on the texts alone.
package galechurch

// Sentence is what is known of a sentence.
type Sentence struct {
	// Length is in characters of an alphabet, so that languages can be compared; more than 0.
	Length float64
	// Words are hashes of the words, in any order.
	Words []uint64
	// Begins says that the sentence is the first one of its paragraph.
	Begins bool
	// Vector is the embedding of the sentence, nil where there is none. All of both texts have the same dimension, and none
	// is all zeros.
	Vector []float32
}

// Bead is a run of sentences of either text, each from First to before End, that translate each other: one
// sentence on one side, and one or two on the other one.
type Bead struct {
	FirstA, EndA, FirstB, EndB int
	// Probability is the posterior one, in (0.5, 1].
	Probability float64
}

const (
	// coarsest is the number of cells, sentences by sentences, below which all alignments are compared.
	coarsest = 1 << 15
	// mostUnlike is the ratio of numbers of sentences from which on texts do not translate each other.
	mostUnlike = 10
	// rounds of expectation maximization.
	rounds = 3
)

// Align returns the beads of two texts, in their order. Sentences in no bead have no translation, or none that
// can be told.
func Align(a, b []Sentence) []Bead {
	if len(a)*mostUnlike < len(b) || len(b)*mostUnlike < len(a) || len(a) == 0 || len(b) == 0 {
		return nil
	}
	levels := []*level{newLevel(a, b)}
	for {
		l := levels[len(levels)-1]
		if len(l.a.lengths)*len(l.b.lengths) <= coarsest {
			break
		}
		levels = append(levels, l.halve())
	}
	m := newModel()
	var c corridor
	for i := len(levels) - 1; i > 0; i-- {
		l := levels[i]
		x := newLattice(l, c)
		for range rounds {
			x.run(&m)
			m.learn(x)
		}
		c = x.refine(levels[i-1])
		levels[i] = nil
	}
	x := newLattice(levels[0], c)
	for range rounds - 1 {
		x.run(&m)
		m.learn(x)
	}
	x.run(&m)
	return x.beads
}
