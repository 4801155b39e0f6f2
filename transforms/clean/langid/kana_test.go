package langid

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

func TestLacksKana(t *testing.T) {
	tests := []struct {
		text  string
		han   int
		lacks bool
	}{
		{"", 0, false},
		{"no Han", 0, false},
		{"カタカナ", 0, false},
		{"安装", 2, true},
		{"安装 prosody 软件包。", 5, true},
		{"約翰・史密斯", 5, true}, // the middle dot is not Kana
		{"東京の人", 3, false},
		{"第１章　ﾃｽﾄ", 2, false}, // half-width Kana
		{"時々", 2, true},
		{"鲜の每日牛奶从牧场直接送到家里的门口每天早上六点准时", 25, true}, // 1 of 26: a name
		{"𠀀", 1, true},
	}
	for _, tt := range tests {
		if han, lacks := lacksKana(tt.text); han != tt.han || lacks != tt.lacks {
			t.Errorf("lacksKana(%q) = %d, %t; want %d, %t", tt.text, han, lacks, tt.han, tt.lacks)
		}
	}
}

// The model is sure that most of these are Japanese. In a document of another
// language a score from .5 on counts.
func TestHanWithLID176(t *testing.T) {
	f := openLID176(t)
	tests := []struct {
		text, want string
		sure       bool
	}{
		{"实时通信", "zho", false},
		{"安装", "zho", false},
		{"第一章", "zho", false},
		{"总", "zho", true},
		{"総合案内", "zho", false},
		{"5.2.2. 配置脚本", "zho", false},
		{"東京都", "zho", false}, // without context nobody can tell
		{"図書館", "zho", false},
		{"软件包", "zho", true},
		{"安装 prosody 软件包。", "zho", true},
		{"史密斯博士在1994年测量了它的深度。", "zho", true},
		{"本书遵照两种与 Debian 自由软件指引相兼容的许可证来提供。", "zho", true},
		{"彼は「行く。」と言った。", "jpn", true},
		{"設定を変更する", "jpn", true},
		{"インストール", "jpn", true},
	}
	for _, tt := range tests {
		got, score := f.Identify(tt.text)
		if got != tt.want || score >= .5 != tt.sure || score <= 0 {
			t.Errorf("Identify(%q) = %q %v, want %q, sure: %t", tt.text, got, score, tt.want, tt.sure)
		}
		top := f.Top(nil, tt.text, 3)
		if len(top) == 0 || top[0] != (Guess{got, score}) ||
			!slices.IsSortedFunc(top, func(a, b Guess) int { return cmp.Compare(b.Score, a.Score) }) {
			t.Errorf("Top(%q) = %v, Identify says %q %v", tt.text, top, got, score)
		}
	}
	if n := testing.AllocsPerRun(100, func() { f.Identify("安装") }); n != 0 {
		t.Errorf("Identify allocates %v times", n)
	}
}

// The labels of softmaxModel have the probabilities e^i/Z: those of Japanese go to
// Chinese as far as the number of characters says.
func TestWithoutJapanese(t *testing.T) {
	z := 1 + math.E + math.E*math.E
	tests := []struct {
		name   string
		labels []string
		text   string
		want   string
		score  float64
	}{
		{"own probability", []string{"en", "zh", "ja"}, "a 安装", "zho", math.E / z},
		{"half of both", []string{"en", "zho_Hant", "jpn_Jpan"}, "a " + han(20), "zho_Hant", .5 * (math.E + math.E*math.E) / z},
		{"three quarters of both", []string{"zh", "en", "ja"}, "a " + han(30), "zho", .75 * (1 + math.E*math.E) / z},
		{"both", []string{"zh", "en", "ja"}, "a " + han(50), "zho", (1 + math.E*math.E) / z},
		{"another language is ahead", []string{"zh", "en", "ja"}, "a 安", "eng", math.E / z},
		{"two scripts", []string{"zho_Hans", "zho_Hant", "ja"}, "a " + han(40), "zho_Hant", 1},
		{"Kana", []string{"en", "zh", "ja"}, "a の安装", "jpn", math.E * math.E / z},
		{"no Han", []string{"en", "zh", "ja"}, "a", "eng", 1},
		{"no Chinese in the model", []string{"en", "de", "ja"}, "a 安装", "jpn", math.E * math.E / z},
	}
	for _, tt := range tests {
		f, err := NewFastText(softmaxModel(t, tt.labels...))
		if err != nil {
			t.Fatal(err)
		}
		if got, score := f.Identify(tt.text); got != tt.want || math.Abs(float64(score)-tt.score) > 3e-5 {
			t.Errorf("%s: Identify = %q %v, want %q %.5f", tt.name, got, score, tt.want, tt.score)
		}
		for k := range 5 {
			if top := f.Top(nil, tt.text, k); len(top) > k {
				t.Errorf("%s: Top gives %d for %d", tt.name, len(top), k)
			}
		}
	}
}

// han returns n Han characters.
func han(n int) string {
	text := make([]rune, n)
	for i := range text {
		text[i] = '安'
	}
	return string(text)
}
