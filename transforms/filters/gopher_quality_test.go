package filters

import (
	"fmt"
	"strings"
	"testing"
)

// Shares and counts worked out by hand. The base has 60 words of 4 letters, 5 of them stop words, in 6 blocks.
func TestGopherQuality(t *testing.T) {
	line := "that have with that have pens cups maps wool iron"
	base := strings.Repeat(line+"\n", 6)
	lines := func(n int, change func(int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(change(i) + "\n")
		}
		return b.String()
	}
	every := func(n int, with, without string) func(int) string {
		return func(i int) string {
			if i%n == 0 {
				return with
			}
			return without
		}
	}
	tests := []struct {
		name, language, text, reason string
		measure                      float64
	}{
		{"60 words", "eng", base, "", 0},
		{"50 words", "eng", strings.Repeat(line+"\n", 5), "", 0},
		{"49 words and marks", "eng", strings.Repeat(line+" - ... !\n", 4) + strings.TrimSuffix(line, " iron") + " —", reasonFewWords, 49},
		{"nothing", "eng", "", reasonFewWords, 0},
		{"words of 3 letters", "eng", strings.Repeat("the and the cup pen map rug axe oak elm\n", 6), "", 0},
		{"words of less", "eng", strings.Repeat("the and to cup pen map rug axe oak elm\n", 6), reasonShortWords, 2.9},
		{"words of 10 letters", "eng", strings.Repeat("the and "+strings.Repeat("x", 24)+"\n", 60), "", 0},
		{"words of more", "eng", strings.Repeat("the and "+strings.Repeat("x", 27)+"\n", 60), reasonLongWords, 11},
		{"1 hash to 11 words and marks", "eng", strings.Repeat(line+" #\n", 6), "", 0},
		{"1 hash in 10 words", "eng", strings.Repeat(strings.Replace(line, "pens", "a#b", 1)+"\n", 6), "", 0},
		{"a run of hashes", "eng", strings.Repeat(line+" ##\n", 6), reasonHashes, 2. / 11},
		{"1 ellipsis in 11", "eng", strings.Repeat("… "+line+"\n", 6), "", 0},
		{"2 ellipses in 12", "eng", strings.Repeat("… "+line+"\n"+"… "+strings.Replace(line, " ", "... ", 1)+"\n", 3), reasonEllipses,
			9. / 69},
		{"9 of 10 lines with bullets", "eng", lines(10, every(10, line, "• "+line)), "", 0},
		{"10 of 11", "eng", lines(11, every(11, line, "- "+line)), reasonBullets, 10. / 11},
		{"3 of 10 lines are cut", "eng", lines(10, func(i int) string { return line + strings.Repeat("…", (10-i)/8) }), "", 0},
		{"1 of 3", "eng", lines(6, every(3, line+"...", line)), reasonEllipsisLines, 1. / 3},
		{"4 of 5 words have letters", "eng", strings.Repeat("that have 1234 maps wool\n", 10), "", 0},
		{"4 of 5, and marks", "eng", strings.Repeat("that have 1234, maps wool\n", 10), reasonAlphabetic, 4. / 6},
		{"1 stop word", "eng", strings.Repeat("that Have With pens cups maps wool iron\n", 8), reasonStopWords, 1},
		{"none in German", "deu", strings.Repeat("That Have With pens cups maps wool iron\n", 8), "", 0},
		{"Chinese", "zho", strings.Repeat("没有人睡过觉。", 4), "", 0},
		{"lines of Chinese", "zho", lines(11, every(20, "没有人睡过觉。", "- 没有人睡过觉。")), reasonBullets, 10. / 11},
	}
	for _, tt := range tests {
		d := inLines(tt.text)
		d.Language = tt.language
		if reason, measure := judge(t, gopherQuality, d); reason != tt.reason || measure != tt.measure {
			t.Errorf("%s: %q (%v), want %q (%v)", tt.name, reason, measure, tt.reason, tt.measure)
		}
	}
	_, err := List.Choose([]string{gopherQuality.Name}, map[string]string{"gopher-min-words": "9", "gopher-max-words": "8"})
	if err == nil || !strings.Contains(err.Error(), "gopher-max-words 8: want at least 9") {
		t.Error(err)
	}
}

