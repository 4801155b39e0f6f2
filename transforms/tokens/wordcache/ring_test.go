package wordcache

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What is read is what was added, and the latest half of the memory is always there.
func TestRing(t *testing.T) {
	type entry struct {
		place   uint64
		numbers []int32
	}
	random := rand.New(rand.NewPCG(3, 4))
	r := newRing()
	var entries []entry
	for range 3000 {
		e := entry{numbers: make([]int32, random.IntN(2000))}
		for i := range e.numbers {
			e.numbers[i] = random.Int32()
		}
		place, room := r.add(len(e.numbers))
		copy(room, e.numbers)
		e.place = place
		entries = append(entries, e)
	}
	gone, later := 0, 0
	for _, e := range slices.Backward(entries) {
		numbers, ok := r.read(e.place, len(e.numbers))
		switch later += len(e.numbers); {
		case ok && !slices.Equal(numbers, e.numbers):
			t.Fatalf("%d numbers that were added %d numbers before the end were overwritten", len(e.numbers), later)
		case !ok && later <= len(r.numbers)/2:
			t.Fatalf("%d numbers that were added %d numbers before the end are gone", len(e.numbers), later)
		case !ok:
			gone++
		}
	}
	if gone == 0 {
		t.Error("nothing is gone")
	}
}
