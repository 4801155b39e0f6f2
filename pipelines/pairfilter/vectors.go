package pairfilter

import (
	"math"

	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/read/texts"
)

// cosineOf returns that of both sides of a pair, whose vectors are the next ones; it is not a number where a side has no vector.
func cosineOf(v *vectors.Reader, p schemas.Pair) (float64, error) {
	var sides [][]float32
	for text := range texts.OfPair(p) {
		vector, err := v.Next(text)
		if err != nil {
			return 0, err
		}
		sides = append(sides, vector)
	}
	if len(sides) < 2 || len(sides[0]) != len(sides[1]) || len(sides[0]) == 0 {
		return math.NaN(), nil
	}
	return neighbors.Cosine(sides[0], sides[1]), nil
}
