package probe

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat"

	"sentweave/schemas/fault"
	"sentweave/transforms/random"
)

// Scored are rows with a score from 0 to 5; their classes do not count.
type Scored struct {
	Rows
	Scores []float64
}

const (
	// bins are the scores 1 to 5, over which a distribution is predicted.
	bins = 5
	// relatednessBatch and the others are the constants of SentEval's relatedness.py.
	relatednessBatch, relatednessRound, relatednessMost, relatednessMisses = 64, 50, 1000, 3
)

// Relatedness predicts scores from vectors, as SICK-R and STS-B are measured (Tai et al.,
// ACL 2015): a softmax over five bins, of which the expected bin is the score. It is trained
// on the squared error of the distribution by Adam, in rounds of 50 passes, and keeps the
// weights with the best Pearson correlation on the development rows; the fourth round
// without improvement, over all, ends it. It returns the predicted scores of each test.
//
// The target of a score y is shared by the bins around y, as SentEval makes it: that of a
// score below 1, as in STS-B, does not sum to 1.
func Relatedness(ctx context.Context, seed uint64, train, dev Scored, tests ...Scored) (predicted [][]float64, err error) {
	dimension := 0
	for i, part := range append([]Scored{train, dev}, tests...) {
		if i == 0 && len(part.Vectors) > 0 {
			dimension = part.dim()
		}
		if err := part.validate(dimension); err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
	}
	features := train.Rows.expanded() // of few rows, in hundreds of passes
	draw := random.New(version, seed, "relatedness weights", "", 0)
	s := newStack(1, dimension, bins, 0, &draw)
	o := newMover(adam, &s, []float64{0})
	best, bestScore, misses := s.model(0, 0), -1.0, 0
	indices := upTo(len(train.Vectors))
	order := slices.Clone(indices)
	var w workspace
	for pass := 0; pass < relatednessMost && misses <= relatednessMisses; {
		for range relatednessRound {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			shuffle := random.New(version, seed, "relatedness order", "", int64(pass))
			copy(order, indices)
			random.Shuffle(&shuffle, order)
			for batch := range slices.Chunk(order, relatednessBatch) {
				w.gather(features, batch)
				s.forward(&w, nil, 0)
				squaredError(w.scores, train.Scores, batch)
				o.step(&s, &w)
			}
			pass++
		}
		score := stat.Correlation(s.expected(&w, dev.Rows), dev.Scores, nil)
		if score > bestScore {
			best, bestScore = s.model(0, 0), score
			continue
		}
		misses++
	}
	for _, test := range tests {
		predicted = append(predicted, best.expected(&w, test.Rows))
	}
	return predicted, nil
}

func (s Scored) validate(dimension int) error {
	if len(s.Vectors) != len(s.Scores) {
		return fmt.Errorf("%d vectors have %d scores", len(s.Vectors), len(s.Scores))
	}
	var faults fault.List
	for i, y := range s.Scores {
		faults.Check(y >= 0 && y <= bins, "row %d has the score %v: want 0 to %d", i, y, bins)
		if len(faults) >= 5 {
			break
		}
	}
	s.Classes = make([]int, len(s.Vectors))
	faults.Add(s.Rows.Validate(2))
	if faults.Err() == nil && s.dim() != dimension {
		faults.Addf("rows have %d features, those of the training have %d", s.dim(), dimension)
	}
	return faults.Err()
}

// target sets the distribution over the bins of a score.
func target(y float64, distribution *[bins]float64) {
	clear(distribution[:])
	floor := math.Floor(y)
	for bin := range distribution {
		switch value := float64(bin + 1); {
		case value == floor+1:
			distribution[bin] = y - floor
		case value == floor:
			distribution[bin] = floor - y + 1
		}
	}
}

// softmax returns the distribution of a row of scores.
func softmax(row []float32, distribution *[bins]float64) {
	top, sum := slices.Max(row), 0.0
	for c, x := range row {
		distribution[c] = math.Exp(float64(x - top))
		sum += distribution[c]
	}
	for c := range distribution {
		distribution[c] /= sum
	}
}

// squaredError turns scores into the gradients of the mean squared error, over rows and bins,
// of their distribution.
func squaredError(scores blas32.General, gold []float64, batch []int) {
	var p, want [bins]float64
	for i, index := range batch {
		row := scores.Data[i*scores.Stride:][:bins]
		softmax(row, &p)
		target(gold[index], &want)
		inner := 0.0
		for c := range p {
			inner += float64(p[c] * 2 * (p[c] - want[c]))
		}
		for c := range p {
			row[c] = float32(p[c] * (2*(p[c]-want[c]) - inner) / float64(bins*len(batch)))
		}
	}
}

// expected returns the expected bin of each vector, from 1 to 5.
func (s *stack) expected(w *workspace, rows Rows) []float64 {
	list := make([]float64, 0, len(rows.Vectors))
	var p [bins]float64
	for part := range slices.Chunk(upTo(len(rows.Vectors)), predictBatch) {
		w.gather(rows, part)
		s.forward(w, nil, 0)
		for i := range part {
			softmax(w.scores.Data[i*w.scores.Stride:][:bins], &p)
			y := 0.0
			for c := range p {
				y += float64(float64(c+1) * p[c])
			}
			list = append(list, y)
		}
	}
	return list
}
