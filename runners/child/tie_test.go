//go:build unix

package child

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// role is the variable that makes the program of the tests a parent or a child.
const role = "SENTWEAVE_TEST_ROLE"

func TestMain(m *testing.M) {
	kind := os.Getenv(role)
	if kind == "" {
		os.Exit(m.Run())
	}
	if rest, ok := strings.CutPrefix(kind, "parent of "); ok {
		c := exec.Command(os.Args[0])
		c.Env, c.Stdout, c.SysProcAttr = append(os.Environ(), role+"="+rest), os.Stdout, Group(false)
		if err := Tie(c); err == nil {
			_ = c.Run()
		}
		return
	}
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, syscall.SIGTERM)
	grace := time.Minute
	if kind == "a stubborn child" {
		grace = 100 * time.Millisecond
	}
	EndWithParent(grace)
	os.Stdout.WriteString("begun\n")
	<-stop
	os.Stdout.WriteString("stopping\n")
	if kind == "a stubborn child" {
		<-stop // which never comes
	}
	os.Stdout.WriteString("stopped\n")
}

// A child whose parent was killed stops, and one that does not stop is ended: the standard output
// that both have ends.
func TestChildEndsWithItsParent(t *testing.T) {
	for kind, want := range map[string]string{"a child": "begun\nstopping\nstopped\n", "a stubborn child": "begun\nstopping\n"} {
		parent := exec.Command(os.Args[0])
		parent.Env = append(os.Environ(), role+"=parent of "+kind)
		out, err := parent.StdoutPipe()
		if err == nil {
			err = parent.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		begun := make([]byte, len("begun\n"))
		if _, err := io.ReadFull(out, begun); err != nil {
			t.Fatal(err)
		}
		if err := parent.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(out)
		if got := string(begun) + string(rest); err != nil || got != want {
			t.Errorf("%s said %q, want %q, %v", kind, got, want, err)
		}
		_ = parent.Wait() // it was killed
	}
}

// A process that nobody tied, or whose variable is that of another one, goes on.
func TestNoTie(t *testing.T) {
	for _, value := range []string{"", "x", "999", "-1"} {
		t.Setenv(parentPipe, value)
		EndWithParent(0)
	}
	time.Sleep(50 * time.Millisecond)
}
