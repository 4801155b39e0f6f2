//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// OwnGroup does nothing here.
func OwnGroup(*exec.Cmd) {}

// kill ends the program; its children end when their input does.
func kill(c *exec.Cmd) { _ = c.Process.Kill() }

// Outside says whether somebody else ended the program, which is not known here.
func (e *Ended) Outside() bool { return false }

// OutsideSignal says whether a signal is one that programs do not raise themselves.
func OutsideSignal(int) bool { return false }

// pollable says whether available can tell what a pipe holds.
const pollable = false

func available(*os.File, []byte) int { return 0 }
