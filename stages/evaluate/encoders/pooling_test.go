package encoders

import (
	"encoding/json"
	"fmt"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/evaluate/evaluatetest"
)

func TestPooling(t *testing.T) {
	folder := evaluatetest.BERTFolder(t)
	for _, test := range []struct {
		name     string
		models   Models
		location string
		want     string
	}{
		{"the folder's", Models{Layer: -1}, folder, "map[layer:last pooling:cls]"},
		{"by flags", Models{Pooling: "max", Layer: 0}, folder, "map[layer:0 pooling:max]"},
		{"the number of the last layer", Models{Layer: 2}, folder, "map[layer:last pooling:cls]"},
		{"no BERT", Models{Layer: -1}, storagetest.WriteFiles(t, t.TempDir(), map[string]string{"config.json": "{}"}), "map[]"},
		{"a baseline", Models{Layer: -1}, "baseline:char3", "map[]"},
		{"embeddings of another program", Models{Pooling: "max", Layer: 3},
			datasettest.Write(t, nil, []schemas.Embedding{{ID: schemas.DerivedID("a"), Language: "eng", Vector: []float32{1}}}), "map[]"},
	} {
		got, err := test.models.pooling(t.Context(), Spec{Location: test.location})
		if err != nil || fmt.Sprint(got) != test.want {
			t.Errorf("%s: %v, %v; want %s", test.name, got, err, test.want)
		}
	}
}

// By the configuration that embed records.
func TestPoolingOfEmbeddings(t *testing.T) {
	for _, test := range [][3]string{
		{"embed", `{"model":{"pooling":"mean","layer":-1}}`, "map[layer:last pooling:mean]"},
		{"embed", `{"model":{"pooling":"cls","layer":7}}`, "map[layer:7 pooling:cls]"},
		{"embed", `{"model":{"pooling":"cls","layer":7},"vectors":"distilled, meaning"}`,
			"map[layer:7 pooling:cls vectors:distilled, meaning]"},
		{"embed", `{"model":{"pooling":"","layer":-1}}`, "map[]"}, // of before it was recorded
		{"mine", `{"model":{"pooling":"mean","layer":-1}}`, "map[]"},
	} {
		if got := fmt.Sprint(poolingOfEmbeddings(
			&dataset.Manifest{Plan: dataset.Plan{Pipeline: test[0], Config: json.RawMessage(test[1])}})); got != test[2] {
			t.Errorf("%s %s: %s, want %s", test[0], test[1], got, test[2])
		}
	}
}
