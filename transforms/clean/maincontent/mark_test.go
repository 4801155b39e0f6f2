package maincontent

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
)

// TestMarks checks that every mark is a valid private use character and stands for
// one block.
func TestMarks(t *testing.T) {
	for i := range maxMarks {
		r := mark(i)
		if !unicode.Is(unicode.Co, r) || !utf8.ValidRune(r) || unicode.IsSpace(r) {
			t.Fatalf("mark(%d) = %U is no private use character", i, r)
		}
		if got := marked(r); got != i {
			t.Fatalf("marked(mark(%d)) = %d", i, got)
		}
	}
	if got := mark(maxMarks - 1); got != lastMark {
		t.Errorf("the last mark is %U, want %U", got, lastMark)
	}
	for _, r := range []rune{'a', 0xE000, 0xEFFFF} {
		if marked(r) >= 0 {
			t.Errorf("%U is taken for a mark", r)
		}
	}
}

func TestMarkedText(t *testing.T) {
	for _, c := range []struct {
		text string
		mask bool
		want string
	}{
		{"a b", false, "\U000F0003a b"},
		{"a b", true, "\U000F0003a b"},
		{"a\U000F0001b", false, "\U000F0003a\ufffdb"},
		{strings.Repeat("Ünï \n", 20), true, "\U000F0003" + strings.Repeat("000\x1f", 19) + "000 "},
	} {
		if got, _ := markedText(c.text, 3, c.mask); got != c.want {
			t.Errorf("markedText(%q, 3, %v) = %q, want %q", c.text, c.mask, got, c.want)
		}
	}
}

func TestCountMarked(t *testing.T) {
	root := &nethtml.Node{Type: nethtml.DocumentNode}
	of := func(text string, block int) string {
		marked, given := markedText(text, block, false)
		if want := characters(text); given != want {
			t.Errorf("markedText(%q) gives %d characters, want %d", text, given, want)
		}
		return marked
	}
	for _, text := range []string{"unmarked", of("a b", 1) + " " + of("cde", 0), "x", of("f", 1)} {
		root.AppendChild(&nethtml.Node{Type: nethtml.TextNode, Data: text})
	}
	counts := make([]int, 2)
	countMarked(root, counts)
	if counts[0] != 3 || counts[1] != 3 {
		t.Errorf("countMarked counts %v, want [3 3]", counts)
	}
}
