package mining

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/random"
)

// lists makes neighbours of "index:cosine" fields.
func lists(text string) (list []neighbors.Neighbor) {
	for _, field := range strings.Fields(text) {
		var n neighbors.Neighbor
		if _, err := fmt.Sscanf(field, "%d:%g", &n.Index, &n.Similarity); err != nil {
			panic(err)
		}
		list = append(list, n)
	}
	return list
}

// By hand. Two sources, three targets, two neighbours each way.
func TestMine(t *testing.T) {
	// Means: sources .8 .7; targets .85 .7 .25 (over two neighbours).
	n, err := NewNeighborhoods(2, 3, lists("0:.9 1:.7  0:.8 1:.6"), lists("0:.9 1:.8  0:.7 1:.7  0:.1 1:.4"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		margin    Margin
		retrieval Retrieval
		want      string
	}{
		{Absolute, Forward, "0-0 0.900, 1-0 0.800"},
		{Absolute, Backward, "0-0 0.900, 0-1 0.700, 1-2 0.400"},
		{Absolute, Intersect, "0-0 0.900"},
		{Absolute, Max, "0-0 0.900, 1-2 0.400"},
		{Distance, Forward, "0-0 0.075, 1-0 0.025"},          // .9-.825, .8-.775
		{Distance, Max, "0-0 0.075"},                         // 1-2 has .4-.475, below 0
		{Ratio, Forward, "0-0 1.091, 1-0 1.032"},             // .9/.825, .8/.775
		{Ratio, Backward, "0-0 1.091, 1-1 1.000, 1-2 0.842"}, // .9/.825; .7/.7 before .7/.75; .4/.475
		{Ratio, Max, "0-0 1.091, 1-1 1.000"},                 // 1-0 is in use, 1-2 too
		{Ratio, Intersect, "0-0 1.091"},
	} {
		pairs, err := n.Mine(test.margin, test.retrieval)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range pairs {
			got = append(got, fmt.Sprintf("%d-%d %.3f", p.Source, p.Target, p.Score))
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s %s: %v, want %s", test.margin, test.retrieval, got, test.want)
		}
	}
	if _, err := n.Mine("cosine", Max); err == nil {
		t.Error("an unknown margin passes")
	}
	none, err := NewNeighborhoods(1, 1, lists("0:-.5"), lists("0:-.5"))
	if err != nil {
		t.Fatal(err)
	}
	if pairs, err := none.Mine(Ratio, Forward); err != nil || pairs[0].Score != 0 {
		t.Errorf("the ratio to a mean below 0: %v, %v", pairs, err)
	}
	for _, bad := range []func() error{
		func() error { _, err := NewNeighborhoods(0, 1, nil, lists("0:1")); return err },
		func() error { _, err := NewNeighborhoods(2, 1, lists("0:1 0:1 0:1"), lists("0:1")); return err },
	} {
		if bad() == nil {
			t.Error("lists that do not fit pass")
		}
	}
}

func TestThreshold(t *testing.T) {
	pair := func(source, target int, score float64) Pair { return Pair{source, target, score} }
	gold := Gold{{0, 0}: true, {1, 1}: true}
	for _, test := range []struct {
		name          string
		pairs         []Pair
		threshold, f1 float64
		found         bool
	}{
		{"both, then a wrong one", []Pair{pair(0, 0, .9), pair(1, 1, .7), pair(2, 2, .5)}, .6, 1, true},
		{"the last one is taken", []Pair{pair(0, 0, .9), pair(1, 1, .7)}, .7, 1, true},
		{"the first of equally good ones", []Pair{pair(0, 0, .9), pair(2, 2, .8), pair(3, 3, .7), pair(4, 4, .6), pair(1, 1, .5)}, .85,
			2. / 3, true},
		{"equal scores are not parted", []Pair{pair(0, 0, .9), pair(2, 2, .9), pair(3, 3, .1)}, .5, .5, true},
		{"nothing right", []Pair{pair(3, 3, .9)}, 0, 0, false},
		{"nothing found", nil, 0, 0, false},
	} {
		threshold, f, found, err := Best(test.pairs, gold)
		if err != nil || math.Abs(threshold-test.threshold) > 1e-12 || math.Abs(f.F1-test.f1) > 1e-12 || found != test.found {
			t.Errorf("%s: threshold %v, %+v, %t, %v", test.name, threshold, f, found, err)
		}
		if at, err := FiguresAt(test.pairs, gold, threshold); err != nil || found && at != f {
			t.Errorf("%s: %+v at the threshold, %+v when it was chosen", test.name, at, f)
		}
	}
	// Three extracted, one right of two: 1/3, 1/2, 2·(1/6)/(5/6).
	if f, err := FiguresAt([]Pair{pair(0, 0, 3), pair(2, 2, 2), pair(3, 3, 1), pair(1, 1, .5)}, gold, 1); err != nil || f.Extracted != 3 ||
		math.Abs(f.F1-.4) > 1e-12 || f.Recall != .5 {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := FiguresAt(nil, nil, 0); !errors.Is(err, ErrNoGold) {
		t.Errorf("no gold: %v", err)
	}
	if _, _, _, err := Best(nil, nil); !errors.Is(err, ErrNoGold) {
		t.Errorf("no gold: %v", err)
	}
}

// planted are vectors of which some are translations of each other: the same point with noise,
// between others, and a hub that is near to many.
func planted(name string, translations, others, dim int) (x, y [][]float32, gold Gold) {
	draw := random.New(1, 1, "planted", name, 0)
	point := func(near []float32, noise float64) []float32 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(noise * (draw.Float64() + draw.Float64() + draw.Float64() - 1.5))
			if near != nil {
				v[i] += near[i]
			}
			v[i] += .3 // all lie in one half of the space, as those of encoders do
		}
		return v
	}
	gold = Gold{}
	for i := range translations {
		x = append(x, point(nil, 1))
		y = append(y, point(x[i], .4))
		gold[[2]int{i, i}] = true
	}
	for range others {
		x, y = append(x, point(nil, 1)), append(y, point(nil, 1))
	}
	return x, append(y, point(nil, .05)), gold
}