func TestEachWord(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "one two": "one|two", "“Don't,” she said...": "(“)|Don't|(,)|(”)|she|said|(...)", "well-known - a_b": "well-known|(-)|a_b",
		" -- ?!? x": "(--)|(?)|(!)|(?)|x", "$5 #tag 3.5% नमस्ते।": "($)|5|(#)|tag|3.5|(%)|नमस्ते|(।)", "河水!": "河|水|(!)",
	} {
		var got []string
		eachWord(nil, text, func(word string, isWord bool) {
			if !isWord {
				word = "(" + word + ")"
			}
			got = append(got, word)
		})
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// gopherQualityOfDatatrove gets our words, since its own come from a tokenizer that may not be there, and our marks.
const gopherQualityOfDatatrove = `
import json, sys, unicodedata
import datatrove.pipeline.filters.gopher_quality_filter as module
from datatrove.data import Document
module.PUNCTUATION_SET = {chr(c) for c in range(0x110000) if unicodedata.category(chr(c))[0] in "PS"}
judge = module.GopherQualityFilter(max_doc_words=2000)
for line in sys.stdin:
    row = json.loads(line)
    module.split_into_words = lambda text, language: row["words"]
    verdict = judge.filter(Document(text=row["text"], id=""))
    print("" if verdict is True else verdict[1])
`

// The texts are those of pages, and changed ones that come near each threshold.
func TestGopherQualityBesideDatatrove(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it takes 10 seconds")
	}
	rules, err := List.Choose([]string{gopherQuality.Name}, map[string]string{"gopher-max-words": "2000"})
	if err != nil {
		t.Fatal(err)
	}
	// words changes each nth word.
	words := func(lines []string, n int, change func(word string) string) string {
		count, result := 0, make([]string, len(lines))
		for i, line := range lines {
			fields := strings.Fields(line)
			for j, word := range fields {
				if count++; count%n == 0 {
					fields[j] = change(word)
				}
			}
			result[i] = strings.Join(fields, " ")
		}
		return strings.Join(result, "\n")
	}
	put := func(mark string) func(string) string { return func(word string) string { return word + mark } }
	var texts []string
	for i, lines := range realPages(t) {
		if i%3 > 0 {
			continue // they are enough
		}
		all := strings.Join(lines, "\n")
		var marked, cut []string
		for j, line := range lines {
			if (i+j)%(8+i%8) != 0 {
				line = []string{"- ", "• "}[i%2] + line
			}
			marked = append(marked, line)
			if line = lines[j]; (i+j)%(2+i%3) == 0 {
				line += []string{"...", "…"}[i%2]
			}
			cut = append(cut, line)
		}
		fields := strings.Fields(all)
		texts = append(texts, all, strings.Join(marked, "\n"), strings.Join(cut, "\n"),
			strings.Join(fields[:min(len(fields), 45+i%15)], " "),
			words(lines, 6+i%6, put(" #")), words(lines, 6+i%6, put(" ...")),
			words(lines, 4+i%5, func(word string) string { return fmt.Sprint(len(word), " ", i) }),
			words(lines, 1, func(word string) string { return word[:min(len(word), 2+len(word)%(2+i%2))] }),
			words(lines, 1, put("_"+strings.Repeat("x", i%8))),
			words(lines, 1, func(word string) string { return strings.ToUpper(word[:1]) + word[1:] }))
	}
	besideDatatrove(t, rules[0].Document, gopherQualityOfDatatrove, texts, map[string]string{"": "", reasonFewWords: "gopher_short_doc",
		reasonManyWords: "gopher_long_doc", reasonShortWords: "gopher_below_avg_threshold", reasonLongWords: "gopher_above_avg_threshold",
		reasonHashes: "gopher_too_many_hashes", reasonEllipses: "gopher_too_many_ellipsis", reasonBullets: "gopher_too_many_bullets",
		reasonEllipsisLines: "gopher_too_many_end_ellipsis", reasonAlphabetic: "gopher_below_alpha_threshold",
		reasonStopWords: "gopher_enough_stop_words"})
}
