package probe

import "golang.org/x/sys/cpu"

func init() {
	if cpu.X86.HasAVX {
		multiplyLanes, addLanes = multiplyAVX, addAVX
	}
}

//go:noescape
func multiplyAVX(b *bundle, with []float32)

//go:noescape
func addAVX(b *bundle, to []float32)
