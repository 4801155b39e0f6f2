package document

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sentweave/transforms/read/html"
)

const (
	// pageMemory is what a page may take: the share of a unit in the budget of
	// runners/docs/laptop.md.
	pageMemory = 128 << 20
	// plainText begins a shape that is no page but a text.
	plainText = "plain text:"
	// mostText is the size of the largest text that the pipeline reads.
	mostText = 16 << 20
	// pageTime is what a page may take of a processor: twice what the worst takes that are
	// known, for a machine that does much else.
	pageTime = time.Second
)

// cost is what a page took.
type cost struct {
	cpu     time.Duration // of the whole process, the collector included
	memory  int64         // greatest resident memory, above that of the idle process
	verdict string
}

// excess is how much of what it may take a page takes; above 1 is too much.
func (c cost) excess() float64 {
	return max(c.cpu.Seconds()/pageTime.Seconds(), float64(c.memory)/pageMemory)
}

func (c cost) String() string {
	return fmt.Sprintf("%6.2f s %5d MB %s", c.cpu.Seconds(), c.memory>>20, c.verdict)
}

// meter measures pages in a process of its own, which is killed where a page takes
// much more than any may.
type meter struct {
	t       testing.TB
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// meterVariable makes the test program the process that is measured.
const meterVariable = "SENTWEAVE_TEST_METER"

func TestMain(m *testing.M) {
	if os.Getenv(meterVariable) != "" {
		if err := serveCosts(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func newMeter(t testing.TB) *meter {
	if _, err := resident("VmHWM"); err != nil {
		t.Skipf("skipped: memory is measured by /proc: %v", err)
	}
	m := &meter{t: t}
	t.Cleanup(m.stop)
	return m
}

func (m *meter) start() {
	m.t.Helper()
	m.command = exec.Command(os.Args[0])
	m.command.Env = append(os.Environ(), meterVariable+"=1")
	m.command.Stderr = os.Stderr
	var err error
	if m.in, err = m.command.StdinPipe(); err != nil {
		m.t.Fatal(err)
	}
	out, err := m.command.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	m.out = bufio.NewReader(out)
	if err := m.command.Start(); err != nil {
		m.t.Fatal(err)
	}
}

func (m *meter) stop() {
	if m.command != nil {
		m.in.Close()
		m.command.Process.Kill()
		m.command.Wait()
		m.command = nil
	}
}

// measure returns what the page of a shape costs. Ended is false where the page was
// given up, by the limit of time or memory.
func (m *meter) measure(s shape, limit time.Duration) (c cost, ended bool) {
	m.t.Helper()
	if m.command == nil {
		m.start()
	}
	if _, err := fmt.Fprintf(m.in, "%q\n", s.String()); err != nil {
		m.t.Fatal(err)
	}
	line := make(chan string, 1)
	go func(out *bufio.Reader) {
		s, _ := out.ReadString('\n')
		line <- s
	}(m.out)
	for waited := time.Duration(0); ; waited += 2 * time.Millisecond {
		select {
		case answer := <-line:
			var cpu, memory int64
			if _, err := fmt.Sscanf(answer, "%d %d %q", &cpu, &memory, &c.verdict); err != nil {
				m.stop()
				return cost{verdict: "the process died"}, false
			}
			c.cpu, c.memory = time.Duration(cpu), memory
			return c, true
		case <-time.After(2 * time.Millisecond):
		}
		memory, _ := residentOf(m.command.Process.Pid, "VmRSS")
		if memory > 12*pageMemory {
			m.stop()
			return cost{cpu: waited, memory: memory, verdict: "killed for memory"}, false
		}
		if waited > limit {
			m.stop()
			return cost{cpu: waited, memory: memory, verdict: "killed for time"}, false
		}
	}
}

// least is what the page of a shape costs when nothing disturbs: where it is too much it
// is measured twice more, since the collector comes late on a machine that does much else.
func (m *meter) least(s shape) (c cost, ended bool) {
	m.t.Helper()
	const limit = 20 * pageTime
	c, ended = m.measure(s, limit)
	for range 2 {
		if !ended || c.excess() <= 1 {
			break
		}
		if again, ended := m.measure(s, limit); ended && again.excess() < c.excess() {
			c = again
		}
	}
	return c, ended
}

// serveCosts measures the shapes that it reads, one a line.
func serveCosts(in io.Reader, out io.Writer) error {
	b, err := NewBuilder(DefaultConfig(), byWord{})
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text, err := strconv.Unquote(lines.Text())
		if err != nil {
			return err
		}
		s, err := parseShape(text)
		if err != nil {
			return err
		}
		most := html.DefaultConfig().MaxBytes
		if strings.HasPrefix(text, plainText) {
			most = mostText
		}
		c, err := costOf(b, s.page(most))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%d %d %q\n", c.cpu, c.memory, c.verdict)
	}
	return lines.Err()
}

func costOf(b *Builder, page []byte) (cost, error) {
	debug.FreeOSMemory()
	before, err := resident("VmRSS")
	if err != nil {
		return cost{}, err
	}
	// What is garbage is no cost as long as there is room: the collector works as it
	// does in a process that is near the limit that pipelines set.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(before + pageMemory*3/4))
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600); err != nil {
		return cost{}, err
	}
	start := cpuTime()
	record := Record{Source: "page.html", HTML: page}
	if plain, ok := bytes.CutPrefix(page, []byte(plainText)); ok {
		record.HTML, record.Text = nil, string(plain)
	}
	o := b.Build(record)
	c := cost{cpu: cpuTime() - start, verdict: "kept"}
	if !o.Kept() {
		c.verdict = o.Step + " " + o.Reason + ": " + o.Detail
	}
	peak, err := resident("VmHWM")
	c.memory = peak - before
	return c, err
}

func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func resident(field string) (int64, error) { return residentOf(os.Getpid(), field) }

// residentOf returns a field of /proc/PID/status, in bytes.
func residentOf(pid int, field string) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(status), field+":")
	if !found {
		return 0, fmt.Errorf("/proc/%d/status has no %s", pid, field)
	}
	var kilobytes int64
	_, err = fmt.Sscanf(strings.TrimSpace(rest), "%d kB", &kilobytes)
	return kilobytes << 10, err
}
