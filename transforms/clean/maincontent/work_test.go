package maincontent

import (
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tree parses what stands in a body and returns a root that holds it.
func tree(t *testing.T, body string) *nethtml.Node {
	t.Helper()
	context := &nethtml.Node{Type: nethtml.ElementNode, DataAtom: atom.Body, Data: "body"}
	list, err := nethtml.ParseFragment(strings.NewReader(body), context)
	if err != nil {
		t.Fatal(err)
	}
	root := &nethtml.Node{Type: nethtml.DocumentNode}
	for _, n := range list {
		root.AppendChild(n)
	}
	return root
}

// TestWork counts by hand. The root counts as a node, and as one of those around others.
func TestWork(t *testing.T) {
	for _, c := range []struct {
		body string
		want work
	}{
		{"abc", work{nodes: 2, text: 3, depths: 1}},
		{"<p>abc</p>", work{nodes: 3, text: 3, paragraphs: 1, prose: 3, depths: 1 + 2, weighed: 3}},
		{"<div><div>ab</div>c</div>", work{nodes: 5, text: 3, depths: 1 + 2 + 3 + 2, weighed: 2*2 + 1}},
		{"<span><a>ab</a><b></b></span>", work{nodes: 5, text: 2, depths: 1 + 2 + 3 + 2, stripped: 1 + 2 + 1}},
		{"<ul><li>ab</ul>", work{nodes: 4, text: 2, depths: 1 + 2 + 3, weighed: 2, lists: 1 + 4}},
		{"<i id=x></i>ab<i class=y></i>c<i></i>", work{nodes: 6, text: 3, depths: 5}},
		{"<p><i id=x></i>ab<i class=y></i>c<i></i></p>", work{nodes: 7, text: 3, paragraphs: 1, prose: 3, depths: 1 + 2*5, weighed: 3, tails: 2 * 3}},
	} {
		if got := workOf(tree(t, c.body)); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.body, got, c.want)
		}
	}
}

// TestManyParagraphs: a novel in one page is not too complex, and nor are notes in
// items of a list.
func TestManyParagraphs(t *testing.T) {
	sentence := "The river behind the old mill was frozen until the first days of March. "
	for name, c := range map[string]struct {
		page string
		all  int
	}{
		"a novel":           {"<h1>Mill</h1><div class=content>" + strings.Repeat("<p>"+strings.Repeat(sentence, 6)+"</p>\n", 20_000) + "</div>", 20_000},
		"in parts":          {"<h1>Mill</h1><div class=content>" + strings.Repeat("<h2>Part</h2><p class=first>"+sentence+"</p>"+strings.Repeat("<p>"+strings.Repeat(sentence, 4)+"</p>\n", 99), 100) + "</div>", 10_000},
		"items of a list":   {"<h1>Mill</h1><div class=content><ul>" + strings.Repeat("<li><p>"+strings.Repeat(sentence, 3)+"</p></li>", 15_000) + "</ul></div>", 15_000},
		"a listing program": {"<div class=content><p>" + strings.Repeat(sentence, 20) + "</p><pre>" + strings.Repeat("<span class=n>name</span> = <span class=k>value</span>;\n", 10_000) + "</pre></div>", 1},
	} {
		shares, reason, detail := newTrafilatura(t, nil).Classify(parse(t, []byte("<html><body>"+c.page)))
		if reason != "" {
			t.Errorf("%s: %s: %s", name, reason, detail)
			continue
		}
		main := 0
		for _, s := range shares {
			if s >= 0.5 {
				main++
			}
		}
		if main < c.all*99/100 {
			t.Errorf("%s: %d blocks are main content, want %d", name, main, c.all)
		}
	}
}
