package minhash

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/transforms/filters/dedup"
)

func signer(t testing.TB, name string) *Signer {
	t.Helper()
	p, err := PresetOf(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func documentOf(sentences ...string) (d schemas.Document) {
	for _, text := range sentences {
		d.Sentences = append(d.Sentences, schemas.Sentence{Text: text})
	}
	return d
}

// Words and characters are parted as the presets say.
func TestShingles(t *testing.T) {
	for _, test := range []struct {
		preset    string
		sentences []string
		want      int
	}{
		{"datatrove", nil, 0},
		{"datatrove", []string{" ", ""}, 0},
		{"datatrove", []string{"one"}, 1},
		{"datatrove", []string{"one two three four"}, 1},
		{"datatrove", []string{"one two three", "four five."}, 1},
		{"datatrove", []string{"one two three", "four five", "six"}, 2},
		{"datatrove", []string{"一二三四五六七。"}, 3}, // a character without spaces is a word
		{"nemo", []string{strings.Repeat("a", 23)}, 1},
		{"nemo", []string{strings.Repeat("é", 20), strings.Repeat("b", 5)}, 3}, // with the space between sentences
	} {
		s := signer(t, test.preset)
		s.shingle(documentOf(test.sentences...))
		if len(s.shingles) != test.want {
			t.Errorf("%s: %q has %d shingles, want %d", test.preset, test.sentences, len(s.shingles), test.want)
		}
		keys := s.Keys(documentOf(test.sentences...))
		if bands := s.preset.Bands; test.want == 0 && keys != nil || test.want > 0 && len(keys) != bands {
			t.Errorf("%s: %q has %d keys", test.preset, test.sentences, len(keys))
		}
	}
}

// What a preset ignores changes no key, and all else changes some.
func TestNormal(t *testing.T) {
	text := "The heron waits at 7, and the ferry is late again today."
	for _, test := range []struct {
		preset, other string
		equal         bool
	}{
		{"datatrove", "the HERON waits at 12 and  the ferry is late again today!", true},
		{"datatrove", "The heron waits at 7, and the ferry is late again.", false},
		{"nemo", " The heron  waits at 7, and the ferry is late again today.", true},
		{"nemo", "the heron waits at 7, and the ferry is late again today.", false},
	} {
		s := signer(t, test.preset)
		a := slices.Clone(s.Keys(documentOf(text)))
		if got := slices.Equal(a, s.Keys(documentOf(test.other))); got != test.equal {
			t.Errorf("%s: %q has equal keys: %v", test.preset, test.other, got)
		}
	}
}

// The keys of all versions of the program are these, since the result of dedup depends on them.
func TestGolden(t *testing.T) {
	for preset, want := range map[string]string{
		"datatrove": "d897b65d1ed6225f74a205e95ad5c2dd", "nemo": "aa91d2a837e672a9fee1b3d8c97b86ee",
	} {
		keys := signer(t, preset).Keys(documentOf("A heron waits.", "Rain falls on the old harbour."))
		if got := fmt.Sprintf("%016x%016x", keys[3].Hi, keys[3].Lo); got != want {
			t.Errorf("%s: key of band 3 is %s, want %s", preset, got, want)
		}
	}
}

func TestFaults(t *testing.T) {
	if _, err := PresetOf("fineweb"); err == nil || !strings.Contains(err.Error(), "not one of datatrove, nemo") {
		t.Errorf("%v", err)
	}
	for _, p := range []Preset{{Shingle: 1, Bands: 1, Rows: 1, Normal: dedup.Config{Form: "x"}}, {Normal: dedup.DefaultConfig()}} {
		if _, err := New(p); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}

// jaccard is the share of the shingles of both documents that both have, and found whether they share a key.
func jaccard(a, b *Signer, first, second schemas.Document) (s float64, found bool) {
	left, right := a.Keys(first), b.Keys(second)
	for i := range left {
		found = found || left[i] == right[i]
	}
	set := map[uint64]int{}
	for _, h := range a.shingles {
		set[h] |= 1
	}
	for _, h := range b.shingles {
		set[h] |= 2
	}
	common := 0
	for _, sides := range set {
		if sides == 3 {
			common++
		}
	}
	return float64(common) / float64(len(set)), found
}

// Copies of documents of each similarity from .5 to .95 share a key as often as the theory says, within two points; others never.
func TestCurve(t *testing.T) {
	pairs, step := 5000, .05
	if testing.Short() {
		pairs, step = 3000, .15
	}
	for _, p := range Presets {
		random := rand.New(rand.NewPCG(1, 7))
		a, b := signer(t, p.Name), signer(t, p.Name)
		words := func(n int) (list []string) {
			for range n {
				list = append(list, fmt.Sprintf("%x", random.IntN(200_000)))
			}
			return list
		}
		text := func(list []string) schemas.Document { return documentOf(strings.Join(list, " ")) }
		for target := .5; target < .96; target += step {
			found, expected, mean := 0, 0., 0.
			for range pairs {
				list := words(90 / (1 + (p.Shingle-5)/10))
				other := slices.Clone(list)
				// The end is another one. Of n shingles on each side, c common ones give c/(2n-c).
				n := int(math.Round(float64(len(list)) * (1 - 2*target/(1+target))))
				copy(other[len(other)-n:], words(n))
				s, share := jaccard(a, b, text(list), text(other))
				if mean, expected = mean+s, expected+p.Found(s); share {
					found++
				}
			}
			n := float64(pairs)
			t.Logf("%s: similarity %.3f, found %.3f, theory %.3f", p.Name, mean/n, float64(found)/n, expected/n)
			if math.Abs(float64(found)-expected)/n > .02 {
				t.Errorf("%s: of pairs of similarity %.3f, %.3f are found, want %.3f", p.Name, mean/n, float64(found)/n, expected/n)
			}
		}
		for range 500 {
			if s, found := jaccard(a, b, text(words(60)), text(words(60))); found {
				t.Errorf("%s: a pair of similarity %.3f is found", p.Name, s)
			}
		}
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("一二 b\xff", "é\u0301 x")
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, p := range Presets {
			s := signer(t, p.Name)
			a := slices.Clone(s.Keys(documentOf(first, second)))
			if !slices.Equal(a, signer(t, p.Name).Keys(documentOf(first, second))) {
				t.Errorf("%s: the keys of %q, %q differ", p.Name, first, second)
			}
			if len(a) != 0 && len(a) != p.Bands {
				t.Errorf("%s: %d keys", p.Name, len(a))
			}
		}
	})
}

func BenchmarkKeys(b *testing.B) {
	var list []string
	for i := range 50 {
		list = append(list, fmt.Sprintf("The committee of %x will meet again to hear what %x engineers have found out.", i*7919, i*104729))
	}
	d := documentOf(list...)
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			s := signer(b, name)
			b.SetBytes(int64(len(strings.Join(list, " "))))
			b.ReportAllocs()
			for b.Loop() {
				s.Keys(d)
			}
		})
	}
}
