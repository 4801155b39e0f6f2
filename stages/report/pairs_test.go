package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/report/corpus"
)

// A report on pairs has a sheet to judge, which a second report replaces unless somebody has written verdicts.
func TestPairs(t *testing.T) {
	pairs := datasettest.Write(t, nil, []schemas.Pair{{ID: schemas.ID("pair", 1), Kind: schemas.KindBitext, TextA: "Katze", TextB: "cat",
		LanguageA: "deu", LanguageB: "eng", Origin: "test"}})
	out := t.TempDir()
	sheet := filepath.Join(out, corpus.SheetName)
	run := func() string {
		t.Helper()
		if _, _, err := Run(t.Context(), out, Config{Title: "Pairs", Pairs: pairs, Groups: 1, Samples: 1}, Options{}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(sheet)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	empty := run()
	if page, err := os.ReadFile(filepath.Join(out, PageName)); err != nil || !bytes.Contains(page, []byte("Pairs to judge")) ||
		!strings.Contains(empty, "deu-eng,Katze,cat,\n") {
		t.Errorf("the sheet is %q, error %v", empty, err)
	}
	for _, text := range []string{strings.Replace(empty, "cat", "dog", 1), strings.Replace(empty, "cat,", "cat,good", 1)} {
		if err := os.WriteFile(sheet, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		got := run()
		page, err := os.ReadFile(filepath.Join(out, PageName))
		if left := bytes.Contains(page, []byte("was left as it is")); err != nil || left != strings.Contains(text, "good") {
			t.Errorf("that %q was left as it is, is %v on the page, error %v", text, left, err)
		}
		if (got == text) != strings.Contains(text, "good") || got != text && got != empty {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
