package childtest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// forbidVariable makes the test's program forbid listening before anything else.
const forbidVariable = "SENTWEAVE_TEST_FORBID"

// A process that listens is killed, also one that the first one has started, which is
// not.
func TestForbidListening(t *testing.T) {
	for who, want := range map[string]string{"itself": "signal: bad system call", "its child": "exit status 0"} {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), listenVariable+"="+t.TempDir(), forbidVariable+"="+who)
		output, _ := c.CombinedOutput()
		if got := c.ProcessState.String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s listens: %s, want %s: %s", who, got, want, output)
		}
		if who == "its child" && !strings.HasPrefix(string(output), "the child: signal: bad system call") {
			t.Errorf("%s", output)
		}
	}
}

func init() {
	who := os.Getenv(forbidVariable)
	if who == "" {
		return
	}
	if err := ForbidListening(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if who == "its child" {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), forbidVariable+"=")
		fmt.Println("the child:", c.Run())
		os.Exit(0)
	}
}
