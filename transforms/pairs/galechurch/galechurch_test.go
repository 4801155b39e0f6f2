package galechurch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// text makes sentences of a line for each: "long 1066 name", with a length of a letter a hyphen; "¶" begins a paragraph.
func text(lines ...string) (list []Sentence) {
	for _, line := range lines {
		s := Sentence{Length: float64(strings.Count(line, "-")), Begins: strings.HasPrefix(line, "¶")}
		for _, word := range strings.Fields(line) {
			if h := rand.NewPCG(uint64(len(word)), uint64(word[0])<<8|uint64(word[len(word)-1])); !strings.ContainsAny(word, "-¶") {
				s.Words = append(s.Words, h.Uint64())
			}
		}
		list = append(list, s)
	}
	return list
}

func length(n int) string { return strings.Repeat("-", n) }

func TestAlign(t *testing.T) {
	six := []string{"¶ " + length(30), length(80), length(12), "¶ " + length(120), length(45), length(9)}
	for _, c := range []struct {
		name string
		a, b []string
		want string
	}{
		{"nothing", nil, six, ""},
		{"the same lengths", six, six, "0-0 1-1 2-2 3-3 4-4 5-5"},
		{"one sentence is two", []string{"¶ " + length(60), length(140), length(25), "¶ " + length(90)},
			[]string{"¶ " + length(62), length(75), length(66), length(26), "¶ " + length(93)}, "0-0 1-1,2 2-3 3-4"},
		{"two sentences are one", []string{"¶ " + length(62), length(75), length(66), length(26), "¶ " + length(93)},
			[]string{"¶ " + length(60), length(140), length(25), "¶ " + length(90)}, "0-0 1,2-1 3-2 4-3"},
		{"no bead over the end of a paragraph", []string{"¶ " + length(140), "¶ " + length(31), length(90)},
			[]string{"¶ " + length(71), "¶ " + length(70), "¶ " + length(30), length(92)}, "0-0 1-2 2-3"},
		{"but one over two sentences", []string{"¶ " + length(140), "¶ " + length(31), length(90)},
			[]string{"¶ " + length(71), length(70), "¶ " + length(30), length(92)}, "0-0,1 1-2 2-3"},
		{"a paragraph is missing", six, slices.Concat(six[:1], six[3:]), "0-0 3-1 4-2 5-3"},
		{"numbers tell what lengths do not",
			[]string{length(50), length(50), length(50) + " 1066", length(50), length(50) + " 1492", length(50)},
			[]string{length(50) + " 1066", length(50), length(50) + " 1492"}, "2-0 3-1 4-2"},
		{"far too long for a translation", []string{"¶ " + length(30)}, slices.Repeat(six, 3), ""},
	} {
		got := ""
		for _, b := range Align(text(c.a...), text(c.b...)) {
			got += fmt.Sprintf(" %s-%s", places(b.FirstA, b.EndA), places(b.FirstB, b.EndB))
		}
		if got = strings.TrimSpace(got); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func places(from, to int) string {
	if to == from+2 {
		return fmt.Sprintf("%d,%d", from, from+1)
	}
	return fmt.Sprint(from)
}

// TestPosteriors compares the probabilities of beads with those over all alignments, one by one.
func TestPosteriors(t *testing.T) {
	a, b := damaged(6, 3)
	a, b = a[:5], b[:5]
	embed(a, 1)
	embed(b, 2)
	a[2].Vector = nil
	m := newModel()
	x := newLattice(newLevel(a, b), nil)
	x.run(&m)
	total, want := 0., map[Bead]float64{}
	var path []Bead
	var enumerate func(i, j int, weight float64)
	enumerate = func(i, j int, weight float64) {
		if i == len(a) && j == len(b) {
			total += math.Exp(weight)
			for _, bead := range path {
				want[bead] += math.Exp(weight)
			}
			return
		}
		for k, kind := range kinds {
			to, until := i+kind.a, j+kind.b
			if to > len(a) || until > len(b) {
				continue
			}
			path = append(path, Bead{FirstA: i, EndA: to, FirstB: j, EndB: until})
			enumerate(to, until, weight+m.prior[k]+x.evidence(&m, kind, to, until, x.index(to, until)))
			path = path[:len(path)-1]
		}
	}
	enumerate(0, 0, 0)
	if got := x.forward[len(x.forward)-1]; math.Abs(got-math.Log(total)) > 1e-8 || math.Abs(x.backward[0]-got) > 1e-8 {
		t.Errorf("logarithm of the sum forward %v, backward %v, want %v", got, x.backward[0], math.Log(total))
	}
	likely := 0
	for bead, weight := range want {
		if weight/total > .5 && bead.EndA > bead.FirstA && bead.EndB > bead.FirstB {
			likely++
		}
	}
	if likely == 0 || likely != len(x.beads) {
		t.Errorf("%d beads, want %d", len(x.beads), likely)
	}
	for _, bead := range x.beads {
		p := bead.Probability
		bead.Probability = 0
		if w := want[bead] / total; math.Abs(p-w) > 1e-8 {
			t.Errorf("bead %v: %v, want %v", bead, p, w)
		}
	}
}

// damaged returns two texts of so many sentences that translate each other, each of which lacks a tenth of the paragraphs. The
// last words of sentences that translate each other are the same, and are in no others.
func damaged(n int, seed uint64) (a, b []Sentence) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := 0; i < n; {
		inA, inB := r.Float64() > .1, r.Float64() > .1
		for k := range 1 + r.IntN(6) {
			length, noise := 20+r.ExpFloat64()*60, r.NormFloat64()
			words := []uint64{r.Uint64N(300), r.Uint64N(300), 1000 + r.Uint64N(300), uint64(1_000_000 + i)}
			if inA {
				a = append(a, Sentence{Length: length, Words: words, Begins: k == 0})
			}
			if inB {
				b = append(b, Sentence{Length: max(1, 1.1*length+2.6*math.Sqrt(length)*noise), Words: words[1:], Begins: k == 0})
			}
			i++
		}
	}
	return a, b
}

func TestLongTexts(t *testing.T) {
	for name, cut := range map[string]func(a, b []Sentence) ([]Sentence, []Sentence){
		"damaged":         func(a, b []Sentence) ([]Sentence, []Sentence) { return a, b },
		"a third is gone": func(a, b []Sentence) ([]Sentence, []Sentence) { return a, slices.Delete(b, 1000, 2300) },
		"the first half":  func(a, b []Sentence) ([]Sentence, []Sentence) { return a[:len(a)/2], b },
		"vectors alone":   func(a, b []Sentence) ([]Sentence, []Sentence) { return a, slices.Delete(b, 1000, 2300) },
	} {
		a, b := cut(damaged(4000, 11))
		in := map[uint64]int{}
		for j, s := range b {
			in[s.Words[len(s.Words)-1]] = j
		}
		both, right, gold := 0, 0, make([]int, len(a))
		for i, s := range a {
			if j, ok := in[s.Words[3]]; ok {
				both++
				gold[i] = j + 1
			}
		}
		if name == "vectors alone" {
			embed(a, 1)
			embed(b, 2)
		}
		beads := Align(a, b)
		checkOrder(t, beads, a, b)
		for _, bead := range beads {
			if gold[bead.FirstA] == bead.FirstB+1 && bead.EndA-bead.FirstA == 1 && bead.EndB-bead.FirstB == 1 {
				right++
			}
		}
		if precision, recall := float64(right)/float64(len(beads)), float64(right)/float64(both); precision < .99 || recall < .97 {
			t.Errorf("%s: %d and %d sentences, precision %.3f, recall %.3f", name, len(a), len(b), precision, recall)
		}
	}
}

// TestCorridor compares what is found from coarse to fine with what one lattice of all places finds.
func TestCorridor(t *testing.T) {
	for seed := range uint64(4) {
		a, b := damaged(250+20*int(seed), seed+100)
		if seed%2 > 0 {
			b = slices.Delete(b, len(b)/3, 2*len(b)/3)
		}
		if len(a)*len(b) <= coarsest {
			t.Fatalf("%d by %d sentences have one level", len(a), len(b))
		}
		m, all := newModel(), newLattice(newLevel(a, b), nil)
		for range 2*rounds - 1 { // of both levels
			all.run(&m)
			m.learn(all)
		}
		all.run(&m)
		equal := func(x, y Bead) bool { return math.Abs(x.Probability-y.Probability) < .05 && x.places() == y.places() }
		if beads := Align(a, b); len(beads) == 0 || !slices.EqualFunc(beads, all.beads, equal) {
			t.Errorf("seed %d: %d beads %v, want %d, %v", seed, len(beads), beads, len(all.beads), all.beads)
		}
	}
}

func (b Bead) places() [4]int { return [4]int{b.FirstA, b.EndA, b.FirstB, b.EndB} }

// checkOrder wants beads in the order of both texts, each with a sentence of either and a probability above a half.
func checkOrder(t *testing.T, beads []Bead, a, b []Sentence) {
	t.Helper()
	lastA, lastB := 0, 0
	for _, bead := range beads {
		if bead.FirstA < lastA || bead.EndA > len(a) || bead.FirstB < lastB || bead.EndB > len(b) ||
			bead.EndA == bead.FirstA || bead.EndB == bead.FirstB || !(bead.Probability > .5 && bead.Probability <= 1) {
			t.Fatalf("bead %v behind %d and %d of %d and %d", bead, lastA, lastB, len(a), len(b))
		}
		lastA, lastB = bead.EndA, bead.EndB
	}
}

func FuzzAlign(f *testing.F) {
	f.Add([]byte{3, 40, 50, 60}, []byte{7, 41, 52, 63})
	f.Fuzz(func(t *testing.T, x, y []byte) {
		sides := [2][]Sentence{}
		for i, bytes := range [2][]byte{x, y} {
			for _, c := range bytes {
				length := float64(c >> 2)
				sides[i] = append(sides[i], Sentence{Length: length * length, Words: []uint64{uint64(c & 7)}, Begins: c&1 > 0})
			}
		}
		checkOrder(t, Align(sides[0], sides[1]), sides[0], sides[1])
	})
}

func BenchmarkAlign(b *testing.B) {
	x, y := damaged(2000, 7)
	b.ReportAllocs()
	for b.Loop() {
		Align(x, y)
	}
	b.ReportMetric(float64(b.N*(len(x)+len(y)))/b.Elapsed().Seconds(), "sentences/s")
}
