package filters

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// inLines has a block a line; sentences end where ". " stands.
func inLines(text string) *Document {
	var texts []string
	for line := range strings.SplitSeq(text, "\n") {
		for sentence := range strings.SplitAfterSeq(line, ". ") {
			if strings.HasSuffix(sentence, ". ") {
				sentence = strings.TrimSuffix(sentence, " ")
			}
			texts = append(texts, sentence)
		}
		texts = append(texts, "")
	}
	return document(texts...)
}

// Shares worked out by hand.
func TestFineWeb(t *testing.T) {
	const long = "a line of words that goes on and on" // 35 characters
	line := func(n int) string { return strings.Repeat("x", n) }
	numbered := func(n int, end string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(long + string(rune('A'+i)) + end + "\n")
		}
		return b.String()
	}
	tests := []struct {
		name, text, reason string
		measure            float64
	}{
		{"prose", long + ". " + long + ".\nAnother " + long + "!", "", 0},
		{"nothing", "", reasonFewTerminated, 0},
		{"no marks", numbered(9, ""), reasonFewTerminated, 0},
		{"1 of 9 ends with a mark", numbered(8, "") + long + ".", reasonFewTerminated, 1. / 9},
		{"1 of 8", numbered(7, "") + long + ".", "", 0},
		{"3 of 25: on the threshold", numbered(22, "") + numbered(3, "."), "", 0},
		{"a comma is none", numbered(9, ","), reasonFewTerminated, 0},
		{"a quotation mark is none, either", numbered(9, ".”"), reasonFewTerminated, 0},
		{"marks of other scripts", long + "。\n" + long + "a؟\n" + long + "b।\n" + long + "c።\n" + long + "d។", "", 0},
		{"2 of 3 of 30 characters", line(29) + ".\n" + strings.Repeat("y", 29) + ".\n" + line(31) + ".", "", 0},
		{"3 of 4", line(29) + ".\n" + line(28) + ".\n" + line(27) + ".\n" + line(31) + ".", reasonShortLines, .75},
		{"31 characters are not short", line(30) + ".\n" + strings.Repeat("y", 30) + ".", "", 0},
		{"30 of 5 and 25 sentences", "abcd. efgh. ijkl. mnop. qrstuv.", "", 0},
		{"a line again", long + ".\n" + long + ".", reasonDuplicateLineText, .5},
		{"40 of 400 characters: on the threshold", line(39) + ".\n" + line(39) + ".\n" + strings.Repeat("y", 319) + ".", "", 0},
		{"40 of 399", line(39) + ".\n" + line(39) + ".\n" + strings.Repeat("y", 318) + ".", reasonDuplicateLineText, 40. / 399},
		{"the same sentences in other blocks", long + ". " + long + "2.\n" + long + ".\n" + long + "2.", "", 0},
	}
	for _, tt := range tests {
		reason, measure := judge(t, fineWeb, inLines(tt.text))
		if reason != tt.reason || measure != tt.measure {
			t.Errorf("%s: %q (%v), want %q (%v)", tt.name, reason, measure, tt.reason, tt.measure)
		}
	}
}

// realPages are the main texts of the pages of WCXB, as their annotators have them, in lines.
func realPages(t *testing.T) (pages [][]string) {
	file, err := os.Open(filepath.Join(realdata.Folder(t, "wcxb"), "wcxb", "ground-truth.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	rows := bufio.NewScanner(z)
	rows.Buffer(nil, 16<<20)
	for rows.Scan() {
		var page struct {
			Text string `json:"main_content"`
		}
		if err := json.Unmarshal(rows.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for line := range strings.SplitSeq(page.Text, "\n") {
			if line = strings.Join(strings.Fields(line), " "); line != "" {
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			pages = append(pages, lines)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return pages
}

// besideDatatrove judges texts by the rules of a filter, and by a program that prints, for each line of JSON, the reason of
// datatrove. Theirs has its reasons by ours. At least 100 texts have to try each of them.
func besideDatatrove(t *testing.T, check DocumentCheck, program string, texts []string, theirs map[string]string) {
	python := peertest.Python(t, "datatrove")
	input, documents := make([]any, len(texts)), make([]*Document, len(texts))
	for i, text := range texts {
		documents[i] = inLines(text)
		var words []string
		for _, s := range documents[i].Sentences {
			eachWord(nil, s.Text, func(word string, _ bool) { words = append(words, word) })
		}
		input[i] = map[string]any{"text": text, "words": words}
	}
	output := peertest.Output(t, peertest.Lines(t, input), python, "-c", program)
	verdicts := strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
	if len(verdicts) != len(texts) {
		t.Fatalf("%d verdicts on %d texts", len(verdicts), len(texts))
	}
	counts := map[string]int{}
	for i, text := range texts {
		var v Verdict
		check(documents[i], &v)
		counts[v.Reason]++
		if theirs[v.Reason] != verdicts[i] {
			t.Errorf("%q (%v), datatrove %q: %.200q", v.Reason, v.Measure, verdicts[i], text)
		}
	}
	for reason := range theirs {
		if counts[reason] < 100 {
			t.Errorf("the texts do not try %q: %v", reason, counts)
		}
	}
	t.Logf("%d texts: %v", len(texts), counts)
}

// fineWebOfDatatrove is told the published threshold for lines that are repeated, .1 where its
// own is .01, and its fourth rule, which is not published, is switched off.
const fineWebOfDatatrove = `
import json, sys
import datatrove.pipeline.filters.fineweb_quality_filter as module
from datatrove.data import Document
module.split_into_words = lambda text, language: [""]
judge = module.FineWebQualityFilter(char_duplicates_ratio=0.1, new_line_ratio=float("inf"))
for line in sys.stdin:
    verdict = judge.filter(Document(text=json.loads(line)["text"], id=""))
    print("" if verdict is True else verdict[1])
`

// The texts are those of pages, and others that come near the thresholds: their short lines alone, their first lines
// repeated, the marks gone from the ends of most.
func TestFineWebBesideDatatrove(t *testing.T) {
	var texts []string
	for _, all := range realPages(t) {
		var short, bare []string
		for i, line := range all {
			if len(line) < 60 {
				short = append(short, line)
			}
			if (i+1)%7 != 0 {
				line = strings.TrimRight(line, ".!?") + " x"
			}
			bare = append(bare, line)
		}
		repeated := slices.Concat(all, all[:len(all)/9])
		for _, lines := range [][]string{all, short, bare, repeated} {
			if len(lines) > 0 {
				texts = append(texts, strings.Join(lines, "\n"))
			}
		}
	}
	besideDatatrove(t, fineWeb.New().Document, fineWebOfDatatrove, texts, map[string]string{"": "",
		reasonFewTerminated: "line_punct_ratio", reasonShortLines: "short_line_ratio", reasonDuplicateLineText: "char_dup_ratio"})
}
