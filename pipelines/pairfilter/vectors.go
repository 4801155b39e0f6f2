package pairfilter

import (
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/transforms/read/texts"
)

// sidesOf returns the vectors of the texts of a pair, which are the next ones.
func sidesOf(v *vectors.Reader, p schemas.Pair) (sides [][]float32, err error) {
	for text := range texts.OfPair(p) {
		vector, err := v.Next(text)
		if err != nil {
			return nil, err
		}
		sides = append(sides, vector)
	}
	return sides, nil
}

// unusable says why the vectors of a pair cannot be compared, "" if they can.
func unusable(sides [][]float32, dimensions int) string {
	for _, vector := range sides {
		if reason := vectors.Unusable(vector, dimensions); reason != "" {
			return reason
		}
	}
	return ""
}
