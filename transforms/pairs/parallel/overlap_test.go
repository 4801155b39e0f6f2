package parallel

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"sentweave/schemas/realdata"
)

func overlapOf(a, b string) float64 {
	var x, y block
	x.set(a)
	y.set(b)
	return overlap(&x, &y, 0)
}

func containedOf(a, b string) float64 {
	var x, y block
	x.set(a)
	y.set(b)
	return contained(&x, &y, 0)
}

// The shares are counted by hand: twice the letters of the common words, over
// all letters of words and the slack of 4.
func TestOverlap(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       float64
	}{
		{"nothing", "", "", 0},
		{"nothing on one side", "disk", "", 0},
		{"equal", "copy the disk", "copy the disk", 22. / 26},
		{"case, signs and order", "Copy the disk!", "«the» DISK copy", 22. / 26},
		{"nothing in common", "copy the disk", "die Platte kopieren", 0},
		{"see and siehe", "see the second chapter", "siehe the second chapter", 32. / 44},
		{"a word counts as often as both have it", "ha ha ha", "ha ha", 8. / 14},
		{"numbers are not words", "12 34 disks", "12 34 Platten", 0},
		{"digits in a word are", "md5 sums", "md5 Summen", 6. / 20},
		{"an apostrophe parts words", "l'eau", "l eau", 8. / 12},
		{"letters beyond ASCII", "ÉTÉ à Rome", "été à Rome", 16. / 20},
		{"a combining mark belongs to its word", "cafe\u0301", "cafe", 0},
		{"short ones are less alike", "Anna is a potter", "Anna is een potter", 24. / 32},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, got := range []float64{overlapOf(tt.a, tt.b), overlapOf(tt.b, tt.a)} {
				if math.Abs(got-tt.want) > 1e-9 {
					t.Errorf("got %v, want %v", got, tt.want)
				}
			}
		})
	}
}

// FuzzOverlap compares with a count of words in a map.
func FuzzOverlap(f *testing.F) {
	f.Add("see Section 4.2, «Mirrors»", "siehe Abschnitt 4.2, „Mirrors“")
	f.Add("a1 b2 a1", "a1\xffb2")
	f.Fuzz(func(t *testing.T, a, b string) {
		count := func(text string) (map[string]int, int) {
			words, all := map[string]int{}, 0
			for _, w := range strings.FieldsFunc(
				text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }) {
				if strings.ContainsFunc(w, unicode.IsLetter) {
					words[strings.Map(unicode.ToLower, w)]++
					all += len([]rune(w))
				}
			}
			return words, all
		}
		x, n := count(a)
		y, m := count(b)
		both := 0
		for w, times := range x {
			both += min(times, y[w]) * len([]rune(w))
		}
		want := 2 * float64(both) / float64(n+m+overlapSlack)
		if got := overlapOf(a, b); math.Abs(got-want) > 1e-9 || got >= 1 || got != overlapOf(b, a) {
			t.Fatalf("%q, %q: got %v and %v, want %v", a, b, got, overlapOf(b, a), want)
		}
	})
}

// tatoeba reads the pairs of English and another language whose sides are long
// enough, by the English side.
func tatoeba(t *testing.T) map[string]map[string]string {
	t.Helper()
	folder := filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba")
	files, err := filepath.Glob(filepath.Join(folder, "tatoeba.*-eng.eng"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s holds no tatoeba.*-eng.eng: %v", folder, err)
	}
	lines := func(path string) []string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	sets := map[string]map[string]string{}
	for _, path := range files {
		language := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "tatoeba."), "-eng.eng")
		english, other := lines(path), lines(strings.TrimSuffix(path, "eng")+language)
		if len(english) != len(other) {
			t.Fatalf("%s: %d and %d lines", path, len(english), len(other))
		}
		sets[language] = map[string]string{}
		for i := range english {
			if min(Weight(english[i]), Weight(other[i])) >= DefaultConfig().MinCharacters {
				sets[language][english[i]] = other[i]
			}
		}
	}
	return sets
}

// True translations from and to English keep below the threshold, every language
// by itself; what near languages give is reported.
func TestTranslationsAreKept(t *testing.T) {
	sets, limit := tatoeba(t), DefaultConfig().MaxOverlap
	flagged, held, all := 0, 0, 0
	for language, set := range sets {
		here := 0
		for english, other := range set {
			if sameWords(english, other) {
				continue
			}
			if share := overlapOf(english, other); share >= limit {
				here++
				t.Logf("%s: %q, %q: %.2f", language, english, other, share)
			}
			if share := containedOf(english, other); share >= limit {
				held++
				t.Logf("%s: %q, %q: %.2f of the words", language, english, other, share)
			}
		}
		if float64(here) > .001*float64(len(set)) {
			t.Errorf("%s: %d of %d are flagged", language, here, len(set))
		}
		flagged, all = flagged+here, all+len(set)
	}
	t.Logf("English and another: %d of %d are flagged, %d by the number of words", flagged, all, held)
	if float64(held) > .0001*float64(all) {
		t.Errorf("%d of %d are flagged by the number of words", held, all)
	}
	for _, near := range []string{"dan nob", "dan swe", "nob swe", "nno nob", "afr nld", "deu nld", "deu nds", "cat spa", "glg por",
		"por spa", "ita spa", "ces slk", "hrv slv", "bos hrv", "dsb hsb", "bel rus", "rus ukr"} {
		a, b, _ := strings.Cut(near, " ")
		n, over := 0, []float64{}
		for english, text := range sets[a] {
			if other, ok := sets[b][english]; ok {
				n++
				if share := overlapOf(text, other); share >= limit && !sameWords(text, other) {
					over = append(over, share)
				}
			}
		}
		slices.Sort(over)
		t.Logf("%s: %d of %d %.2f", near, len(over), n, over)
	}
}
