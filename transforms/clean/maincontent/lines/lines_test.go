package lines

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
)

func value(t *testing.T, p *Page, i int, name string) float32 {
	t.Helper()
	at := slices.Index(Names(), name)
	if at < 0 {
		t.Fatalf("no number %q", name)
	}
	return p.scored(make([]float64, p.Len())).append(p.append(nil, i), i)[at]
}

// TestNumbers: a page of nine lines, worked out by hand. The third and fourth are prose of nine and eight words.
func TestNumbers(t *testing.T) {
	p := Describe([]string{
		"Home", "Sea News", "We sailed out at noon in a red boat.", "The wind was with us all the day.", "Home", "12.11.2024", "13.11.2024",
		"Price $5", "The sea",
	})
	for _, test := range []struct {
		line int
		name string
		want float32
	}{
		{0, "lines with the same text", 2},
		{1, "lines with the same text", 1},
		{5, "lines that look alike", 2},
		{6, "lines since one that looks alike", 1},
		{8, "share of words in other lines", 1}, // "The" and "sea"
		{4, "share of words in the first line", 1},
		{2, "words", 9},
		{2, "words before", 3},
		{2, "lines since prose", 999},
		{3, "lines since prose", 1},
		{1, "lines up to prose", 1},
		{0, "words up to prose", 2},
		{2, "lines up to region 0", 0},
		{0, "lines up to region 0", -2},
		{6, "lines up to region 0", 3},
		{2, "share of words in region 0", 17. / 31},
		{0, "line +1: words", 2},
		{1, "line -1: words", 1},
		{0, "line -1: words", -1},
		{0, "page: words", 31},
		{0, "page: repeated lines", 2. / 9},
		{0, "page: share of prices", 1. / 9},
		{0, "2 lines around: share of prose", 9. / 12},
	} {
		if got := value(t, p, test.line, test.name); math.Abs(float64(got-test.want)) > 1e-6 {
			t.Errorf("line %d: %s is %v, want %v", test.line, test.name, got, test.want)
		}
	}
	if n := len(p.scored(make([]float64, p.Len())).append(p.append(nil, 0), 0)); n != len(Names()) {
		t.Errorf("%d numbers, %d names", n, len(Names()))
	}
	if p := Describe(nil); p.Len() != 0 {
		t.Errorf("%d lines of nothing", p.Len())
	}
}

// madeUp are pages whose prose is their main content.
func madeUp() (list []*Sample) {
	for i := range 40 {
		prose := []string{
			fmt.Sprintf("We saw %d boats on the sea, and none of them came back before the night.", i),
			fmt.Sprintf("The others waited for %d hours, but nobody knew what had become of them.", i),
		}
		texts := slices.Concat([]string{"Home", "News", fmt.Sprint("Page ", i)}, prose, []string{"Privacy", "Contact", "© 2024"})
		list = append(list, NewSample(texts, strings.Join(prose, "\n"), fmt.Sprintf("site-%d.example", i)))
	}
	return list
}

var model = sync.OnceValues(func() (*Model, error) {
	c := Config()
	c.Trees, c.MinRows, c.Rate = 20, 5, .3
	return Train(context.Background(), madeUp(), Provenance{Data: "made up"}, c)
})

func TestTrain(t *testing.T) {
	m, err := model()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range madeUp()[:3] {
		if j := m.Judge(s.Page); !slices.Equal(j.Chosen, []bool{false, false, false, true, true, false, false, false}) {
			t.Errorf("chosen %v of %.2f", j.Chosen, j.Probabilities)
		}
	}
	c := Config()
	c.Trees, c.MinRows, c.Rate, c.Threads = 20, 5, .3, 3
	again, err := Train(context.Background(), madeUp(), Provenance{Data: "made up"}, c)
	if err != nil || again.Hash() != m.Hash() {
		t.Error("three threads give another model", err)
	}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Decode(data); err != nil || got.Hash() != m.Hash() || got.Provenance != m.Provenance {
		t.Errorf("read %+v, %v", got, err)
	}
	for want, data := range map[string][]byte{"not a model of lines": []byte("x"),
		"damaged": append(bytes.Clone(data[:len(data)-1]), data[len(data)-1]^1), "cut off": data[:30]} {
		if _, err := Decode(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Train(context.Background(), nil, Provenance{}, c); err == nil || !strings.Contains(err.Error(), "no line") {
		t.Error(err)
	}
}

func FuzzDescribe(f *testing.F) {
	m, err := Default()
	if err != nil {
		f.Fatal(err)
	}
	f.Add("Home\nThe sea, at noon.\n\n© 2024\xff")
	f.Fuzz(func(t *testing.T, text string) {
		texts := strings.Split(text, "\n")
		j := m.Judge(Describe(texts))
		if len(j.Chosen) != len(texts) {
			t.Fatalf("%d of %d lines", len(j.Chosen), len(texts))
		}
		for _, p := range j.Probabilities {
			if !(p >= 0 && p <= 1) {
				t.Errorf("a probability of %v", p)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	m, err := model()
	if err != nil {
		f.Fatal(err)
	}
	body := m.forest.Append(m.characters.Append(nil))
	p := Describe([]string{"Home", "The sea, at noon."})
	f.Add(body[len(body)-5000:], uint16(0))
	f.Fuzz(func(t *testing.T, tail []byte, cut uint16) {
		data, err := format.Seal(head{Provenance{}, featuresHash()}, slices.Concat(body[:max(0, len(body)-5000-int(cut))], tail))
		if err != nil {
			t.Fatal(err)
		}
		if m, err := Decode(data); err == nil {
			m.Judge(p)
		}
	})
}

// TestDefault: the model of the program names its data and is small.
func TestDefault(t *testing.T) {
	m, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	if m.Pages < 1000 || m.Licence != "CC-BY-4.0" || !strings.Contains(m.Attribution, "Murrough Foley") || len(wcxb) > 500_000 {
		t.Errorf("%+v in %d bytes", m.Provenance, len(wcxb))
	}
}
