package probe

import "golang.org/x/sys/cpu"

func init() {
	if cpu.X86.HasAVX {
		multiplyLanes, addLanes = multiplyAVX, addAVX
	}
}

//go:noescape
func multiplyAVX(b *bundle, vector []float32)

//go:noescape
func addAVX(b *bundle, vector []float32)
