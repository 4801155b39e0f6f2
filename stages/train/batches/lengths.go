package batches

import (
	"cmp"
	"slices"

	"sentweave/transforms/random"
)

// entry is an example at its place in the order.
type entry struct {
	*example
	epoch int64
}

// poolBatches is the most batches that are sorted by length together.
const poolBatches = 32

// lengthStep is the difference of lengths that is not worth sorting by. Examples of
// one step stay in the shuffled order; sorted strictly, a dataset that fits into
// one pool would give nearly the same batches, with the same negatives, each epoch.
const lengthStep = 8

// bucket cuts a pool of one batch at least into batches of examples of like length, in
// random order. What is left over is a smaller batch, or joins another one if it is of
// fewer examples than the minimum. No batch holds two examples of equal key where that can
// be avoided: the second one goes to a later batch, and where none is left it
// changes places with an example of an earlier one.
func bucket(pool []entry, size, minimum int, s *random.Stream) [][]entry {
	sizes := slices.Repeat([]int{size}, len(pool)/size)
	if rest := len(pool) % size; rest > 0 && rest >= minimum {
		sizes = append(sizes, rest)
	} else {
		sizes[len(sizes)-1] += rest
	}
	slices.SortStableFunc(pool, func(a, b entry) int {
		return cmp.Compare(a.length/lengthStep, b.length/lengthStep)
	})
	batches := make([][]entry, len(sizes))
	keys := make([]map[uint64]int, len(sizes)) // how often each key is in the batch
	var deferred []entry
	for i := range batches {
		keys[i] = make(map[uint64]int, sizes[i])
		batches[i] = make([]entry, 0, sizes[i])
		take := func(e entry) bool {
			if len(batches[i]) == sizes[i] || keys[i][e.key] > 0 {
				return false
			}
			keys[i][e.key]++
			batches[i] = append(batches[i], e)
			return true
		}
		deferred = slices.DeleteFunc(deferred, take)
		for len(pool) > 0 && len(batches[i]) < sizes[i] {
			if !take(pool[0]) {
				deferred = append(deferred, pool[0])
			}
			pool = pool[1:]
		}
	}
	for _, e := range deferred {
		i := 0
		for len(batches[i]) == sizes[i] {
			i++
		}
		if j, k, ok := exchange(batches, keys, i, e.key); ok {
			partner := batches[j][k]
			batches[j][k] = e
			keys[j][partner.key]--
			keys[j][e.key]++
			e = partner
		}
		// Else more batches hold the key than not: the objective masks such negatives.
		keys[i][e.key]++
		batches[i] = append(batches[i], e)
	}
	random.Shuffle(s, batches)
	return batches
}

// exchange finds an example of another batch j that may be in the batch i, where
// j may take the key.
func exchange(batches [][]entry, keys []map[uint64]int, i int, key uint64) (j, k int, ok bool) {
	for j := len(batches) - 1; j >= 0; j-- { // the last ones are the most like in length
		if j == i || keys[j][key] > 0 || len(batches[j]) == 0 {
			continue
		}
		for k, candidate := range batches[j] {
			if keys[i][candidate.key] == 0 {
				return j, k, true
			}
		}
	}
	return 0, 0, false
}
