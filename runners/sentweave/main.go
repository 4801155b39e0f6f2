// Sentweave builds the data that sentence encoders are trained on: from pages
// to Parquet shards. See README.md; `sentweave --help` lists the verbs.
//
// The same program is the worker of a Beam runner, which starts it without a verb.
package main

import (
	"flag"
	"io"
	"os"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"

	"sentweave/runners/beam"
	"sentweave/runners/beam/worker"
	"sentweave/runners/command"
	"sentweave/schemas/storage/gcs"
)

func main() {
	if worker.Is(os.Args[1:]) {
		gcs.Register()
		os.Exit(worker.Main(os.Args[1:]))
	}
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	// The SDK asks for parsed flags; ours are read by kong.
	if err := flag.CommandLine.Parse(nil); err != nil {
		return command.ExitFailed
	}
	sdk.Init()
	defer beam.Close()
	return newProgram(os.Stdout, os.Stderr).Main(args, os.Exit)
}

// newProgram registers the backends of storage and returns the command.
func newProgram(stdout, stderr io.Writer) *command.Program {
	gcs.Register()
	return &command.Program{
		Name: "sentweave", About: "Build, inspect and check the data that sentence encoders are trained on.",
		Verbs: func() any { return &commandLine{} }, Stdout: stdout, Stderr: stderr,
	}
}
