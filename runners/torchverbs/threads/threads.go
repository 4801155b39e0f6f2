// Package threads is about the threads of libtorch: that those which wait sleep, that they share memory, and whether the
// machine has processors for them.
package threads

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"sentweave/runners/command"
	"sentweave/stages/torch"
)

// spins is how often a thread of libtorch looks for more work before it sleeps. By default
// it looks for milliseconds: beside other work, such as a build, a step of the size tiny took
// 2.7 to 5.3 s on two busy cores, and with this number .2 to .4 s; embed took 36 s on two
// threads and 21 s on one, and with this number 16 s on two. It changes no result.
const spins = "GOMP_SPINCOUNT=3000"

// arenas bounds the arenas of the C library's memory, of which threads otherwise have up to eight a processor: each keeps the most
// that was ever taken from it. With as many as processors embed took 5 to 15 % less memory at its peak, with a fifth
// fewer page faults, and serve of a small encoder took 486 MB after 100,000 requests, and not 574.
const arenas = "MALLOC_ARENA_MAX"

// products bounds the number of matrix products for which oneDNN keeps code and memory. Each number of rows is a product of its own, and
// libtorch has oneDNN keep 1,024 of them. With eight, embed of MiniLM took 556 MB at its peak in the place of 693. serve took 337 MB after
// 3,200 requests in the place of 519, and grew no more. CPU time was the same, also of training.
const products = "LRU_CACHE_CAPACITY"

// Environment returns an environment in which threads of libtorch that wait sleep soon, share arenas of memory, and keep few products,
// and whether it differs from the given one: what that says of either stays. The runtime of the threads and the C library
// read it as they are loaded, before main.
func Environment(environment []string) (adjusted []string, changed bool) {
	says := func(names ...string) bool {
		return slices.ContainsFunc(environment, func(variable string) bool {
			name, value, _ := strings.Cut(variable, "=")
			return value != "" && slices.Contains(names, name)
		})
	}
	adjusted = slices.Clip(environment)
	if !says("OMP_WAIT_POLICY", "GOMP_SPINCOUNT") {
		adjusted = append(adjusted, spins)
	}
	if !says(arenas) {
		adjusted = append(adjusted, fmt.Sprint(arenas, "=", runtime.GOMAXPROCS(0)))
	}
	if !says(products) {
		adjusted = append(adjusted, products+"=8")
	}
	return adjusted, len(adjusted) > len(environment)
}

// NoteBusy says so where other programs are at work on the processors that the threads of
// libtorch would have: all threads of an operation wait for the slowest. The number of threads
// stays what it is, since last digits depend on it. 0 threads are libtorch's own choice.
func NoteBusy(p *command.Program, verb string, threads int) {
	threads = cmp.Or(threads, torch.Threads())
	var counts []int
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
		counts = append(counts, running-1) // without this thread
	}
	slices.Sort(counts)
	if busy := counts[len(counts)/2]; threads > 1 && busy > 0 && busy+threads > processors {
		fmt.Fprintf(p.Stderr,
			"%s: other programs are at work on the %s of this machine, so %d threads wait for them, and for each other; %s\n",
			verb, command.Counted(int64(processors), "processor"), threads,
			p.Advice("fewer, by --threads, may be faster, with other last digits"))
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
