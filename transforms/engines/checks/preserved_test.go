package checks

import "testing"

func TestLostPlaceholder(t *testing.T) {
	for _, tt := range []struct {
		text, translation string
		lost              bool
	}{
		{"Hello {0}", "Hallo { 0 }", false}, {"Hello { name }", "Hallo {name}", false}, {"Hello {0}", "Hallo {1}", true},
		{"{0} and {0}", "{ 0 } und", true},
		{"a<br/>b", "a < br / > b", false}, {"<b>a</b>", "< b > a < / b >", false}, {"<b>a</b>", "< b > a", true},
		{"a rate of 5%d", "ein Satz von 5 %", false}, {"50% discount", "50 % Rabatt", false}, {"%d files", "d Dateien", true},
		{"%1$d files", "%2$d Dateien", true},
		{"See www.example.org.", "Siehe www.example.org.", false}, {"See www.example.org.", "Siehe dort.", true},
		{"See www.example.org", "请看www.example.org。", false},
		{"See www.example.org/a", "Siehe www.example.org/b", true}, {"See www.example.org", "Siehe https://www.example.org/", false},
		{"See https://example.org/a", "Siehe https://example.org/ab", true},
	} {
		if got := lostPlaceholder(tt.text, tt.translation); got != tt.lost {
			t.Errorf("%q -> %q: lost %t, want %t", tt.text, tt.translation, got, tt.lost)
		}
	}
}
