package wordcache

// ringBits gives a ring 2^19 numbers.
const ringBits = 19

// ring keeps numbers until later ones take their room.
type ring struct {
	numbers []int32
	end     uint64 // the place behind the latest numbers: places count on, and are taken modulo the memory
}

// newRing returns an empty ring. Its places begin at 1, so that 0 is before them all.
func newRing() ring { return ring{numbers: make([]int32, 1<<ringBits), end: 1} }

// add returns the place of n numbers, and room for them.
func (r *ring) add(n int) (place uint64, room []int32) {
	place = r.end
	if left := 1<<ringBits - int(place&(1<<ringBits-1)); n > left {
		place += uint64(left)
	}
	r.end = place + uint64(n)
	return place, r.numbers[place&(1<<ringBits-1):][:n]
}

// read returns the n numbers of a place, false if later ones have taken their room.
func (r *ring) read(place uint64, n int) (numbers []int32, ok bool) {
	if r.end-place > 1<<ringBits {
		return nil, false
	}
	return r.numbers[place&(1<<ringBits-1):][:n], true
}
