package evaluate

import (
	"context"
	"encoding/json"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/realdata"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/evaluate/evaluatetest"
	"sentweave/stages/metrics"
)

// The settings are in the rows, beside those of the task.
func TestPoolingInRows(t *testing.T) {
	out := t.TempDir() + "/results"
	c := Config{Data: realdata.Folder(t, "stsb"), Tasks: []string{"stsb"}, Split: "test"}
	opener := func(context.Context, string) (encoder.Encoder, error) { return told{}, nil }
	if _, _, err := Run(t.Context(), out, c,
		Options{Models: encoders.Models{Model: []string{"m=" + evaluatetest.BERTFolder(t)}, Layer: 1,
			Vectors: []string{metrics.VectorsRaw, "centred"},
			NoCache: true}, Open: opener}); err != nil {
		t.Fatal(err)
	}
	rows := rowsAt[schemas.Result](t, out)
	if len(rows) == 0 {
		t.Fatal("no rows")
	}
	for _, r := range rows {
		var s struct{ Pooling, Layer, Similarity, Vectors string }
		if err := json.Unmarshal([]byte(r.Settings), &s); err != nil || s.Pooling != "cls" || s.Layer != "1" || s.Similarity != "cosine" ||
			(s.Vectors != "") != (r.Model == "m+centred") {
			t.Errorf("%s: settings %s, %v", r.Model, r.Settings, err)
		}
	}
}
