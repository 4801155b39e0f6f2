package html

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
)

// show writes blocks as "ordinal kind density text".
func show(blocks []Block) []string {
	var list []string
	for _, b := range blocks {
		list = append(list, fmt.Sprintf("%d %v %.2f %s", b.Ordinal, b.Kind, b.LinkDensity, b.Text))
	}
	return list
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"paragraphs", "<p>One  <b>two</b>\n three.</p><p></p><p>Four</p>", "3 paragraph 0.00 One two three.|7 paragraph 0.00 Four"},
		{"text around blocks", "before<p>in</p>between<p>in</p>after",
			"2 other 0.00 before|3 paragraph 0.00 in|4 other 0.00 between|5 paragraph 0.00 in|6 other 0.00 after"},
		{"inline tags join", "<p>un<b>believ</b>able <i> x </i>y</p>", "3 paragraph 0.00 unbelievable x y"},
		{"entities", "<p>a&nbsp;&amp;&nbsp;b&shy;c &#8220;d&#8221; &lt;p&gt; &#1; &#146;</p>", "3 paragraph 0.00 a & bc “d” <p> ’"},
		{"line breaks", "<p><br>a <br> b<br><br/>c<br></p>", "3 paragraph 0.00 a\nb\n\nc"},
		{"lists", "<ul><li>a<ul><li>b</ul>c<li><p>d</ul>", "4 list item 0.00 a|6 list item 0.00 b|8 list item 0.00 c|11 paragraph 0.00 d"},
		{"definitions", "<dl><dt>a<dd>b</dl>", "4 list item 0.00 a|6 list item 0.00 b"},
		{"table", "<table><caption>x</caption><tr><th>a<td><div>b</div><td></td></table>", "4 other 0.00 x|8 cell 0.00 a|11 cell 0.00 b"},
		{"headings", "<h1>a</h1><h6>b</h6>", "3 heading 0.00 a|5 heading 0.00 b"},
		{"preformatted", "<pre>a  b\n\n c</pre>", "3 preformatted 0.00 a b\nc"},
		{"code inside a sentence", "<p>Call <code>f()</code>.</p>", "3 paragraph 0.00 Call f()."},
		{"figure", "<figure><img alt=no><figcaption>a</figcaption></figure>", "4 other 0.00 a"},
		{"links", "<p><a href=x>abc</a> de<a name=y>f</a></p>", "3 paragraph 0.50 abc def"},
		{"a link around blocks", "<a href=x><div>a</div>b</a>c", "3 other 1.00 a|4 other 0.50 bc"},
		{"scripts and forms",
			"<p>a<script>b</script>c<button>d</button>e<select><option>f</select><textarea>g</textarea><svg><title>h</title><text>i</text></svg>j<noscript>k</noscript></p>",
			"3 paragraph 0.00 ac e j"},
		{"comments", "<p>a<!-- b -->c</p>", "3 paragraph 0.00 ac"},
		{"ruby", "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字</ruby></p>", "3 paragraph 0.00 漢字"},
		{"spaces of all scripts", "<p>\u3000漢\u2003\u00a0字\u2028x\u200b</p>", "3 paragraph 0.00 漢 字 x\u200b"},
		{"unknown elements are inline", "<p>a<my-tag>b</my-tag>c</p>", "3 paragraph 0.00 abc"},
		{"hr", "a<hr>b", "2 other 0.00 a|4 other 0.00 b"},
		{"blockquote in a cell", "<table><td>a<blockquote>b</blockquote>", "6 cell 0.00 a|7 other 0.00 b"},
		{"title is not a block", "<title>x</title><p>a", "3 paragraph 0.00 a"},
	} {
		root, err := nethtml.Parse(strings.NewReader("<!DOCTYPE html><html><body>" + c.body))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(show(enumerate(root).blocks), "|"); got != c.want {
			t.Errorf("%s: blocks\n %q, want\n %q", c.name, got, c.want)
		}
	}
}

