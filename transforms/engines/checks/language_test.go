package checks

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"sentweave/schemas/realdata"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/engines"
)

// identified are the sentences of Tatoeba by language, at most n each.
func identified(t *testing.T, n int) map[string][]string {
	files, _ := filepath.Glob(filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba", "tatoeba.*-eng.*"))
	all := map[string][]string{}
	for _, file := range files {
		tag := strings.TrimPrefix(filepath.Ext(file), ".")
		if c := code(t, tag); len(all[c]) < n {
			all[c] = append(all[c], readLines(t, file)...)
		}
	}
	for c := range all {
		all[c] = all[c][:min(n, len(all[c]))]
	}
	return all
}

// families are languages that engines might write in the place of each other.
var families = [][]string{
	{"cat", "spa", "por", "ita", "fra", "glg", "ron"}, {"deu", "nld", "dan", "swe", "afr", "nob"},
	{"rus", "ukr", "bel", "bul", "srp", "pol", "ces", "slk", "slv", "hrv"},
}

// Of sentences in the right language few are rejected, of any length; of those in a
// near one or in English most are found. The bounds are in a thousand, near
// the measured figures; of long English ones there are too few.
func TestLanguageOfRealTexts(t *testing.T) {
	model := realdata.Variable(t, "SENTWEAVE_LID176")
	f, err := langid.OpenFastText(model)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewChecker(DefaultConfig(), f)
	if err != nil {
		t.Fatal(err)
	}
	all := identified(t, 1000)
	lengths := []int{20, 30, 40, 60, 100, 1 << 30}
	type rate struct{ rejected, of int }
	var right, family, english [6]rate
	count := func(rates *[6]rate, p engines.Pair, texts []string) (sum rate) {
		for _, text := range texts {
			letters := 0
			for _, r := range text {
				if unicode.IsLetter(r) {
					letters++
				}
			}
			at := 0
			for letters >= lengths[at] {
				at++
			}
			rates[at].of, sum.of = rates[at].of+1, sum.of+1
			if c.foreign(p, text) {
				rates[at].rejected, sum.rejected = rates[at].rejected+1, sum.rejected+1
			}
		}
		return sum
	}
	thousandth := func(r rate) int { return 1000 * r.rejected / max(1, r.of) }
	most := map[string]int{"cat": 21, "spa": 1, "fra": 1, "ita": 2, "por": 3, "nob": 72, "glg": 68, "deu": 1}
	for _, languages := range families {
		for _, target := range languages {
			p := engines.Pair{Source: "eng", Target: target}
			if n := thousandth(count(&right, p, all[target])); n > 0 {
				t.Logf("%s: %d of a thousand are rejected", target, n)
				if bound, ok := most[target]; ok && n > bound {
					t.Errorf("%s: %d of a thousand are rejected, want at most %d", target, n, bound)
				}
			}
			count(&english, p, all["eng"][:100])
			for _, other := range languages {
				if !equivalent(other, target) {
					texts := all[other]
					count(&family, p, texts[:min(60, len(texts))])
				}
			}
		}
	}
	for i, bound := range []struct{ right, family, english int }{{0, 0, 0}, {17, 800, 985}, {14, 880, 985}, {9, 920, 990}, {7, 950, 0},
		{2, 900, 0}} {
		r, f, e := thousandth(right[i]), thousandth(family[i]), thousandth(english[i])
		t.Logf("fewer than %d letters: %d of %d right, %d of %d near and %d of %d English sentences are rejected", lengths[i],
			right[i].rejected, right[i].of, family[i].rejected, family[i].of, english[i].rejected, english[i].of)
		if r > bound.right || f < bound.family || e < bound.english {
			t.Errorf("fewer than %d letters: %d, %d and %d of a thousand are rejected, want at most %d, and at least %d and %d", lengths[i],
				r, f, e, bound.right, bound.family, bound.english)
		}
	}
}
