package blocks

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/transforms/read/html"
)

func describe(t testing.TB, source string) *Page {
	t.Helper()
	page, reason, detail := html.Parse([]byte(source), html.Origin{}, html.DefaultConfig())
	if reason != "" {
		t.Fatal(reason, detail)
	}
	return Describe(page)
}

// zero are scores of a model that knows nothing.
func (p *Page) zero() *Scores { return p.scored(make([]float64, p.Len())) }

const article = `<html><head><title>Of cats - The site</title><meta name="description" content="cats sleep"><meta property="og:type" content="article">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle"}</script></head><body>
<nav class="mainNav"><ul><li><a href="/">Home</a></li><li><a href="/x">News and more</a></li></ul></nav>
<div class="page-wrap"><article class="post"><h1>Of cats</h1>
<p>Cats sleep for most of the day, and they do so <b>without</b> any shame, wherever there is sun, and nobody minds.</p>
<p>They hunt at dawn, at dusk, and whenever a tin is opened in the kitchen, even if that is in the next house.</p>
<blockquote><p>A cat has nine lives. “True.”</p></blockquote><pre>cat /dev/cat</pre>
<figure><img src=x><figcaption>A cat</figcaption></figure></article>
<div class="related-posts"><a href="/d">Of dogs</a></div></div>
<div id="cookieBanner" style="display: none">We use cookies</div>
<footer>All rights reserved</footer></body></html>`

func TestNames(t *testing.T) {
	names := Names()
	p := describe(t, article)
	if n := len(p.Append(nil, 0, p.zero())); n != len(names) {
		t.Fatalf("%d numbers with %d names", n, len(names))
	}
	if n := len(p.AppendPage(nil)); n != PageNumbers() {
		t.Errorf("%d numbers of a page, not %d", n, PageNumbers())
	}
	for _, names := range [][]string{names, pageNames()} {
		sorted := slices.Clone(names)
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != len(names) {
			t.Error("two numbers have the same name")
		}
	}
}

