package units

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestLimitMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	restore := LimitMemory(2)
	if got := debug.SetMemoryLimit(-1); got != 576<<20 { // three quarters of 768 MiB
		t.Errorf("limit %d", got)
	}
	restore()
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("limit %d after restoring", got)
	}
	debug.SetMemoryLimit(123 << 20) // as GOMEMLIMIT does
	LimitMemory(2)()
	if got := debug.SetMemoryLimit(-1); got != 123<<20 {
		t.Errorf("limit %d, the caller's was changed", got)
	}
}
