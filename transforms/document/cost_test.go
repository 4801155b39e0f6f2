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
	// plainText begins a shape that is not a page but a text.
	plainText = "plain text:"
	// mostText is the size of the largest text that the pipeline reads.
	mostText = 16 << 20
	// pageWork is how many times as much a page may take of a processor as the yardstick takes at the same time in
	// the same process: twice what the worst takes that are known. A machine that does much else
	// makes both slower.
	pageWork = 12
	// yardstick is an ordinary page of a megabyte.
	yardstick = "{5000:<p>{12:Some words of it. }</p>\n}"
)

// cost is what a page took.
type cost struct {
	cpu     time.Duration // of the whole process, the collector included
	unit    time.Duration // what the yardstick took
	memory  int64         // greatest resident memory, above that of the idle process
	verdict string
}

// excess is how much of what it may take a page takes; above 1 is too much.
func (c cost) excess() float64 {
	return max(c.work()/pageWork, float64(c.memory)/pageMemory)
}

// work is the cost in yardsticks.
func (c cost) work() float64 { return c.cpu.Seconds() / c.unit.Seconds() }

func (c cost) String() string {
	return fmt.Sprintf("%5.1f yardsticks, %.2f s, %4d MB %s", c.work(), c.cpu.Seconds(), c.memory>>20, c.verdict)
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
// given up, by the limit of work or memory.
func (m *meter) measure(s shape) (c cost, ended bool) {
	m.t.Helper()
	if m.command == nil {
		m.start()
	}
	if _, err := fmt.Fprintf(m.in, "%q\n", s.String()); err != nil {
		m.t.Fatal(err)
	}
	lines := make(chan string, 2)
	go func(out *bufio.Reader) {
		for range 2 {
			s, _ := out.ReadString('\n')
			lines <- s
		}
	}(m.out)
	died := func(c cost, verdict string) (cost, bool) {
		m.stop()
		c.verdict = verdict
		return c, false
	}
	if _, err := fmt.Sscanf(<-lines, "%d", &c.unit); err != nil {
		return died(cost{unit: 1}, "the process died")
	}
	for began := m.used(); ; {
		select {
		case answer := <-lines:
			if _, err := fmt.Sscanf(answer, "%d %d %q", &c.cpu, &c.memory, &c.verdict); err != nil {
				return died(c, "the process died")
			}
			return c, true
		case <-time.After(2 * time.Millisecond):
		}
		c.memory, _ = residentOf(m.command.Process.Pid, "VmRSS")
		c.cpu = m.used() - began
		if c.memory > 12*pageMemory {
			return died(c, "killed for memory")
		}
		if c.work() > 20*pageWork {
			return died(c, "killed for work")
		}
	}
}

// least is what the page of a shape costs when nothing disturbs: where it is too much it
// is measured twice more, since the collector comes late on a machine that does much else.
func (m *meter) least(s shape) (c cost, ended bool) {
	m.t.Helper()
	c, ended = m.measure(s)
	for range 2 {
		if !ended || c.excess() <= 1 {
			break
		}
		if again, ended := m.measure(s); ended && again.excess() < c.excess() {
			c = again
		}
	}
	return c, ended
}

// used is what the process has used of processors, in steps of 10 ms.
func (m *meter) used() time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.command.Process.Pid)) // one that has ended says so by its output
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// serveCosts measures the shapes that it reads, one a line.
func serveCosts(in io.Reader, out io.Writer) error {
	b, err := NewBuilder(DefaultConfig(), byWord{})
	if err != nil {
		return err
	}
	ordinary, err := parseShape(yardstick)
	if err != nil {
		return err
	}
	unit := ordinary.page(html.DefaultConfig().MaxBytes)
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
		one, err := costOf(b, unit)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, int64(one.cpu))
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