// TestNumbers: numbers of blocks, worked out by hand.
func TestNumbers(t *testing.T) {
	p := describe(t, article)
	find := func(text string) int {
		for i := range p.Len() {
			if strings.HasPrefix(p.Text(i), text) {
				return i
			}
		}
		t.Fatalf("no block begins with %q", text)
		return 0
	}
	for _, c := range []struct {
		block, name string
		want        float64
	}{
		{"Home", "words", 1},
		{"Home", "share of links", 1},
		{"Home", "in navigation", 1},
		{"Home", "near a name of navigation", 2}, // li, ul, nav
		{"Home", "ancestor 1: words", 4},
		{"Home", "blocks with the same markup", 2},
		{"Home", "share of the title's words, if many", 0},
		{"Of cats", "share of the title's words, if many", 1},
		{"Cats sleep", "share in the title, if many", 0}, // one word of many
		{"Of cats", "level of the heading", 1},
		{"Of cats", "blocks since the first heading", 0},
		{"Cats sleep", "commas", 3},
		{"Cats sleep", "ends of sentences", 1},
		{"Cats sleep", "share of bold text", 7. / 106},
		{"Cats sleep", "in article", 1},
		{"Cats sleep", "in the element with most prose", 1},
		{"Cats sleep", "blocks to the densest part", 0},
		{"Cats sleep", "words since a heading", 2},
		{"Cats sleep", "block before 1: level of the heading", 1},
		{"They hunt", "blocks with the same markup", 2},
		{"A cat has", "in quotation", 1},
		{"A cat has", "ends with a full stop", 1},
		{"cat /dev", "in code", 1},
		{"Of dogs", "near a name of related", 0},
		{"Of dogs", "in the element with most prose", 0},
		{"We use", "hidden", notDisplayed},
		{"We use", "near a name of consent", 0},
		{"All rights", "in footer", 1},
		{"All rights", "blocks after", 1},
		{"All rights", "page: stated kind", 1},
	} {
		i := find(c.block)
		values := p.Append(nil, i, p.zero())
		k := slices.Index(Names(), c.name)
		if k < 0 {
			t.Fatalf("no number is named %q", c.name)
		}
		if got := float64(values[k]); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s of %q: %v, want %v", c.name, c.block, got, c.want)
		}
	}
	whole := p.AppendPage(nil)
	for name, want := range map[string]float32{
		"page: number of p": 3, "page: states NewsArticle": 1, "long texts that the rules take": 2, "headings that the rules take": 1,
		"share in footer": 3. / 69,
	} {
		if k := slices.Index(pageNames(), name); k < 0 || math.Abs(float64(whole[k]-want)) > 1e-6 {
			t.Errorf("%s: number %d, of %v, want %v", name, k, whole, want)
		}
	}
	for text, want := range map[string][2]string{
		"Home": {"list item", "navigation"}, "Of cats": {"heading", "unlike the rest"}, "Cats": {"paragraph", "unlike the rest"},
		"A cat has": {"quotation", "unlike the rest"}, "cat /dev": {"code", "unlike the rest"}, "A cat": {"quotation", "unlike the rest"},
		"Of dogs": {"other", "related links"}, "We use": {"other", "hidden"}, "All": {"other", "footer"},
	} {
		i := find(text)
		if got := [2]string{p.Markup(i), p.Place(i)}; got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestCountText(t *testing.T) {
	for text, want := range map[string]textCounts{
		"Hello, World!":  {words: 2, characters: 12, capital: 2, commas: 1, marks: 2, ends: 1, endsMark: true},
		"NATO in 2024:":  {words: 3, characters: 11, digits: 4, capital: 1, upper: 1, endsColon: true},
		"网页的内容。":         {words: 10. / 3, halves: 2.5, characters: 6, marks: 1, ends: 1, endsMark: true},
		"これは本です":         {words: 2./3 + 5./4, halves: 3, characters: 6},
		"ภาษาไทยดี":      {words: 1.8, characters: 9},
		"წიგნი აქ დევს.": {words: 3, characters: 12, marks: 1, ends: 1, endsMark: true}, // no small letters, for Georgian has no capitals
		"a | b › $5 @x":  {words: 4, characters: 8, digits: 1, separators: 2, currency: true, at: true, lower: true},
		"Größe ÉTÉ 3.5?": {words: 4, characters: 12, digits: 2, capital: 2, upper: 1, marks: 2, ends: 1, question: true, endsMark: true},
	} {
		got, _ := countText(text, nil)
		got.last = 0
		if math.Abs(got.words-want.words) > 1e-9 {
			t.Errorf("%q has %v words, want %v", text, got.words, want.words)
		}
		if want.halves == 0 {
			want.halves = want.words
		}
		if math.Abs(got.halves-want.halves) > 1e-9 {
			t.Errorf("%q has %v words for lines, want %v", text, got.halves, want.halves)
		}
		if got.words, got.halves = want.words, want.halves; got != want {
			t.Errorf("%q:\n%+v, want\n%+v", text, got, want)
		}
	}
}

// TestDescribeAs: other words are counted, in the text, the title and the description, and the text stays.
func TestDescribeAs(t *testing.T) {
	source := "<title>The sea</title><meta name=description content='The sea'><p>The <b>sea</b> is calm."
	parse := func() *html.Page {
		page, reason, _ := html.Parse([]byte(source), html.Origin{}, html.DefaultConfig())
		if reason != "" {
			t.Fatal(reason)
		}
		return page
	}
	was, is := Describe(parse()), DescribeAs(parse(), func(s string) string { return strings.ReplaceAll(s, "The", "In the") })
	if was.Text(0) != is.Text(0) || was.Words(0) != 4 || is.Words(0) != 5 {
		t.Errorf("%q with %v words, %q with %v", was.Text(0), was.Words(0), is.Text(0), is.Words(0))
	}
	b := is.blocks[0]
	if b.inTitle != 3./5 || b.described != 3./5 || b.bold != was.blocks[0].bold { // in, the, sea of five
		t.Errorf("%+v", b)
	}
}

func TestEachWord(t *testing.T) {
	for name, want := range map[string]string{
		"main-content": "main content", "mainContent": "main Content", "HTMLPage2x": "HTML Page x",
		"entry__title--big": "entry title big", "x": "x", "": "", "12": "", "ID": "ID",
	} {
		var words []string
		eachWord(name, func(w string) { words = append(words, w) })
		if got := strings.Join(words, " "); got != want {
			t.Errorf("words of %q: %q, want %q", name, got, want)
		}
	}
}

// TestLinear: names that only main content has, and the same scores by either way to compute them.
func TestLinear(t *testing.T) {
	p := describe(t, article)
	labels, weights := make([]float32, p.Len()), make([]float32, p.Len())
	for i := range labels {
		weights[i] = 1
		if strings.Contains(p.Text(i), "cat") {
			labels[i] = 1
		}
	}
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	l, err := FitLinear(context.Background(), []Example{{p.NameList(), labels, weights}}, 1, sigmoid)
	if err != nil {
		t.Fatal(err)
	}
	scores := l.scores(p)
	if inside, outside := scores[3], scores[0]; inside <= outside {
		t.Errorf("main content scores %v, a menu %v", inside, outside)
	}
	names := p.NameList()
	for i, score := range scores {
		sum := 0.0
		list := names.of(int32(i))
		for _, k := range list {
			sum += float64(l.Weights[k])
		}
		if want := sum*float64(l.Scale)/math.Sqrt(float64(len(list))) + float64(l.Bias); math.Abs(score-want) > 1e-9 {
			t.Errorf("block %d scores %v, its names %v", i, score, want)
		}
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	p := describe(t, article)
	scores := p.zero()
	values := make([]float32, 0, len(Names()))
	if n := testing.AllocsPerRun(100, func() { values = p.Append(values[:0], 3, scores) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzDescribe: whatever the page is, there are finite numbers of each block, the same if the tree has no attributes but those
// that are read.
func FuzzDescribe(f *testing.F) {
	f.Add([]byte(article))
	f.Add([]byte(strings.Repeat("<div class='a b c-d'><table><tr><td>", 100) + "x"))
	f.Add([]byte(`<a id=b class="c d" title=e href=f STYLE="display: none">g</a><p role=main itemprop=text data-x=y aria-label=z data-testid=a>h`))
	f.Add([]byte("<body hidden><svg><p>x</svg><a><b><a>y<ruby>z<rt>w"))
	f.Add([]byte("<frameset><frame></frameset>x<html id=a><body class=b>\xff\xfe"))
	f.Fuzz(func(t *testing.T, source []byte) {
		config := html.DefaultConfig()
		config.Noscript = len(source)%2 == 0
		page, reason, _ := html.Parse(source, html.Origin{}, config)
		if reason != "" {
			return
		}
		config.Attributes = Attributes
		stripped, reason, detail := html.Parse(source, html.Origin{}, config)
		if reason != "" {
			t.Fatalf("stripped: %s, %s", reason, detail)
		}
		p, other := Describe(page), Describe(stripped)
		scores := p.zero()
		if !slices.Equal(p.AppendPage(nil), other.AppendPage(nil)) || !slices.Equal(p.NameList().weights, other.NameList().weights) {
			t.Fatal("stripped, the page has other numbers")
		}
		for i := range p.Len() {
			values := p.Append(nil, i, scores)
			if !slices.Equal(values, other.Append(nil, i, scores)) {
				t.Fatalf("stripped, block %d has other numbers", i)
			}
			for k, v := range values {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("%s of block %d is %v", Names()[k], i, v)
				}
			}
			p.Markup(i)
			p.Place(i)
		}
		p.NameList()
	})
}

func BenchmarkDescribe(b *testing.B) {
	source := []byte(strings.Repeat(article, 50))
	page, reason, detail := html.Parse(source, html.Origin{}, html.DefaultConfig())
	if reason != "" {
		b.Fatal(reason, detail)
	}
	values := make([]float32, 0, len(Names()))
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		p := Describe(page)
		scores := p.zero()
		for i := range p.Len() {
			values = p.Append(values[:0], i, scores)
		}
	}
}
