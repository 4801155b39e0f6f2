package evaluate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sentweave/schemas/jsonfile"
)

// MetricMean is the average of figures that different tasks measure in different ways.
const MetricMean = "mean"

// Reading says how the figures of a metric are shown and compared.
type Reading struct {
	// Percent is set of shares and correlations, which are usually shown a hundred times
	// as great.
	Percent bool
	// Better is 1 where a greater figure is better, −1 where a smaller one is, and 0
	// where neither is.
	Better int
}

// ReadingOf returns how a metric is read. Of a metric that this package does not
// give nothing is known.
func ReadingOf(metric string) Reading {
	switch strings.TrimSuffix(metric, metricUncontaminated) {
	case MetricAccuracy, MetricTextAccuracy, MetricSpearman, MetricPearson, metricF1, metricPrecision, metricRecall, metricMAP, MetricMean:
		return Reading{Percent: true, Better: 1}
	case metricError:
		return Reading{Percent: true, Better: -1}
	case MetricSameLanguage, metricShare, metricEntropy, metricOrphans, metricLanguage:
		return Reading{Percent: true}
	}
	return Reading{}
}

// Undefined is what UndefinedOf says of a single correlation.
const Undefined = "undefined"

// UndefinedOf returns what the settings of a figure say of correlations that count as 0 in it, since all
// similarities are equal: Undefined of one, "3 undefined" of a mean of several, "" where there are none.
func UndefinedOf(settings string) string {
	var s struct {
		Undefined any `json:"undefined"`
	}
	if jsonfile.Unmarshal([]byte(settings), &s) != nil || s.Undefined == nil { // settings of another shape say nothing
		return ""
	}
	if n, isMean := s.Undefined.(float64); isMean {
		return fmt.Sprintf("%.0f undefined", n)
	}
	return Undefined
}

// IsAggregate says whether a subtask is a figure of a whole task, or of a whole test set
// of a task that has several.
func IsAggregate(subtask string) bool {
	return slices.Contains([]string{SubtaskAll, SubtaskMean, SubtaskWeightedMean, SubtaskMeanTo, SubtaskMeanFrom}, path.Base(subtask))
}
