//go:build libtorch

package losses

import (
	"fmt"
	"math"

	"sentweave/stages/model"
	"sentweave/stages/torch/transformer"
)

// headParameters lists the parameters of the head of a masked language model. The bias begins with the logarithms of the
// frequencies of ids, if they are given.
func headParameters(c model.Config, unigrams []int64) (list []Parameter, err error) {
	for _, s := range transformer.HeadShapes(c) {
		list = append(list, Parameter{Shape: s})
	}
	if unigrams != nil {
		if len(unigrams) != c.VocabularySize {
			return nil, fmt.Errorf("counts of %d ids for a vocabulary of %d", len(unigrams), c.VocabularySize)
		}
		list[len(list)-1].Initial = logUnigrams(unigrams)
	}
	return list, nil
}

// logUnigrams returns the logarithms of smoothed frequencies.
func logUnigrams(counts []int64) []float32 {
	total := 0.
	for _, n := range counts {
		total += float64(n) + 1
	}
	logs := make([]float32, len(counts))
	for i, n := range counts {
		logs[i] = float32(math.Log((float64(n) + 1) / total))
	}
	return logs
}
