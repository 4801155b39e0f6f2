package tiles

import "golang.org/x/sys/cpu"

func init() {
	switch {
	case cpu.X86.HasAVX512F:
		kernel = multiplyAVX512
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		kernel = multiplyAVX2
	}
}

// multiply12x32 sets the products of 12 packed rows with 32 packed columns and the bits of
// those that are at least the thresholds.
//
//go:noescape
func multiply12x32(a, b *float32, dim int, thresholds, products *float32, reached *uint32)

// multiply6x16 does so for 6 of the 12 rows and 16 of the 32 columns, which are in the same
// memory; it sets 16 bits a row.
//
//go:noescape
func multiply6x16(a, b *float32, dim int, thresholds, products *float32, reached *uint32)

func multiplyAVX512(a, b []float32, dim int, thresholds *[Height]float32, tile *Tile) {
	multiply12x32(&a[0], &b[0], dim, &thresholds[0], &tile.Products[0], &tile.Reached[0])
}

func multiplyAVX2(a, b []float32, dim int, thresholds *[Height]float32, tile *Tile) {
	var high [6]uint32
	for i := 0; i < Height; i += 6 {
		multiply6x16(&a[i], &b[0], dim, &thresholds[i], &tile.Products[i*Width], &tile.Reached[i])
		multiply6x16(&a[i], &b[16], dim, &thresholds[i], &tile.Products[i*Width+16], &high[0])
		for k, bits := range high {
			tile.Reached[i+k] |= bits << 16
		}
	}
}
