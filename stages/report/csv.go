package report

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
)

// csv writes all figures: a line for each model and figure, whose values have all their
// digits. Several results of a model are one line, as on the page. The last column marks correlations that are undefined and count as 0.
func (r *results) csv() ([]byte, error) {
	var buffer bytes.Buffer
	w := csv.NewWriter(&buffer)
	exact := func(v float64) string {
		if !markup.Finite(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	// The writer keeps its first error, which Error returns.
	w.Write([]string{"model", "task", "subtask", "language", "metric", "value", "low", "high", "deviation", "deviation_over", "n",
		"data_xxh3", "undefined"})
	for _, key := range r.order {
		for _, m := range r.models {
			if f, ok := r.of(m, key); ok {
				w.Write([]string{m.Key, key.task, key.subtask, key.language, key.metric, exact(f.value), exact(f.low), exact(f.high),
					exact(f.deviation), f.over, strconv.FormatInt(f.n, 10), f.data, metrics.UndefinedOf(f.raw)})
			}
		}
	}
	w.Flush()
	return buffer.Bytes(), w.Error()
}
