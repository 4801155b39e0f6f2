// Sentweave-torch trains and runs encoders on libtorch. See README.md;
// `sentweave-torch --help` lists the verbs. The command sentweave starts it for the
// verbs of the same names, and to turn texts into vectors.
package main

import (
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"sentweave/pipelines/verb"
	"sentweave/runners/child"
	"sentweave/runners/command"
	"sentweave/runners/pipeline"
	"sentweave/runners/torchverbs"
	"sentweave/runners/torchverbs/threads"
	"sentweave/runners/trials"
	"sentweave/schemas/storage/gcs"
	"sentweave/stages/torch"
)

// stopWait is how long this program may take to stop, perhaps with a checkpoint, once the command
// that started it is gone. What ends in the middle of a checkpoint leaves the one before.
const stopWait = time.Minute

func main() {
	if environment, changed := threads.Environment(os.Environ()); changed { // not by the command sentweave
		if self, err := os.Executable(); err == nil {
			_ = syscall.Exec(self, os.Args, environment) // else it goes on as it is
		}
	}
	p := newProgram(os.Stdout, os.Stderr)
	p.Started = child.EndWithParent(stopWait)
	os.Exit(p.Main(os.Args[1:], os.Exit))
}

func newProgram(stdout, stderr io.Writer) *command.Program {
	gcs.Register()
	return &command.Program{
		Name: "sentweave-torch", About: "Train and run sentence encoders on libtorch.",
		Caller: command.CallerOf(os.Getenv(command.CallerVariable)),
		Extra:  "with libtorch " + torch.Version(),
		Verbs: slices.Concat(torchverbs.Verbs, trials.Verbs,
			[]verb.Verb{pipeline.MineVerb, torchverbs.EncodeVerb, torchverbs.DeviceVerb}),
		Stdout: stdout, Stderr: stderr,
	}
}