// TestOrdinalsDependOnMarkupOnly replaces every text of a page, by nothing too, and
// drops inline markup: the ordinals of what remains do not change.
func TestOrdinalsDependOnMarkupOnly(t *testing.T) {
	const pattern = "<body>%s<div>%s<p>%s</p>%s<ul><li>%s<li>%s</ul><table><tr><td>%s<td>%s</table></div>%s<h1>%s</h1>"
	const texts = 10
	fill := func(text func(i int) string) ([]Block, int32) {
		var all []any
		for i := range texts {
			all = append(all, text(i))
		}
		e := enumerateText(t, fmt.Sprintf(pattern, all...))
		return e.blocks, e.ordinal + 1
	}
	full, ordinals := fill(func(i int) string { return fmt.Sprint("text ", i) })
	if len(full) != texts {
		t.Fatalf("%d blocks, want %d", len(full), texts)
	}
	for set := range 1 << texts {
		got, n := fill(func(i int) string {
			switch {
			case set>>i&1 == 0:
				return " "
			case i%2 == 0:
				return "<em>other</em> <a href=x>words</a><br>and <span>more</span>"
			}
			return "x"
		})
		if n != ordinals {
			t.Fatalf("set %b: %d ordinals, want %d", set, n, ordinals)
		}
		for i := range texts {
			if set>>i&1 == 0 {
				continue
			}
			if got[0].Ordinal != full[i].Ordinal || got[0].Kind != full[i].Kind {
				t.Fatalf("set %b: text %d has ordinal %d, want %d", set, i, got[0].Ordinal, full[i].Ordinal)
			}
			got = got[1:]
		}
	}
}

// enumerate walks a tree and gives its blocks their texts.
func enumerate(root *nethtml.Node) *enumeration {
	var e enumeration
	e.walk(root)
	e.blocks = e.result()
	return &e
}

func enumerateText(t testing.TB, text string) *enumeration {
	t.Helper()
	root, err := nethtml.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return enumerate(root)
}

func TestParseReasons(t *testing.T) {
	limits := DefaultConfig()
	limits.MaxBytes = 20 << 20
	deep := func(n int) string { return strings.Repeat("<div>", n) + "x" }
	shallow := limits
	shallow.MaxDepth = 10
	for _, c := range []struct {
		name   string
		data   string
		config Config
		want   string
	}{
		{"no bytes", "", limits, empty},
		{"white space", " \n\t", limits, empty},
		{"a byte order mark", "\xef\xbb\xbf \n", limits, empty},
		{"text without markup", "x", limits, ""},
		{"markup without text", "<p></p><script>x</script>", limits, noText},
		{"PNG", "\x89PNG\r\n\x1a\n\x00\x00", limits, binary},
		{"PDF", "%PDF-1.4 <p>x", limits, binary},
		{"ELF", "\x7fELF\x02\x01", limits, binary},
		{"NUL bytes", "<p>x\x00</p>", limits, binary},
		{"a list of JSON", " [{\"a\": \"<p>x</p>\"}]\n", limits, isJSON},
		{"an object of JSON in UTF-16", "\xfe\xff\x00{\x00}", limits, isJSON},
		{"brackets", "[1] <p>x</p>", limits, ""},
		{"a NUL byte", strings.Repeat("<p>x</p>", 20) + "\x00" + strings.Repeat("<p>x</p>", 20), limits, ""},
		{"zero-width characters alone", "<p>\u200b</p><p>\u3164\u2060</p>", limits, noText},
		{"NUL bytes far away", strings.Repeat("<p>x</p>", 200) + "\x00", limits, ""},
		{"UTF-16", "\xff\xfe<\x00p\x00>\x00x\x00", limits, ""},
		{"UTF-16 without mark", "\x00<\x00p\x00>\x00x", limits, ""},
		{"many bytes", strings.Repeat("x", 20<<20+1), limits, tooLarge},
		{"many nodes", strings.Repeat("<p>x", 60_000), limits, tooManyNodes},
		{"many texts", strings.Repeat("x<br>", 60_000), limits, tooManyNodes},
		{"multiplying elements", "<p>" + numbered(400, "<b id=%d>") + strings.Repeat("<p>x", 5000), limits, ""},
		{"many attributes", strings.Repeat("<p a b c d e>x", 45_000), limits, tooComplex},
		{"many attributes of a tag", "<p " + numbered(501, "a%d ") + ">x", limits, tooComplex},
		{"many end tags", "x" + strings.Repeat("</y>", 100_001), limits, tooComplex},
		{"many tags with attributes to merge", numbered(50_000, "<html a%d=1>") + "x", limits, tooManyNodes},
		{"depth of the parser", deep(600), limits, tooDeep},
		{"depth below it", deep(500), limits, ""},
		{"a drawing of many paths", "<svg>" + strings.Repeat(`<g><path d="M0 0"/></g><use href=#a />`, 2000) + "</svg><p>x", limits, ""},
		{"many open paths", "<svg>" + strings.Repeat("<path>", 600) + "</svg><p>x", limits, tooDeep},
		{"paths that are not elements of a drawing", strings.Repeat("<path/>", 600) + "<p>x", limits, tooDeep},
		{"depth by the limit", deep(20), shallow, tooDeep},
		{"a million open elements", deep(1_000_000), limits, tooManyNodes},
		{"bad bytes", "<meta charset=utf-8><p>" + strings.Repeat("a", 50) + strings.Repeat("é", 10) + "\xe9.", limits, invalidEncoding},
		{"a character that was cut", "<meta charset=utf-8><p>" + strings.Repeat("a", 50) + "é€"[:4], limits, ""},
		{"few bad bytes", "<meta charset=utf-8><p>" + strings.Repeat("a", 500) + strings.Repeat("é", 10) + "\xe9", limits, ""},
		{"an encoding that is forbidden", "<meta charset=iso-2022-kr><p>\x1b$)C x \x0e0!\x0f", limits, invalidEncoding},
		{"bad bytes in a script", "<meta charset=utf-8><p>é é é é é é é é<script>\xe9\xe9", limits, ""},
		{"bad markup", "<p><table><b><tr><td></b></p></table></div><![CDATA[<br>", limits, noText},
	} {
		page, reason, detail := Parse([]byte(c.data), Origin{}, c.config)
		if reason != c.want {
			t.Errorf("%s: reason %q (%s), want %q", c.name, reason, detail, c.want)
		}
		if (page == nil) != (reason != "") || (detail == "") != (reason == "") {
			t.Errorf("%s: page %v with reason %q and detail %q", c.name, page, reason, detail)
		}
	}
}

