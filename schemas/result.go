package schemas

import (
	"encoding/json"
	"strings"
)

// Result is one figure of an evaluation. An aggregate is a row whose subtask is "all",
// "mean" or "wmean". If a task has several test sets, the name of the test set and a
// slash precede this.
type Result struct {
	Model    string  `parquet:"model,dict" json:"model"`
	Task     string  `parquet:"task,dict" json:"task"`
	Subtask  string  `parquet:"subtask,dict" json:"subtask"`
	Language string  `parquet:"language,dict" json:"language"`
	Metric   string  `parquet:"metric,dict" json:"metric"`
	Value    float64 `parquet:"value" json:"value"`
	// N is the number of items that the value is taken over.
	N int64 `parquet:"n" json:"n"`
	// Spread is the half width of the 95 % interval, or the deviation over seeds, as Settings say.
	Spread *float64 `parquet:"spread,optional" json:"spread,omitempty"`
	Seed   *int64   `parquet:"seed,optional" json:"seed,omitempty"`
	// Settings is a JSON object with the choices that the protocol leaves open.
	Settings string `parquet:"settings" json:"settings"`
	// DataXXH3 is the hash of the data that was evaluated.
	DataXXH3 string `parquet:"data_xxh3" json:"data_xxh3"`
}

// Schema implements Row.
func (Result) Schema() Schema { return Schema{Name: "result", Version: 1, RowGroup: rowGroup} }

// Validate implements Row.
func (r Result) Validate() error {
	var f faults
	f.required("model", r.Model)
	f.required("task", r.Task)
	f.text("subtask", r.Subtask)
	f.text("language", r.Language)
	f.required("metric", r.Metric)
	f.finite("value", r.Value)
	if r.N < 0 {
		f.Addf("n %d is negative", r.N)
	}
	if r.Spread != nil {
		f.finite("spread", *r.Spread)
	}
	if !isObject(r.Settings) {
		f.Addf("settings %q is not a JSON object", clip(r.Settings))
	}
	f.text("settings", r.Settings)
	f.text("data_xxh3", r.DataXXH3)
	return f.Err()
}

func isObject(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") && json.Valid([]byte(text))
}
