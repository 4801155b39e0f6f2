package models

import "testing"

func TestRunningOf(t *testing.T) {
	const stat = "cpu  10 0 5 99 0 0 0 0 0 0\ncpu0 5 0 2 50 0 0 0 0 0 0\ncpu1 5 0 3 49 0 0 0 0 0 0\nintr 12 0\nctxt 77\nprocesses 8\nprocs_running 3\nprocs_blocked 1\n"
	for text, want := range map[string][2]int{stat: {2, 3}, "": {0, 0}, "cpu\nprocs_running x\n": {0, 0}} {
		if processors, running := runningOf([]byte(text)); processors != want[0] || running != want[1] {
			t.Errorf("%d processors and %d that run, want %v", processors, running, want)
		}
	}
}
