package html

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"sentweave/schemas/realdata"
)

// numbered repeats a format n times with the number in it.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// rendered returns the tree of a page's body, as it is simplified, without comments.
func rendered(t testing.TB, page string) string {
	t.Helper()
	text, reason, detail := new(simplifier).simplify([]byte(page), 1<<30, false)
	if reason != "" {
		t.Fatalf("%s: %s", reason, detail)
	}
	root, err := nethtml.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := nethtml.Render(&b, root); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(b.String(), "<body>")
	body, _, _ = strings.Cut(body, "</body>")
	for {
		before, rest, found := strings.Cut(body, "<!--")
		if !found {
			return body
		}
		_, after, _ := strings.Cut(rest, "-->")
		body = before + after
	}
}

func TestSimplify(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{"<p>a <b>b <i>c</i></b> <a href=x><code>d</code></a></p>", `<p>a <b>b <i>c</i></b> <a href="x"><code>d</code></a></p>`},
		{"<p><b>a<br>b <img> <span>c</span></b></p>", "<p><b>a<br/>b <img/> <span>c</span></b></p>"},
		{"<p><b>a<p>b</b>c</p>", "<p>a</p><p>bc</p>"},
		{"<font><p>a</p></font>", "<p>a</p>"},
		{"<b>a<i>b</b>c</i>d", "<b>ab</b>cd"},
		{"<b>a<span>b</b>c</span>d", "<b>a<span>b</span></b>cd"},
		{"<span>a<b>b</span>c</b>d", "<span>ab</span>cd"},
		{"<u>a</U><B>b</b >c</b>", "<u>a</u><b>b</b>c"},
		{"<p><i>a</p>b</i>", "<p>a</p>b"},
		{"<x-y><b>a</X-Y>b</b>", "<x-y>a</x-y>b"},
		{"<b>a</nothing>b</b>", "ab"},
		{`<a class=c href="/x" id=i><div>a</div></a>`, `<a href="/x"><div>a</div></a>`},
		{`<p><a name=n class=c>a<p>b`, "<p><a>a</a></p><p><a>b</a></p>"},
		{`<p><a href=1>a<a href=2 id=i>b</a>`, `<p><a href="1">a</a><a href="2" id="i">b</a></p>`},
		{"<a>a<div><b>b<a>c</b>", "<a>a</a><div><a>b</a><a>c</a></div>"},
		{"<nobr>a<b>b<nobr>c</nobr>", "abc"},
		{"<svg/>a<title>x<b></title>b", "<svg></svg>a<title>x b&gt;</title>b"},
		{"<svg><title/><p>a", "<svg><xitle></xitle></svg><p>a</p>"},
		{"<svg><style><b></style></svg>a", "<svg><style> b&gt;</style></svg>a"},
		{"<svg><style>a</svg><p>b", "<svg><xtyle>a</xtyle></svg><p>b</p>"},
		{"<svg><![CDATA[<b>a]]></svg>b", "<svg>a]]&gt;</svg>b"},
		{"a<script><!-- w('<script></script>') --></script>b", "a<script> !-- w(' script> /script>') --></script>b"},
		{"a<!--<b>--!>b<!-->c<!--->d<!-- -- >e--->f", "abcdf"},
		{`<p a=b=">a</p><p b">c</p>`, `<p a="b=&#34;">a</p><p b"="">c</p>`},
		{`<?xml version="1.0"?><title/><script src="x"/><p>a<iframe src="y" />b</p>`, "<p>ab</p>"},
		{"<p>a</p><title/><p>b", "<p>a</p><title> p&gt;b</title>"},
		{"a<b", "a"},
		{"a<b>", "a"},
		{"a<plaintext><b>c", "a<plaintext> b>c"},
	} {
		if got := rendered(t, c.page); got != c.want {
			t.Errorf("%s\n gives %s,\n want  %s", c.page, got, c.want)
		}
	}
}

// sampling is how many pages stand for one that is looked at.
func sampling() int {
	if testing.Short() {
		return 10
	}
	return 1
}

