// Sentweave builds the data that sentence encoders are trained on: from pages
// to Parquet shards. See README.md; `sentweave --help` lists the verbs.
//
// The same program is the worker of a Beam runner, which starts it with
// --worker and no verb.
package main

import (
	"flag"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"sentweave/runners/command"
	"sentweave/schemas/storage/gcs"
)

func main() {
	if isWorker(os.Args[1:]) {
		gcs.Register()
		flag.Parse() // the SDK's own flags
		beam.Init()  // does not return in a worker
	}
	os.Exit(run(os.Args[1:]))
}

// isWorker recognises the arguments by which a runner starts a worker.
func isWorker(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "--worker" || strings.HasPrefix(a, "--worker=")
	})
}

func run(args []string) int {
	// The SDK asks for parsed flags; ours are read by kong.
	if err := flag.CommandLine.Parse(nil); err != nil {
		return command.ExitFailed
	}
	beam.Init()
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