// TestTenMillionOpenElements: within the limit of bytes, 10 million tags cost neither
// time nor memory.
func TestTenMillionOpenElements(t *testing.T) {
	data := bytes.Repeat([]byte("<b>"), 10_000_000)
	config := DefaultConfig()
	config.MaxBytes = len(data)
	for _, nodes := range []int{100_000, 100_000_000} { // the scan stops it, then the parser
		config.MaxNodes = nodes
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, reason, _ := Parse(data, Origin{}, config)
		runtime.ReadMemStats(&after)
		if reason != tooManyNodes && reason != tooDeep {
			t.Errorf("reason %q, want %q or %q", reason, tooManyNodes, tooDeep)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%d nodes allowed: allocated %d bytes, want at most 16 MiB", nodes, used)
		}
	}
}

func TestDeclarations(t *testing.T) {
	for _, c := range []struct{ page, language, title, canonical string }{
		{`<html lang=" pt_BR "><title> a
			b </title><link rel=Canonical href=" /x ">`, "pt-BR", "a b", "/x"},
		{`<html xml:lang="de">`, "de", "", ""},
		{`<html lang="English (US)"><meta http-equiv=Content-Language content="fr-CA, en">`, "fr-CA", "", ""},
		{`<meta property=og:locale content=zh_Hant_TW>`, "zh-Hant-TW", "", ""},
		{`<meta name=DC.language content=de>`, "de", "", ""},
		{`<meta name=language content=English><body><p>x<div lang=ru>y</div>`, "ru", "", ""},
		{`<meta name=Language content=de><body><div lang=ru>x</div>`, "de", "", ""},
		{`<body><ul><li>x</ul><div>y</div><div lang=ru class=preface>z</div><div lang=ru>z</div>`, "ru", "", ""},
		{`<body><div lang=ru>x</div><div lang=de>y</div>`, "", "", ""},
		{`<body><p><div><div lang=ru>x</div></div>`, "", "", ""},
		{`<html lang="{{lang}}"><body lang=sv>`, "sv", "", ""},
		{`<html lang=en><body><svg><title>no</title></svg><link rel=canonical href=no>`, "en", "", ""},
		{`<html lang=x>`, "", "", ""},
	} {
		page, reason, _ := Parse([]byte(c.page+"<p>text"), Origin{}, DefaultConfig())
		if reason != "" {
			t.Errorf("%s: %s", c.page, reason)
			continue
		}
		if got := []string{page.Language, page.Title, page.Canonical}; !reflect.DeepEqual(got, []string{c.language, c.title, c.canonical}) {
			t.Errorf("%s: language, title, address %q", c.page, got)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	err := Config{MaxDepth: 513, MaxReplaced: 2}.Validate()
	for _, name := range []string{"MaxBytes", "MaxNodes", "MaxDepth", "MaxReplaced"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Validate() = %v, want a fault of %s", err, name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("<p>a<b>b</p>c<table><tr>d<td>e</table><a href=x>f<div>g</a>"), "")
	f.Add([]byte("<meta charset=shift_jis>\x82\xa0<pre>a\n\x0b b</pre>&#x85;&#0;"), "text/html; charset=gbk")
	f.Add([]byte("<svg><p>x<math><mi>y</svg><select><p>z<template>q</template><frameset>"), "")
	f.Fuzz(func(t *testing.T, data []byte, contentType string) {
		config := DefaultConfig()
		config.MaxReplaced = 1
		page, reason, _ := Parse(data, Origin{ContentType: contentType}, config)
		if (page == nil) == (reason == "") {
			t.Fatalf("page %v with reason %q", page, reason)
		}
		if page == nil {
			return
		}
		last := int32(-1)
		for i, b := range page.Blocks {
			if b.Ordinal <= last || b.Ordinal >= page.Ordinals {
				t.Fatalf("block %d has ordinal %d after %d, of %d", i, b.Ordinal, last, page.Ordinals)
			}
			last = b.Ordinal
			if b.Text == "" || !utf8.ValidString(b.Text) || strings.TrimSpace(b.Text) != b.Text || strings.Contains(b.Text, "  ") {
				t.Fatalf("block %d has the text %q", i, b.Text)
			}
			for _, r := range b.Text {
				if r != '\n' && (unicode.IsControl(r) || unicode.IsSpace(r) && r != ' ') {
					t.Fatalf("block %d has %U in %q", i, r, b.Text)
				}
			}
			if !(b.LinkDensity >= 0 && b.LinkDensity <= 1) {
				t.Fatalf("block %d has link density %v", i, b.LinkDensity)
			}
		}
		previous := 0
		for _, text := range page.Texts {
			if text.Block < previous || text.Block >= len(page.Blocks) {
				t.Fatalf("text of block %d after %d", text.Block, previous)
			}
			previous = text.Block
		}
		again, _, _ := Parse(data, Origin{ContentType: contentType}, config)
		if !reflect.DeepEqual(show(again.Blocks), show(page.Blocks)) || again.Charset != page.Charset {
			t.Fatal("another result the second time")
		}
	})
}

// benchmarkPage is a page of the usual kind: much markup, some text.
func benchmarkPage() []byte {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html lang=en><head><title>x</title><script>" + strings.Repeat("var x = '<p>';\n", 500) +
		"</script></head><body>")
	for i := range 200 {
		fmt.Fprintf(&b, `<div class="item item-%d"><a href="/page/%d" title="to"><span>Go to page</span></a></div>`+"\n", i, i)
	}
	b.WriteString("<article>")
	for range 100 {
		b.WriteString("<p class=text>It was <em>late</em> in the year and the house stood empty, for <a href=/x>the people</a> who had lived there went south.</p>\n")
	}
	b.WriteString("</article></body></html>")
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	page := benchmarkPage()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(page, Origin{}, DefaultConfig())
	}
}

// BenchmarkParserAlone is golang.org/x/net/html without what is around it here.
func BenchmarkParserAlone(b *testing.B) {
	page := benchmarkPage()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		nethtml.Parse(bytes.NewReader(page))
	}
}