// TestSimplifyKeepsBlocks compares the blocks of real pages with those of the same
// pages that were not simplified.
func TestSimplifyKeepsBlocks(t *testing.T) {
	all, differ := 0, 0
	data := realdata.Folder(t, "wcxb", "main-content")
	for name, data := range realdata.Pages(t, sampling(), filepath.Join(data, "wcxb"), filepath.Join(data, "main-content"),
		os.Getenv("SENTWEAVE_HANDBOOK"), os.Getenv("MORE_PAGES")) {
		text, charset := decode(data, Origin{})
		if charset == "" {
			continue
		}
		root, err := nethtml.Parse(bytes.NewReader(text))
		if err != nil {
			continue
		}
		simplified, reason, detail := new(simplifier).simplify(text, DefaultConfig().MaxNodes, false)
		if reason != "" {
			t.Errorf("%s is rejected: %s: %s", name, reason, detail)
			continue
		}
		after, err := nethtml.Parse(bytes.NewReader(simplified))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all++
		if !slices.Equal(enumerate(after).blocks, enumerate(root).blocks) {
			differ++
			t.Logf("%s differs", name)
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d pages have other blocks", differ, all)
	}
	t.Logf("the blocks of %d of %d pages differ", differ, all)
}

// FuzzSimplify: on what simplify returns, the parser finds the tags that the scanner
// finds, and the tree has not many more nodes than were counted.
func FuzzSimplify(f *testing.F) {
	f.Add("<b><p>x</b><table><td><i>y<td>z</table>")
	f.Add("<a href=1><div><a href=2></div></a><svg><path/><b></svg>")
	f.Add("<textarea><b></textarea><!-- x --><?php ?><plaintext><b>")
	f.Add("<svg><style/><b></svg><style><script/><!--</p><title a='>'></title>")
	f.Add("<noscript><b><p>x</noscript><svg><noscript><i></svg><b><noscript></b><p>y")
	f.Fuzz(func(t *testing.T, page string) {
		checkSimplified(t, page, false)
		checkSimplified(t, page, true)
	})
}

func checkSimplified(t *testing.T, page string, noscript bool) {
	text, reason, _ := new(simplifier).simplify([]byte(page), 1<<20, noscript)
	if reason != "" {
		return
	}
	if len(text) != len(page) {
		t.Fatalf("%d bytes became %d", len(page), len(text))
	}
	root, err := nethtml.ParseWithOptions(bytes.NewReader(text), nethtml.ParseOptionEnableScripting(!noscript))
	if err != nil {
		return
	}
	n := 0
	for range root.Descendants() {
		n++
	}
	if _, reason, detail := new(simplifier).simplify([]byte(page), n/4-10, noscript); n/4 > 10 && reason == "" {
		t.Errorf("%q: %d nodes, and fewer than a quarter were counted (%s)", text, n, detail)
	}
}

// FuzzScanner compares with the tokenizer.
func FuzzScanner(f *testing.F) {
	f.Add("<b a='>' b=c=\"d>e</b><!-- --!>x<!-->y<!--->z</ x><?a?><!doctype html><p/>")
	f.Add("a<1<b/c/d=e / f = 'g'h>i</b j='k>'>l<")
	f.Fuzz(func(t *testing.T, page string) {
		text, reason, _ := new(simplifier).simplify([]byte(page), 1<<20, false)
		if reason != "" {
			return
		}
		var got, want []string
		s := scanner{text: text}
		for {
			if s.next() {
				got = append(got, "text")
			}
			if s.token == endOfText {
				break
			}
			name := ""
			if s.token != comment {
				name = strings.ReplaceAll(strings.ToLower(string(s.nameBytes())), "\x00", "\ufffd")
			}
			got = append(got, fmt.Sprint(s.token, name, s.token == startTag && s.selfClosing))
			if s.token == startTag && s.isRaw() {
				end, _ := s.rawEnd()
				if end > s.at {
					got = append(got, "text")
				}
				s.at = end
			}
		}
		z := nethtml.NewTokenizer(bytes.NewReader(text))
		for {
			kind := z.Next()
			if kind == nethtml.ErrorToken {
				break
			}
			name, _ := z.TagName()
			switch kind {
			case nethtml.TextToken:
				want = append(want, "text")
			case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
				want = append(want, fmt.Sprint(startTag, strings.ToLower(string(name)), kind == nethtml.SelfClosingTagToken))
			case nethtml.EndTagToken:
				want = append(want, fmt.Sprint(endTag, strings.ToLower(string(name)), false))
			default:
				want = append(want, fmt.Sprint(comment, "", false))
			}
		}
		got, want = slices.Compact(got), slices.Compact(want) // a "<" at the end may be a text of its own
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	})
}

func BenchmarkSimplify(b *testing.B) {
	text := []byte(strings.Repeat("<p class=\"text\">One <b>two</b> three, and <a href=\"/four\">four</a>.</p>\n", 2000))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var s simplifier
	for b.Loop() {
		s.simplify(text, 1<<30, false)
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
