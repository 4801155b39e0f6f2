package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/transforms/read/html"
)

// blocks are those of a file as a reader of pages sees them: kind and text.
func blocks(t testing.TB, file string) (list []string) {
	t.Helper()
	return converted(t, file, false)
}

// converted is blocks of a file that may be MDX.
func converted(t testing.TB, file string, mdx bool) (list []string) {
	t.Helper()
	converted, reason, detail := Convert(file, mdx)
	if reason != "" {
		return []string{reason + ": " + detail}
	}
	page, reason, detail := html.Parse(converted.HTML, html.Origin{ContentType: "text/html; charset=utf-8"}, html.DefaultConfig())
	if reason != "" {
		return []string{reason + ": " + detail}
	}
	for _, b := range page.Blocks {
		list = append(list, fmt.Sprintf("%v: %s", b.Kind, b.Text))
	}
	return list
}

func TestBlocks(t *testing.T) {
	for _, test := range []struct {
		why, file string
		want      []string
	}{
		{"headings of both kinds", "# Green *tea*\n\nWater and tea\n=============\n",
			[]string{"heading: Green tea", "heading: Water and tea"}},
		{"a paragraph of lines", "Boil *fresh* water\nand **wait**.  \nPour it.\n",
			[]string{"paragraph: Boil fresh water and wait.\nPour it."}},
		{"Chinese lines are joined without a space", "中文的\n换行。\n第二\nline\n", []string{"paragraph: 中文的换行。第二 line"}},
		{"lines that end before a link, or in a mark", "the\n`code` and.\nThe\n[link](x)\n*a*\n",
			[]string{"paragraph: the code and. The link a"}},
		{"lists in lists", "- one\n  1. two\n- three\n\n* [x] done\n",
			[]string{"list item: one", "list item: two", "list item: three", "list item: done"}},
		{"code", "```go\nx := 1\ny := 2\n```\n\n    z\n\nUse `x`.\n",
			[]string{"preformatted: x := 1\ny := 2", "preformatted: z", "paragraph: Use x."}},
		{"a table", "| a | b |\n|---|:-:|\n| c d | `e` |\n", []string{"cell: a", "cell: b", "cell: c d", "cell: e"}},
		{"links and images", "See [the page](http://x.y \"t\") and <http://z.org>. ![alt](a.png)\n\n[a]: http://b\n",
			[]string{"paragraph: See the page and http://z.org."}},
		{"quotes", "> One.\n>> Two.\n", []string{"paragraph: One.", "paragraph: Two."}},
		{"blocks of HTML", "<details><summary>More</summary>\n\nText **here**.\n\n</details>\n<!-- not\nthis -->\n",
			[]string{"other: More", "paragraph: Text here."}},
		{"a tag that is a word", "The <title> element and a <select> hide nothing, <b>bold</b> is.\n\nNext.\n",
			[]string{"paragraph: The <title> element and a <select> hide nothing, bold is.", "paragraph: Next."}},
		{"an element that is closed", "A <button>hidden</button> one.\n", []string{"paragraph: A one."}},
		{"footnotes", "Tea[^1] is a drink.\n\n[^1]: Of leaves.\n", []string{"paragraph: Tea is a drink.", "paragraph: Of leaves."}},
		{"definitions and struck text", "Term\n: Its ~~wrong~~ meaning.\n", []string{"list item: Term", "list item: Its wrong meaning."}},
		{"entities and escapes", "a &amp; b &copy; \\*c\\* &lt;d>\n", []string{"paragraph: a & b © *c* <d>"}},
		{"a fence that does not end", "One.\n\n```\ncode\n", []string{"paragraph: One.", "preformatted: code"}},
		{"line ends of Windows", "# A\r\n\r\nb\r\nc\r\n", []string{"heading: A", "paragraph: b c"}},
		{"line ends of old Macintoshes", "# A\r\rb\rc\r\n## D\r", []string{"heading: A", "paragraph: b c", "heading: D"}},
	} {
		if diff := cmp.Diff(test.want, blocks(t, test.file)); diff != "" {
			t.Errorf("%s:\n%s", test.why, diff)
		}
	}
}

