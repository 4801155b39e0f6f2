package trained

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/read/html"
)

// Two kinds of pages whose main content is in different elements.
const (
	articlePage = `<title>%[1]d</title><nav><a href=/>Home of site %[1]d</a><a href=/n>News</a></nav><article><h1>Story %[1]d</h1>
<p>This is what story %[1]d tells at some length, with a comma, and with a full stop.</p><p>And it goes on for a while, as stories do.</p></article>
<div class=related><a href=/o>Another story that is not this one</a></div><footer>All rights reserved</footer>`
	productPage = `<title>%[1]d</title><nav><a href=/>Shop %[1]d</a></nav><div class="product-description">The thing number %[1]d is made of wood, and has four legs.</div>
<div class=price>$ 5</div><div class=cart><form><label>How many of them would you like to buy today?</label></form></div><footer>All rights reserved</footer>`
)

func page(t testing.TB, source string) *html.Page {
	t.Helper()
	p, reason, detail := html.Parse([]byte(source), html.Origin{}, HTML())
	if reason != "" {
		t.Fatal(reason, detail)
	}
	return p
}

func samples(t testing.TB) (list []*Sample) {
	for i := range 40 {
		domain := fmt.Sprintf("%d.example", i)
		list = append(list,
			NewSample(page(t, fmt.Sprintf(articlePage, i)),
				fmt.Sprintf("Story %[1]d This is what story %[1]d tells at some length, with a comma, and with a full stop. And it goes on for a while, as stories do.",
					i), domain, "article"),
			NewSample(page(t, fmt.Sprintf(productPage, i)), fmt.Sprintf("The thing number %d is made of wood, and has four legs.", i),
				domain, "product"))
	}
	return list
}

func testConfig() Config {
	c := DefaultConfig()
	c.Trees.Trees, c.Trees.MinRows, c.Trees.Rate = 30, 5, .2
	c.Kinds.Trees, c.Kinds.MinRows = 10, 2
	return c
}

