package models

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"sentweave/runners/command"
	"sentweave/stages/torch"
)

// noteBusy says so where other programs are at work on the processors that the threads of
// libtorch would have: all threads of an operation wait for the slowest. The number of threads
// stays what it is, since last digits depend on it. 0 threads are libtorch's own choice.
func noteBusy(to io.Writer, verb string, threads int) {
	threads = cmp.Or(threads, torch.Threads())
	var others []int
	processors := 0
	for i := range 5 { // one look may see what runs for a moment
		if i > 0 {
			time.Sleep(10 * time.Millisecond)
		}
		text, err := os.ReadFile("/proc/stat")
		if err != nil { // of another system
			return
		}
		running := 0
		processors, running = runningOf(text)
		others = append(others, running-1) // without this thread
	}
	slices.Sort(others)
	if busy := others[len(others)/2]; threads > 1 && busy > 0 && busy+threads > processors {
		fmt.Fprintf(to, "%s: other programs are at work on the %s of this machine, so %d threads wait for them, and for each other; fewer, by --threads, may be faster, with other last digits\n",
			verb, command.Counted(int64(processors), "processor"), threads)
	}
}

// runningOf returns the processors of /proc/stat, and how many threads run or want to.
func runningOf(text []byte) (processors, running int) {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("cpu")); ok && rest[0] >= '0' && rest[0] <= '9' { // "cpu " are all
			processors++
		}
		_, _ = fmt.Sscanf(string(line), "procs_running %d", &running) // another line
	}
	return processors, running
}
