package batches

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/stages/objective"
	"sentweave/transforms/random"
)

// tokensSource is cmlmSource by tokens.
func tokensSource(most int) LoaderConfig {
	c := cmlmSource(0)
	c.Source.BatchTokens = most
	return c
}

// No batch has more tokens than it may have, none is much smaller than the others, and no example is lost.
func TestBucketTokens(t *testing.T) {
	for seed := range uint64(500) {
		s := random.New(1, seed, "test", "", 0)
		longest := 2 + s.IntN(100)
		pool := make([]entry, 1+s.IntN(300))
		total := 0
		for i := range pool {
			pool[i] = entry{&example{length: 1 + s.IntN(longest), key: uint64(i)}, 0}
			total += pool[i].length
		}
		most := longest + s.IntN(8*longest)
		batches := bucketTokens(slices.Clone(pool), most, &s)
		var keys []uint64
		for _, b := range batches {
			sum, shortest, farthest := 0, longest, 0
			for _, e := range b {
				sum += e.length
				shortest, farthest = min(shortest, e.length), max(farthest, e.length)
				keys = append(keys, e.key)
			}
			if sum > most || len(b) == 0 || len(batches) > 1 && sum < total/(total/(most-longest+1)+1)-longest {
				t.Fatalf("seed %d: a batch of %d examples has %d tokens of at most %d, in %d batches of %d", seed, len(b), sum, most,
					len(batches), total)
			}
		}
		if slices.Sort(keys); len(slices.Compact(keys)) != len(pool) {
			t.Fatalf("seed %d: %d of %d examples are left", seed, len(keys), len(pool))
		}
	}
}

// From any place that a batch names, a loader goes on as the one that made the batch.
func TestBatchesOfTokensGoOnAnywhere(t *testing.T) {
	for _, most := range []int{128, 200, 1 << 14} { // two texts of 64 tokens; some; more than the dataset has
		l := open(t, consecutive(t, 103, 4), tokensSource(most))
		l.order.window = 50
		n := 7 // epochs
		if most < 1<<14 {
			n = 60
		}
		whole := take(t, l, 0, n)
		seen := map[string]int{}
		for i, b := range whole {
			if b.Tokens() > most {
				t.Errorf("batch %d has %d tokens of at most %d", i, b.Tokens(), most)
			}
			for _, id := range b.IDs {
				if seen[id]++; seen[id] > 1+int((b.Next.Row+102)/103) {
					t.Errorf("%s was seen %d times in %d examples", id, seen[id], b.Next.Row)
				}
			}
			if i%7 > 0 {
				continue
			}
			c := tokensSource(most)
			c.ReadAhead = 1 + i%3
			other := open(t, l.examples.folder.String(), c)
			other.order.window = 50
			other.StartAt(context.Background(), b.Next)
			for j := i + 1; j < n; j++ {
				next, err := other.Next()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(whole[j], next); diff != "" {
					t.Fatalf("after batch %d of at most %d tokens, batch %d:\n%s", i, most, j, diff)
				}
			}
			other.Close()
		}
		if len(seen) != 103 || most == 1<<14 && whole[6].Next != (Place{Pool: 7, Row: 721}) {
			t.Errorf("%d examples were seen; %+v", len(seen), whole[n-1].Next)
		}
	}
}

func TestBatchTokensFaults(t *testing.T) {
	for want, s := range map[string]Source{
		"batch_tokens and batch_size exclude each other":             {Objective: objective.CMLMName, BatchSize: 4, BatchTokens: 100},
		"that of bitext depends on how many others are in the batch": {Objective: objective.BitextName, BatchTokens: 100},
		"that of cosine depends on how many others are":              {Objective: objective.CosineName, BatchTokens: 100},
		"that of bsl depends on how many others are":                 {Objective: objective.BSLName, BatchTokens: 100},
		"batch_tokens is 5, it must be from 6":                       {Objective: objective.MLMName, BatchTokens: 5},
		"batch_size is 0, it must be from 1":                         {Objective: objective.MLMName},
	} {
		s.Dataset = "data"
		if err := s.WithDefaults().Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	e, err := OpenExamples(t.Context(), consecutive(t, 103, 1), fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	c := tokensSource(60)
	c.Source.Dataset, c.Encoding = "data", encoding()
	if _, err := NewLoader(e, c); err == nil || !strings.Contains(err.Error(), "batch_tokens is 60, and an example of dataset ") {
		t.Error(err)
	}
	c.Source.MaxTokens = 30
	if _, err := NewLoader(e, c); err != nil {
		t.Error(err)
	}
}

func TestValidationBatchesOfTokens(t *testing.T) {
	e, err := OpenExamples(t.Context(), consecutive(t, 103, 2), fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	c := tokensSource(200)
	c.Source.Dataset, c.Encoding = "data", encoding()
	list, err := ValidationBatches(t.Context(), e, c, 50)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, b := range list {
		for _, id := range b.IDs {
			ids[id] = true
		}
	}
	if len(ids) != 50 || len(list) < 5 {
		t.Errorf("%d examples in %d batches", len(ids), len(list))
	}
}
