package encoders

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLearnedFromAnotherEncoder: what was learned from the embeddings of one encoder is not applied to those of another, as far
// as its record says which one that was.
func TestLearnedFromAnotherEncoder(t *testing.T) {
	dir := t.TempDir()
	for record, want := range map[string]string{
		`{"encoder": "one"}`: "", `{}`: "", `{"encoder": "two"}`: "it was learned from embeddings of another encoder than encoders/mine",
		"{": "read distill.json",
	} {
		if err := os.WriteFile(filepath.Join(dir, "distill.json"), []byte(record), 0o666); err != nil {
			t.Fatal(err)
		}
		m := Models{Distilled: map[string]string{"mine": dir}}
		err := m.learnedFrom(t.Context(), Spec{Name: "mine", Location: "encoders/mine"}, "one")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", record, err, want)
		}
	}
}
