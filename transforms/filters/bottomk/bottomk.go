// Package bottomk draws samples by bottom-k sampling: each record has a rank, a hash of its id, and
// a sample of k records is the k with the lowest ranks (Cohen and Kaplan 2007, "Summarizing data
// using bottom-k sketches"). Every set of k records is equally likely, over seeds; a smaller sample
// with the same seed lies within a larger one, and neither depends on how the records are cut or
// ordered.
//
// Apportion says how many records of each stratum, such as a language, make a sample of n.
//
// # Ties
//
// Ranks have 64 bits: among n records two share a rank by chance with a probability of about
// n²/2^65, 3 % for a thousand million. The caller puts an order on those, and on records with the
// same id, so that a sample has exactly k.
package bottomk

import (
	"math/bits"

	"sentweave/transforms/random"
)

// version is that of the ranks: raised when the same seed and ids give others.
const version = 1

// Rank returns the rank of a record. It costs less than 100 ns and allocates nothing.
func Rank(seed uint64, id string) uint64 {
	s := random.New(version, seed, "sample", id, 0)
	return s.Uint64()
}

// Bucket returns which of n equal ranges of ranks, from 0 on, holds a rank. n is at least 1.
func Bucket(rank uint64, n int) int {
	high, _ := bits.Mul64(rank, uint64(n))
	return int(high)
}
