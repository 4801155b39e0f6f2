package corpus

import (
	"maps"
	"math"
	"slices"
)

// histogram counts numbers in bins whose width is a 64th of the power of two below them, so that its memory is bounded and the order
// of the numbers changes nothing. Whole numbers below 128 have bins of their own.
type histogram struct {
	bins            map[uint16]int64
	n               int64
	least, greatest float32
}

const (
	binBits = 17 // of a float32 that do not count
	signBit = 1 << 31
)

// add counts a finite number.
func (h *histogram) add(v float32) {
	if h.bins == nil {
		h.bins, h.least, h.greatest = map[uint16]int64{}, v, v
	}
	bits := math.Float32bits(v)
	if bits&signBit != 0 { // so that bits are in the order of numbers
		bits = ^bits
	} else {
		bits |= signBit
	}
	h.bins[uint16(bits>>binBits)]++
	h.n++
	h.least, h.greatest = min(h.least, v), max(h.greatest, v)
}

// lower is the lower end of a bin.
func lower(bin uint16) float32 {
	bits := uint32(bin) << binBits
	if bits&signBit == 0 {
		return math.Float32frombits(^bits)
	}
	return math.Float32frombits(bits &^ signBit)
}

// quantiles returns the numbers below or at which shares of all lie, in ascending order: each is at most 1.6 % too low.
func (h *histogram) quantiles(shares ...float64) []float64 {
	list := make([]float64, 0, len(shares))
	below := int64(0)
	for _, bin := range slices.Sorted(maps.Keys(h.bins)) {
		below += h.bins[bin]
		for len(list) < len(shares) && float64(below) >= shares[len(list)]*float64(h.n) {
			list = append(list, float64(max(lower(bin), h.least)))
		}
	}
	return list
}

// octave counts the whole numbers from First to twice that.
type octave struct{ first, n int64 }

// octaves counts numbers of at least 0 as 0, 1, 2 to 3, 4 to 7 and so on, up to the greatest one.
func (h *histogram) octaves() (list []octave) {
	for _, bin := range slices.Sorted(maps.Keys(h.bins)) {
		first := int64(0)
		if v := lower(bin); v >= 1 {
			first = 1 << math.Ilogb(float64(v))
		}
		for len(list) == 0 || list[len(list)-1].first < first {
			next := first
			if len(list) > 0 {
				next = max(1, 2*list[len(list)-1].first)
			}
			list = append(list, octave{first: next})
		}
		list[len(list)-1].n += h.bins[bin]
	}
	return list
}
