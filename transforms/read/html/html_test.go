package html

import (
	"bytes"
	endian "encoding/binary"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/text/encoding/htmlindex"
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
		{"text around blocks", "before<p>in</p>between<p>in</p>after", "2 other 0.00 before|3 paragraph 0.00 in|4 other 0.00 between|5 paragraph 0.00 in|6 other 0.00 after"},
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
		{"scripts and forms", "<p>a<script>b</script>c<button>d</button>e<select><option>f</select><textarea>g</textarea><svg><title>h</title><text>i</text></svg>j<noscript>k</noscript></p>", "3 paragraph 0.00 ac e j"},
		{"comments", "<p>a<!-- b -->c</p>", "3 paragraph 0.00 ac"},
		{"ruby", "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字</ruby></p>", "3 paragraph 0.00 漢字"},
		{"spaces of all scripts", "<p>\u3000漢\u2003\u00a0字\u2028x\u200b</p>", "3 paragraph 0.00 漢 字 x\u200b"},
		{"unknown elements are inline", "<p>a<my-tag>b</my-tag>c</p>", "3 paragraph 0.00 abc"},
		{"hr", "a<hr>b", "2 other 0.00 a|4 other 0.00 b"},
		{"blockquote in a cell", "<table><td>a<blockquote>b</blockquote>", "6 cell 0.00 a|7 other 0.00 b"},
		{"title is no block", "<title>x</title><p>a", "3 paragraph 0.00 a"},
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
		{"paths that are no elements of a drawing", strings.Repeat("<path/>", 600) + "<p>x", limits, tooDeep},
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

// inUTF32 returns a text in UTF-32.
func inUTF32(order endian.ByteOrder, text string) string {
	var b []byte
	for _, r := range text {
		b = append(b, 0, 0, 0, 0)
		order.PutUint32(b[len(b)-4:], uint32(r))
	}
	return string(b)
}

func TestDecode(t *testing.T) {
	encode := func(name, text string) string {
		e, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	russian := "Это предложение написано на русском языке, чтобы определить кодировку страницы. "
	polish := "Zażółć gęślą jaźń, a potem źrebię pójdzie śladem łosia na łąkę."
	japanese := "これは文字コードを調べるための日本語の文章です。とても短いです。"
	thai := "หน้านี้เขียนเป็นภาษาไทย เพื่อให้โปรแกรมหารหัสอักขระ"
	korean := "긴 겨울이 지난 뒤에도 강물은 높았습니다."
	chinese := "这是用来检测字符编码的中文句子，内容不多。"
	for _, c := range []struct{ name, data, header, charset, text string }{
		{"ASCII", "<p>plain", "", "utf-8", "plain"},
		{"UTF-8, nothing declared", "<p>" + russian, "", "utf-8", russian},
		{"UTF-8 against the header", "<p>" + russian, "text/html; charset=ISO-8859-1", "utf-8", russian},
		{"UTF-8 against the meta element", "<meta charset=windows-1251><p>" + russian, "", "utf-8", russian},
		{"little UTF-8 does not outweigh a declaration", "<meta charset=gbk><p>\xc1\xaa\xcd\xa8", "", "gbk", "联通"},
		{"UTF-8 with mark against the header", "\ufeff<p>é", "text/html; charset=windows-1252", "utf-8", "é"},
		{"UTF-16", "\xff\xfe" + encode("utf-16le", "<p>"+japanese), "", "utf-16le", japanese},
		{"UTF-16BE without mark", encode("utf-16be", "<p>"+japanese), "", "utf-16be", japanese},
		{"UTF-32", "\xff\xfe\x00\x00" + inUTF32(endian.LittleEndian, "<p>"+japanese+"😀"), "", "utf-32le", japanese + "😀"},
		{"UTF-32BE", "\x00\x00\xfe\xff" + inUTF32(endian.BigEndian, "<p>"+russian), "text/html; charset=utf-8", "utf-32be", russian},
		{"UTF-32 without mark", inUTF32(endian.LittleEndian, "<p>"+japanese), "", "utf-32le", japanese},
		{"UTF-32BE without mark", inUTF32(endian.BigEndian, "\n<p>"+japanese), "", "utf-32be", japanese},
		{"UTF-32 in the header alone", "<p>" + russian, "text/html; charset=utf-32le", "utf-8", russian},
		{"header", "<p>" + encode("koi8-r", russian), "text/html; charset=KOI8-R", "koi8-r", russian},
		{"header before meta", "<meta charset=windows-1252><p>" + encode("koi8-r", russian), "text/html; charset=koi8-r", "koi8-r", russian},
		{"unknown name in the header", "<meta charset=koi8-r><p>" + encode("koi8-r", russian), "text/html; charset=none", "koi8-r", russian},
		{"meta charset", `<meta charset="Shift_JIS"><p>` + encode("shift_jis", japanese), "", "shift_jis", japanese},
		{"meta http-equiv", `<meta http-equiv="Content-Type" content="text/html; charset=euc-jp"><p>` + encode("euc-jp", japanese), "", "euc-jp", japanese},
		{"ISO-2022-JP", `<meta charset=iso-2022-jp><p>` + encode("iso-2022-jp", japanese), "", "iso-2022-jp", japanese},
		{"XML declaration", `<?xml version="1.0" encoding='GB18030'?><p>` + encode("gb18030", chinese), "", "gb18030", chinese},
		{"declared windows-1252", "<meta charset=iso-8859-1><p>na\xefve", "", "windows-1252", "naïve"},
		{"meta far into the head", "<script>" + strings.Repeat("x", 5000) + "<meta charset=gbk></script><!-- <meta charset=gbk> --><style>" + strings.Repeat("y", 100_000) + "</style><meta charset=koi8-r><p>" + encode("koi8-r", russian), "", "koi8-r", russian},
		{"meta in the body", "<body class=x><div></div><meta charset=koi8-r><p>" + encode("koi8-r", russian), "", "koi8-r", russian},
		{"the first meta that is known", "<meta charset=none><meta name=description content='charset=gbk'><meta content='text/html;charset = \"KOI8-R\"' http-equiv=content-type><meta charset=gbk><p>" + encode("koi8-r", russian), "", "koi8-r", russian},
		{"meta before the XML declaration", `<?xml version="1.0" encoding="iso-8859-1"?><meta charset=koi8-r><p>` + encode("koi8-r", russian), "text/html", "koi8-r", russian},
		{"the XML declaration of XHTML", `<?xml version="1.0" encoding = "koi8-r" ?><html><meta charset=iso-8859-1><p>` + encode("koi8-r", russian), "application/xhtml+xml", "koi8-r", russian},
		{"late meta against UTF-8", "<script>" + strings.Repeat("x", 5000) + "</script><meta charset=koi8-r><p>" + russian, "", "utf-8", russian},
		{"late meta against the mark", "\ufeff<script>" + strings.Repeat("x", 5000) + "</script><meta charset=koi8-r><p>é", "", "utf-8", "é"},
		{"late meta against the header", "<script>" + strings.Repeat("x", 5000) + "</script><meta charset=gbk><p>" + encode("koi8-r", russian), "text/html; charset=koi8-r", "koi8-r", russian},
		{"ISO-8859-2", "<meta charset=iso-8859-2><p>" + encode("iso-8859-2", polish), "", "iso-8859-2", polish},
		{"ISO-8859-2 that is windows-1250", "<meta charset=iso-8859-2><p>" + encode("windows-1250", polish), "", "windows-1250", polish},
		{"UTF-16 declared in ASCII", `<meta charset="utf-16"><p>` + russian, "", "utf-8", russian},
		{"detected Russian", "<p>" + encode("windows-1251", strings.Repeat(russian, 5)), "", "windows-1251", strings.Repeat(russian, 5)},
		{"detected Japanese", "<p>" + encode("shift_jis", strings.Repeat(japanese, 5)), "", "shift_jis", strings.Repeat(japanese, 5)},
		{"detected against a false UTF-8", "<meta charset=utf-8><p>" + encode("euc-jp", strings.Repeat(japanese, 5)), "", "euc-jp", strings.Repeat(japanese, 5)},
		{"detected ISO-2022-JP", "<meta charset=utf-8><p>" + encode("iso-2022-jp", japanese), "", "iso-2022-jp", japanese},
		{"detected Thai", "<p>" + encode("windows-874", thai), "", "windows-874", thai},
		{"capitals that are no Thai", "<p>\xc9T\xc9 \xc0 NO\xcbL: \xd6\xc4\xdc\xdf", "", "windows-1252", "ÉTÉ À NOËL: ÖÄÜß"},
		{"nothing to go by", "<p>caf\xe9", "", "windows-1252", "café"},

		{"UTF-8 with one character, declared otherwise", "<meta charset=iso-8859-1><p>naïve", "", "utf-8", "naïve"},
		{"UTF-8 with one character in GBK by the header", "<p>don’t", "text/html; charset=gb2312", "utf-8", "don’t"},
		{"damaged UTF-8, declared otherwise", "<meta charset=iso-8859-1><p>" + strings.Repeat("Grüße. ", 70) + "\xe9!", "", "utf-8", strings.Repeat("Grüße. ", 70) + "\ufffd!"},
		{"damaged UTF-8, not declared", "<p>" + strings.Repeat("Grüße. ", 70) + "\xe9!", "", "utf-8", strings.Repeat("Grüße. ", 70) + "\ufffd!"},
		{"UTF-8 that was cut", "<meta charset=utf-8><p>naïve caf\xc3", "", "utf-8", "naïve caf"},
		{"a false UTF-8 in the header", "<meta charset=koi8-r><p>" + encode("koi8-r", russian), "text/html; charset=utf-8", "koi8-r", russian},
		{"a mark of UTF-8 before another encoding", "\ufeff<meta charset=koi8-r><p>" + encode("koi8-r", strings.Repeat(russian, 5)), "", "koi8-r", strings.Repeat(russian, 5)},
		{"the server's default", "<meta charset=koi8-r><p>" + encode("koi8-r", strings.Repeat(russian, 5)), "text/html; charset=iso-8859-1", "koi8-r", strings.Repeat(russian, 5)},
		{"a bad parameter", "<p>" + encode("koi8-r", russian), "text/html; =x; charset=koi8-r", "koi8-r", russian},
		{"several headers", "<p>" + encode("koi8-r", russian), `text/plain, text/html; charset="koi8-r"`, "koi8-r", russian},
		{"UTF-16 in the header alone", "<p>" + russian, "text/html; charset=utf-16", "utf-8", russian},
		{"UTF-16 without mark, after a line end", encode("utf-16le", "\r\n<html><body><p>"+russian), "", "utf-16le", russian},
		{"x-user-defined", "<meta charset=x-user-defined><p>caf\xe9", "", "windows-1252", "café"},
		{"HZ", "<meta charset=hz-gb-2312><p>~{VPND~}", "", "hz-gb-2312", "中文"},
		{"HZ that is GBK", "<meta charset=hz-gb-2312><p>" + encode("gbk", chinese), "", "gb18030", chinese},
		{"ISO-2022-KR that is EUC-KR", "<meta charset=iso-2022-kr><p>" + encode("euc-kr", korean), "", "euc-kr", korean},
		{"Shift_JIS that is EUC-JP", "<meta charset=shift_jis><p>" + encode("euc-jp", japanese), "", "euc-jp", japanese},
		{"EUC-JP that is Shift_JIS", "<meta charset=euc-jp><p>" + encode("shift_jis", japanese), "", "shift_jis", japanese},
		{"ASCII that is KOI8-R", "<meta charset=us-ascii><p>" + encode("koi8-r", russian), "", "koi8-r", russian},
		{"ASCII that is windows-1252", "<p>caf\xe9", "text/html; charset=ascii", "windows-1252", "café"},
		{"Latin-1 that is Shift_JIS", "<meta charset=iso-8859-1><p>" + encode("shift_jis", "はい、そうです。"), "", "shift_jis", "はい、そうです。"},
		{"GBK in the header, UTF-8 in the page", "<meta charset=utf-8><p>é", "text/html; charset=gbk", "utf-8", "é"},
		{"the language of the page", "<html lang=lt><p>" + encode("windows-1257", "Žuvis."), "", "windows-1257", "Žuvis."},
		{"the language in a meta element", "<meta http-equiv=content-language content=pl><p>" + encode("iso-8859-2", "Dziś."), "", "iso-8859-2", "Dziś."},
		{"the language of the body", "<body lang=tr><p>" + encode("windows-1254", "Kış."), "", "windows-1254", "Kış."},
	} {
		for range 3 { // the detector runs goroutines: the result must not depend on them
			page, reason, detail := Parse([]byte(c.data), Origin{ContentType: c.header}, DefaultConfig())
			if reason != "" {
				t.Errorf("%s: %s: %s", c.name, reason, detail)
				break
			}
			if page.Charset != c.charset || page.Blocks[0].Text != strings.TrimSpace(c.text) {
				t.Errorf("%s: %s %q, want %s %q", c.name, page.Charset, page.Blocks[0].Text, c.charset, c.text)
				break
			}
		}
	}
}

// Pages that are declared in a set that cannot decode them, or makes rare characters of them, are read as if
// nothing was declared.
func TestContradictedDeclarations(t *testing.T) {
	for _, c := range []struct{ language, set, text, declared string }{
		{"ru", "koi8-r", "Вчера вечером мы долго гуляли по старому городу и говорили о том, что будет дальше. Никто не знал ответа.", "shift_jis euc-jp euc-kr gb2312 big5 us-ascii utf-8"},
		{"ru", "windows-1251", "Вчера вечером мы долго гуляли по старому городу и говорили о том, что будет дальше. Никто не знал ответа, ещё бы.", "iso-8859-11 shift_jis euc-kr gbk us-ascii"},
		{"th", "windows-874", "เมื่อวานตอนเย็นเราเดินเล่นในเมืองเก่าเป็นเวลานานและพูดคุยกันว่าจะเกิดอะไรขึ้นต่อไป", "big5 gb2312 euc-kr euc-jp shift_jis us-ascii"},
		{"zh", "gb18030", "昨天晚上我们在老城区走了很久，谈论以后会发生什么事。没有人知道答案，但是大家都很高兴，也很安静。", "euc-kr iso-8859-11 shift_jis us-ascii"},
		{"zh-TW", "big5", "昨天晚上我們在老城區走了很久，談論以後會發生什麼事。沒有人知道答案，但是大家都很高興。", "shift_jis euc-kr us-ascii"},
		{"ja", "euc-jp", "昨日の夜、私たちは古い町を長い間歩いて、これからどうなるかを話しました。", "euc-kr us-ascii"},
		{"ko", "euc-kr", "어제 저녁 우리는 오래된 도시를 오랫동안 걸으며 앞으로 어떻게 될지 이야기했습니다.", "shift_jis us-ascii"},
		{"el", "iso-8859-7", "Χθες το βράδυ περπατήσαμε για ώρα στην παλιά πόλη και μιλούσαμε για το τι θα γίνει.", "us-ascii shift_jis gbk"},
		{"tr", "windows-1254", "Dün akşam eski şehirde uzun süre yürüdük ve bundan sonra ne olacağını konuştuk.", "us-ascii gbk"},
		{"pl", "iso-8859-2", "Wczoraj wieczorem długo chodziliśmy po starym mieście i mówiliśmy, co będzie dalej.", "us-ascii big5"},
		{"", "windows-1252", "Gestern Abend gingen wir lange durch die alte Stadt und sprachen darüber, was später wäre.", "us-ascii shift_jis"},
	} {
		e, err := htmlindex.Get(c.set)
		if err != nil {
			t.Fatal(err)
		}
		data, err := e.NewEncoder().String(c.text)
		if err != nil {
			t.Fatal(err)
		}
		for declared := range strings.FieldsSeq(c.declared) {
			page, reason, detail := Parse([]byte("<html lang="+c.language+"><meta charset="+declared+"><p>"+data), Origin{}, DefaultConfig())
			if reason != "" || page.Blocks[0].Text != c.text {
				t.Errorf("%s, declared as %s: %s %s", c.set, declared, reason, detail)
				if page != nil {
					t.Errorf("%s: %q", page.Charset, page.Blocks[0].Text)
				}
			}
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
	b.WriteString("<!DOCTYPE html><html lang=en><head><title>x</title><script>" + strings.Repeat("var x = '<p>';\n", 500) + "</script></head><body>")
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

// Links behind a text that are of use on the page alone are no part of its content.
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
