package quality

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/transforms/clean/langid/fasttext"
)

// written is a dataset of documents: "ADDRESS TEXT", where the address "-" is none.
func written(t *testing.T, lines ...string) string {
	t.Helper()
	var documents []schemas.Document
	for i, line := range lines {
		address, text, _ := strings.Cut(line, " ")
		d := schemas.Document{Source: "a.jsonl", Offset: int64(i), Language: "eng"}
		d.ID = schemas.ID(d.Source, d.Offset)
		if address != "-" {
			d.URL = address
		}
		for j, sentence := range strings.Split(text, "|") {
			if sentence != "" {
				d.Sentences = append(d.Sentences, schemas.Sentence{Text: sentence, Language: "eng", Block: int32(j), Position: int32(j)})
			}
		}
		documents = append(documents, d)
	}
	return datasettest.Write(t, nil, documents[:len(documents)/2], documents[len(documents)/2:])
}

func TestLoad(t *testing.T) {
	var good, bad []string
	for host := range 40 {
		for page := range 3 {
			good = append(good, fmt.Sprintf("https://h%d.example:80/%d The river|of h%d_ on day %d.", host, page, host, page))
			bad = append(bad, fmt.Sprintf("http://H%d.example/b%d Buy shoes|at h%d_ number %d!", host, page, host, page))
		}
	}
	good = append(good, "https://h1.example/ Of both.", "- The river has no address.", "https://h2.example/x ", good[0])
	bad = append(bad, "https://h3.example/ Of both.")
	for host := range 40 { // a text of all hosts is learned from
		good = append(good, fmt.Sprintf("https://h%d.example/copy Copied to all hosts.", host))
	}
	in := Inputs{Good: []string{written(t, good...)}, Bad: []string{written(t, bad...)}, HoldOut: .3, Characters: 10_000}
	load := func(in Inputs, seed uint64) *Sample {
		s, err := Load(context.Background(), in, seed, func() {})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := load(in, 1)
	if s.Read != 285 || s.WithoutAddress != 1 {
		t.Errorf("%d documents, %d without address", s.Read, s.WithoutAddress)
	}
	want := map[string]int64{reasonEmpty: 1, reasonBoth: 2, reasonCopy: 1, reasonNotChosen: 1 + 38}
	if !reflect.DeepEqual(s.LeftOut, want) {
		t.Errorf("left out %v, want %v", s.LeftOut, want)
	}
	sides, find := map[string]string{}, regexp.MustCompile(`h\d+_`)
	see := func(side, text string) {
		if host := find.FindString(text); host != "" && sides[host] != "" && sides[host] != side {
			t.Errorf("%s is held out and learned from", host)
		} else if host != "" {
			sides[host] = side
		}
	}
	for _, e := range s.Training {
		see("training", e.Text)
		if (e.Label == "bad") != strings.HasPrefix(e.Text, "Buy shoes at h") {
			t.Errorf("%v", e)
		}
	}
	for _, e := range s.HeldOut {
		see("held out", e.Text)
		// Two short sentences fail rules on sentences, and then those on documents of nothing.
		if e.Good != strings.HasPrefix(e.Text, "The river") || e.Failed == 0 {
			t.Errorf("%v", e)
		}
	}
	if n := len(s.HeldOut) / 6; len(sides) != 40 || n < 6 || n > 18 || s.Parts[1].Hosts != n || s.Parts[1].Documents != 3*n {
		t.Errorf("%d hosts, %d held out, %+v", len(sides), n, s.Parts)
	}
	if other := load(in, 2); reflect.DeepEqual(other.HeldOut, s.HeldOut) {
		t.Error("another seed holds out the same")
	}
	in.HoldOut = 0
	if all := load(in, 1); len(all.HeldOut) > 0 || len(all.Training) != len(s.Training)+len(s.HeldOut) {
		t.Errorf("%d to learn from, %d held out", len(all.Training), len(all.HeldOut))
	}
	in.Bad, in.HoldOut = []string{written(t, "https://a.example/ one", "https://a.example/ two")}, .5
	for seed := range uint64(9) { // one host is on one side
		if err := load(in, seed).Check(in.HoldOut); err == nil || !strings.Contains(err.Error(), "no bad document is ") {
			t.Error(err)
		}
	}
	if err := s.Check(.3); err != nil {
		t.Error(err)
	}
}

// Figures worked out by hand: of two good and two bad documents, of which one pair is in the wrong order.
func TestFigures(t *testing.T) {
	values := [2][]float64{{.1, .6}, {.5, .9}}
	if got := auc(values); got != .75 {
		t.Errorf("AUC %v", got)
	}
	if got, want := sharesOf(values, .5), (Shares{Good: 1, Bad: .5, Precision: 2. / 3}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	// Rules: the good documents fail none and one, the bad ones one and three; equal ones count half.
	rules := [2][]float64{{-1, -3}, {0, -1}}
	if got := auc(rules); got != .875 {
		t.Errorf("AUC %v", got)
	}
	if got, want := sharesOf(rules, 0), (Shares{Good: .5, Precision: 1}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestValidate(t *testing.T) {
	for _, in := range []Inputs{{Good: []string{"a"}, Characters: 1e6},
		{Good: []string{"a"}, Bad: []string{"b"}, HoldOut: 1, Characters: 1e6},
		{Good: []string{"a"}, Bad: []string{"b"}, HoldOut: .1}} {
		if err := in.Validate(); err == nil {
			t.Errorf("%+v is valid", in)
		}
	}
	c := fasttext.TrainingConfig{Dim: 1, Epochs: 1, Rate: 1, Minn: 2, Maxn: 1, Buckets: 1, MinCount: 1}
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "minn 2 is above maxn 1") {
		t.Error(err)
	}
}
