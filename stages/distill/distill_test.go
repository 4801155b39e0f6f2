package distill

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/peertest"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/random"
)

func settings() Config {
	return Config{Embeddings: "e", MaxPairs: 1000, Reconstruction: 1, Meaning: 1, Language: 1, Batch: 64, Rate: .01, Epochs: 60,
		Validation: .1, Patience: 15}
}

// normal draws a number of the standard normal distribution, nearly: a sum of twelve.
func normal(s *random.Stream) float32 {
	sum := -6.
	for range 12 {
		sum += s.Float64()
	}
	return float32(sum)
}

// planted are pairs in two of three languages: each text is its meaning, which translations
// share, and three times the vector of its language, with noise.
func planted(n, dim int) (pairs []pair) {
	s := random.New(1, 7, "planted", "", 0)
	draw := func(scale float32) []float32 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = scale * normal(&s)
		}
		return v
	}
	languages := [][]float32{draw(3), draw(3), draw(3)}
	for i := range n {
		meaning := draw(1)
		p := pair{id: fmt.Sprint("pair-", i), languages: [2]int{i % 3, (i + 1) % 3}}
		for side, l := range p.languages {
			p.vectors[side] = draw(.2)
			for k := range dim {
				p.vectors[side][k] += meaning[k] + languages[l][k]
			}
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// write makes a dataset of embeddings of pairs, in the order of the permutation.
func write(t *testing.T, pairs []pair, reversed bool) string {
	t.Helper()
	var rows []schemas.Embedding
	for _, p := range pairs {
		for side, suffix := range []string{"/a", "/b"} {
			rows = append(rows, schemas.Embedding{ID: p.id + suffix, Language: []string{"deu", "eng", "spa"}[p.languages[side]], Text: "x",
				Vector: p.vectors[side]})
		}
	}
	if reversed {
		slices.Reverse(rows)
	}
	return datasettest.Write(t, nil, rows)
}

// Losses and weights over five steps are those of an independent restatement in PyTorch.
func TestStepsEqualPyTorch(t *testing.T) {
	python := peertest.PyTorch(t)
	const dim, languages = 7, 3
	for _, weights := range [][3]float64{{1, 1, 1}, {.5, 2, 0}, {1, 0, 3}} {
		c := settings()
		c.Reconstruction, c.Meaning, c.Language = weights[0], weights[1], weights[2]
		pairs := planted(40, dim)
		draw := random.New(1, 2, "weights", "", 0)
		n := newNetwork(dim, languages, func(string) *random.Stream { return &draw })
		type step struct {
			Vectors   [][]float32 `json:"vectors"`
			Languages []int       `json:"languages"`
		}
		in := struct {
			Weights map[string]any `json:"weights"`
			Rate    float64        `json:"rate"`
			R       float64        `json:"r"`
			M       float64        `json:"m"`
			L       float64        `json:"l"`
			Batches []step         `json:"batches"`
		}{map[string]any{}, c.Rate, weights[0], weights[1], weights[2], nil}
		rows := func(data []float32, columns int) (list [][]float32) {
			for r := range slices.Chunk(slices.Clone(data), columns) {
				list = append(list, r)
			}
			return list
		}
		for name, l := range n.named() {
			in.Weights[name+".weight"], in.Weights[name+".bias"] = rows(l.weight.Data, dim), slices.Clone(l.bias)
		}
		m, w, optimizer, gradient := newMaker(pairs, languages, 8, dim), newWorkspace(8, dim, languages), newAdam(n), n.like()
		others := random.New(1, 3, "others", "", 0)
		var losses []float64
		for i := range 5 {
			b := m.batch(upTo(8*i, 8*i+8-i), &others) // the last ones are smaller
			in.Batches = append(in.Batches, step{rows(b.vectors.Data, dim), slices.Clone(b.languages)})
			losses = append(losses, n.loss(c, w, b, &gradient))
			optimizer.move(n, gradient, c.Rate)
		}
		var want struct {
			Losses  []float64
			Weights map[string]json.RawMessage
		}
		peertest.Answer(t, in, &want, python, filepath.Join("testdata", "steps.py"))
		for i := range losses {
			if math.Abs(losses[i]-want.Losses[i]) > 1e-5*want.Losses[i] {
				t.Errorf("%v: loss %d is %v, PyTorch has %v", weights, i, losses[i], want.Losses[i])
			}
		}
		for name, l := range n.named() {
			var matrix [][]float32
			if err := json.Unmarshal(want.Weights[name+".weight"], &matrix); err != nil {
				t.Fatal(err)
			}
			for i, x := range slices.Concat(matrix...) {
				if math.Abs(float64(x-l.weight.Data[i])) > 2e-5 {
					t.Fatalf("%v: weight %d of %s is %v, PyTorch has %v", weights, i, name, l.weight.Data[i], x)
				}
			}
		}
	}
}

// The gradient is the slope of the loss, in the direction of the gradient of each layer.
func TestGradientIsSlope(t *testing.T) {
	const dim, languages = 9, 3
	c := settings()
	draw := random.New(1, 2, "weights", "", 0)
	n := newNetwork(dim, languages, func(string) *random.Stream { return &draw })
	others := random.New(1, 3, "others", "", 0)
	b := newMaker(planted(40, dim), languages, 32, dim).batch(upTo(0, 32), &others)
	w, gradient := newWorkspace(32, dim, languages), n.like()
	n.loss(c, w, b, &gradient)
	for i, list := range n.lists() {
		g := slices.Clone(gradient.lists()[i])
		norm := 0.
		for _, x := range g {
			norm += float64(x) * float64(x)
		}
		norm = math.Sqrt(norm)
		at := slices.Clone(list)
		lossAt := func(step float64) float64 {
			for k := range list {
				list[k] = at[k] + float32(step*float64(g[k])/norm)
			}
			defer copy(list, at)
			return n.loss(c, w, b, nil)
		}
		if slope := (lossAt(1e-3) - lossAt(-1e-3)) / 2e-3; math.Abs(slope-norm) > .01*norm {
			t.Errorf("list %d: the norm of the gradient is %v, the slope is %v", i, norm, slope)
		}
	}
}

// found is the share of texts that are nearest to their translation among all second sides.
func found(t *testing.T, e encoder.Encoder, pairs []pair) float64 {
	t.Helper()
	sides := [2]encoder.Vectors{}
	for side := range sides {
		texts := make([]encoder.Text, len(pairs))
		for i := range pairs {
			texts[i].Text = fmt.Sprint(i, "/", side)
		}
		var err error
		if sides[side], err = e.Encode(t.Context(), texts); err != nil {
			t.Fatal(err)
		}
	}
	hits := 0.
	for i := range pairs {
		best := 0
		for j := range pairs {
			if sides[0].Cosine(i, sides[1], j) > sides[0].Cosine(i, sides[1], best) {
				best = j
			}
		}
		if best == i {
			hits++
		}
	}
	return hits / float64(len(pairs))
}

// fixed gives the vectors of pairs.
type fixed []pair

func (fixed) Name() string { return "fixed" }

func (f fixed) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	m := neighbors.Matrix{Dim: len(f[0].vectors[0])}
	for _, text := range texts {
		var i, side int
		if _, err := fmt.Sscanf(text.Text, "%d/%d", &i, &side); err != nil {
			return nil, err
		}
		m.Data = append(m.Data, f[i].vectors[side]...)
	}
	return encoder.Dense{Matrix: m}, nil
}

// Of planted vectors, meanings of translations find each other where the vectors do not,
// what tells the language does not, and without the loss of meaning nothing is gained.
func TestDistilsPlantedMeaning(t *testing.T) {
	pairs := planted(400, 24)
	train, test := pairs[:300], pairs[300:]
	run := func(change func(*Config)) Distilled {
		c := settings()
		c.Embeddings = write(t, train, false)
		change(&c)
		out := t.TempDir()
		if _, _, err := Run(t.Context(), out, c, Options{}); err != nil {
			t.Fatal(err)
		}
		s, err := Load(t.Context(), folder(t, out))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	whole := run(func(*Config) {})
	raw, meaning, language := found(t, fixed(test), test), found(t, Encoder(whole, fixed(test), partMeaning), test),
		found(t, Encoder(whole, fixed(test), partLanguage), test)
	without := found(t, Encoder(run(func(c *Config) { c.Meaning = 0 }), fixed(test), partMeaning), test)
	t.Logf("found %.2f raw, %.2f by meaning, %.2f by language, %.2f without the loss of meaning", raw, meaning, language, without)
	if meaning < .95 || raw > .7 || language > .3 || without > raw {
		t.Errorf("found %.2f raw, %.2f by meaning, %.2f by language, %.2f without the loss of meaning", raw, meaning, language, without)
	}
}

func folder(t *testing.T, path string) storage.Folder {
	t.Helper()
	f, err := storage.Locate(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The order of the rows and the number of processors change nothing.
func TestSameBytes(t *testing.T) {
	pairs := planted(200, 70) // large enough for products in parallel
	c := settings()
	c.Epochs = 3
	var files [][]byte
	for i, reversed := range []bool{false, true} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(i + 1))
		out := t.TempDir()
		c.Embeddings = write(t, pairs, reversed)
		r, done, err := Run(t.Context(), out, c, Options{})
		if err != nil || done || r.Epochs != 3 || r.Pairs["deu-eng"] != 67 {
			t.Fatalf("%+v, %t, %v", r, done, err)
		}
		data, err := os.ReadFile(filepath.Join(out, FileName))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
		if _, done, err := Run(t.Context(), out, c, Options{}); err != nil || !done {
			t.Errorf("the second time: %t, %v", done, err)
		}
		other := c
		other.Seed = 5
		if _, _, err := Run(t.Context(), out, other, Options{}); err == nil || !strings.Contains(err.Error(), "seed") {
			t.Errorf("another seed: %v", err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the files differ")
	}
}

func TestPatience(t *testing.T) {
	c := settings()
	c.Embeddings, c.Patience, c.Rate, c.Epochs = write(t, planted(60, 8), false), 2, .5, 1000
	var epochs []Epoch
	r, _, err := Run(t.Context(), t.TempDir(), c, Options{Observe: func(e Epoch) { epochs = append(epochs, e) }})
	if err != nil {
		t.Fatal(err)
	}
	best := slices.MinFunc(epochs, func(a, b Epoch) int { return int(math.Copysign(1, a.Validation-b.Validation)) })
	if r.Best != best || r.Epochs != len(epochs) || r.Epochs != r.Best.Number+2 {
		t.Errorf("%d epochs, best %+v; the record has %d, %+v", len(epochs), best, r.Epochs, r.Best)
	}
}

// A folder that cannot be written is told before anything is learned.
func TestOutputThatCannotBeWritten(t *testing.T) {
	c := settings()
	c.Embeddings = write(t, planted(60, 8), false)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	epochs := 0
	if _, _, err := Run(t.Context(), filepath.Join(file, "out"), c, Options{Observe: func(Epoch) { epochs++ }}); err == nil || epochs > 0 {
		t.Errorf("%v after %d epochs", err, epochs)
	}
}

func TestFaults(t *testing.T) {
	pairs := planted(60, 8)
	short := slices.Clone(pairs)
	short[3].vectors[1] = short[3].vectors[1][:7]
	one := slices.Clone(pairs)
	for i := range one {
		one[i].languages = [2]int{1, 1}
	}
	for _, test := range []struct {
		pairs []pair
		want  string
	}{
		{short, "has 7 dimensions"},
		{one, "60 pairs in 1 languages, it takes 2"},
		{pairs[:1], "too few"},
		{slices.Concat(pairs, pairs[:1]), "occurs twice"},
	} {
		c := settings()
		c.Embeddings = write(t, test.pairs, false)
		out := filepath.Join(t.TempDir(), "out")
		if _, _, err := Run(t.Context(), out, c, Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
		if _, err := os.Stat(filepath.Join(out, FileName)); err == nil {
			t.Error("something was written")
		}
	}
	c := Config{Reconstruction: -1}
	err := c.Validate()
	for _, want := range []string{"embeddings is empty", "batch is 0", "patience is 0", "reconstruction is -1", "all weights are 0",
		"rate is 0", "validation is 0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	draw := random.New(1, 2, "weights", "", 0)
	s := &split{newNetwork(2, 2, func(string) *random.Stream { return &draw }), []string{"deu", "eng"}}
	data, err := s.marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(bytes.Replace(data, []byte(`"dim":2`), []byte(`"dim":3`), 1))
	f.Add([]byte(`{"format":1,"dim":4096,"languages":["a","b"]}`))
	f.Add([]byte(`{"format":1,"dim":1,"languages":["a"],"into":"b","layers":{"a":{"weight":"AACAPw==","bias":"AACAPw=="}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := parse(data)
		if err != nil {
			return
		}
		switch d := d.(type) {
		case *split:
			if len(d.meaning.bias) != d.meaning.weight.Cols || len(d.identity.bias) != len(d.languages) {
				t.Errorf("%+v", d)
			}
		case *projections:
			for name, l := range d.maps {
				if len(l.bias) != d.dim || l.weight.Rows != d.dim || l.weight.Cols != d.dim {
					t.Errorf("%s of %+v", name, d)
				}
			}
		}
	})
}
