package threads

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
)

func TestEnvironment(t *testing.T) {
	arenas := fmt.Sprint("MALLOC_ARENA_MAX=", runtime.GOMAXPROCS(0))
	const few = "LRU_CACHE_CAPACITY=8"
	for _, test := range []struct {
		given, want []string
		changed     bool
	}{
		{nil, []string{spins, arenas, few}, true},
		{[]string{"A=1", "GOMP_SPINCOUNT="}, []string{"A=1", "GOMP_SPINCOUNT=", spins, arenas, few}, true},
		{[]string{"GOMP_SPINCOUNT=7"}, []string{"GOMP_SPINCOUNT=7", arenas, few}, true},
		{[]string{"OMP_WAIT_POLICY=active", "MALLOC_ARENA_MAX=9", "LRU_CACHE_CAPACITY=1"},
			[]string{"OMP_WAIT_POLICY=active", "MALLOC_ARENA_MAX=9", "LRU_CACHE_CAPACITY=1"}, false},
	} {
		if got, changed := Environment(test.given); !slices.Equal(got, test.want) || changed != test.changed {
			t.Errorf("%q gives %q, %v", test.given, got, changed)
		}
	}
}

func TestRunningOf(t *testing.T) {
	const stat = "cpu  10 0 5 99 0 0 0 0 0 0\ncpu0 5 0 2 50 0 0 0 0 0 0\ncpu1 5 0 3 49 0 0 0 0 0 0\nintr 12 0\nctxt 77\nprocesses 8\nprocs_running 3\nprocs_blocked 1\n"
	for text, want := range map[string][2]int{stat: {2, 3}, "": {0, 0}, "cpu\nprocs_running x\n": {0, 0}} {
		if processors, running := runningOf([]byte(text)); processors != want[0] || running != want[1] {
			t.Errorf("%d processors and %d that run, want %v", processors, running, want)
		}
	}
}
