// Package bertscore compares two texts by the vectors of their tokens (Zhang et al. 2020, "BERTScore: Evaluating
// Text Generation with BERT").
//
// # Method
//
// Each token of a text is matched with that token of the other text whose vector has the greatest cosine with its
// own. Precision is the mean of these cosines over the tokens of the candidate, recall over those of the reference,
// and F1 is their harmonic mean. The mean may be weighted by the inverse document frequency of tokens (IDF). The
// tokens that mark the beginning and the end of a text have no weight, though others may be matched with them, as in
// the authors' program. A text without a token of weight scores 0.
//
// The authors' program compares a text that is padded beside longer ones of its batch with a cosine of 0, too, so
// that no cosine below 0 is left there; here there is no padding.
//
// # Determinism
//
// Products and sums are float64, in the order of the numbers and of the tokens: scores are the same on every machine.
package bertscore

import (
	"fmt"
	"math"

	"sentweave/transforms/measure/neighbors"
)

// Tokens are those of a text with their vectors, one after another. The first and the last one mark the beginning and the
// end of the text.
type Tokens struct {
	IDs     []int32
	Vectors []float32
}

// Score is how alike a candidate and a reference are; each number is from -1 to 1.
type Score struct{ Precision, Recall, F1 float64 }

// IDF is the inverse document frequency of tokens among texts.
type IDF struct {
	texts int
	with  map[int32]int // how many of the texts a token is in
}

// NewIDF returns that of no text; Add adds texts.
func NewIDF() *IDF { return &IDF{with: map[int32]int{}} }

// Add adds a text by its tokens.
func (f *IDF) Add(ids []int32) {
	f.texts++
	counted := make(map[int32]bool, len(ids))
	for _, id := range ids {
		if !counted[id] {
			counted[id] = true
			f.with[id]++
		}
	}
}

// Of is log((n + 1) / (m + 1)) for a token that is in m of n texts.
func (f *IDF) Of(id int32) float64 {
	return math.Log(float64(f.texts+1) / float64(f.with[id]+1))
}

// Scorer scores pairs of texts. It is used by one goroutine at a time. The zero value weighs all tokens alike.
type Scorer struct {
	// IDF, if set, weighs tokens.
	IDF *IDF
	// Buffers, by token of the candidate and of the reference.
	candidate, reference []float64 // vectors of length 1
	precision, recall    []float64 // the greatest cosines
}

// Score compares two texts, whose vectors must have one size. Its cost is that of the products of all tokens of one
// text with all of the other.
func (s *Scorer) Score(candidate, reference Tokens) (Score, error) {
	dim, err := dimension(candidate, reference)
	if err != nil {
		return Score{}, err
	}
	s.candidate, s.precision = units(s.candidate, s.precision, candidate, dim)
	s.reference, s.recall = units(s.reference, s.recall, reference, dim)
	for i := range s.precision {
		row := s.candidate[i*dim:][:dim]
		for k := 0; k < len(s.recall); k += width {
			for c, cosine := range products(row, s.reference[k*dim:]) {
				if k+c < len(s.recall) {
					s.precision[i], s.recall[k+c] = max(s.precision[i], cosine), max(s.recall[k+c], cosine)
				}
			}
		}
	}
	p, weighed := s.mean(candidate.IDs, s.precision)
	r, ok := s.mean(reference.IDs, s.recall)
	if !weighed || !ok || math.IsNaN(p+r) {
		return Score{}, notFinite(p + r)
	}
	score := Score{Precision: p, Recall: r}
	if p+r != 0 {
		score.F1 = 2 * p * r / (p + r)
	}
	return score, nil
}

func notFinite(x float64) error {
	if math.IsNaN(x) {
		return fmt.Errorf("the vector of a token holds a value that is not finite")
	}
	return nil
}

// dimension is the size of the vectors of two texts.
func dimension(texts ...Tokens) (dim int, err error) {
	for _, t := range texts {
		if len(t.IDs) == 0 || len(t.Vectors) == 0 || len(t.Vectors)%len(t.IDs) != 0 || dim > 0 && len(t.Vectors) != dim*len(t.IDs) {
			return 0, fmt.Errorf("a text of %d tokens has %d numbers as their vectors", len(t.IDs), len(t.Vectors))
		}
		dim = len(t.Vectors) / len(t.IDs)
	}
	return dim, nil
}

// width is the number of products that are computed side by side.
const width = 4

// units sets the vectors, brought to length 1 and filled up to a multiple of width with zeros, and the greatest cosines to
// the least there are.
func units(vectors, best []float64, t Tokens, dim int) ([]float64, []float64) {
	vectors, best = vectors[:0], best[:0]
	for i := range t.IDs {
		row := t.Vectors[i*dim:][:dim]
		length := math.Sqrt(neighbors.Dot(row, row))
		if length == 0 {
			length = 1
		}
		for _, x := range row {
			vectors = append(vectors, float64(x)/length)
		}
		best = append(best, -1)
	}
	for range (width - len(best)%width) % width * dim {
		vectors = append(vectors, 0)
	}
	return vectors, best
}

// products are those of a row with the next rows. Each is a sum in the order of its terms; the sums do not wait for each other.
func products(row, rows []float64) [width]float64 {
	n := len(row)
	b0, b1, b2, b3 := rows[:n], rows[n:][:n], rows[2*n:][:n], rows[3*n:][:n]
	var s0, s1, s2, s3 float64
	for i, x := range row {
		s0 += float64(x * b0[i]) // rounded: no fused multiplication
		s1 += float64(x * b1[i])
		s2 += float64(x * b2[i])
		s3 += float64(x * b3[i])
	}
	return [width]float64{s0, s1, s2, s3}
}

// mean is the weighted mean of the cosines of tokens; weighed is false where none has a weight.
func (s *Scorer) mean(ids []int32, cosines []float64) (mean float64, weighed bool) {
	first, last := ids[0], ids[len(ids)-1]
	sum, weights := 0., 0.
	for i, id := range ids {
		weight := 1.
		switch {
		case id == first || id == last: // also where they are within the text
			continue
		case s.IDF != nil:
			weight = s.IDF.Of(id)
		}
		sum, weights = sum+weight*cosines[i], weights+weight
	}
	if weights == 0 {
		return 0, false
	}
	return sum / weights, true
}
