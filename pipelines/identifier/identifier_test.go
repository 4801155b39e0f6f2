package identifier

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/transforms/clean/langid/embedded"
)

// The embedded model is that of its file: with the same input of a plan but for the name, and the same answers.
func TestEmbedded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.ftz")
	if err := os.WriteFile(path, embedded.File, 0o600); err != nil {
		t.Fatal(err)
	}
	inside, input, err := OpenFile(t.Context(), "langid", Embedded)
	if err != nil {
		t.Fatal(err)
	}
	outside, _, err := OpenFile(t.Context(), "langid", path)
	if err != nil {
		t.Fatal(err)
	}
	if inside.Bytes != outside.Bytes || inside.XXH3 != outside.XXH3 || inside.Location != Embedded || input.Role != "langid" {
		t.Errorf("%+v %+v %+v", inside, outside, input)
	}
	const text = "Der Regen hörte auf, bevor wir den Hafen erreichten."
	first, err := Load(t.Context(), inside)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Load(t.Context(), outside)
	if err != nil {
		t.Fatal(err)
	}
	a, x := first.Identify(text)
	if b, y := second.Identify(text); a != "deu" || a != b || x != y {
		t.Errorf("%s %v, %s %v", a, x, b, y)
	}
	inside.XXH3++
	if _, err := Load(t.Context(), inside); err == nil || !strings.Contains(err.Error(), "another one than when this job was planned") {
		t.Errorf("%v", err)
	}
	codes := []string{"hrv", "bos", "nob", "hmn"}
	lacking, err := Lacking(t.Context(), Embedded, codes)
	if diff := cmp.Diff([]string{"bos (rather hrv or srp)", "hmn"}, lacking); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if lacking, err := Lacking(t.Context(), None, codes); lacking != nil || err != nil {
		t.Errorf("none: %v %v", lacking, err)
	}
	if f, err := Open(t.Context(), None); f != nil || err != nil {
		t.Errorf("none: %v %v", f, err)
	}
	if _, err := Open(t.Context(), "./embedded"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}
