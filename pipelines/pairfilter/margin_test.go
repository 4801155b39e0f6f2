package pairfilter_test

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"sentweave/pipelines/pairfilter"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/peertest"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/read/texts"
)

// numbered is a pair of the sentences with two numbers, of two languages.
type numbered struct {
	languageA, languageB string
	a, b                 int
}

// some are translations of three pairs of languages, of one fewer than k, pairs that are none, and texts that are in several pairs.
func some() (list []numbered) {
	for i := range 60 {
		list = append(list, numbered{"deu", "eng", i, i}, numbered{"deu", "eng", 100 + i, i / 4})
	}
	for i := range 30 {
		list = append(list, numbered{"fra", "eng", i, i})
	}
	for i := range 3 {
		list = append(list, numbered{"jpn", "deu", i, i})
	}
	return list
}

// write writes these pairs in shards of so many, and their vectors.
func write(t *testing.T, list []numbered, perShard int, of func(text texts.Text, vector []float32) []float32) (pairs, embeddings string) {
	t.Helper()
	numbers := map[string]int{}
	var shards [][]schemas.Pair
	for part := range slices.Chunk(list, perShard) {
		var rows []schemas.Pair
		for _, n := range part {
			p := schemas.Pair{ID: schemas.DerivedID("pair", n.languageA, n.languageB, string(rune(n.a)), string(rune(n.b))),
				Kind: schemas.KindBitext, TextA: pipelinetest.Sentence(n.languageA, n.a), TextB: pipelinetest.Sentence(n.languageB, n.b),
				LanguageA: n.languageA, LanguageB: n.languageB, Origin: "test"}
			numbers[p.TextA], numbers[p.TextB] = n.a, n.b
			rows = append(rows, p)
		}
		shards = append(shards, rows)
	}
	pairs = datasettest.Write(t, nil, shards...)
	return pairs, pipelinetest.VectorsOfPairs(t, pairs, func(text texts.Text) []float32 {
		vector := pipelinetest.Vector(text.Language, numbers[text.Text], false)
		if of != nil {
			vector = of(text, vector)
		}
		return vector
	})
}

// scoresOf returns the measures of the pairs.
func scoresOf(t *testing.T, pairs, embeddings string, args ...string) []schemas.PairScore {
	t.Helper()
	c := pipelinetest.Parse[pairfilter.Config](t, append([]string{"--pairs", pairs, "--embeddings", embeddings, "--scores"}, args...)...)
	location, _ := pipelinetest.Run(t, c, pipelinetest.Settings(1<<20), pipelinetest.Plain(2))
	return pipelinetest.Rows[schemas.PairScore](t, location)
}

// Margins are those of all cosines, and of LASER's procedure in numpy, among the pairs of the same two languages.
func TestMargins(t *testing.T) {
	list := some()
	pairs, embeddings := write(t, list, 40, nil)
	rows := scoresOf(t, pairs, embeddings)
	if len(rows) != len(list) {
		t.Fatalf("%d rows of %d", len(rows), len(list))
	}
	for _, languages := range [][2]string{{"deu", "eng"}, {"fra", "eng"}, {"jpn", "deu"}} {
		var sides [2][][]float32 // of the texts that are not equal
		var scored [][2]int      // places of the pairs
		var got []float32
		places := [2]map[int]int{{}, {}}
		for i, n := range list {
			if n.languageA != languages[0] || n.languageB != languages[1] {
				continue
			}
			var place [2]int
			for side, number := range [2]int{n.a, n.b} {
				if _, ok := places[side][number]; !ok {
					places[side][number] = len(sides[side])
					sides[side] = append(sides[side], pipelinetest.Vector(languages[side], number, false))
				}
				place[side] = places[side][number]
			}
			scored, got = append(scored, place), append(got, *rows[i].Margin)
		}
		mean := func(x []float32, others [][]float32) (mean float64) {
			var cosines []float64
			for _, y := range others {
				cosines = append(cosines, neighbors.Cosine(x, y))
			}
			slices.Sort(cosines)
			slices.Reverse(cosines)
			k := min(4, len(cosines))
			for _, c := range cosines[:k] {
				mean += c / float64(k)
			}
			return mean
		}
		var want []float64
		for _, p := range scored {
			x, y := sides[0][p[0]], sides[1][p[1]]
			want = append(want, neighbors.Cosine(x, y)/((mean(x, sides[1])+mean(y, sides[0]))/2))
		}
		numpy := laserScores(t, sides, scored)
		for i := range got {
			if math.Abs(float64(got[i])-want[i]) > 1e-6 || numpy != nil && math.Abs(float64(got[i])-numpy[i]) > 1e-6 {
				t.Errorf("%s, pair %d: %v, want %v", languages, i, got[i], want[i])
			}
		}
	}
}

