package reference

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Don't stop, it's 3.5 %!": "don t stop it s 3 5",
		"snake_case x²":           "snake_case x²",
		"ÜBER Ærø":                "über ærø",
		"網頁 內容":                   "網頁 內容",
		" …—! ":                   "",
	} {
		if got := strings.Join(Words(text), " "); got != want {
			t.Errorf("words of %q: %q, want %q", text, got, want)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		text, reference       string
		f1, precision, recall float64
	}{
		{"", "", 1, 1, 1},
		{"a", "", 0, 0, 0},
		{"", "a", 0, 0, 0},
		{"a b c d", "a b", 2. / 3, .5, 1},
		{"a a a b", "a b b", 4. / 7, .5, 2. / 3}, // one a and one b
	} {
		got := Compare(c.text, c.reference)
		for i, v := range []float64{got.F1 - c.f1, got.Precision - c.precision, got.Recall - c.recall} {
			if math.Abs(v) > 1e-12 {
				t.Errorf("%q by %q: %+v, want %+v (%d)", c.text, c.reference, got, c, i)
			}
		}
	}
}

// TestAlign: what is matched is in capitals.
func TestAlign(t *testing.T) {
	for _, c := range []struct{ name, reference, page string }{
		{"a menu with the same words", "the cat sat on the mat today",
			"home today the menu x x x x x x x x x x x x x THE CAT SAT ON THE MAT TODAY the end"},
		{"another order", "one two three four five six seven eight", "FIVE SIX SEVEN EIGHT x ONE TWO THREE FOUR"},
		{"each word once", "a b c d e", "a b c d e A B C D E"},
		{"a short run between long ones", "a b c d e f g h i j k", "A B C D x E F x G H I J K"},
		{"a short run far away", "a b c d e", "A B C D x x x x x x x x x x x x x x e"},
		{"a short reference", "red shoes", "buy RED SHOES now"},
		{"nothing", "a b c d", "e f"},
	} {
		page := strings.Fields(c.page)
		var want []bool
		for i, w := range page {
			page[i] = strings.ToLower(w)
			want = append(want, w != page[i])
		}
		if got := align(strings.Fields(c.reference), page); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
	if len(align(nil, nil)) != 0 || slices.Contains(align(nil, []string{"a"}), true) || len(align([]string{"a"}, nil)) != 0 {
		t.Error("nothing is matched with something")
	}
}

// FuzzAlign: as many words are matched as the multisets have in common, at most.
func FuzzAlign(f *testing.F) {
	f.Add("a b c d e f", "x a b c d y e f")
	f.Fuzz(func(t *testing.T, reference, page string) {
		a, b := Words(reference), Words(page)
		matched := 0
		for _, m := range align(a, b) {
			if m {
				matched++
			}
		}
		if s := compareWords(b, a); len(a) > 0 && len(b) > 0 && float64(matched) > math.Round(s.Recall*float64(len(a))) {
			t.Fatalf("%d words are matched, %v of %d occur", matched, s.Recall, len(a))
		}
	})
}
