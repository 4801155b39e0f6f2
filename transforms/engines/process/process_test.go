package process

import (
	"bufio"
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"sentweave/transforms/engines"
)

func start(t *testing.T, script string) *Process {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("skipped: there is no sh on the PATH")
	}
	q, err := Program{Path: sh, Args: []string{"-c", script}, Watch: strings.Contains(script, "grumble")}.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Kill)
	return q
}

func ask(ctx context.Context, q *Process, text string) (string, error) {
	var answer string
	err := q.Exchange(ctx, func(w *bufio.Writer) error {
		_, err := w.WriteString(text + "\n")
		return err
	}, func(r *bufio.Reader) (err error) {
		answer, err = r.ReadString('\n')
		return err
	})
	return strings.TrimSpace(answer), err
}

func TestExchange(t *testing.T) {
	q := start(t, `while read line; do echo "<$line>"; done`)
	for _, text := range []string{"a", "b"} {
		if got, err := ask(t.Context(), q, text); err != nil || got != "<"+text+">" {
			t.Fatalf("%q: %q, error %v", text, got, err)
		}
	}
	if !q.Alive() || q.Pending() {
		t.Error("the program is not as it was")
	}
}

func TestExchangeWithOneThatEnds(t *testing.T) {
	q := start(t, `read line; echo "no memory for $line" >&2; exit 3`)
	_, err := ask(t.Context(), q, "text")
	if engines.KindOf(err) != engines.Crashed || !strings.Contains(err.Error(), "exit status 3") ||
		!strings.Contains(err.Error(), "no memory for text") {
		t.Errorf("error %v", err)
	}
	if q.Alive() {
		t.Error("it is alive")
	}
}

// What a program has started ends with it, and an answer that never comes with ctx.
func TestExchangeEndsWithContext(t *testing.T) {
	q := start(t, `sleep 1000 | sleep 1000`)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := ask(ctx, q, strings.Repeat("x", 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	q.Kill()
	if err := exec.Command("kill", "-0", "--", "-"+strconv.Itoa(q.PID())).Run(); err == nil {
		// The group is gone once its members were waited for, by init for the grandchildren.
		time.Sleep(100 * time.Millisecond)
		if output, _ := exec.Command("ps", "-o", "stat=", "-g", strconv.Itoa(q.PID())).Output(); strings.Trim(
			string(output), "Z \n") != "" {
			t.Errorf("programs of the group are alive: %q", output)
		}
	}
}

func TestExchangeEndsWithWriter(t *testing.T) {
	q, broken := start(t, `cat >/dev/null`), errors.New("no more to write")
	err := q.Exchange(t.Context(), func(*bufio.Writer) error { return broken }, func(r *bufio.Reader) error {
		_, err := r.ReadByte()
		return err
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// What was said before an answer is known when the answer was read.
func TestSaid(t *testing.T) {
	q := start(t, `while read line; do case $line in grumble*) echo "$line!" >&2;; esac; echo "$line"; done`)
	for i := range 200 {
		text := "quiet"
		if i%3 == 0 {
			text = "grumble"
		}
		if _, err := ask(t.Context(), q, text); err != nil {
			t.Fatal(err)
		}
		said, ok := q.Said()
		if !ok {
			t.Skip("skipped: what a program says is not told here")
		}
		if want := map[bool]string{true: "grumble!\n"}[i%3 == 0]; said != want {
			t.Fatalf("request %d: %q was said, want %q", i, said, want)
		}
	}
}

// Half of a secret, where the last words are cut, is not told.
func TestLastWords(t *testing.T) {
	t.Setenv("TEST_KEY", "sk-0123456789abcdef")
	secret, err := engines.ReadSecret("TEST_KEY", "")
	if err != nil {
		t.Fatal(err)
	}
	for length := tailBytes - 30; length <= tailBytes; length++ {
		q := &Process{program: Program{Secrets: []engines.Secret{secret}}}
		_, _ = q.words.Write([]byte("with sk-0123456789abcdef " + strings.Repeat("x", length)))
		if said := q.lastWords(); strings.Contains(said, "def") {
			t.Fatalf("%d bytes more: %.60s", length, said)
		}
	}
}

func TestPool(t *testing.T) {
	p := Pool[*Process]{Idle: 1}
	begin := func() (*Process, error) { return start(t, "cat"), nil }
	a, _ := p.Get("a", begin)
	b, _ := p.Get("a", begin)
	p.Put("a", a)
	p.Put("a", b) // one too many: the older one goes
	if a.Alive() || !b.Alive() {
		t.Error("the wrong one was ended")
	}
	if c, _ := p.Get("other", begin); c == b {
		t.Error("it was given for another key")
	}
	if c, _ := p.Get("a", begin); c != b {
		t.Error("it was not kept")
	}
	p.Put("a", b)
	p.Close()
	if _, err := p.Get("a", begin); err == nil || b.Alive() {
		t.Errorf("error %v after Close", err)
	}
}
