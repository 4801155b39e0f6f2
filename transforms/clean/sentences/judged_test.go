package sentences

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"sentweave/schemas/realdata"
)

// judged is a text with its sentences, as others judge them.
type judged struct {
	Language, Text string
	Sentences      []string
	Hard           bool
}

// readJudged reads a file of data/sentences.
func readJudged(tb testing.TB, name string) (list []judged) {
	tb.Helper()
	f, err := os.Open(filepath.Join(realdata.Folder(tb, "sentences/"+name), "sentences", name))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var j judged
		if err := json.Unmarshal(lines.Bytes(), &j); err != nil {
			tb.Fatal(err)
		}
		list = append(list, j)
	}
	return list
}

// boundaries returns where sentences end, in characters other than white space.
func boundaries(parts []string) (ends []int) {
	at := 0
	for _, p := range parts {
		for _, r := range p {
			if !unicode.IsSpace(r) {
				at++
			}
		}
		ends = append(ends, at)
	}
	return ends
}

// The rules that are left are against the behaviour that doc.go describes: the colon and the comma of
// Arabic, a lower-case start, a quotation of two sentences.
func TestGolden(t *testing.T) {
	passed, all := 0, 0
	for _, j := range readJudged(t, "golden-rules.jsonl") {
		if j.Hard {
			continue
		}
		all++
		if got := Split(nil, j.Text, j.Language); slices.Equal(got, j.Sentences) {
			passed++
		} else {
			t.Logf("%s: %q, not %q", j.Language, got, j.Sentences)
		}
	}
	t.Logf("%d of %d", passed, all)
	if float64(passed) < .95*float64(all) {
		t.Errorf("%d of %d golden rules hold", passed, all)
	}
}

// Ends of sentences in the development splits of Universal Dependencies, but for the last of each text.
func TestTreebanks(t *testing.T) {
	for code, least := range map[string]float64{"eng": .88, "deu": .985, "spa": .985, "rus": .985, "zho": .996} {
		hits, found, wanted := 0, 0, 0
		for _, j := range readJudged(t, "ud-"+code+".jsonl") {
			got, want := boundaries(Split(nil, j.Text, code)), boundaries(j.Sentences)
			got, want = got[:len(got)-1], want[:len(want)-1]
			found, wanted = found+len(got), wanted+len(want)
			for _, end := range got {
				if slices.Contains(want, end) {
					hits++
				}
			}
		}
		precision, recall := float64(hits)/float64(found), float64(hits)/float64(wanted)
		f1 := 2 * precision * recall / (precision + recall)
		t.Logf("%s: precision %.4f, recall %.4f, F1 %.4f of %d ends", code, precision, recall, f1, wanted)
		if f1 < least || precision < .985 {
			t.Errorf("%s: F1 %.4f, precision %.4f; they were at least %v and .985", code, f1, precision, least)
		}
	}
}

// What other splitters were reported to split wrongly, all but a quotation of two sentences.
func TestReported(t *testing.T) {
	folder := realdata.Folder(t, "cases/08-sentences")
	data, err := os.ReadFile(filepath.Join(folder, "cases/08-sentences", "en.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string][]string{
		"(Phil. 4:8)":          {"This is not a real quote? (Phil. 4:8)", "No, it is not."},
		"Yahoo! is a company.": {"Yahoo! is a company.", "Jeopardy! was on TV.", "What?"},
		"-5.5 deg. C.":         {"The temperature was -5.5 deg. C.", "It was cold."},
		"Yan et al. [2004]":    {"Yan et al. [2004] analysed the tides and suggested a change in heat."},
		"Chalana et al.":       {"The claims are unpatentable over Chalana et al. (US 2012/0179503) in view of Oh (US 2013/0013993)."},
		"9 a.m. Monday":        {"The meeting is at 9 a.m. Monday."},
		"mango etc.":           {"I love apples, oranges, mango etc.", "I want more of it."},
		"F.B.I.": {"Last week, former director of the F.B.I. James B. Comey was fired.",
			"Mr. Comey was not available for comment."},
		"See Fig. 3":            {"See Fig. 3 and Eq. 4, p. 12, pp. 3-5, no. 7 and vol. 2.", "The rest is in ch. 5."},
		"It cost $5.50.":        {"It cost $5.50.", "That is cheap!!", "Really?!", "Yes... no.", "Well … maybe."},
		"1. First item is here": {"1. First item is here.", "2. Second item is here.", "3. Third item is here."},
		"E. coli":               {"E. coli and S. aureus were found.", "A. J. Foyt won.", "J.R.R. Tolkien wrote it."},
	} {
		found := false
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, part) {
				found = true
				check(t, "eng", line, want)
			}
		}
		if !found {
			t.Errorf("%q is not among the cases", part)
		}
	}
}