// TestBoundsOfFiles: files that cost the parser much give a reason, or a page within a moment; goldmark alone would take minutes
// for most of these.
func TestBoundsOfFiles(t *testing.T) {
	r := strings.Repeat
	for _, test := range []struct{ why, file, want string }{
		{"too many bytes", r("a", MaxBytes+1), "too_large: more than 4194304 bytes"},
		{"too many bytes of HTML", r("\"", MaxBytes), "too_large: more than 10485760 bytes of HTML"},
		{"too many lines", r("a\n", maxLines+1), "too_many_nodes: more than 100000 lines"},
		{"quotes in quotes", r(">", 200) + "x", "too_deep: line 1: a quote or list begins behind column 128"},
		{"lists in lists", r("- ", 200) + "x", "too_deep: line 1: a quote or list begins behind column 128"},
		{"numbers in numbers", r("1. ", 200) + "x", "too_deep: line 1: a quote or list begins behind column 128"},
		{"lists behind tabs", r("-\t", 200) + "x", "too_deep: line 1: a quote or list begins behind column 128"},
		{"lists, line by line", func() string {
			var b strings.Builder
			for i := range 200 {
				b.WriteString(r(" ", 2*i) + "- x\n")
			}
			return b.String()
		}(), "too_deep: line 66: a quote or list begins behind column 128"},
		{"many items", r(r("> ", 60)+"x\n", 900), "too_many_nodes: more than 50000 quotes and items"},
		{"a table of a header and no cells", r("a|", 5_000) + "\n" + r("-|", 5_000) + "\n" + r("b\n", 5_000),
			"too_many_nodes: more than 50000 cells of tables"},
		{"many footnotes", r("x[^1]\n\n", 1_001), "too_many_nodes: more than 1000 footnotes"},
		{"emphasis that does not end", r("*a_ ", 20_000),
			"too_complex: up to 40000 signs of emphasis and links in a paragraph of 80000 bytes"},
		{"that of a heading", "# " + r("*a_ ", 20_000),
			"too_complex: up to 40000 signs of emphasis and links in a paragraph of 80002 bytes"},
		{"that of an underlined heading", r("*a_ ", 20_000) + "\n===\n",
			"too_complex: up to 40000 signs of emphasis and links in a paragraph of 79999 bytes"},
		{"in a list", "- " + r("[a](<b", 20_000), "too_complex: up to 60000 signs of emphasis and links in a paragraph of 120000 bytes"},
		{"titles that do not end", r("[a]: u \"\n", 20_000),
			"too_complex: up to 40000 signs of emphasis and links in a paragraph of 180000 bytes"},
		{"links of a long address", "[a]: /" + r("x", 1_000_000) + "\n\n" + r("[a]\n\n", 1_000), "kept"},
		{"a long paragraph", r("some words ", 100_000), "kept"},
		{"a long table", "a|b\n-|-\n" + r("c|d\n", 20_000), "kept"},
		{"a fence that does not end", "```\n" + r("> - [a](b) *c*\n", 20_000), "kept"},
		{"brackets in code", "`" + r("[", 100_000) + "`",
			"too_complex: up to 100002 signs of emphasis and links in a paragraph of 100002 bytes"},
		{"a comment that does not end", "<!--\n" + r("<div>\n\n", 20_000), "kept"},
	} {
		page, reason, detail := Convert(test.file, false)
		got := "kept"
		if reason != "" {
			got = reason + ": " + detail
		}
		if got != test.want || (page.HTML == nil) != (reason != "") {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

// FuzzConvert: a file gives a page or a reason, and the page holds nothing of the front matter.
func FuzzConvert(f *testing.F) {
	for _, file := range []string{
		"---\ntitle: a\n---\n# b\n", "+++\na = 1\n+++\nc", "> - 1. x\n\n```\ny", "|a|\n|-|\n|b|", "[^1]: [x](<y", "<title>\n\n*a_ `b",
		"a\n: b\n\n<b>c",
		"---\n&a [*a]\n---\n", "\u2028\x00\ufeff", "Tea[^1]\n\n[^1]: x\n\n    y\n",
		"\x91\n0", "{% raw %}{{ x }}{% endraw %}\n\n{% highlight a %}\nb\n{% endhighlight %}\n\n:::note[a]{#b}\nc\n:::\n",
		"> [!note]- a\n> [[b|c]] <D e={f}/>\n\nimport {\na",
	} {
		f.Add(file, len(file)%2 == 0)
	}
	f.Fuzz(func(t *testing.T, file string, mdx bool) {
		page, reason, detail := Convert(file, mdx)
		if (page.HTML == nil) != (reason != "") || (reason == "") != (detail == "") || reason == malformed {
			t.Fatalf("a page of %d bytes with the reason %q: %q", len(page.HTML), reason, detail)
		}
		if len(page.HTML) > maxHTML {
			t.Errorf("%d bytes of HTML", len(page.HTML))
		}
	})
}

func BenchmarkConvert(b *testing.B) {
	file := strings.Repeat("# Green tea\n\nBoil *fresh* water and **let it cool** for [three minutes](http://x.y).\nPour it over the `leaves`.\n\n"+
		"- One item of the list\n- Another item\n\n| a | b |\n|---|---|\n| c | d |\n\n```go\nx := 1\n```\n\n", 200)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, reason, _ := Convert(file, false); reason != "" {
			b.Fatal(reason)
		}
	}
}
