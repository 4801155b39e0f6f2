package encoders

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/dataset"
)

// TestLearnedFromAnotherEncoder: what was learned from the embeddings of one encoder is not applied to those of another, or to
// vectors that are pooled otherwise, as far as its record says which these were.
func TestLearnedFromAnotherEncoder(t *testing.T) {
	dir := t.TempDir()
	config := json.RawMessage(`{"model":{"pooling":"mean","layer":-1}}`)
	embeddings := &dataset.Manifest{Plan: dataset.Plan{Pipeline: "embed", Config: config}}
	for record, want := range map[string]string{
		`{"encoder": "one"}`: "", `{}`: "", `{"encoder": "two"}`: "it was learned from embeddings of another encoder than vectors",
		`{"encoder": "one", "embedded": {"model": {"pooling": "mean", "layer": -1}}}`: "",
		`{"encoder": "one", "embedded": {"import": "vectors.npy"}}`:                   "",
		`{"encoder": "one", "embedded": {"model": {"pooling": "cls", "layer": -1}}}`:  "pooling cls of layer last, and those of vectors",
		`{"encoder": "one", "embedded": {"model": {"pooling": "mean", "layer": 3}}}`:  "pooling mean of layer 3, and those of vectors",
		"{": "read distill.json",
	} {
		if err := os.WriteFile(filepath.Join(dir, "distill.json"), []byte(record), 0o666); err != nil {
			t.Fatal(err)
		}
		m := Models{Distilled: map[string]string{"mine": dir}}
		err := m.learnedFrom(t.Context(), Spec{Name: "mine", Location: "vectors"}, "one", embeddings)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", record, err, want)
		}
	}
}
