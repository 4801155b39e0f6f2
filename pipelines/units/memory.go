package units

import (
	"math"
	"os"
	"runtime/debug"
)

// A process that does units may use memoryBase bytes, and memoryPerUnit more for
// each unit in flight; the collector starts to work harder at a share of that,
// since the binary, the stacks and what was freed but not yet returned count, too.
const (
	memoryBase    = 512 << 20
	memoryPerUnit = 128 << 20
	memoryShare   = .75
	// collectAt is the growth of the heap, in percent, at which the collector begins
	// below that share. Units hold little: at Go's 100 it takes a tenth of the time more.
	collectAt = 200
)

// MemoryBudget returns the bytes of memory that a process may use when it works on so
// many units at once.
func MemoryBudget(parallelism int) int64 {
	return memoryBase + int64(parallelism)*memoryPerUnit
}

// MemoryLimit returns the bytes at which the garbage collector of such a process
// begins to work harder: the GOMEMLIMIT of a worker.
func MemoryLimit(parallelism int) int64 {
	return int64(memoryShare * float64(MemoryBudget(parallelism)))
}

// LimitMemory makes the garbage collector keep the process within its budget for so
// many units at once, unless GOMEMLIMIT is set, and collect less often as long as there is
// room, unless GOGC is set. It returns a function that restores the previous limit. The limit is soft: a unit that
// needs more memory gets it, but runs more slowly.
func LimitMemory(parallelism int) (restore func()) {
	previous := debug.SetMemoryLimit(-1)
	if previous != math.MaxInt64 {
		return func() {}
	}
	debug.SetMemoryLimit(MemoryLimit(parallelism))
	if os.Getenv("GOGC") != "" {
		return func() { debug.SetMemoryLimit(previous) }
	}
	percent := debug.SetGCPercent(collectAt)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(previous)
	}
}
