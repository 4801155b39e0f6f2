// Sentweave builds the data that sentence encoders are trained on: from pages
// to Parquet shards. See README.md; `sentweave --help` lists the verbs.
//
// The same program is the worker of a Beam runner, which starts it without a verb.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"

	"sentweave/pipelines/verb"
	"sentweave/runners/beam"
	"sentweave/runners/beam/dataflow"
	"sentweave/runners/beam/worker"
	"sentweave/runners/command"
	"sentweave/runners/libtorch"
	"sentweave/runners/locations"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage/gcs"
	"sentweave/schemas/storage/https"
	"sentweave/stages/encoder"
	"sentweave/transforms/engines/catalog"
)

func main() {
	if worker.IsWorker(os.Args[1:]) {
		gcs.Register()
		https.Register()
		os.Exit(worker.Main(os.Args[1:]))
	}
	args, err := launched(os.Args[1:])
	if err != nil {
		fmt.Fprintf(command.Visible(os.Stderr), "sentweave: %v\n", err)
		os.Exit(command.ExitUsage)
	}
	os.Exit(run(args))
}

// launched turns the arguments of Google's launcher of Flex Templates into ours.
func launched(args []string) ([]string, error) {
	if !dataflow.IsLaunch(args) {
		return args, nil
	}
	ours, ignored, err := dataflow.LaunchArguments(args)
	if len(ignored) > 0 {
		fmt.Fprintf(command.Visible(os.Stderr), "sentweave: these have no meaning here: %s\n", strings.Join(ignored, ", "))
	}
	return ours, err
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
	https.Register()
	return &command.Program{
		Name: "sentweave", About: "Build, inspect and check the data that sentence encoders are trained on, and train them.",
		Verbs: allVerbs, Vars: map[string]string{"engines": catalog.Help()}, Ready: ready, HandOver: libtorch.HandOver,
		Versions: libtorch.Version,
		Stdout:   stdout, Stderr: stderr,
	}
}

// ready says before a verb does anything which of its inputs are not there, or are of
// another kind.
func ready(ctx context.Context, words string, args []string, inputs, outputs []command.Input) error {
	words, _, _ = strings.Cut(words, " <")
	if slices.ContainsFunc(args, func(a string) bool { return a == "--print-config" || strings.HasPrefix(a, "--paths-bytes") }) {
		return nil // these read nothing
	}
	var errs fault.List
	for _, output := range outputs {
		if err := locations.OutputFault(ctx, allVerbs, output); err != nil {
			return command.Usage(err)
		}
	}
	other := func(a string) bool { // a file or a service in the place of a model
		return strings.HasPrefix(a, "--import") || encoder.IsEndpoint(strings.TrimPrefix(a, "--model="))
	}
	device := func(a string) bool { return strings.HasPrefix(a, "--device") }
	v, _ := verb.Find(allVerbs, words)
	if (v.Libtorch || !v.Encodes && slices.ContainsFunc(args, device)) && !slices.ContainsFunc(args, other) {
		errs.Add(libtorch.Fault())
	}
	for _, input := range inputs {
		errs.Add(locations.InputFault(ctx, allVerbs, words, input))
	}
	return errs.Err()
}
