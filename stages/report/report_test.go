package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// nasty has characters of HTML, of templates, and right-to-left text.
const nasty = `<script>alert("1")</script> & 'x' {{.}} עברית </title></svg> العربية`

func page(t testing.TB, r Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// full has a block of each kind, and text in every place that takes some.
func full(text string) Report {
	nan := math.NaN()
	axis := Axis{Label: text}
	return Report{
		Title: text, Lead: text, Facts: []Fact{{text, text, text}},
		Sections: []Section{
			{text, []Block{
				Text{Body: text + "\n\n- " + text + "\n- two"},
				Table{Caption: text, Columns: []Column{{Name: text}, {text, true}}, Rows: [][]Cell{{{text, text, true, 3}, {Text: text}}}, Note: text, Languages: []string{text}},
				folded{text, []Block{Text{Body: text}}},
				Table{Columns: []Column{{Name: "empty"}}},
				Samples{Caption: text, Source: text, Target: "arb", Rows: []sampleRow{{text, text, text}, {text, text, ""}}},
			}},
			{"plots " + text, []Block{sideBySide{
				Lines{Title: text, X: axis, Y: axis, Series: []Series{{text, []Point{{1, 2}, {2, nan}, {3, 4}, {4, 4}}}, {"b", nil}}, Smooth: 3, Note: text},
				scatter{Title: text, X: text, Y: text, Groups: []string{text, "b"}, Dots: []dot{{1, 2, 0, 1, text}, {3, 4, 1, 1, ""}, {nan, 0, 0, 0, text}}, Note: text},
			}, Bars{Title: text, Axis: axis, Bars: []Bar{{text, .5, .4, .6, false}, {"none", nan, nan, nan, true}}, Levels: []Level{{text, .3}}, Note: text}}},
		},
	}
}

var void = []string{"meta", "br", "img", "link", "input", "hr"}

// check parses a page strictly: every element that begins ends, in order, and
// nothing in it reaches outside of it or runs.
func check(t testing.TB, text string) *html.Node {
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
		if n.Data == "meta" && n.Attr[0].Val == "Content-Security-Policy" {
			if policy = n.Attr[1].Val; !strings.HasPrefix(policy, "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-") {
				t.Errorf("the policy is %q", policy)
			}
		}
		if n.Type == html.ElementNode && (n.Data == "style" || n.Data == "script") {
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			if want := n.Data + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; strings.Count(policy, want) != 1 {
				t.Errorf("the policy %q before <%s> has no %s", policy, n.Data, want)
			}
		}
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "script" { // ours, as it is
			script, err := files.ReadFile("page.js")
			if err != nil || len(n.Attr) > 0 || strings.TrimSpace(n.FirstChild.Data) != strings.TrimSpace(string(script)) {
				t.Errorf("a script is not that of the page: %v", err)
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
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#s"), a.Key == "src", a.Key == "srcset", a.Key == "style", strings.HasPrefix(a.Key, "on"):
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
		if style := textOf(root, "style"); strings.Contains(style, outside) {
			t.Errorf("the style has %q", outside)
		}
		if strings.Contains(attributes(root), outside) {
			t.Errorf("an attribute has %q", outside)
		}
	}
	return root
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

// textOf joins the texts of all elements of a name.
func textOf(root *html.Node, name string) string {
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

func TestWriteEscapes(t *testing.T) {
	text := page(t, full(nasty))
	root := check(t, text)
	for _, name := range []string{"title", "h1", "h2", "p", "li", "dt", "dd", "th", "td", "figcaption", "bdi"} {
		if !strings.Contains(textOf(root, name), nasty) {
			t.Errorf("<%s> does not hold the text as it is: %q", name, textOf(root, name))
		}
	}
	if n := strings.Count(text, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	// Marks say what they stand for: <title> in SVG.
	found := false
	for n := range root.Descendants() {
		found = found || n.Type == html.ElementNode && n.Data == "title" && n.Namespace == "svg" && n.FirstChild != nil && n.FirstChild.Data == nasty+": "+nasty
	}
	if !found {
		t.Error("no dot tells its text")
	}
}

func TestWriteStructure(t *testing.T) {
	root := check(t, page(t, full("text")))
	count := map[string]int{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		count[n.Data]++
		for _, a := range n.Attr {
			if a.Key == "class" {
				for c := range strings.FieldsSeq(a.Val) {
					count["."+c]++
				}
			}
		}
		if n.Data == "html" && (len(n.Attr) == 0 || n.Attr[0].Val != "en") {
			t.Error("the page has no language")
		}
	}
	for name, want := range map[string]int{
		"h1": 1, "h2": 2, "section": 2, "figure": 6, "table": 3, ".rejected": 1, "nav": 1, ".beside": 1, ".facts": 1,
		".curve": 1 + 2,                                                                             // in the legend, faint, strong; nothing of a series without points
		".faint": 1, ".join": 1, ".field": 1, ".filled": 1, ".muted": 0, ".whisker": 1, ".level": 3, // with its legend; once in each row of bars

		".dot": 2 + 2, // legend, dots with a place
	} {
		if count[name] != want {
			t.Errorf("%d of %s, want %d", count[name], name, want)
		}
	}
	all := textOf(root, "main")
	for _, want := range []string{"No data.", "1 point is not drawn", "1 dot has no finite place", absent, "0.500", "0.400 to 0.600"} {
		if !strings.Contains(all, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if a, b := page(t, full("text")), page(t, full("text")); a != b {
		t.Error("the same report gives other bytes")
	}
}

func TestWriteEmpty(t *testing.T) {
	check(t, page(t, Report{Title: "nothing"}))
	root := check(t, page(t, Report{Title: "t", Sections: []Section{{"s", []Block{Lines{}, scatter{}, Bars{}, Table{Columns: []Column{{}}}, sideBySide{Lines{}}}}}}))
	if n := strings.Count(textOf(root, "main"), "No data."); n != 5 {
		t.Errorf("%d blocks say that they have no data, want 5", n)
	}
	nan, inf := math.NaN(), math.Inf(1)
	check(t, page(t, Report{Title: "t", Sections: []Section{{"s", []Block{
		Lines{Series: []Series{{"a", []Point{{nan, 1}, {1, inf}, {2, -inf}}}}},
		Lines{Series: []Series{{"a", []Point{{1, 1}}}, {"b", []Point{{1, math.MaxFloat64}}}}, Smooth: 5},
		scatter{Groups: []string{"g"}, Dots: []dot{{inf, nan, 0, 1, ""}}},
		scatter{Groups: []string{"g"}, Dots: []dot{{3, 3, 0, 1, ""}, {3, 3, 0, 1, ""}}},
		Bars{Bars: []Bar{{"a", inf, nan, inf, false}, {"b", -3, -4, -2, false}}, Levels: []Level{{"l", inf}}},
		Bars{Bars: []Bar{{"a", 0, 0, 0, false}}},
	}}}}))
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		block Block
		want  string
	}{
		{nil, "block 1 is nil"},
		{Text{}, "a text is empty"},
		{Table{Caption: "c"}, `table "c" has no columns`},
		{Table{Caption: "c", Columns: make([]Column, 2), Rows: [][]Cell{cells("a", "b"), cells("a")}}, `table "c": row 2 has 1 cells for 2 columns`},
		{Lines{Title: "l", Series: []Series{{}}}, `lines "l": series 1 has no name`},
		{Lines{Smooth: -1}, "smoothing over -1 points"},
		{Lines{X: Axis{Label: "x", Min: 2, Max: 1}}, `axis "x" from 2 to 1`},
		{Lines{Y: Axis{Max: math.Inf(1)}}, "want finite ends"},
		{scatter{Title: "s", Groups: []string{"a"}, Dots: []dot{{Group: 1}}}, `scatter "s": dot 1 is of group 1, and there are 1`},
		{scatter{Groups: []string{""}}, "group 1 has no name"},
		{Bars{Title: "b", Bars: []Bar{{}}}, `bars "b": bar 1 has no name`},
		{Bars{Bars: []Bar{{Name: "a", Low: 2, High: 1}}}, `bar "a": interval from 2 to 1`},
		{sideBySide{}, "nothing stands beside"},
		{sideBySide{nil, Text{}}, "a text is empty"},
	} {
		var out bytes.Buffer
		err := Write(&out, Report{Title: "t", Sections: []Section{{"s", []Block{test.block}}}})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), `section "s"`) {
			t.Errorf("%+v: %v, want %s", test.block, err, test.want)
		}
		if out.Len() > 0 {
			t.Errorf("%+v: %d bytes were written", test.block, out.Len())
		}
	}
	err := Report{Sections: []Section{{}, {"s", []Block{Text{}}}}}.Validate()
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("want all three faults, not %v", err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriteFails(t *testing.T) {
	if err := Write(fullDisk{}, Report{Title: "t"}); err == nil || err.Error() != `write report "t": no space left` {
		t.Error(err)
	}
}

func TestParagraphs(t *testing.T) {
	got := fmt.Sprintf("%+v", paragraphs("one\ngoes on\n\n\ntwo\n- a\n  goes on\n- b\n\nthree\n"))
	want := "[{Text:one goes on Items:[]} {Text:two Items:[]} {Text: Items:[a goes on b]} {Text:three Items:[]}]"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// No text, wherever it stands, changes the elements of the page.
func FuzzWrite(f *testing.F) {
	for _, s := range []string{nasty, "a", "\x00", "]]>", "<!--", "`${x}`", "\xff", "-->", "\\"} {
		f.Add(s)
	}
	shape := func(t *testing.T, text string) string {
		var b strings.Builder
		for n := range check(t, page(t, full(text))).Descendants() {
			if n.Type == html.ElementNode {
				b.WriteString(n.Data + " ")
			}
		}
		return b.String()
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(text)
		text = "x" + text + "x"
		if got, want := shape(t, text), shape(t, "text"); got != want {
			t.Errorf("%q changes the page: %s, want %s", text, got, want)
		}
	})
}