// Pairs, scores and thresholds are those of LASER's procedure in numpy, and the gold is found.
func TestBesideNumpy(t *testing.T) {
	python := peertest.Python(t)
	for _, k := range []int{2, 4} {
		x, y, gold := planted(fmt.Sprint(k), 60, 90, 24)
		list := make([][2]int, 0, len(gold))
		for p := range gold {
			list = append(list, p)
		}
		input, err := json.Marshal(map[string]any{"x": x, "y": y, "k": k, "gold": list})
		if err != nil {
			t.Fatal(err)
		}
		type run struct {
			Margin        Margin
			Retrieval     Retrieval
			Pairs         [][3]float64
			Threshold, F1 float64
		}
		n := neighborhoods(t, x, y, k)
		runs := 0
		for _, want := range peertest.Values[run](t, peertest.Output(t, input, python, "testdata/laser.py")) {
			pairs, err := n.Mine(want.Margin, want.Retrieval)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("k %d, %s, %s", k, want.Margin, want.Retrieval)
			if len(pairs) != len(want.Pairs) {
				t.Fatalf("%s: %d pairs, LASER's procedure has %d", what, len(pairs), len(want.Pairs))
			}
			for i, p := range pairs {
				if w := want.Pairs[i]; p.Source != int(w[0]) || p.Target != int(w[1]) || math.Abs(p.Score-w[2]) > 1e-9 {
					t.Fatalf("%s: pair %d is %+v, want %v", what, i, p, w)
				}
			}
			threshold, f, _, err := Best(pairs, gold)
			if err != nil || math.Abs(threshold-want.Threshold) > 1e-9 || math.Abs(f.F1-want.F1) > 1e-12 {
				t.Errorf("%s: threshold %v with F1 %v, want %v with %v (%v)", what, threshold, f.F1, want.Threshold, want.F1, err)
			}
			if want.Margin == Ratio && want.Retrieval == Max && f.F1 < .9 {
				t.Errorf("%s: F1 %v of planted translations", what, f.F1)
			}
			runs++
		}
		if runs != len(Margins())*len(Retrievals()) {
			t.Errorf("%d runs of numpy", runs)
		}
	}
}

func neighborhoods(t *testing.T, x, y [][]float32, k int) *Neighborhoods {
	t.Helper()
	matrix := func(rows [][]float32) neighbors.Matrix {
		m := neighbors.Matrix{Dim: len(rows[0])}
		for _, row := range rows {
			m.Data = append(m.Data, row...)
		}
		return m
	}
	a, b := matrix(x), matrix(y)
	nearest := func(queries, candidates neighbors.Matrix) []neighbors.Neighbor {
		index, err := neighbors.NewIndex(candidates, neighbors.ByCosine)
		if err != nil {
			t.Fatal(err)
		}
		list, err := index.TopK(t.Context(), queries, k, neighbors.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	n, err := NewNeighborhoods(len(x), len(y), nearest(a, b), nearest(b, a))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
