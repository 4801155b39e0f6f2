package pairfilters

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// codes are the languages of the real pairs, as both sides call them.
var codes = map[string]string{"en": "eng", "de": "deu", "et": "est", "ro": "ron", "fr": "fra", "es": "spa", "ru": "rus", "ar": "ara",
	"zh": "zho"}

// realPairs are pairs of MLQE and Tatoeba, and damaged copies of each fourth: text, text, language, language.
func realPairs(t testing.TB) (pairs [][4]string) {
	t.Helper()
	read := func(name string) []string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(data)), "\n")
	}
	for _, folder := range []string{"en-de", "en-zh", "et-en", "ro-en"} {
		files, _ := filepath.Glob(filepath.Join(realdata.Folder(t, "mlqe"), "mlqe", folder, "*.tsv"))
		for _, file := range files {
			for i, line := range read(file)[1:] {
				if fields := strings.Split(line, "\t"); i%4 == 0 && len(fields) > 2 { // difflib takes a millisecond a pair
					pairs = append(pairs, [4]string{fields[1], fields[2], folder[:2], folder[3:]})
				}
			}
		}
	}
	for _, code := range []string{"ar", "de", "es", "fr", "ru", "zh"} {
		name := strings.Replace(codes[code], "zho", "cmn", 1)
		base := filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba", "tatoeba."+name+"-eng.")
		english := read(base + "eng")
		for i, text := range read(base + name) {
			pairs = append(pairs, [4]string{text, english[i], code, "en"})
		}
	}
	for i := 0; i < len(pairs); i += 4 {
		p := pairs[i]
		switch a, b := p[0], p[1]; i / 4 % 10 {
		case 0:
			p[1] = a
		case 1:
			p[1] = b + " " + a + " " + a
		case 2:
			p[0] = "<p class=x>" + a + "</p>"
		case 3: // UTF-8 read as Latin-1
			var latin []rune
			for _, c := range []byte(b) {
				latin = append(latin, rune(c))
			}
			p[1] = string(latin)
		case 4:
			p[0] = strings.Join(strings.Split(a, ""), " ")
		case 5:
			p[0], p[1] = strings.Repeat("ha ", 3)+a+" 10 235", b+" 2350 ("
		case 6:
			p[0] = a[:len(a)/3] + strings.Repeat("=\"{{", len(b)%4)
			p[0] = strings.ToValidUTF8(p[0], "")
		case 7:
			p[0], p[1] = strings.ToTitle(a)+"... ... ...", a+"!"
		case 8:
			p[1] = "Home | A » B » C → " + b + " me@example.com \\u00e9"
		case 9:
			p[0], p[1] = strings.ReplaceAll(a, " ", ""), "1 2 3 4 "+a[:len(a)/8]
			p[1] = strings.ToValidUTF8(p[1], "")
		}
		if i%500 == 0 {
			p[1] = strings.Repeat(p[1], 12)
		}
		pairs = append(pairs, p)
	}
	return slices.DeleteFunc(pairs, func(p [4]string) bool { return p[0] == "" || p[1] == "" })
}

