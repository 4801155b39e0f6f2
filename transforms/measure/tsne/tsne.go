// Package tsne places rows in a plane so that those which are near each other stay near: t-SNE
// (van der Maaten and Hinton, JMLR 9, 2008), exact, for some hundred rows.
//
// # Method
//
// The neighbourhood of a row is a normal distribution over the others, whose width gives the
// perplexity that is asked for; in the plane it is Student's with one degree of freedom. The
// Kullback–Leibler divergence between the two is reduced by gradient descent with momentum
// and a gain for each coordinate, the first steps with exaggerated neighbourhoods. Rates and
// numbers of steps are those of scikit-learn.
//
// # Determinism
//
// Nothing is random: the places at the start are given, such as those along the first two
// principal components.
package tsne

import (
	"context"
	"errors"
	"fmt"
	"math"

	"sentweave/transforms/measure/neighbors"
)

// MostRows is the number of rows above which Fit refuses: time and memory grow with its square,
// to some five seconds and 12 MB.
const MostRows = 1000

// Perplexity is about the number of neighbours that count, where there are enough rows.
const Perplexity = 30

// Schedule of the descent.
const (
	steps         = 1000
	early         = 250 // of them with exaggeration
	exaggeration  = 12
	earlyMomentum = .5
	momentum      = .8
	leastGain     = .01
	leastNorm     = 1e-7 // of a gradient that still moves something
	startSpread   = 1e-4 // deviation of the first coordinate
	leastShare    = 1e-12
)

// Fit returns the place of each row of m, the perplexity that was taken, at most a third of the
// other rows, and the divergence in nats. Start has a place for each row; its scale does not
// matter. Distances are Euclidean. There are 4 rows at least, all finite and not all equal.
func Fit(ctx context.Context, m neighbors.Matrix, start [][2]float64) (places [][2]float64, perplexity, divergence float64, err error) {
	if err := m.Validate(); err != nil {
		return nil, 0, 0, fmt.Errorf("t-SNE: %w", err)
	}
	n := m.Rows()
	if n < 4 || n > MostRows {
		return nil, 0, 0, fmt.Errorf("t-SNE: there are %d rows, it takes 4 to %d", n, MostRows)
	}
	if len(start) != n {
		return nil, 0, 0, fmt.Errorf("t-SNE: %d places to start from for %d rows", len(start), n)
	}
	perplexity = min(Perplexity, float64(n-1)/3)
	p, err := similarities(m, perplexity)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("t-SNE: %w", err)
	}
	if places, err = scaled(start); err != nil {
		return nil, 0, 0, fmt.Errorf("t-SNE: %w", err)
	}
	d := newDescent(p, places)
	for step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, 0, 0, err
		}
		factor, keep := 1.0, momentum
		if step < early {
			factor, keep = exaggeration, earlyMomentum
		}
		if d.step(factor, keep) < leastNorm && step >= early {
			break
		}
	}
	return places, perplexity, d.divergence(), nil
}

// scaled returns places whose first coordinate has the deviation of a start.
func scaled(start [][2]float64) ([][2]float64, error) {
	var sum, squares float64
	for _, s := range start {
		if s[0]-s[0] != 0 || s[1]-s[1] != 0 {
			return nil, errors.New("a place to start from is not finite")
		}
		sum += s[0]
	}
	for _, s := range start {
		squares += (s[0] - sum/float64(len(start))) * (s[0] - sum/float64(len(start)))
	}
	deviation := math.Sqrt(squares / float64(len(start)))
	if deviation == 0 {
		return nil, errors.New("all rows start at one place")
	}
	places := make([][2]float64, len(start))
	for i, s := range start {
		places[i] = [2]float64{s[0] / deviation * startSpread, s[1] / deviation * startSpread}
	}
	return places, nil
}

// similarities returns the joint probabilities of pairs j < i, in the order of i and j; those
// of all ordered pairs sum to 1.
func similarities(m neighbors.Matrix, perplexity float64) ([]float64, error) {
	n := m.Rows()
	squared, conditional := make([]float64, n), make([]float64, n)
	joint := make([]float64, n*(n-1)/2)
	for i := range n {
		a := m.Row(i)
		for j := range n {
			sum := 0.0
			for k, v := range m.Row(j) {
				d := float64(a[k]) - float64(v)
				sum += d * d
			}
			squared[j] = sum
		}
		if v := squared[i]; v != 0 { // of itself: 0 unless a value is not finite
			return nil, fmt.Errorf("row %d has a value that is not finite", i)
		}
		neighbourhood(squared, i, math.Log(perplexity), conditional)
		for j, p := range conditional {
			switch {
			case j < i:
				joint[i*(i-1)/2+j] += p / float64(2*n)
			case j > i:
				joint[j*(j-1)/2+i] += p / float64(2*n)
			}
		}
	}
	for i, p := range joint {
		joint[i] = max(p, leastShare)
	}
	return joint, nil
}

