package bitext

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/language"
	"sentweave/schemas/realdata"
	"sentweave/transforms/clean/langid"
)

// One guess is enough only where all three say the same: for texts in the language that their
// file says and for those in another one.
func TestForeignByOneGuess(t *testing.T) {
	model := realdata.Variable(t, "SENTWEAVE_LID176")
	identifier, err := langid.OpenFastText(model)
	if err != nil {
		t.Fatal(err)
	}
	texts, foreign, differ := 0, 0, 0
	for _, margin := range []float64{0, .1, .5, .9, 1} {
		w := &writer{identifier: identifier, config: Config{Settings: Settings{LangidMargin: margin}}}
		for _, pair := range []string{"deu-eng", "nob-eng", "hrv-eng", "cmn-eng", "jpn-eng", "ind-eng"} {
			own, _, _ := strings.Cut(pair, "-")
			stated, err := language.Parse(own)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(filepath.Join(realdata.Folder(t), "tatoeba", "tatoeba."+pair+"."+own))
			if err != nil {
				t.Fatal(err)
			}
			for text := range strings.Lines(string(raw)) {
				for _, code := range []string{stated, "eng", "dan", "zho"} {
					got := w.foreign(text, code)
					w.guesses = identifier.Top(w.guesses[:0], text, guessed)
					want := w.other(code)
					texts++
					if want != "" {
						foreign++
					}
					if got != want {
						if differ++; differ <= 10 {
							t.Errorf("margin %v: %q is %q by one guess, %q by three", margin, text, got, want)
						}
					}
				}
			}
		}
	}
	if foreign == 0 || foreign == texts {
		t.Errorf("%d of %d texts are in another language: the test shows nothing", foreign, texts)
	}
}