// peers names our rules by those of the peers, and how many verdicts in 10,000 may be unequal, for the reason that is
// told. Where words count, or a text in Chinese is compared in characters, pairs with Chinese are left out.
var peers = []struct {
	peer, filter string
	settings     map[string]string
	unspaced     bool // equal for Chinese, too
	unequal      float64
	because      string
}{
	{"words", "words", nil, false, 0, ""},
	{"word-ratio", "word-ratio", nil, false, 0, ""},
	{"length-ratio", "length-ratio", nil, false, 25, "a ratio of just 3 passes, as in hardrules"},
	{"average-word", "average-word", nil, false, 0, ""},
	{"long-word", "long-word", nil, false, 0, ""},
	{"html", "html", nil, true, 0, ""},
	{"alphabet", "alphabet", nil, true, 0, ""},
	{"script", "script", map[string]string{"min-script": "1"}, true, 200, "OpusFilter counts vowel marks of Arabic as letters of another script"},
	{"terminal-punctuation", "terminal-punctuation", nil, false, 0, "marks of all scripts count"},
	{"numerals", "numerals", nil, true, 2, "digits of all scripts count"},
	{"common-substring", "common-substring", nil, true, 60, "OpusFilter leaves out characters that are common in a side of 200 or more"},
	{"similarity", "similarity", nil, true, 0, ""},
	{"repetition", "repetition", nil, true, 0, ""},
	{"not_too_long", "length", nil, true, 0, ""},
	{"not_too_short", "words", map[string]string{"min-words": "3", "max-words": "1000000"}, false, 4,
		"hardrules counts spaces, but not narrow ones"},
	{"length_ratio", "length-ratio", nil, false, 0, ""},
	{"no_identical", "identical", nil, true, 1, "ß is ss and ς is σ there"},
	{"no_literals", "literals", nil, true, 0, ""},
	{"no_only_symbols", "only-symbols", nil, true, 0, ""},
	{"no_only_numbers", "only-numbers", nil, true, 0, ""},
	{"no_urls", "urls", nil, true, 0, ""},
	{"no_breadcrumbs", "breadcrumbs", nil, true, 0, ""},
	{"no_glued_words", "glued-words", nil, true, 0, ""},
	{"no_repeated_words", "repeated-words", nil, false, 5,
		"of languages that it is not sure of, hardrules drops any stretch that follows itself"},
	{"no_unicode_noise", "unicode-noise", nil, true, 0, ""},
	{"no_space_noise", "space-noise", nil, true, 0, ""},
	{"no_paren", "parentheses", nil, true, 0, ""},
	{"no_escaped_unicode", "escaped-unicode", nil, true, 0, ""},
	{"no_bad_encoding", "bad-encoding", nil, true, 0, ""},
	{"no_titles", "titles", nil, true, 0, ""},
	{"no_number_inconsistencies", "number-inconsistencies", nil, true, 1, "digits of all scripts count"},
}

// Verdicts are those of OpusFilter and bicleaner-hardrules, of the Python that SENTWEAVE_PAIRFILTERS names, which has
// opusfilter 3.3.1, bicleaner-hardrules 2.10.8 and what they import.
func TestBesidePeers(t *testing.T) {
	python := realdata.Variable(t, "SENTWEAVE_PAIRFILTERS")
	pairs := realPairs(t)
	speed, lines, _ := bytes.Cut(peertest.Output(t, peertest.Lines(t, pairs), python, filepath.Join("testdata", "peers.py")), []byte("\n"))
	theirs, err := strconv.ParseFloat(string(speed), 64)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := peertest.Values[[]string](t, lines)
	if len(verdicts) != len(pairs) {
		t.Fatalf("%d verdicts on %d pairs", len(verdicts), len(pairs))
	}
	judged := &Pair{}
	for _, peer := range peers {
		rules, err := List.Choose([]string{peer.filter}, peer.settings)
		if err != nil {
			t.Fatal(err)
		}
		chain := NewChain(rules)
		all, dropped, unequal, example := 0, 0, 0, ""
		for i, p := range pairs {
			if !peer.unspaced && (p[2] == "zh" || p[3] == "zh") {
				continue
			}
			judged.Load(p[0], codes[p[2]], p[1], codes[p[3]])
			reason, measure := chain.Judge(judged)
			all++
			want := slices.Contains(verdicts[i], peer.peer)
			if want {
				dropped++
			}
			if want != (reason != "") {
				if unequal++; unequal <= 3 {
					example += fmt.Sprintf("\n  %q: they drop it: %t, we: %q %v", p, want, reason, measure)
				}
			}
		}
		t.Logf("%s: of %d pairs they drop %d; %d verdicts differ %s", peer.peer, all, dropped, unequal, peer.because)
		if dropped == 0 || float64(unequal) > peer.unequal/10_000*float64(all) {
			t.Errorf("%s: %d of %d verdicts are unequal, of which they drop %d:%s", peer.peer, unequal, all, dropped, example)
		}
	}
	rules, err := List.Choose([]string{"words", "word-ratio", "length-ratio", "average-word", "long-word", "html", "alphabet",
		"terminal-punctuation", "numerals", "common-substring", "similarity", "repetition"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	chain, before := NewChain(rules), userTime()
	for _, p := range pairs { // each filter on each pair, as OpusFilter was asked
		judged.Load(p[0], codes[p[2]], p[1], codes[p[3]])
		for i := range chain.rules {
			one := Chain{chain.rules[i : i+1]}
			one.Judge(judged)
		}
	}
	ours := (userTime() - before).Seconds() / float64(len(pairs))
	t.Logf("12 filters: %.0f pairs a second, OpusFilter %.0f: %.1f times as many", 1/ours, 1/theirs, theirs/ours)
}

func userTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano())
}