// neighbourhood sets the shares of the others in the neighbourhood of a row by their squared
// distances, of the precision at which the entropy in nats is the one that is wanted. Where
// more of them than it allows are equally near, these have equal shares.
func neighbourhood(squared []float64, self int, entropy float64, shares []float64) {
	nearest := math.Inf(1)
	mean := 0.0
	for j, d := range squared {
		if j != self {
			nearest, mean = min(nearest, d), mean+d/float64(len(squared)-1)
		}
	}
	precision, low, high := 1.0, 0.0, math.Inf(1)
	if mean > nearest {
		precision = 1 / (mean - nearest) // whatever the scale of the rows
	}
	for range 200 {
		sum, weighted := 0.0, 0.0
		for j, d := range squared {
			if shares[j] = 0; j == self {
				continue
			}
			shares[j] = math.Exp(-(d - nearest) * precision)
			sum += shares[j]
			weighted += (d - nearest) * shares[j]
		}
		for j := range shares {
			shares[j] /= sum
		}
		got := math.Log(sum) + precision*weighted/sum
		switch {
		case math.Abs(got-entropy) < 1e-10:
			return
		case got > entropy:
			low = precision
			if precision = (low + high) / 2; math.IsInf(high, 1) {
				precision = 2 * low
			}
		default:
			high = precision
			precision = (low + high) / 2
		}
		if math.IsInf(precision, 1) || low == high {
			return
		}
	}
}

// descent moves places along the gradient.
type descent struct {
	joint    []float64
	places   [][2]float64
	gradient [][2]float64
	velocity [][2]float64
	gains    [][2]float64
	affinity []float64 // of pairs in the plane, not normalised
	sum      float64   // over ordered pairs
	rate     float64
}

func newDescent(joint []float64, places [][2]float64) *descent {
	n := len(places)
	d := &descent{
		joint: joint, places: places, gradient: make([][2]float64, n), velocity: make([][2]float64, n), gains: make([][2]float64, n),
		affinity: make([]float64, len(joint)), rate: max(float64(n)/exaggeration/4, 50),
	}
	for i := range d.gains {
		d.gains[i] = [2]float64{1, 1}
	}
	return d
}

// affinities sets those of all pairs.
func (d *descent) affinities() {
	d.sum = 0
	index := 0
	for i, a := range d.places {
		for _, b := range d.places[:i] {
			x, y := a[0]-b[0], a[1]-b[1]
			q := 1 / (1 + x*x + y*y)
			d.affinity[index] = q
			d.sum += 2 * q
			index++
		}
	}
}

// differentiate sets the gradient of the divergence from joint probabilities that are
// exaggerated by a factor.
func (d *descent) differentiate(factor float64) {
	d.affinities()
	clear(d.gradient)
	index := 0
	for i, a := range d.places {
		var gx, gy float64
		for j, b := range d.places[:i] {
			q := d.affinity[index]
			force := 4 * (factor*d.joint[index] - q/d.sum) * q
			x, y := force*(a[0]-b[0]), force*(a[1]-b[1])
			gx, gy = gx+x, gy+y
			d.gradient[j][0] -= x
			d.gradient[j][1] -= y
			index++
		}
		d.gradient[i][0] += gx
		d.gradient[i][1] += gy
	}
}

// step moves all places and returns the length of the gradient.
func (d *descent) step(factor, keep float64) float64 {
	d.differentiate(factor)
	squares := 0.0
	for i, g := range d.gradient {
		for k := range g {
			squares += g[k] * g[k]
			if d.velocity[i][k]*g[k] < 0 {
				d.gains[i][k] += .2
			} else {
				d.gains[i][k] = max(d.gains[i][k]*.8, leastGain)
			}
			d.velocity[i][k] = keep*d.velocity[i][k] - d.rate*d.gains[i][k]*g[k]
			d.places[i][k] += d.velocity[i][k]
		}
	}
	return math.Sqrt(squares)
}

// divergence is that of the places from the rows, in nats.
func (d *descent) divergence() float64 {
	d.affinities()
	sum := 0.0
	for i, p := range d.joint {
		sum += 2 * p * math.Log(p/max(d.affinity[i]/d.sum, leastShare))
	}
	return sum
}
