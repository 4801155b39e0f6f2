package markup

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"sentweave/stages/report/markup/markuptest"
)

// full has a block of each kind, and text in every place that takes some.
func full(text string) Report {
	nan := math.NaN()
	axis := Axis{Label: text}
	return Report{
		Title: text, Lead: text, Facts: []Fact{{text, text, text}},
		Sections: []Section{
			{text, []Block{
				Text{Body: text + "\n\n- " + text + "\n- two"},
				Table{Caption: text, Columns: []Column{{Name: text}, {text, true}}, Rows: [][]Cell{{{text, text, true, 3}, {Text: text}}},
					Note: text, Languages: []string{text}},
				Folded{text, []Block{Text{Body: text}}},
				Table{Columns: []Column{{Name: "empty"}}},
				Samples{Caption: text, Source: text, Target: "arb", Rows: []SampleRow{{text, text, text}, {text, text, ""}}},
			}},
			{"plots " + text, []Block{SideBySide{
				Lines{Title: text, X: axis, Y: axis, Series: []Series{{text, []Point{{1, 2}, {2, nan}, {3, 4}, {4, 4}}}, {"b", nil}},
					Smooth: 3, Note: text},
				Scatter{Title: text, X: text, Y: text, Groups: []string{text, "b"},
					Dots: []Dot{{1, 2, 0, 1, text}, {3, 4, 1, 1, ""}, {nan, 0, 0, 0, text}}, Note: text},
			}, Bars{Title: text, Axis: axis, Bars: []Bar{{text, .5, .4, .6, false}, {"none", nan, nan, nan, true}},
				Levels: []Level{{text, .3}}, Note: text}}},
		},
	}
}

func TestWriteEscapes(t *testing.T) {
	text := written(t, full(markuptest.Nasty))
	root := markuptest.Check(t, text)
	for _, name := range []string{"title", "h1", "h2", "p", "li", "dt", "dd", "th", "td", "figcaption", "bdi"} {
		if !strings.Contains(markuptest.TextOf(root, name), markuptest.Nasty) {
			t.Errorf("<%s> does not hold the text as it is: %q", name, markuptest.TextOf(root, name))
		}
	}
	if n := strings.Count(text, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	// Marks say what they stand for: <title> in SVG.
	found := false
	for n := range root.Descendants() {
		found = found || n.Type == html.ElementNode && n.Data == "title" && n.Namespace == "svg" && n.FirstChild != nil &&
			n.FirstChild.Data == markuptest.Nasty+": "+markuptest.Nasty
	}
	if !found {
		t.Error("no dot tells its text")
	}
}

func TestWriteStructure(t *testing.T) {
	root := markuptest.Check(t, written(t, full("text")))
	script, err := files.ReadFile("page.js")
	if err != nil || strings.TrimSpace(markuptest.TextOf(root, "script")) != strings.TrimSpace(string(script)) {
		t.Errorf("the script is not that of the page: %v", err)
	}
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
		".curve": 1 + 2, // in the legend, faint, strong; nothing of a series without points
		".faint": 1, ".join": 1, ".field": 1, ".filled": 1, ".muted": 0, ".whisker": 1,
		".level": 3, // with its legend; once in each row of bars

		".dot": 2 + 2, // legend, dots with a place
	} {
		if count[name] != want {
			t.Errorf("%d of %s, want %d", count[name], name, want)
		}
	}
	all := markuptest.TextOf(root, "main")
	for _, want := range []string{"No data.", "1 point is not drawn", "1 dot has no finite place", Absent, "0.500", "0.400 to 0.600"} {
		if !strings.Contains(all, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if a, b := written(t, full("text")), written(t, full("text")); a != b {
		t.Error("the same report gives other bytes")
	}
}

func TestWriteEmpty(t *testing.T) {
	markuptest.Check(t, written(t, Report{Title: "nothing"}))
	root := markuptest.Check(t, written(
		t, Report{Title: "t", Sections: []Section{
			{"s", []Block{Lines{}, Scatter{}, Bars{}, Table{Columns: []Column{{}}}, SideBySide{Lines{}}}}}}))
	if n := strings.Count(markuptest.TextOf(root, "main"), "No data."); n != 5 {
		t.Errorf("%d blocks say that they have no data, want 5", n)
	}
	nan, inf := math.NaN(), math.Inf(1)
	markuptest.Check(t, written(t, Report{Title: "t", Sections: []Section{{"s", []Block{
		Lines{Series: []Series{{"a", []Point{{nan, 1}, {1, inf}, {2, -inf}}}}},
		Lines{Series: []Series{{"a", []Point{{1, 1}}}, {"b", []Point{{1, math.MaxFloat64}}}}, Smooth: 5},
		Scatter{Groups: []string{"g"}, Dots: []Dot{{inf, nan, 0, 1, ""}}},
		Scatter{Groups: []string{"g"}, Dots: []Dot{{3, 3, 0, 1, ""}, {3, 3, 0, 1, ""}}},
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
		{Table{Caption: "c", Columns: make([]Column, 2), Rows: [][]Cell{Cells("a", "b"), Cells("a")}},
			`table "c": row 2 has 1 cells for 2 columns`},
		{Lines{Title: "l", Series: []Series{{}}}, `lines "l": series 1 has no name`},
		{Lines{Smooth: -1}, "smoothing over -1 points"},
		{Lines{X: Axis{Label: "x", Min: 2, Max: 1}}, `axis "x" from 2 to 1`},
		{Lines{Y: Axis{Max: math.Inf(1)}}, "want finite ends"},
		{Scatter{Title: "s", Groups: []string{"a"}, Dots: []Dot{{Group: 1}}}, `scatter "s": dot 1 is of group 1, and there are 1`},
		{Scatter{Groups: []string{""}}, "group 1 has no name"},
		{Bars{Title: "b", Bars: []Bar{{}}}, `bars "b": bar 1 has no name`},
		{Bars{Bars: []Bar{{Name: "a", Low: 2, High: 1}}}, `bar "a": interval from 2 to 1`},
		{SideBySide{}, "there is nothing to put side by side"},
		{SideBySide{nil, Text{}}, "a text is empty"},
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
	got := fmt.Sprintf("%+v", Paragraphs("one\ngoes on\n\n\ntwo\n- a\n  goes on\n- b\n\nthree\n"))
	want := "[{Text:one goes on Items:[]} {Text:two Items:[]} {Text: Items:[a goes on b]} {Text:three Items:[]}]"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// No text, wherever it stands, changes the elements of the page.
func FuzzWrite(f *testing.F) {
	for _, s := range []string{markuptest.Nasty, "a", "\x00", "]]>", "<!--", "`${x}`", "\xff", "-->", "\\"} {
		f.Add(s)
	}
	shape := func(t *testing.T, text string) string {
		var b strings.Builder
		for n := range markuptest.Check(t, written(t, full(text))).Descendants() {
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

// written is the text of a page.
func written(t testing.TB, r Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
