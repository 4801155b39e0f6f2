package pipelines_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/crosslingual"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/sample"
	"sentweave/pipelines/wordcounts"
)

// The test binary runs a pipeline instead of tests where these are set: which
// one, into which folder, with which size of shards and how many units at once.
// Its arguments are the pipeline's.
const (
	childVariable       = "SENTWEAVE_TEST_PIPELINE"
	outputVariable      = "SENTWEAVE_TEST_OUTPUT"
	shardBytesVariable  = "SENTWEAVE_TEST_SHARD_BYTES"
	parallelismVariable = "SENTWEAVE_TEST_PARALLELISM"
	withoutBeamVariable = "SENTWEAVE_TEST_WITHOUT_BEAM"
)

// child returns the command of a process that runs a pipeline.
func child(pipeline, output string, shardBytes int64, parallelism int, args ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], args...)
	command.Env = append(os.Environ(), childVariable+"="+pipeline, outputVariable+"="+output,
		shardBytesVariable+"="+strconv.FormatInt(shardBytes, 10), parallelismVariable+"="+strconv.Itoa(parallelism))
	command.Stderr = os.Stderr
	return command
}

// withoutBeam has a child run its pipeline without Beam's runner.
func withoutBeam(child *exec.Cmd) *exec.Cmd {
	child.Env = append(child.Env, withoutBeamVariable+"=1")
	return child
}

// runChild is the process of child. It prints its greatest memory.
func runChild(pipeline string, args []string) (code int) {
	var config pipelinetest.Pipeline
	var err error
	switch pipeline {
	case "corpus":
		config, err = pipelinetest.Configure[corpus.Config](args...)
	case "crosslingual":
		config, err = pipelinetest.Configure[crosslingual.Config](args...)
	case "dedup":
		config, err = pipelinetest.Configure[dedup.Config](args...)
	case "pairs":
		config, err = pipelinetest.Configure[pairs.Config](args...)
	case "sample":
		config, err = pipelinetest.Configure[sample.Config](args...)
	case "wordcounts":
		config, err = pipelinetest.Configure[wordcounts.Config](args...)
	default:
		err = fmt.Errorf("no pipeline %q", pipeline)
	}
	shardBytes, _ := strconv.ParseInt(os.Getenv(shardBytesVariable), 10, 64)
	parallelism, _ := strconv.Atoi(os.Getenv(parallelismVariable))
	if err == nil {
		job, planErr := config.Plan(context.Background(), os.Getenv(outputVariable), pipelinetest.Settings(shardBytes))
		if err = planErr; err == nil {
			run := pipelinetest.Local
			if os.Getenv(withoutBeamVariable) != "" {
				run = pipelinetest.WithoutBeam
			}
			_, err = run(parallelism)(context.Background(), job)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(peakMemory())
	return 0
}

// peakMemory returns the greatest resident size of this process so far, in
// bytes; 0 where the system does not tell.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// childMemory runs a child to its end and returns its greatest memory.
func childMemory(t testing.TB, command *exec.Cmd) int64 {
	t.Helper()
	out, err := command.Output()
	if err != nil {
		t.Fatalf("child: %v", err)
	}
	peak, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		t.Fatalf("child: %q", out)
	}
	return peak
}
