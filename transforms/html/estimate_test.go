package html

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"
)

// nodes counts the nodes of the tree that the parser builds.
func nodes(t testing.TB, text string) int {
	t.Helper()
	root, err := nethtml.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range root.Descendants() {
		n++
	}
	return n
}

// numbered repeats a format n times with the number in it.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestEstimateNodes compares the estimate with the tree that the parser builds: it
// must not be much lower on any markup, nor much higher on good markup.
func TestEstimateNodes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		most       float64 // the greatest ratio of estimate to truth
	}{
		{"plain", strings.Repeat("<p>One <b>two</b> three.</p>\n", 200), 1.1},
		{"optional end tags", strings.Repeat("<p>One <i>two</i> three.\n<ul><li>a<li>b</ul>", 200), 1.1},
		{"links in a list", "<ul>" + numbered(200, `<li><a href="/%d">x</a></li>`) + "</ul>", 1.1},
		{"icons", strings.Repeat(`<a href="/"><svg viewBox="0 0"><path d="M0"/><path/></svg></a>`, 200), 1.1},
		{"script", strings.Repeat(`<script>if (a<b) document.write("<p><b>"); // <!-- </script><p>x</p>`, 200), 1.2},
		{"comments", strings.Repeat(`<!-- <b><p> --><p>x</p>`, 200), 1.1},
		{"quoted tags", strings.Repeat(`<p title="<b><b><b>" lang='>'>x</p>`, 200), 1.2},
		{"layout table", "<table>" + strings.Repeat("<tr><td><font size=2><b>a</font><td>c", 200) + "</table>", 3},
		{"table in fonts", "<font size=1><font size=2>" + strings.Repeat("<table><tr><td>a</td></tr></table><p>x</p>", 200), 3},
		{"open formatting around", numbered(100, "<b id=%d>") + strings.Repeat("<p>x", 200), 1.1},
		{"open formatting", "<p>" + numbered(100, "<b id=%d>") + strings.Repeat("<p>x", 200), 1.1},
		{"equal formatting", "<p>" + strings.Repeat("<b>", 100) + strings.Repeat("<p>x", 200), 1.2},
		{"open formatting in a list", "<ul><li>" + numbered(100, "<u id=%d>") + strings.Repeat("<li>x", 200), 1.1},
		{"open formatting in a cell", "<table><td><p>" + numbered(100, "<i id=%d>") + strings.Repeat("<p>x", 200), 1.2},
		{"end tags in another cell", "<p><b id=0><b id=1><table><td></b></b></table>" + strings.Repeat("<p>x", 200), 1.5},
		{"cells outside a table", "<p>" + numbered(50, "<td><b id=%d></td>") + strings.Repeat("<p>x", 200), 2},
		{"misnested", strings.Repeat("<b>1<p>2</b>3</p>", 200), 4},
		{"end tags of paragraphs", "<body>" + strings.Repeat("</p>", 200), 1.1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, want := estimateNodes([]byte(c.text), 1<<30), nodes(t, c.text)
			if ratio := float64(got) / float64(want); ratio < 0.9 || ratio > c.most {
				t.Errorf("estimate %d, the parser builds %d: ratio %.2f, want 0.9 to %v", got, want, ratio, c.most)
			}
		})
	}
}

func TestEstimateNodesStops(t *testing.T) {
	text := []byte("<p>" + numbered(500, "<b id=%d>") + strings.Repeat("<p>x", 100_000)) // 50 million nodes
	if got := estimateNodes(text, 1000); got < 1000 || got > 3000 {
		t.Errorf("estimate stopped at %d, want little above the limit of 1000", got)
	}
}

func TestTagEnd(t *testing.T) {
	for text, want := range map[string]int{
		`>`: 0, ` a>`: 2, ` a=">">`: 6, ` a = '>' >`: 9, ` a="`: 4, ` it's>`: 5, ` a=b"c>`: 6, ` a=""b=">">`: 10,
	} {
		if got := tagEnd([]byte(text), 0); got != want {
			t.Errorf("tagEnd(%q) = %d, want %d", text, got, want)
		}
	}
}

// FuzzEstimateNodes looks for markup that the estimate puts far too low.
func FuzzEstimateNodes(f *testing.F) {
	f.Add("<b><p>x</b><table><td><i>y<td>z</table>")
	f.Add("<a href=1><div><a href=2></div></a><svg><path/><b></svg>")
	f.Add("<textarea><b></textarea><!-- x --><?php ?><plaintext><b>")
	f.Fuzz(func(t *testing.T, text string) {
		root, err := nethtml.Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		n := 0
		for range root.Descendants() {
			n++
		}
		// html, head and body are always there; the rest of the slack is for markup
		// that the estimate simplifies.
		if got := estimateNodes([]byte(text), 1<<30); 40+8*got < n {
			t.Errorf("estimate %d for %d nodes", got, n)
		}
	})
}

func BenchmarkEstimateNodes(b *testing.B) {
	text := []byte(strings.Repeat("<p class=\"text\">One <b>two</b> three, and <a href=\"/four\">four</a>.</p>\n", 2000))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		estimateNodes(text, 1<<30)
	}
}

// BenchmarkTokenizer is the pace of the parser's own tokenizer, for comparison.
func BenchmarkTokenizer(b *testing.B) {
	text := []byte(strings.Repeat("<p class=\"text\">One <b>two</b> three, and <a href=\"/four\">four</a>.</p>\n", 2000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		z := nethtml.NewTokenizer(bytes.NewReader(text))
		for z.Next() != nethtml.ErrorToken {
		}
	}
}
