// Package worker is the worker of a Beam job: a process that a runner starts, on this
// machine or another one. The program is its own boot loader, so it needs no other
// file and leaves none behind.
package worker

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"

	"sentweave/pipelines/units"
	"sentweave/runners/command"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// IsWorker recognises the arguments by which a runner starts a worker: those of a
// process environment, or those of the SDK's boot loader in a container.
func IsWorker(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "--worker" || strings.HasPrefix(a, "--worker=") || strings.HasPrefix(a, "--provision_endpoint=")
	})
}

// Main is the main function of a worker; it returns the code to exit with, when
// the runner lets go of the worker or is gone. It depends on the arguments alone:
// environment, folder and terminal may be empty.
func Main(args []string) int {
	units.LimitMemory(runtime.NumCPU()) // unless the environment sets a limit
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--provision_endpoint=") }) {
		if err := boot(context.Background(), args); err != nil {
			fmt.Fprintf(command.Visible(os.Stderr), "sentweave worker: %v\n", err)
			return 1
		}
		return 0
	}
	if err := flag.CommandLine.Parse(args); err != nil { // the SDK's own flags
		return 2
	}
	sdk.Init() // does not return in a worker
	return 1
}

// boot does what the boot loader of the SDK's container does, and then the work
// itself, in one process. Nothing has to be fetched: the program is here.
func boot(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("worker", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	id := flags.String("id", "", "")
	provision := flags.String("provision_endpoint", "", "")
	logging := flags.String("logging_endpoint", "", "")
	control := flags.String("control_endpoint", "", "")
	flags.String("artifact_endpoint", "", "")
	flags.String("semi_persist_dir", "", "")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("the arguments of the runner: %w", err)
	}
	ctx = grpcx.WriteWorkerID(ctx, strings.Trim(*id, "'")) // Prism quotes it
	info, err := tools.ProvisionInfo(ctx, *provision)
	if err != nil {
		return fmt.Errorf("ask the runner at %s what to do: %w", *provision, err)
	}
	if url := info.GetLoggingEndpoint().GetUrl(); url != "" {
		*logging = url
	}
	if url := info.GetControlEndpoint().GetUrl(); url != "" {
		*control = url
	}
	if *control == "" {
		return errors.New("the runner names no control endpoint")
	}
	// The SDK asks for parsed flags.
	if err := flag.CommandLine.Parse(nil); err != nil {
		return err
	}
	sdk.Init()
	log.SetupLogging("error", "text") // that a runner lets go of the worker is no news
	slog.SetLogLoggerLevel(slog.LevelError)
	hooks.SerializeHooksToOptions() // there are none, which the harness asks to be told
	return harness.MainWithOptions(ctx, *logging, *control, harness.Options{
		RunnerCapabilities: info.GetRunnerCapabilities(),
		StatusEndpoint:     info.GetStatusEndpoint().GetUrl(),
	})
}
