package blank

import "testing"

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, " \t\r\n": true, "\u00a0\u3000\u0085\u2028": true, "\x00\x1f\x7f": true,
		"\u200b": true, "\ufeff": true, "\u00ad": true, "\u200d": true, "\u200e": true, "\u2060": true, "\U000e0020": true,
		"\ufe0f": true, "\u0301": true, "\u3164": true, "\u2800": true, "\ufffd": true, "\xff\xfe": true,
		" \u200b\u00a0\ufeff ": true,
		"a":                    false, ".": false, "\u200bé": false, "日": false, "😀": false, "\ue000": false, "\u0903": false,
		"\u0301e": false,
	} {
		if got := IsBlank(text); got != want {
			t.Errorf("%+q: %v, want %v", text, got, want)
		}
		if got := IsBlank([]byte(text)); got != want {
			t.Errorf("%+q as bytes: %v, want %v", text, got, want)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	text := []byte("\u200b\u200b\u200bé")
	if n := testing.AllocsPerRun(10, func() { IsBlank(text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
