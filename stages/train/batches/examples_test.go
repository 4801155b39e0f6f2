package batches

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/stages/objective"
)

func TestBadRows(t *testing.T) {
	tests := []struct {
		name      string
		objective string
		max       int
		edit      func(e *schemas.Example)
		want      string
	}{
		{"id outside", "cmlm", 0, func(e *schemas.Example) { e.TokensB[1] = 50 }, "tokens_b[1] is 50, outside the vocabulary of 50"},
		{"id outside of a", "bitext", 0, func(e *schemas.Example) { e.TokensA[2] = 99 }, "tokens_a[2] is 99, outside the vocabulary of 50"},
		{"too long", "cmlm", 0, func(e *schemas.Example) { e.TokensA = make([]int32, 65) },
			"tokens_a has 65 tokens, the model takes 64: --tokens cuts them, or max_tokens in a file of settings"},
		{"kind", "cmlm", 0, func(e *schemas.Example) { e.Kind = schemas.KindNLI }, "its kind is nli, cmlm takes consecutive"},
		{"kind", "bitext", 0, func(e *schemas.Example) { e.Kind = schemas.KindConsecutive },
			"its kind is consecutive, bitext takes bitext, view"},
		{"nothing to mask", "cmlm", 0, func(e *schemas.Example) { e.TokensB = []int32{classify, separate} }, "no token that can be masked"},
		{"mask token outside", "cmlm", 0, func(e *schemas.Example) { e.MaskPositions, e.MaskTokens = []int32{1}, []int32{50} },
			"mask_tokens[0] is 50"},
	}
	for _, tt := range tests {
		o, _ := objective.Find(tt.objective)
		kind := o.Kinds[0]
		path := write(t, rows(kind, 60, func(i int, e *schemas.Example) {
			if i == 47 { // row 17 of the second shard
				tt.edit(e)
			}
		}), 2, fingerprint)
		c := cmlmSource(5)
		c.Source.Objective, c.Source.MaxTokens = tt.objective, tt.max
		l := open(t, path, c)
		l.Start(context.Background(), 0)
		var err error
		for err == nil {
			_, err = l.Next()
		}
		if _, again := l.Next(); again != err {
			t.Errorf("%s: then %v", tt.name, again)
		}
		var bad *rowError
		if !errors.As(err, &bad) || bad.Row != 17 || bad.Shard != dataset.ShardName(1) || bad.Dataset != path ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestBadDatasets(t *testing.T) {
	ctx := context.Background()
	if _, err := OpenExamples(ctx, write(t, nil, 1, fingerprint), ""); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("empty: %v", err)
	}
	path := consecutive(t, 10, 1)
	if _, err := OpenExamples(ctx, path, "00000000000000bb"); err == nil ||
		!strings.Contains(err.Error(), "with the vocabulary "+fingerprint) {
		t.Errorf("another vocabulary: %v", err)
	}
	if _, err := OpenExamples(ctx, t.TempDir(), ""); !errors.Is(err, dataset.ErrNoDataset) {
		t.Errorf("no dataset: %v", err)
	}
	e, err := OpenExamples(ctx, path, fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	c := cmlmSource(11)
	c.Encoding, c.Source.Dataset = encoding(), path
	if _, err := NewLoader(e, c); err == nil || !strings.Contains(err.Error(), "has 10 examples, a batch takes 11") {
		t.Errorf("too few: %v", err)
	}
	if one, err := OpenExamples(ctx, consecutive(t, 1, 1), fingerprint); err != nil {
		t.Error(err)
	} else if _, err := NewLoader(one, c); err == nil || !strings.Contains(err.Error(), "has 1 example, a batch takes 11") {
		t.Errorf("one: %v", err)
	}
	c.Source.BatchSize, c.Source.MaxTokens = 2, 65
	if _, err := NewLoader(e, c); err == nil || !strings.Contains(err.Error(), "max_tokens is 65, the model takes 64") {
		t.Errorf("too long: %v", err)
	}
	// A shard that vanishes while it is read.
	path = consecutive(t, 300, 3)
	c = cmlmSource(2)
	c.ReadAhead = 1
	l := open(t, path, c)
	l.order.window = 100 // a shard
	l.Start(ctx, 0)
	if _, err := l.Next(); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := os.Remove(filepath.Join(path, filepath.FromSlash(dataset.ShardName(i)))); err != nil {
			t.Fatal(err)
		}
	}
	for err == nil {
		_, err = l.Next()
	}
	if !errors.Is(err, dataset.ErrCorrupt) || !strings.Contains(err.Error(), "the shard is missing") ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("a shard that vanished: %v", err)
	}
}

func TestCountTokens(t *testing.T) {
	path := write(t, rows(schemas.KindConsecutive, 3, func(i int, e *schemas.Example) {
		e.TokensA = []int32{classify, 7, separate}
		e.TokensB = []int32{classify, mask, 7, 9, separate}
		e.MaskPositions, e.MaskTokens = []int32{1, 3}, []int32{8, 10}
	}), 2, fingerprint)
	e, err := OpenExamples(context.Background(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	counts, err := e.CountTokens(context.Background(), encoding())
	want := make([]int64, vocabularySize)
	want[7], want[8], want[10] = 6, 3, 3
	if err != nil || !slices.Equal(counts, want) {
		t.Errorf("%v, %v", counts, err)
	}
}
