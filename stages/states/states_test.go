package states

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/stages/torch"
	"sentweave/stages/train/batches"
	"sentweave/transforms/tokens/masking"
)

// fake gives of a token its id, its place and the number of texts that were computed with it.
type fake struct {
	calls int
	after int // calls that fail, if it is above 0
	edit  func([]float32)
}

var errKilled = errors.New("killed")

func (f *fake) States(_ context.Context, texts [][]int32) (list []float32, err error) {
	if f.calls++; f.after > 0 && f.calls > f.after {
		return nil, errKilled
	}
	for _, ids := range texts {
		for i, id := range ids {
			list = append(list, float32(id), float32(i), float32(len(texts)))
		}
	}
	if f.edit != nil {
		f.edit(list)
	}
	return list, nil
}

func (*fake) Close() {}

// input is an encoder's folder and examples of pairs in three shards, which make a unit each. Each second side stands
// in a hundred of them.
func input(t *testing.T) Config {
	t.Helper()
	shards := make([][]schemas.Example, 3)
	for i := range 9000 {
		e := schemas.Example{ID: schemas.DerivedID("example", fmt.Sprint(i)), Kind: schemas.KindBitext, LanguageA: "eng", LanguageB: "deu"}
		e.TokensA, e.TokensB = []int32{1, 4 + int32(i%50), 4 + int32(i/50%50), 4 + int32(i/2500), 5, 2}, []int32{1, 4 + int32(i/100%50), 2}
		e.LengthA, e.LengthB = 6, 3
		shards[i/3000] = append(shards[i/3000], e)
	}
	folder := t.TempDir()
	for _, name := range []string{"model.safetensors", "config.json", "vocab.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return Config{Model: folder, Examples: datasettest.Write(t, nil, shards...),
		Compute: torch.Compute{Device: "cpu", Precision: "float32"}}
}

func options(f *fake) Options {
	return Options{
		Size: 3, Encoding: batches.Encoding{Vocabulary: masking.Vocabulary{Size: 60, Mask: 3, Special: []int32{0, 1, 2, 3}}, MaxTokens: 64},
		Open: func() (Encoder, error) { return f, nil },
	}
}

// Each text occurs once in a shard, under the side that has it first, with the vectors that were computed of it.
func TestRun(t *testing.T) {
	c := input(t)
	c.Tokens = 4 // the first sides lose two tokens, by which the last 500 of a shard are those of its first 500
	out := filepath.Join(t.TempDir(), "out")
	o := options(&fake{})
	var seen [3]int64
	o.Observe = func(done, examples, texts int64) { seen = [3]int64{done, examples, texts} }
	m, done, err := Run(t.Context(), out, c, o)
	if err != nil || done || m.Rows != 3*(2500+30) || len(m.Shards) != 3 || seen != [3]int64{9000, 9000, m.Rows} {
		t.Fatalf("%+v, %v, %v, seen %v", m, done, err, seen)
	}
	rows, err := dataset.ReadAll[schemas.State](t.Context(), storage.NewLocal(out))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if n := len(r.Tokens); n > 4 || r.Tokens[n-1] != 2 {
			t.Fatalf("%s has the tokens %v", r.ID, r.Tokens)
		}
		for i, id := range r.Tokens {
			want := schemas.StateOf("", nil, []float32{float32(id), float32(i), 2530})
			if v := r.Vectors[12*i:][:12]; !slices.Equal(v, want.Vectors) {
				t.Fatalf("%s: the vector of token %d is %v", r.ID, i, v)
			}
		}
	}
	if first, second := rows[0], rows[1]; first.ID[:32]+"/b" != second.ID || !slices.Equal(second.Tokens, []int32{1, 4, 2}) {
		t.Errorf("%s and %s", first.ID, second.ID)
	}
	if _, done, err := Run(t.Context(), out, c, o); err != nil || !done {
		t.Errorf("again: %v, %v", done, err)
	}
	c.Tokens = 65
	if _, _, err := Run(t.Context(), filepath.Join(t.TempDir(), "out"), c, o); err == nil ||
		err.Error() != "tokens is 65, the model takes 64" {
		t.Error(err)
	}
}

// A run that is killed goes on with the units that are left, and its dataset is that of one that was not.
func TestRunResumes(t *testing.T) {
	c := input(t)
	whole := filepath.Join(t.TempDir(), "out")
	f := &fake{}
	want, _, err := Run(t.Context(), whole, c, options(f))
	if err != nil || f.calls != 6 {
		t.Fatal(f.calls, err)
	}
	for n := range 5 {
		out := filepath.Join(t.TempDir(), "out")
		if _, _, err := Run(t.Context(), out, c, options(&fake{after: n + 1})); !errors.Is(err, errKilled) {
			t.Fatal(n, err)
		}
		rest := &fake{}
		got, _, err := Run(t.Context(), out, c, options(rest))
		if err != nil || rest.calls != 6-2*((n+1)/2) {
			t.Errorf("after %d calls %d more, %v", n+1, rest.calls, err)
		}
		if diff := cmp.Diff(want.Shards, got.Shards); diff != "" {
			t.Errorf("after %d calls: %s", n+1, diff)
		}
	}
}

func TestRunFaults(t *testing.T) {
	nan := func(list []float32) { list[7] = float32(math.NaN()) }
	c := input(t)
	if _, _, err := Run(t.Context(), filepath.Join(t.TempDir(), "out"), c, options(&fake{edit: nan})); err == nil ||
		!strings.Contains(err.Error(), "the encoder gives NaN for a token of the example ") {
		t.Error(err)
	}
	want := "model is empty: give the folder of an encoder\nexamples is empty: give a dataset of examples of pairs\ntokens is 2, it must be 0 or at least 3: [CLS], a token, [SEP]"
	if err := (Config{Tokens: 2, Compute: c.Compute}).Validate(); err == nil || err.Error() != want {
		t.Error(err)
	}
}