func train(t testing.TB, c Config) *Model {
	t.Helper()
	m, err := Train(context.Background(), samples(t), Provenance{Data: "made up", Licence: "none", Attribution: "nobody"}, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var trainedOnce sync.Once
var trainedModel *Model

func model(t testing.TB) *Model {
	trainedOnce.Do(func() { trainedModel = train(t, testConfig()) })
	return trainedModel
}

func TestClassify(t *testing.T) {
	m := model(t)
	for source, kind := range map[string]string{articlePage: "article", productPage: "product"} {
		p := page(t, fmt.Sprintf(source, 99))
		if j := m.Judge(blocks.Describe(p)); j.Kind != kind {
			t.Errorf("a page of the kind %s is taken for one of the kind %s", kind, j.Kind)
		}
		parts, reason, detail := m.Classify(p)
		if reason != "" {
			t.Fatal(reason, detail)
		}
		var kept []string
		for i, b := range p.Blocks {
			if parts[i].Kept {
				kept = append(kept, b.Text)
			}
		}
		want := []string{"Story 99", "This is what story 99 tells at some length, with a comma, and with a full stop.",
			"And it goes on for a while, as stories do."}
		if kind == "product" {
			want = []string{"The thing number 99 is made of wood, and has four legs."}
		}
		if !slices.Equal(kept, want) {
			t.Errorf("%s: kept %q, want %q", kind, kept, want)
		}
	}
	if _, reason, _ := m.Classify(page(t, "<footer>All rights reserved</footer>")); reason != maincontent.NoMainContent {
		t.Errorf("a page of a footer alone has the reason %q", reason)
	}
}

func TestExplain(t *testing.T) {
	m := model(t)
	_, list := m.Explain(blocks.Describe(page(t, fmt.Sprintf(articlePage, 99))), 4)
	for _, e := range list {
		if e.Chosen != (e.Place == "") || len(e.Parts) != 4 || e.Text == "" || e.Markup == "" {
			t.Errorf("%+v", e)
		}
	}
	if first := list[0]; first.Place != "navigation" || first.Parts[0].Weight >= 0 {
		t.Errorf("a menu: %+v", first)
	}
}

// TestSameBytes: the same samples give the same file, with any number of threads.
func TestSameBytes(t *testing.T) {
	first, err := model(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	c := testConfig()
	c.Threads = 3
	second, err := train(t, c).Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("three threads give another model")
	}
	got, err := Decode(first)
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash() != model(t).Hash() || got.Data != "made up" || !slices.Equal(got.Kinds, []string{"article", "product"}) {
		t.Errorf("read %+v of hash %s, written %s", got.Provenance, got.Hash(), model(t).Hash())
	}
	again, err := got.Encode()
	if err != nil || !bytes.Equal(first, again) {
		t.Error("a model that was read is written otherwise", err)
	}
}

// TestTogether: of two paragraphs with logits of 1 and −2, and 3 and 1 words, the mean is (4·1 + 2·−2)/6 = 0, so
// that four tenths of each are left; a heading is by itself.
func TestTogether(t *testing.T) {
	p := blocks.Describe(page(t, "<h1>Head</h1><p>One two three<p>Four"))
	logits := []float64{5, 1, -2}
	together(p, logits)
	for i, want := range []float64{5, .4, -.8} {
		if math.Abs(logits[i]-want) > 1e-12 {
			t.Errorf("block %d has the logit %v, want %v", i, logits[i], want)
		}
	}
}

// TestProseOf: of an article, what is doubtful goes, the more the surer it is that the page is one, and what is nothing but links
// if no other kind is more probable, unless little else is left.
func TestProseOf(t *testing.T) {
	p := blocks.Describe(page(t, "<p>One of them.<p>Two of them.<p><a href=1>Three of them.</a><p>Four of them."))
	j := Judgement{Kind: articleKind, Probabilities: []float64{.9, .5, .9, .9}, Words: []float64{3, 3, 3, 3},
		Chosen: []bool{true, true, true, false}}
	if got := proseOf(p, j, 1); !slices.Equal(got, []bool{true, false, false, false}) {
		t.Errorf("chosen %v", got)
	}
	for _, test := range []struct {
		article float64
		second  bool
	}{{articleFrom, true}, {.5, true}, {.6, false}, {articleSure, false}} { // .5 lies between .65·4/6 and .65·5/6
		if got := proseOf(p, j, test.article); !slices.Equal(got, []bool{true, test.second, false, false}) {
			t.Errorf("chosen %v where an article is as probable as %v", got, test.article)
		}
	}
	j.Words[1] = 7 // 2.7 of 8.9 expected words are left, with 8 of 9.4
	if got := proseOf(p, j, 1); !slices.Equal(got, []bool{true, false, false, false}) {
		t.Errorf("chosen %v where three tenths are left", got)
	}
	j.Words[1] = 8
	if got := proseOf(p, j, 1); !slices.Equal(got, j.Chosen) {
		t.Errorf("chosen %v where less than three tenths are left", got)
	}
	j.Probabilities[0] = .6
	if got := proseOf(p, j, 1); !slices.Equal(got, j.Chosen) {
		t.Errorf("chosen %v where nothing else is left", got)
	}
	j.Kind, j.Probabilities[0] = "listing", .9
	if got := proseOf(p, j, articleFrom); !slices.Equal(got, j.Chosen) {
		t.Errorf("chosen %v where the page is rather a listing", got)
	}
}

// TestCopiesOf: of a post, a second post that quotes it, and two rows of a table with the same text, the quote alone is a copy;
// a short text is none, and neither is one whose original is not chosen.
func TestCopiesOf(t *testing.T) {
	const post, row = "Which of the old mills by the river still grind corn?", "The number of bytes that are read at most at once."
	p := blocks.Describe(page(t, `<div class=post><p>`+post+`</p><p>Thanks a lot.</p></div>
<div class=post><blockquote><p>`+post+`</p><p>Thanks a lot.</p></blockquote><p>Two of them do.</p></div>
<table><tr><td>`+row+`</td></tr><tr><td>`+row+`</td></tr></table>`))
	chosen := slices.Repeat([]bool{true}, p.Len())
	copies := copiesOf(p, chosen)
	for i, isCopy := range copies {
		if want := i == 2; isCopy != want {
			t.Errorf("block %d, %q: copy %v, want %v", i, p.Text(i), isCopy, want)
		}
	}
	if len(copies) != 7 {
		t.Errorf("%d blocks, want 7", len(copies))
	}
	chosen[0] = false
	if copies := copiesOf(p, chosen); slices.Contains(copies, true) {
		t.Errorf("copies %v of a block that is not chosen", copies)
	}
}

func TestTrainFaults(t *testing.T) {
	if _, err := Train(context.Background(), nil, Provenance{}, testConfig()); err == nil || !strings.Contains(err.Error(), "no block") {
		t.Errorf("training on nothing: %v", err)
	}
	one := samples(t)
	for _, s := range one {
		s.Domain = "one.example"
	}
	if _, err := Train(context.Background(), one, Provenance{}, testConfig()); err == nil ||
		!strings.Contains(err.Error(), "more domains") {
		t.Errorf("training on one domain: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Train(ctx, samples(t), Provenance{}, testConfig()); err == nil {
		t.Error("a training that was cancelled has a model")
	}
}

func TestDecodeFaults(t *testing.T) {
	data, err := model(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	changed := func(at int, b byte) []byte {
		c := bytes.Clone(data)
		c[at] ^= b
		return c
	}
	for want, data := range map[string][]byte{
		"not a model":       []byte("fastText"),
		"cut off":           data[:len(format.Magic)+3],
		"has version":       changed(len(format.Magic), 2),
		"damaged":           changed(len(data)/2, 1),
		"its head has":      resealed(changed(len(format.Magic)+6, 0xff)),
		"its head: invalid": resealed(changed(len(format.Magic)+8, 1)),
		"other numbers":     resealed(bytes.Replace(data, []byte(featuresHash()), []byte(strings.Repeat("0", 32)), 1)),
		"trees of the kind": resealed(data[:len(data)-50]),
		"bytes follow":      resealed(append(bytes.Clone(data), 1, 2, 3)),
	} {
		if _, err := Decode(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// resealed gives a file the hash of its content.
func resealed(data []byte) []byte {
	body := data[:max(0, len(data)-16)]
	sum := xxh3.Hash128(body).Bytes()
	return append(bytes.Clone(body), sum[:]...)
}

// FuzzDecode: a model that is read can be used.
func FuzzDecode(f *testing.F) {
	data, err := model(f).Encode()
	if err != nil {
		f.Fatal(err)
	}
	head := len(format.Magic) + 8 + int(binary.LittleEndian.Uint32(data[len(format.Magic)+4:]))
	f.Add(data[head+8+2*blocks.Buckets : len(data)-16])
	p := blocks.Describe(page(f, fmt.Sprintf(articlePage, 1)))
	f.Fuzz(func(t *testing.T, trees []byte) {
		m, err := Decode(resealed(slices.Concat(data[:head+8+2*blocks.Buckets], trees, make([]byte, 16))))
		if err == nil {
			m.Explain(p, 1)
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	m := model(b)
	p := page(b, strings.Repeat(fmt.Sprintf(articlePage, 1), 40))
	b.ReportAllocs()
	for b.Loop() {
		m.Classify(p)
	}
}
