package filters

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/realdata"
	"sentweave/transforms/clean/characters"
	"sentweave/transforms/filters/wordlist"
)

// wordLists reads lists by language.
func wordLists(t *testing.T, entries map[string][]string) (*wordlist.Lists, map[string]string) {
	t.Helper()
	folder, locations := t.TempDir(), map[string]string{}
	for code, list := range entries {
		locations[code] = filepath.Join(folder, code)
		if err := os.WriteFile(locations[code], []byte(strings.Join(list, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := wordlist.Load(t.Context(), locations)
	if err != nil {
		t.Fatal(err)
	}
	return l, locations
}

// Shares worked out by hand.
func TestListedWords(t *testing.T) {
	lists, _ := wordLists(t, map[string][]string{"eng": {"shoes", "red shoes"}, "jpn": {"靴"}})
	for _, tt := range []struct {
		language, most, reason, listed string
		texts                          []string
		share                          float32 // -1 for none
	}{
		{"eng", "0", ReasonListedWords, "red shoes", []string{"Buy red", "Red shoes, blue shoes"}, 2. / 6},
		{"eng", ".34", "", "red shoes", []string{"Buy red", "Red shoes, blue shoes"}, 2. / 6},
		{"eng", "0", "", "", prose, 0},
		{"jpn", "0", ReasonListedWords, "靴", []string{"赤い靴", "靴"}, .5},
		{"fra", "0", "", "", []string{"Red shoes"}, -1},
		{"eng", "0", "", "", nil, 0},
	} {
		rules := listedWords.New()
		if err := rules.Settings[0].Set(tt.most); err != nil {
			t.Fatal(err)
		}
		chain := NewChain([]Rules{rules})
		chain.Words = lists
		page := chain.Page()
		for range 2 {
			for i, text := range tt.texts {
				page.Keep(text, int32(i))
			}
			v, scores := page.Measure(tt.language, 1, true, nil)
			want := []schemas.Score{{Name: "words_listed", Value: tt.share}}
			if tt.share < 0 {
				want = nil
			}
			if !slices.Equal(scores, want) || v.Reason != tt.reason || page.Listed() != tt.listed {
				t.Errorf("%s %q: %q %q %v, want %q %q %v", tt.language, tt.texts, v.Reason, page.Listed(), scores, tt.reason, tt.listed,
					want)
			}
			page.Close()
			page = chain.Page()
		}
		if n := testing.AllocsPerRun(100, func() {
			page := chain.Page()
			page.Keep(prose[0], 0)
			page.Document("eng", 1, true)
			page.Close()
		}); n >= 1 {
			t.Errorf("%v allocations a document, want none", n)
		}
	}
}

// badWordsOfDatatrove is told a list for English and one for Japanese in the place of those that it would fetch.
const badWordsOfDatatrove = `
import json, re, sys
import datatrove.pipeline.filters.c4_filters as module
from datatrove.data import Document
files = {"en": %q, "ja": %q}
module.cached_asset_path_or_download = lambda url, **_: files[url[-2:]]
judge = module.C4BadWordsFilter()
for line in sys.stdin:
    text = json.loads(line)["text"]
    language = "ja" if re.search("[ぁ-ん]", text) else "en"
    verdict = judge.filter(Document(text=text, id="", metadata={"language": language}))
    print("" if verdict is True else verdict[1])
`

// The texts are pages in English and sentences in Japanese; the lists are of words, parts of words and phrases of the texts, with the marks
// between them. What is said of other scripts and of marks in package wordlist is where the two would differ.
func TestListedWordsBesideDatatrove(t *testing.T) {
	var texts []string
	entries := map[string][]string{}
	list := func(code, entry string, every uint64) {
		if entry = strings.ToLower(strings.TrimSpace(entry)); entry != "" && xxh3.HashString(entry)%every == 0 {
			entries[code] = append(entries[code], entry)
		}
	}
	for _, lines := range realPages(t) {
		for i, line := range lines {
			lines[i] = strings.ReplaceAll(line, "’", "'") // which are the same here, and not in datatrove
		}
		texts = append(texts, strings.Join(lines[:min(len(lines), 12)], "\n"))
		words := strings.Fields(lines[0])
		for i, word := range words {
			list("eng", word, 151)
			list("eng", word[:len(word)/2], 151)
			list("eng", strings.Join(words[i:min(i+2, len(words))], " "), 17)
		}
	}
	file, err := os.Open(filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba", "tatoeba.jpn-eng.jpn"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		texts = append(texts, lines.Text())
		text := []rune(lines.Text())
		for i := range len(text) - 1 {
			list("jpn", string(text[i:i+2]), 97)
		}
	}
	entries["jpn"] = slices.DeleteFunc(entries["jpn"], func(entry string) bool {
		return strings.ContainsFunc(entry, func(r rune) bool { return !characters.Unspaced(r) })
	})
	lists, files := wordLists(t, entries)
	rules, scanner := listedWords.New(), wordlist.NewScanner(lists)
	besideDatatrove(t, func(d *Document, v *Verdict) {
		d.words, d.Language = scanner, "eng"
		for _, s := range d.Sentences {
			if strings.ContainsFunc(s.Text, func(r rune) bool { return 'ぁ' <= r && r <= 'ん' }) {
				d.Language = "jpn"
			}
		}
		rules.Document(d, v)
	}, fmt.Sprintf(badWordsOfDatatrove, files["eng"], files["jpn"]), texts,
		map[string]string{"": "", ReasonListedWords: "document_removed_with_badwords"})
}
