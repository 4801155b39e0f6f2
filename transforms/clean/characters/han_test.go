package characters

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHanScript(t *testing.T) {
	tests := []struct {
		text, script string
		share        float64
	}{
		{"这台电脑没有声音", "Hans", 1},
		{"這台電腦沒有聲音", "Hant", 1},
		{"这這这", "Hans", 2. / 3},
		{"山水", "Hani", 0},
		{"这這", "Hani", 0},
		{"", "Hani", 0},
		{"no Chinese", "Hani", 0},
	}
	for _, test := range tests {
		if script, share := HanScript(test.text); script != test.script || math.Abs(share-test.share) > 1e-9 {
			t.Errorf("HanScript(%q) = %s %v, want %s %v", test.text, script, share, test.script, test.share)
		}
	}
	for _, list := range []string{simplified, traditional} {
		if len(list) != 3*utf8.RuneCountInString(list) || !slices.IsSorted([]rune(list)) {
			t.Errorf("the list that begins with %.3s is not sorted or holds a character of other than three bytes", list)
		}
		for _, r := range list {
			if contains(simplified, r) == contains(traditional, r) {
				t.Errorf("%c tells nothing", r)
			}
		}
	}
}

func FuzzHanScript(f *testing.F) {
	for _, text := range []string{"", "abc", "日本語 и 한국어", "\xff", "𒀀"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if script, share := HanScript(text); share > 1 || (script == "Hani") != (share == 0) {
			t.Errorf("HanScript(%q) = %s %v", text, script, share)
		}
	})
}

func BenchmarkHanScript(b *testing.B) {
	text := strings.Repeat("雨停了，我们才走到港口。", 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		HanScript(text)
	}
}
