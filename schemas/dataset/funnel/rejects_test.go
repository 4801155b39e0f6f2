package funnel

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"sentweave/schemas"
)

// Whatever the order of the records and wherever they are cut into units, the same are
// kept: of each step and reason the SamplesKept with the smallest ranks, the first one of
// each language, as long as there are few, and none for a pair of languages.
func TestRejectsDoNotDependOnUnits(t *testing.T) {
	var records []schemas.Reject
	add := func(n int, reason, language string) {
		for i := range n {
			id := schemas.ID(language+reason, int64(i))
			records = append(
				records,
				schemas.Reject{
					ID:       id,
					Step:     "quality",
					Reason:   reason,
					Language: language,
					Detail:   fmt.Sprint(i),
					Sample:   strings.Repeat("s", i),
				},
			)
		}
	}
	add(600, "common", "eng")
	add(20, "common", "deu")
	add(1, "common", "fra")
	add(300, "common", "deu-eng")
	for i := range 40 {
		add(1, "common", fmt.Sprintf("fra-l%02d", i))
	}
	add(3, "rare", "eng")
	for i := range 2 * FloorLanguages {
		add(2, "babel", fmt.Sprintf("l%03d", i))
	}
	records = append(records, records[5]) // one twice
	want := map[string]bool{}
	for _, reason := range []string{"common", "rare", "babel"} {
		var of []schemas.Reject
		for _, r := range records[:len(records)-1] {
			if r.Reason == reason {
				r.Rank = rank(r.Step, r.Reason, r.ID)
				of = append(of, r)
			}
		}
		slices.SortFunc(of, func(a, b schemas.Reject) int { return cmp.Compare(a.Rank, b.Rank) })
		languages := map[string]bool{}
		for i, r := range of {
			first := !languages[r.Language] && !strings.Contains(r.Language, "-") && len(languages) < FloorLanguages
			if first {
				languages[r.Language] = true
			}
			if i < SamplesKept || first {
				want[r.ID] = true
			}
		}
	}
	var first []schemas.Reject
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		r.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		var all Rejects
		for rest := records; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(200))
			var unit Rejects
			for _, record := range rest[:n] {
				if seed%2 == 0 || unit.Wants(record.Step, record.Reason, record.Language, record.ID) {
					unit.Add(record)
				}
			}
			for _, record := range unit.Sorted() {
				all.insert(record)
			}
			rest = rest[n:]
		}
		got := all.Sorted()
		if first == nil {
			first = got
			kept := map[string]bool{}
			for _, r := range got {
				kept[r.ID] = true
			}
			if diff := gocmp.Diff(want, kept); diff != "" || len(got) != len(want) {
				t.Errorf("%d records are kept, not the %d of the smallest ranks:\n%s", len(got), len(want), diff)
			}
		} else if diff := gocmp.Diff(first, got); diff != "" {
			t.Fatalf("seed %d keeps other records:\n%s", seed, diff)
		}
	}
}

// The ranks of a kind do not follow those of another: what is sampled for one
// reason says nothing about the sample of the next.
func TestRanksDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for _, kind := range [][3]string{{"a", "b", "c"}, {"ab", "", "c"}, {"a", "bc", ""}, {"", "ab", "c"}, {"a", "b", "d"}, {"b", "a", "c"}} {
		r := rank(kind[0], kind[1], kind[2])
		if other, ok := seen[r]; ok {
			t.Errorf("%q and %s have one rank", kind, other)
		}
		seen[r] = fmt.Sprint(kind)
	}
}

// Texts that are not UTF-8, which is a reason to drop a record, do not stop the
// dataset that keeps a sample of them.
func TestRejectsOfInvalidTexts(t *testing.T) {
	var r Rejects
	r.Add(
		schemas.Reject{
			ID:       "\xff",
			Source:   "a\xfe",
			Step:     "read",
			Reason:   "utf8",
			Language: "\xc3",
			Detail:   "byte \xff",
			Sample:   strings.Repeat("\xffa", 1000),
		},
	)
	for _, record := range r.Sorted() {
		if err := record.Validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestSample(t *testing.T) {
	x := strings.Repeat("x", schemas.MaxSample)
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"short", "ä", "ä"},
		{"as long as may be", x, x},
		{"one more", x + "y", x},
		{"within two bytes", x[1:] + "ä", x[1:]},
		{"within three bytes", x[2:] + "字", x[2:]},
		{"within four bytes", x[3:] + "😀", x[3:]},
		{"after four bytes", x[4:] + "😀!", x[4:] + "😀"},
		{"a replacement character", x[3:] + "\uFFFD!", x[3:] + "\uFFFD"},
		{"bad byte in a short text", "a\xffb", "a\uFFFDb"},
		{"bad byte that grows", x[1:] + "\xff", x[1:]},
		{"cut text that ends in a part of a character", x[2:] + "\xe5\xad", x[2:]},
	} {
		if got := Sample(test.text); got != test.want {
			t.Errorf(
				"%s: %d bytes, ends in %q; want %d, %q",
				test.name,
				len(got),
				got[max(0, len(got)-8):],
				len(test.want),
				test.want[max(0, len(test.want)-8):],
			)
		}
	}
}

func FuzzSample(f *testing.F) {
	for _, end := range []string{"", "ä", "字", "😀", "\xff", "\xe5\xad", "\uFFFD"} {
		f.Add(strings.Repeat("x", 497)+end+"tail", uint8(3))
		f.Add(end, uint8(200))
	}
	f.Fuzz(func(t *testing.T, text string, times uint8) {
		text = strings.Repeat(text, int(times))
		got := Sample(text)
		if len(got) > schemas.MaxSample || !utf8.ValidString(got) {
			t.Fatalf("%d bytes, valid %t", len(got), utf8.ValidString(got))
		}
		if !utf8.ValidString(text) {
			return
		}
		if !strings.HasPrefix(text, got) {
			t.Fatalf("%q is not how %q begins", got, text)
		}
		if rest := text[len(got):]; rest != "" { // cut as late as a character allows
			if _, size := utf8.DecodeRuneInString(rest); len(got)+size <= schemas.MaxSample {
				t.Fatalf("%d bytes kept of %d, the next character has %d", len(got), len(text), size)
			}
		}
	})
}

func BenchmarkRejectsWants(b *testing.B) {
	var r Rejects
	ids := make([]string, 1024)
	for i := range ids {
		ids[i] = schemas.ID("x", int64(i))
		r.Add(schemas.Reject{ID: ids[i], Step: "quality", Reason: "too_short", Language: "eng"})
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.Wants("quality", "too_short", "eng", ids[i%1024])
	}
}
