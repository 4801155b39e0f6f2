package disguise

import (
	"fmt"
	"strings"
	"testing"
)

func TestDisguise(t *testing.T) {
	const text = "The sea, at 5 p.m., was calm. The end"
	for i, s := range scripts {
		got := s.disguise(text, 7)
		first, _, _ := strings.Cut(got, "5")
		if strings.ContainsAny(got, "abcdefghijklmnopqrstuvwxyzT") || !strings.Contains(got, "5") ||
			!strings.Contains(got, strings.TrimSpace(s.stop)) {
			t.Errorf("script %d: %q", i, got)
		}
		if spaces := strings.Count(strings.TrimSpace(first), " "); s.spaces != (spaces > 1) {
			t.Errorf("script %d: %d spaces in %q", i, spaces, first)
		}
		if again := s.disguise(text, 7); again != got {
			t.Errorf("script %d: %q, then %q", i, got, again)
		}
		if other := s.disguise(text, 8); other == got {
			t.Errorf("script %d: another seed gives the same", i)
		}
		s.disguise("a\xff.\xe3", 1)
	}
}

// TestOf: half of the domains are disguised, and each of the scripts is that of some of them.
func TestOf(t *testing.T) {
	seen, none := map[string]bool{}, 0
	for i := range 400 {
		domain := fmt.Sprintf("site-%d.example", i)
		write := ForDomain(domain)
		if write == nil {
			none++
			continue
		}
		text := write("Sea.")
		if again := ForDomain(domain)("Sea."); again != text {
			t.Errorf("%s: %q, then %q", domain, text, again)
		}
		for k, s := range scripts {
			if r := []rune(strings.ToLower(text))[0]; r >= s.first && r < s.first+rune(s.letters) {
				seen[fmt.Sprint(k)] = true
			}
		}
	}
	if none < 150 || none > 250 || len(seen) != len(scripts) {
		t.Errorf("%d of 400 domains are not disguised, the others in %d scripts", none, len(seen))
	}
}
