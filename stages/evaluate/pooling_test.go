package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/realdata"
	"sentweave/stages/encoder"
)

// bertFolder writes an encoder without weights, with two layers and CLS as its pooling.
func bertFolder(t *testing.T) string {
	t.Helper()
	return write(t, t.TempDir(), map[string]string{
		"config.json":  `{"model_type":"bert","vocab_size":5,"hidden_size":4,"num_hidden_layers":2,"num_attention_heads":2,"intermediate_size":8,"max_position_embeddings":16,"hidden_act":"gelu"}`,
		"vocab.txt":    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n",
		"modules.json": `[{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},{"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"}]`,
		"1_Pooling/config.json": `{"word_embedding_dimension":4,"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false,
			"pooling_mode_max_tokens":false,"pooling_mode_mean_sqrt_len_tokens":false}`,
	})
}

func TestPooling(t *testing.T) {
	folder := bertFolder(t)
	for _, test := range []struct {
		name     string
		models   Models
		location string
		want     string
	}{
		{"the folder's", Models{Layer: -1}, folder, "map[layer:last pooling:cls]"},
		{"by flags", Models{Pooling: "max", Layer: 0}, folder, "map[layer:0 pooling:max]"},
		{"the number of the last layer", Models{Layer: 2}, folder, "map[layer:last pooling:cls]"},
		{"no BERT", Models{Layer: -1}, write(t, t.TempDir(), map[string]string{"config.json": "{}"}), "map[]"},
		{"a baseline", Models{Layer: -1}, "baseline:char3", "map[]"},
		{"embeddings of another program", Models{Pooling: "max", Layer: 3}, datasettest.Write(t, nil, []schemas.Embedding{{ID: schemas.DerivedID("a"), Language: "eng", Vector: []float32{1}}}), "map[]"},
	} {
		got, err := test.models.pooling(t.Context(), modelSpec{location: test.location})
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
		{"embed", `{"model":{"pooling":"cls","layer":7},"vectors":"distilled, meaning"}`, "map[layer:7 pooling:cls vectors:distilled, meaning]"},
		{"embed", `{"model":{"pooling":"","layer":-1}}`, "map[]"}, // of before it was recorded
		{"mine", `{"model":{"pooling":"mean","layer":-1}}`, "map[]"},
	} {
		if got := fmt.Sprint(poolingOfEmbeddings(&dataset.Manifest{Plan: dataset.Plan{Pipeline: test[0], Config: json.RawMessage(test[1])}})); got != test[2] {
			t.Errorf("%s %s: %s, want %s", test[0], test[1], got, test[2])
		}
	}
}

// The settings stand in the rows, beside those of the task.
func TestPoolingInRows(t *testing.T) {
	out := t.TempDir() + "/results"
	c := Config{Data: realdata.Folder(t, "stsb"), Tasks: []string{"stsb"}, Split: "test"}
	opener := func(context.Context, string) (encoder.Encoder, error) { return told{}, nil }
	if _, _, err := Make(t.Context(), out, c, Models{Model: []string{"m=" + bertFolder(t)}, Layer: 1, Vectors: []string{raw, "centred"}, NoCache: true}, Options{Open: opener}); err != nil {
		t.Fatal(err)
	}
	rows := rowsAt[schemas.Result](t, out)
	if len(rows) == 0 {
		t.Fatal("no rows")
	}
	for _, r := range rows {
		var s struct{ Pooling, Layer, Similarity, Vectors string }
		if err := json.Unmarshal([]byte(r.Settings), &s); err != nil || s.Pooling != "cls" || s.Layer != "1" || s.Similarity != "cosine" || (s.Vectors != "") != (r.Model == "m+centred") {
			t.Errorf("%s: settings %s, %v", r.Model, r.Settings, err)
		}
	}
}
