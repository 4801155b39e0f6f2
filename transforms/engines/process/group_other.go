//go:build !unix

package process

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// kill ends the program; its children end when their input does.
func kill(c *exec.Cmd) { _ = c.Process.Kill() }

// pollable says whether available can tell what a pipe holds.
const pollable = false

func available(*os.File, []byte) int { return 0 }
