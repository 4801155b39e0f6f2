package units

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestLimitMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	t.Setenv("GOGC", "")    // as if it were not set
	percent := func() int { // of the heap's growth
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	before := percent()
	restore := LimitMemory(2)
	if percent() != collectAt {
		t.Errorf("the collector begins at %d %%", percent())
	}
	if got := debug.SetMemoryLimit(-1); got != 576<<20 { // three quarters of 768 MiB
		t.Errorf("limit %d", got)
	}
	restore()
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("limit %d after restoring", got)
	}
	if percent() != before {
		t.Errorf("the collector begins at %d %% after restoring", percent())
	}
	debug.SetMemoryLimit(123 << 20) // as GOMEMLIMIT does
	LimitMemory(2)()
	if got := debug.SetMemoryLimit(-1); got != 123<<20 {
		t.Errorf("limit %d, the caller's was changed", got)
	}
}
