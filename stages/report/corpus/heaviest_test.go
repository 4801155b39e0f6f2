package corpus

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
)

// passes counts keys as count does.
func passes(h *heaviest, keys []string) {
	for _, key := range keys {
		h.add(key)
	}
	if h.again() {
		for _, key := range keys {
			h.add(key)
		}
	}
}

// All counts are exact; where keys are too many, those that are missing are rare. The order of the keys changes nothing.
func TestHeaviest(t *testing.T) {
	var keys []string
	want := map[string]int64{}
	for i := range 3000 {
		for range 1 + 3000/(i+1) {
			key := fmt.Sprintf("host%d.example", i)
			keys, want[key] = append(keys, key), want[key]+1
		}
	}
	few := newHeaviest(3000, 256, 16)
	passes(few, keys)
	if !maps.Equal(few.keys, want) || few.missed != 0 {
		t.Errorf("%d keys of %d, %d missed", len(few.keys), len(want), few.missed)
	}
	many := newHeaviest(2999, 256, 16)
	passes(many, keys)
	if len(many.keys) > 3000/8 || many.missed == 0 || many.missed > 3000/8 {
		t.Errorf("%d keys are counted, others occur up to %d times", len(many.keys), many.missed)
	}
	for key, n := range want {
		if got, ok := many.keys[key]; ok && got != n || !ok && n > many.missed {
			t.Errorf("%s occurs %d times, counted %d", key, n, got)
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(keys), func(i, k int) { keys[i], keys[k] = keys[k], keys[i] })
	again := newHeaviest(2999, 256, 16)
	passes(again, keys)
	if !maps.Equal(again.keys, many.keys) || again.missed != many.missed {
		t.Error("another order gives other counts")
	}
}

// Of many keys the few that are kept bound the memory.
func TestHeaviestIsBounded(t *testing.T) {
	h, most := newHeaviest(1000, 1<<12, 1<<4), 0
	for pass := range 2 {
		for i := range 300_000 {
			h.add(fmt.Sprint(i))
			most = max(most, len(h.keys))
		}
		if again := h.again(); again != (pass == 0) {
			t.Fatalf("after pass %d another one is wanted: %v", pass, again)
		}
	}
	if most > 2000 { // some 70 keys are in each of 16 groups
		t.Errorf("%d keys were held", most)
	}
}
