package tiles

import "golang.org/x/sys/cpu"

// kernels are those that this processor runs.
func kernels() map[string]func(a, b []float32, dim int, thresholds *[Height]float32, to *Tile) {
	list := map[string]func(a, b []float32, dim int, thresholds *[Height]float32, to *Tile){"go": multiplyGo}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		list["avx2"] = multiplyAVX2
	}
	if cpu.X86.HasAVX512F {
		list["avx512"] = multiplyAVX512
	}
	return list
}
