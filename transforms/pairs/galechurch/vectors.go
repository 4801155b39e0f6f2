package galechurch

import (
	"math"
	"slices"
)

// gaussian is a normal distribution of distances, each of which is 1 minus a cosine.
type gaussian struct{ mean, deviation float64 }

var (
	// near is how far translations are from each other, and far how far strangers are, before a text tells. Both are worth a few
	// beads, so they matter on short pages alone.
	near = gaussian{.5, .15}
	far  = gaussian{1, .15}
)

const (
	// leastDeviation keeps a few equal distances from deciding all.
	leastDeviation = .05
	// centred is the number of sentences, all zeros, that count towards the mean of a text: that of few tells little.
	centred = 2
	// elsewhere is the number of places of the other text with which a run is compared as a stranger.
	elsewhere = 8
)

// distances are a sum over distances.
type distances struct{ count, sum, squares float64 }

func (d *distances) add(distance, weight float64) {
	d.count += weight
	d.sum += weight * distance
	d.squares += weight * distance * distance
}

// distribution returns that of the distances, and of what was known before.
func (d distances) distribution(prior gaussian) gaussian {
	n := d.count + weight
	mean := (d.sum + weight*prior.mean) / n
	square := (d.squares + weight*(prior.mean*prior.mean+prior.deviation*prior.deviation)) / n
	return gaussian{mean, math.Sqrt(max(leastDeviation*leastDeviation, square-mean*mean))}
}

// centre returns the vectors of sentences at unit length, without what all sentences of the text have in common, such as the language.
// It returns nil if no sentence has a vector.
func centre(sentences []Sentence) [][]float32 {
	var mean []float64
	vectors, n := make([][]float32, len(sentences)), 0.
	for i, s := range sentences {
		if s.Vector == nil {
			continue
		}
		vectors[i] = slices.Clone(s.Vector)
		normalize(vectors[i])
		if mean == nil {
			mean = make([]float64, len(s.Vector))
		}
		for d, x := range vectors[i] {
			mean[d] += float64(x)
		}
		n++
	}
	if n == 0 {
		return nil
	}
	for _, v := range vectors {
		for d := range v {
			v[d] -= float32(mean[d] / (n + centred))
		}
		normalize(v)
	}
	return vectors
}

// dot returns the inner product of two vectors.
func dot(a, b []float32) float64 {
	sum := 0.
	for d, x := range a {
		sum += float64(x) * float64(b[d]) // exact, so a fused multiplication gives the same
	}
	return sum
}

// normalize brings a vector to unit length; one of zeros stays so.
func normalize(v []float32) {
	if length := math.Sqrt(dot(v, v)); length > 0 {
		for d, x := range v {
			v[d] = float32(float64(x) / length)
		}
	}
}

// merge returns the vector of two runs, the sum of both at unit length; that of one where the other has none.
func merge(a, b []float32) []float32 {
	if a == nil || b == nil {
		return append(a, b...)
	}
	sum := make([]float32, len(a))
	for d := range sum {
		sum[d] = a[d] + b[d]
	}
	normalize(sum)
	return sum
}

// setVectors takes the vectors of the runs, and the lengths of the sums of neighbours.
func (s *side) setVectors(vectors [][]float32) {
	s.vectors, s.sums = vectors, make([]float64, len(vectors))
	for i := 1; i < len(vectors); i++ {
		if a, b := vectors[i-1], vectors[i]; a != nil && b != nil {
			s.sums[i] = math.Sqrt(max(leastDeviation, 2+2*dot(a, b)))
		}
	}
}

// strangers returns how far runs are from runs at other places of the other text.
func (l *level) strangers() gaussian {
	var d distances
	n, m := len(l.a.vectors), len(l.b.vectors)
	for i, v := range l.a.vectors {
		for k := 1; k < elsewhere && v != nil && m >= elsewhere; k++ {
			if w := l.b.vectors[(i*m/n+k*m/elsewhere)%m]; w != nil {
				d.add(1-dot(v, w), 1)
			}
		}
	}
	return d.distribution(far)
}

// compare finds the cosine of the runs before each row and each column; it is not a number where one has no vector.
func (x *lattice) compare() {
	if x.a.vectors == nil || x.b.vectors == nil {
		return
	}
	x.cosines, x.far = make([]float32, len(x.gains)), x.strangers()
	for i, s := range x.corridor {
		row := x.cosines[x.start[i]:]
		for j := s.first; j <= s.last; j++ {
			cosine := math.NaN()
			if i > 0 && j > 0 && x.a.vectors[i-1] != nil && x.b.vectors[j-1] != nil {
				cosine = dot(x.a.vectors[i-1], x.b.vectors[j-1])
			}
			row[j-s.first] = float32(cosine)
		}
	}
}

// distance is that of both sides of a bead that ends before row i and column j. It is not a number where a vector is missing.
func (x *lattice) distance(k kind, i, j int) float64 {
	sum, length := x.cosineAt(i, j), 1.
	switch {
	case k.a == 2:
		sum, length = sum+x.cosineAt(i-1, j), x.a.sums[i-1]
	case k.b == 2:
		sum, length = sum+x.cosineAt(i, j-1), x.b.sums[j-1]
	}
	return 1 - sum/length
}

func (x *lattice) cosineAt(i, j int) float64 {
	if p := x.index(i, j); p >= 0 {
		return float64(x.cosines[p])
	}
	return math.NaN()
}

// likeness is the evidence of a distance. What is nearer than translations usually are, or farther than strangers, tells no more than
// these.
func (x *lattice) likeness(m *model, distance float64) float64 {
	if math.IsNaN(distance) {
		return 0
	}
	mean, deviation := min(m.near.mean, x.far.mean), min(m.near.deviation, x.far.deviation)
	distance = min(x.far.mean, max(mean, distance))
	y, z := (distance-mean)/deviation, (distance-x.far.mean)/x.far.deviation
	return z*z/2 - y*y/2 + math.Log(x.far.deviation/deviation)
}
