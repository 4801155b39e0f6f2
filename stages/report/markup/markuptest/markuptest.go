// Package markuptest checks pages in tests.
package markuptest

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Nasty has characters of HTML, of templates, and right-to-left text.
const Nasty = `<script>alert("1")</script> & 'x' {{.}} עברית </title></svg> العربية`

var void = []string{"meta", "br", "img", "link", "input", "hr"}

// Check parses a page strictly: every element that begins ends, in order, and
// nothing in it reaches outside of it or runs.
func Check(t testing.TB, text string) *html.Node {
	t.Helper()
	var open []string
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if !errors.Is(z.Err(), io.EOF) {
				t.Fatal(z.Err())
			}
			break
		}
		token := z.Token()
		switch kind {
		case html.StartTagToken:
			if !slices.Contains(void, token.Data) {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("</%s> ends %v", token.Data, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Fatalf("%v do not end", open)
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	policy := ""
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "meta" && n.Attr[0].Val == "Content-Security-Policy" {
			if policy = n.Attr[1].Val; !strings.HasPrefix(
				policy, "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-") {
				t.Errorf("the policy is %q", policy)
			}
		}
		if n.Data == "style" || n.Data == "script" {
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			if want := n.Data + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; strings.Count(policy, want) != 1 {
				t.Errorf("the policy %q before <%s> has no %s", policy, n.Data, want)
			}
		}
		if n.Data == "script" { // whose text the policy names
			if len(n.Attr) > 0 {
				t.Errorf("a script has attributes: %v", n.Attr)
			}
			continue
		}
		if slices.Contains([]string{"iframe", "object", "embed", "link", "img", "image", "use", "base", "form", "foreignObject"}, n.Data) {
			t.Errorf("element <%s>", n.Data)
		}
		seen := map[string]bool{}
		for _, a := range n.Attr {
			switch {
			case seen[a.Key]:
				t.Errorf("<%s> has two %s", n.Data, a.Key)
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("two elements have the id %s", a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#s"), a.Key == "src", a.Key == "srcset", a.Key == "style",
				strings.HasPrefix(a.Key, "on"):
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			case n.Data == "path" && a.Key == "d" && !pathData.MatchString(a.Val):
				t.Errorf("path %q", a.Val)
			case slices.Contains([]string{"x", "y", "x1", "x2", "y1", "y2", "width", "height"}, a.Key) && !length.MatchString(a.Val):
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
			seen[a.Key] = true
		}
	}
	for _, outside := range []string{"http:", "https:", "url(", "@import", "javascript:", "NaN", "+Inf"} {
		if style := TextOf(root, "style"); strings.Contains(style, outside) {
			t.Errorf("the style has %q", outside)
		}
		if strings.Contains(attributes(root), outside) {
			t.Errorf("an attribute has %q", outside)
		}
	}
	return root
}

// TextOf joins the texts of all elements of a name.
func TextOf(root *html.Node, name string) string {
	var all []string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != name {
			continue
		}
		var b strings.Builder
		for c := range n.Descendants() {
			if c.Type == html.TextNode {
				b.WriteString(c.Data)
			}
		}
		all = append(all, b.String())
	}
	return strings.Join(all, "\n")
}

var (
	pathData = regexp.MustCompile(`^([MLHVaZhv]|[-0-9. ])*$`)
	length   = regexp.MustCompile(`^-?[0-9.]+%?$`)
)

// attributes joins the drawing of all elements.
func attributes(root *html.Node) string {
	var all []string
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key != "aria-label" {
				all = append(all, a.Val)
			}
		}
	}
	return strings.Join(all, "\n")
}
