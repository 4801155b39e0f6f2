package html

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"sentweave/schemas/realdata"
)

func TestStrip(t *testing.T) {
	wanted := map[string]bool{"class": true, "hidden": true}
	for _, c := range []struct{ page, want string }{
		{`<p CLASS = "a" data-x='>' hidden id=b>c</p>`, `<p CLASS = "a" hidden>c</p>`},
		{`<a href="/x?y=z" class=b/>c</a><a name=n>d</a>`, `<a href class=b/>c</a><a>d</a>`},
		{`<link rel=canonical href=/x type=y><meta name=a content="b" charset=c>`, `<link rel=canonical href=/x><meta name=a content="b">`},
		{`<html lang=fr dir=ltr><body xml:lang=de lang=en onload=x>`, `<html lang=fr><body xml:lang=de lang=en>`},
		{`<input type=hidden value=x><br class=a title=b />`, `<input type=hidden><br class=a />`},
		{`<svg><font color=x size=1 id=y></font></svg>`, `<svg><font color=x size=1></font></svg>`},
		{`<p class=a"b" class='c'title=x =d e=>f`, `<p class=a"b" class='c'>f`},
		{`<!DOCTYPE html><!-- a --><?php b ?><p>c<!-- d -->e`, `<!DOCTYPE html><!----><!----><p>c<!---->e`},
		{`<style>a{}</style><script>var a</script><script></script><p>var a`,
			`<style> </style><script> </script><script></script><p>var a`},
		{`<script type=a>{"@context": "https://schema.org"}</script>`, `<script>{"@context": "https://schema.org"}</script>`},
		{`a < b <p title=x`, `a < b <p title=x`},
		{`a<`, `a<`},
	} {
		if got := string(strip(nil, []byte(c.page), wanted)); got != c.want {
			t.Errorf("%s\n gives %s,\n want  %s", c.page, got, c.want)
		}
	}
	const page = `<p class=a title=b>c`
	if got := string(strip(nil, []byte(page), nil)); got != page {
		t.Errorf("without a list %s becomes %s", page, got)
	}
}

// sameWhenStripped compares the trees of a page that was simplified and of the same page stripped.
func sameWhenStripped(t *testing.T, name string, simplified []byte, noscript bool) {
	t.Helper()
	scripting := nethtml.ParseOptionEnableScripting(!noscript)
	root, err := nethtml.ParseWithOptions(bytes.NewReader(simplified), scripting)
	if err != nil {
		return
	}
	wanted := map[string]bool{"class": true, "id": true}
	other, err := nethtml.ParseWithOptions(bytes.NewReader(strip(nil, simplified, wanted)), scripting)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	nodes := slices.Collect(other.Descendants())
	for n := range root.Descendants() {
		if len(nodes) == 0 {
			t.Fatalf("%s: a node is missing: %q", name, n.Data)
		}
		o := nodes[0]
		nodes = nodes[1:]
		text := n.Type == nethtml.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style"
		if o.Type != n.Type || (n.Type == nethtml.ElementNode || text) && o.Data != n.Data || isLink(o) != isLink(n) {
			t.Fatalf("%s: %d %q became %d %q", name, n.Type, n.Data, o.Type, o.Data)
		}
		for key := range wanted {
			if attribute(n, key) != attribute(o, key) {
				t.Fatalf("%s: %s of %s: %q became %q", name, key, n.Data, attribute(n, key), attribute(o, key))
			}
		}
	}
	if len(nodes) > 0 {
		t.Fatalf("%s: %d more nodes", name, len(nodes))
	}
	declared := func(root *nethtml.Node) Page {
		p := Page{Root: root}
		p.declarations()
		p.Root = nil
		return p
	}
	if a, b := declared(root), declared(other); a.Language != b.Language || a.Title != b.Title || a.Canonical != b.Canonical {
		t.Fatalf("%s declares %v, and stripped %v", name, a, b)
	}
}

// TestStripKeepsTrees compares the trees of real pages.
func TestStripKeepsTrees(t *testing.T) {
	seen := 0
	data := realdata.Folder(t, "wcxb", "main-content")
	for name, data := range realdata.Pages(t, sampling(), filepath.Join(data, "wcxb"), filepath.Join(data, "main-content"),
		os.Getenv("SENTWEAVE_HANDBOOK")) {
		seen++
		text, charset := decode(data, Origin{})
		if charset == "" {
			continue
		}
		simplified, reason, _ := new(simplifier).simplify(text, DefaultConfig().MaxNodes, true)
		if reason == "" {
			sameWhenStripped(t, name, simplified, true)
		}
	}
	if seen == 0 {
		t.Error("no pages")
	}
}

func FuzzStrip(f *testing.F) {
	f.Add(`<b class="x>y" ID='z'/a=b/>c<!-- --!>x<!-->y<!--->z</ x><?a?><!doctype html><p/>`)
	f.Add("<svg><style/><b></svg><style><script/><!--</p><title a='>'></title>")
	f.Add("<table><input type=hidden value=x><tr><td><a href=1><div class=a><a href=2></table><math><annotation-xml encoding=text/html><p>")
	f.Add("<font color=a><font color=b><font><font><p>" + strings.Repeat("<u class=a>", 5) + "<frameset><style>a")
	f.Fuzz(func(t *testing.T, page string) {
		for _, noscript := range []bool{false, true} {
			simplified, reason, _ := new(simplifier).simplify([]byte(page), 1<<20, noscript)
			if reason == "" {
				sameWhenStripped(t, "the page", simplified, noscript)
			}
		}
	})
}

// TestParseAllocates counts what Parse allocates beside the parser, whatever the size of the page.
func TestParseAllocates(t *testing.T) {
	const most = 30
	page := benchmarkPage()
	simplified, _, _ := new(simplifier).simplify(page, 1<<20, false)
	text := strip(nil, simplified, nil)
	parser := testing.AllocsPerRun(10, func() {
		if _, err := nethtml.Parse(bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	})
	all := testing.AllocsPerRun(10, func() { Parse(page, Origin{}, DefaultConfig()) })
	if all-parser > most {
		t.Errorf("%v allocations, %v of them by the parser; want %d others at most", all, parser, most)
	}
}
