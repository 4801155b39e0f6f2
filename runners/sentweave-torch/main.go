// Sentweave-torch trains and runs encoders on libtorch. See README.md;
// `sentweave-torch --help` lists the verbs. The command sentweave starts it for the
// verbs of the same names, and to turn texts into vectors.
package main

import (
	"io"
	"os"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"sentweave/runners/child"
	"sentweave/runners/command"
	"sentweave/runners/models"
	"sentweave/schemas/storage/gcs"
	"sentweave/stages/torch"
)

// commandLine lists the verbs.
type commandLine struct {
	Init    models.Init    `cmd:"" help:"Make an encoder with random weights."`
	Train   models.Train   `cmd:"" help:"Train an encoder by CMLM, bitext retrieval and other objectives, alone or together."`
	Embed   models.Embed   `cmd:"" help:"Turn the texts of a dataset into a dataset of embeddings."`
	Replace models.Replace `cmd:"" help:"Make views of texts: a masked language model replaces some of the words."`
	States  models.States  `cmd:"" help:"Compute the vectors of the tokens of examples once, for lenses."`
	Prefix  models.Prefix  `cmd:"" help:"Measure what CMLM's prefix tells: its loss with the own, no and another first sentence."`
	Encode  models.Encode  `cmd:"" help:"Give vectors to another program over the standard streams."`
	Device  models.Device  `cmd:"" help:"Say whether libtorch computes on a device."`

	Version kong.VersionFlag `help:"Print the version and exit."`
}

// stopWait is how long this program may take to stop, perhaps with a checkpoint, once the command
// that started it is gone. What ends in the middle of a checkpoint leaves the one before.
const stopWait = time.Minute

func main() {
	if environment, changed := models.Sleeping(os.Environ()); changed { // not by the command sentweave
		if self, err := os.Executable(); err == nil {
			_ = syscall.Exec(self, os.Args, environment) // else it goes on as it is
		}
	}
	child.EndWithParent(stopWait)
	os.Exit(newProgram(os.Stdout, os.Stderr).Main(os.Args[1:], os.Exit))
}

func newProgram(stdout, stderr io.Writer) *command.Program {
	gcs.Register()
	return &command.Program{
		Name: "sentweave-torch", About: "Train and run sentence encoders on libtorch.",
		Extra: "with libtorch " + torch.Version(), Examples: models.Examples,
		Verbs: func() any { return &commandLine{Train: models.NewTrain()} }, Stdout: stdout, Stderr: stderr,
	}
}