func BenchmarkBlocks(b *testing.B) {
	page := benchmarkPage()
	root, err := nethtml.Parse(bytes.NewReader(page))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	var e enumeration
	for b.Loop() {
		e.walk(root)
		e.result()
	}
}

// TestNoscript: text for browsers without scripts counts where it is asked for, but not that of the head.
func TestNoscript(t *testing.T) {
	const page = "<head><noscript><link href=x></noscript></head><body><p>a</p><noscript><div>b <i>c</i></div></noscript><p>d</p></body>"
	for noscript, want := range map[bool]string{false: "a|d", true: "a|b c|d"} {
		config := DefaultConfig()
		config.Noscript = noscript
		p, reason, detail := Parse([]byte(page), Origin{}, config)
		if reason != "" {
			t.Fatal(reason, detail)
		}
		var texts []string
		for _, b := range p.Blocks {
			texts = append(texts, b.Text)
		}
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("with Noscript %v the blocks are %s, want %s", noscript, got, want)
		}
	}
}

// Links behind a text that are of use on the page alone are not part of its content.
func TestContent(t *testing.T) {
	for _, c := range []struct{ markup, want string }{
		{"<h2>Setup<a href=#x>¶</a></h2>", "Setup"},
		{"<dt>-v <a href=#x>\uf0c1</a></dt>", "-v"},
		{"<h2>Setup<a href=#x> # </a> <a href=#y>\u200b</a></h2>", "Setup"},
		{"<h2>Setup<span class=mw-editsection>[<a href=x>edit</a> | <a href=y>edit source</a>]</span></h2>", "Setup"},
		{"<p>the sign <a href=x>#</a> is a hash</p>", "the sign # is a hash"},
		{"<p>C#</p>", "C#"},
		{"<p><a href=x>§ 5</a></p>", "§ 5"},
		{"<p><a href=x>¶</a></p>", "¶"},
		{"<p>one<br><br>two<a href=x>¶</a></p>", "one\n\ntwo"},
	} {
		page, reason, detail := Parse([]byte(c.markup), Origin{}, DefaultConfig())
		if reason != "" || len(page.Blocks) != 1 || page.Blocks[0].Content != c.want {
			t.Errorf("%s: %+v %s %s, want %q", c.markup, page, reason, detail, c.want)
		}
	}
}
