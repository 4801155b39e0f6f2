//go:build unix

package child

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// parentPipe names in the environment of a child the descriptor of a pipe whose other end its
// parent holds.
const parentPipe = "SENTWEAVE_PARENT_PIPE"

// lifeline is a pipe of this process, whose writing end stays open for as long as the process
// lives, and is inherited by nobody.
var lifeline = sync.OnceValues(func() ([2]*os.File, error) {
	reads, writes, err := os.Pipe()
	return [2]*os.File{reads, writes}, err
})

// Tie has a child, which is not started yet, learn of the end of this process, in whatever way
// it ends, if the child calls EndWithParent.
func Tie(c *exec.Cmd) error {
	pipe, err := lifeline()
	if err != nil {
		return err
	}
	const first = 3 // after the standard streams
	c.Env = append(c.Environ(), parentPipe+"="+strconv.Itoa(first+len(c.ExtraFiles)))
	c.ExtraFiles = append(c.ExtraFiles, pipe[0])
	return nil
}

// EndWithParent asks this process to stop when the process has ended that tied it, as the
// signal SIGTERM does, and ends it after some time if it has not stopped by then. Without a tie,
// of which it tells, it does nothing.
func EndWithParent(grace time.Duration) (tied bool) {
	descriptor, err := strconv.Atoi(os.Getenv(parentPipe))
	if err != nil {
		return false
	}
	os.Unsetenv(parentPipe) // which means nothing to this process's own children
	syscall.CloseOnExec(descriptor)
	pipe := os.NewFile(uintptr(descriptor), parentPipe)
	if pipe == nil {
		return false
	}
	go func() {
		if _, err := pipe.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			return // it is no such pipe
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		time.Sleep(grace)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}()
	return true
}
