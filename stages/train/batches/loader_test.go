package batches

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/stages/objective"
	"sentweave/transforms/random"
)

func open(t testing.TB, path string, c LoaderConfig) *Loader {
	t.Helper()
	e, err := OpenExamples(context.Background(), path, fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	c.Source.Dataset, c.Encoding = path, encoding()
	l, err := NewLoader(e, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func take(t testing.TB, l *Loader, from int64, n int) []*Batch {
	t.Helper()
	l.Start(context.Background(), from)
	defer l.Close()
	var list []*Batch
	for range n {
		b, err := l.Next()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	return list
}

func cmlmSource(size int) LoaderConfig {
	return LoaderConfig{Source: Source{Objective: objective.CMLMName, BatchSize: size}, Seed: 7, Name: "x", ShuffleGroups: 2}
}

func TestEveryExampleOnceAnEpoch(t *testing.T) {
	tests := []struct{ rows, shards, size, groups int }{
		{96, 3, 4, 1}, {96, 3, 4, 2}, {96, 3, 4, 9}, {1024, 5, 8, 2}, // one epoch is a whole number of pools
		{103, 4, 4, 2}, {103, 1, 4, 2}, {1000, 7, 10, 3}, {8, 2, 8, 1}, {17, 2, 8, 1}, // it is not
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			c := cmlmSource(tt.size)
			c.ShuffleGroups = tt.groups
			l := open(t, consecutive(t, tt.rows, tt.shards), c)
			l.order.window = tt.groups * (tt.rows + tt.shards - 1) / tt.shards // as if the shards were full row groups
			pools := 5*tt.rows/int(l.poolRows()) + 1
			seen := map[string]int{}
			batches := take(t, l, 0, pools*int(l.pool))
			for i, b := range batches {
				if len(b.IDs) != tt.size {
					t.Fatalf("batch %d has %d examples", i, len(b.IDs))
				}
				for _, id := range b.IDs {
					seen[id]++
				}
				if done := (i + 1) * tt.size; (i+1)%int(l.pool) == 0 {
					for id, n := range seen {
						if whole := done / tt.rows; n < whole || n > (done+tt.rows-1)/tt.rows {
							t.Fatalf("after %d examples of %d, %s was seen %d times", done, tt.rows, id, n)
						}
					}
					if done >= tt.rows && len(seen) != tt.rows {
						t.Fatalf("after %d examples %d of %d were seen", done, len(seen), tt.rows)
					}
				}
				if ids := slices.Compact(slices.Sorted(slices.Values(b.IDs))); len(ids) != tt.size && tt.rows > 2*tt.size {
					t.Errorf("batch %d holds an example twice", i)
				}
			}
		})
	}
}

func TestSameBatchesWhateverIsReadAheadAndWhereItStarts(t *testing.T) {
	path := consecutive(t, 103, 4)
	c := cmlmSource(3)
	c.ReadAhead = 1
	open := func(t *testing.T, path string, c LoaderConfig) *Loader {
		l := open(t, path, c)
		l.order.window = 52 // two shards
		return l
	}
	l := open(t, path, c)
	want := take(t, l, 0, 150)
	for _, ahead := range []int{1, 2, 8, 1000} {
		c.ReadAhead = ahead
		l := open(t, path, c)
		for _, from := range []int{0, 1, 31, 32, 33, 50, 101, 149} {
			if diff := cmp.Diff(want[from:], take(t, l, int64(from), len(want)-from)); diff != "" {
				t.Fatalf("from %d on with %d read ahead:\n%s", from, ahead, diff)
			}
		}
	}
	for name, edit := range map[string]func(*LoaderConfig){
		"seed": func(c *LoaderConfig) { c.Seed++ }, "name": func(c *LoaderConfig) { c.Name = "y" },
	} {
		c := cmlmSource(3)
		edit(&c)
		if cmp.Equal(want[:4], take(t, open(t, path, c), 0, 4)) {
			t.Errorf("another %s gives the same batch", name)
		}
	}
}

func TestBatchesAreOfLikeLength(t *testing.T) {
	// The sides of an example are of like length, as in real text.
	path := write(t, rows(schemas.KindConsecutive, 2048, func(i int, e *schemas.Example) {
		e.TokensB = append([]int32{classify, 5, 6}, e.TokensA[1:]...)
	}), 2, fingerprint)
	const size = 32
	padding, tokens := 0, 0
	var firsts, lengths []int
	for _, b := range take(t, open(t, path, cmlmSource(size)), 0, 64) {
		batch := b.Batch.(*objective.CMLMBatch)
		tokens += b.Tokens()
		padding += len(batch.A.IDs) + len(batch.B.IDs) - b.Tokens()
		firsts = append(firsts, b.Tokens())
		for i := range size {
			lengths = append(lengths, int(batch.A.Lengths[i]+batch.B.Lengths[i]))
		}
	}
	random.Shuffle(&random.Stream{}, lengths)
	unsorted := -tokens
	for batch := range slices.Chunk(lengths, size) {
		unsorted += size * slices.Max(batch)
	}
	if padding*4 > unsorted {
		t.Errorf("%d tokens and %d of padding; unsorted, %d", tokens, padding, unsorted)
	}
	if slices.IsSorted(firsts[:32]) {
		t.Error("the batches of a pool are not shuffled")
	}
}

func BenchmarkLoader(b *testing.B) {
	l := open(b, consecutive(b, 40_000, 2), LoaderConfig{Source: Source{Objective: objective.CMLMName, BatchSize: 64}})
	l.Start(context.Background(), 0)
	var tokens int64
	b.ReportAllocs()
	for b.Loop() {
		batch, err := l.Next()
		if err != nil {
			b.Fatal(err)
		}
		tokens += int64(batch.Tokens())
	}
	b.SetBytes(4 * tokens / int64(b.N))
	b.ReportMetric(64*float64(b.N)/b.Elapsed().Seconds(), "examples/s")
}
