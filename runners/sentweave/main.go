// Sentweave builds the data that sentence encoders are trained on: from pages
// to Parquet shards. See README.md; `sentweave --help` lists the verbs.
//
// The same program is the worker of a Beam runner, which starts it with
// --worker and no verb.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func main() {
	if isWorker(os.Args[1:]) {
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
	ctx, stop := interruptible()
	defer stop()
	// The SDK asks for parsed flags; ours are read by kong.
	if err := flag.CommandLine.Parse(nil); err != nil {
		return exitFailed
	}
	beam.Init()
	p := &program{stdout: os.Stdout, stderr: os.Stderr}
	return p.exitCode(ctx, p.execute(ctx, args))
}

// interruptible returns a context that the first interrupt cancels; the second
// ends the process at once.
func interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	// Caught, so that a reader that goes away (| head) is an error of a write and
	// not the end of the process; caught signals are not passed on to children.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		<-signals
		fmt.Fprintln(os.Stderr, "sentweave: stopping; interrupt again to end at once")
		cancel()
		<-signals
		os.Exit(exitInterrupted)
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}