// laserScores are the margins of pairs by LASER's procedure, nil without numpy.
func laserScores(t *testing.T, sides [2][][]float32, pairs [][2]int) (scores []float64) {
	python := os.Getenv("SENTWEAVE_PYTHON")
	if python == "" {
		return nil
	}
	peertest.Answer(t, map[string]any{"x": sides[0], "y": sides[1], "k": 4, "score": pairs}, &scores, python,
		"../../transforms/measure/mining/testdata/laser.py")
	if len(scores) != len(pairs) {
		t.Fatal(len(scores))
	}
	return scores
}

// By hand: cosines are .8 (a, b), 0 (a, d), .6 (c, b) and 1 (c, d), so that with k 2 the means are .4, .8, .7 and .5.
func TestMarginByHand(t *testing.T) {
	pairs, embeddings := write(t, []numbered{{"deu", "eng", 0, 0}, {"deu", "eng", 1, 1}}, 1, func(text texts.Text, _ []float32) []float32 {
		return map[string][]float32{
			pipelinetest.Sentence("deu", 0): {1, 0}, pipelinetest.Sentence("eng", 0): {4, 3},
			pipelinetest.Sentence("deu", 1): {0, 2}, pipelinetest.Sentence("eng", 1): {0, 1},
		}[text.Text]
	})
	rows := scoresOf(t, pairs, embeddings, "--k", "2")
	for i, want := range []float64{.8 / .55, 1 / .65} {
		if got := *rows[i].Margin; math.Abs(float64(got)-want) > 1e-6 {
			t.Errorf("pair %d: %v, want %v", i, got, want)
		}
	}
}

// The presets, thresholds and reasons: a pair that is no translation, and vectors that cannot be compared.
func TestMarginFilter(t *testing.T) {
	list := []numbered{}
	for i := range 20 {
		list = append(list, numbered{"deu", "eng", i, i})
	}
	list = append(list, numbered{"deu", "eng", 40, 50}, numbered{"deu", "eng", 41, 41}, numbered{"deu", "eng", 42, 42})
	pairs, embeddings := write(t, list, 9, func(text texts.Text, vector []float32) []float32 {
		switch text.Text {
		case pipelinetest.Sentence("deu", 41):
			clear(vector)
		case pipelinetest.Sentence("eng", 42):
			vector = vector[1:]
		}
		return vector
	})
	bad := []string{vectors.ReasonZero, vectors.ReasonDimension}
	for args, want := range map[string][]string{
		"--preset laser":                        append([]string{"low_margin"}, bad...),
		"--filters margin --min-margin 0":       bad,
		"--filters cosine,margin":               append([]string{"low_cosine"}, bad...),
		"--filters length --scores":             nil,
		"--preset labse --scores":               nil,
		"--filters margin --min-margin 9 --k 2": append([]string{"low_margin"}, bad...),
	} {
		list := append([]string{"--pairs", pairs, "--embeddings", embeddings}, strings.Fields(args)...)
		c := pipelinetest.Parse[pairfilter.Config](t, list...)
		location, _ := pipelinetest.Run(t, c, pipelinetest.Settings(1<<20), pipelinetest.Plain(2))
		var reasons []string
		for _, r := range pipelinetest.Rejects(t, location) {
			if reasons = append(reasons, r.Reason); (r.Detail != "") != strings.HasPrefix(r.Reason, "low_") {
				t.Errorf("%s: %s has the detail %q", args, r.Reason, r.Detail)
			}
		}
		slices.Sort(reasons)
		slices.Sort(want)
		if reasons = slices.Compact(reasons); !slices.Equal(reasons, want) {
			t.Errorf("%s: %q, want %q", args, reasons, want)
		}
	}
}
