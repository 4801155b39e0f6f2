//go:build !amd64

package tiles

// kernels are those that this processor runs.
func kernels() map[string]func(a, b []float32, dim int, thresholds *[Height]float32, to *Tile) {
	return map[string]func(a, b []float32, dim int, thresholds *[Height]float32, to *Tile){"go": multiplyGo}
}
