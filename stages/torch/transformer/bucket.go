package transformer

import "math"

// farthest is the distance from which on all share a bucket.
const farthest = 128

// bucket is that of a distance, the place of the token that is looked at less that of the token that looks (Raffel et al. 2020,
// as T5's encoder and MPNet have it): half of the buckets are for tokens behind, of each half the first half is for single distances,
// and the others are for ranges that grow by the same factor.
func bucket(distance, buckets int64) int64 {
	half, first := buckets/2, int64(0)
	if distance > 0 {
		first = half
	} else {
		distance = -distance
	}
	exact := half / 2
	if distance < exact {
		return first + distance
	}
	// In float32, as transformers computes it: whole results must not fall below.
	share := float32(math.Log(float64(float32(distance)/float32(exact)))) / float32(math.Log(farthest/float64(exact)))
	return first + min(exact+int64(share*float32(half-exact)), half-1)
}
