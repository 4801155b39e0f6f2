package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"sentweave/runners/beam/worker"
	"sentweave/runners/child/childtest"
	"sentweave/runners/command"
	"sentweave/runners/libtorch"
	"sentweave/runners/recipe/engine"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs"
)

func TestMain(m *testing.M) {
	if worker.IsWorker(os.Args[1:]) { // started by a runner
		gcs.Register()
		os.Exit(worker.Main(os.Args[1:]))
	}
	if filepath.Base(os.Args[0]) == libtorch.Name { // a stand-in for the program with libtorch
		os.Exit(actAsTorch(os.Args[1:]))
	}
	if value := os.Getenv(childVariable); value != "" { // the command itself, in a process that tests may kill
		var err error
		switch value {
		case forbidden:
			err = childtest.ForbidListening()
		case lockless:
			err = childtest.FailLocks(syscall.ENOSYS)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(command.ExitFailed)
		}
		os.Exit(run(os.Args[1:]))
	}
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// outcome is what a command line gave.
type outcome struct {
	stdout, stderr string
	code           int
}

func sentweave(t *testing.T, args ...string) outcome {
	t.Helper()
	state, err := dataset.Fresh, error(nil)
	parsed, _, _ := newProgram(io.Discard, io.Discard).Parsed(args)
	verb, ok := parsed.(engine.Stander)
	if _, reads := parsed.(engine.Planner); ok && !reads { // whose plan reads its inputs whole
		state, err = verb.Standing(t.Context())
	}
	o := sentweaveIn(t.Context(), args...)
	done, refused := strings.Contains(o.stderr, "is complete, nothing to do"), strings.Contains(o.stderr, dataset.ErrOtherPlan.Error())
	if _, reads := parsed.(engine.Planner); ok && !reads &&
		(done && state != dataset.Complete || refused && !errors.Is(err, dataset.ErrOtherPlan)) {
		t.Errorf("%q finds %v, %v; run, it ends with %d: %s", args, state, err, o.code, o.stderr)
	}
	return o
}

func sentweaveIn(ctx context.Context, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	p := newProgram(&stdout, &stderr)
	code := p.ExitCode(ctx, p.Execute(ctx, args))
	return outcome{stdout.String(), stderr.String(), code}
}

// expect checks the code and that both streams hold the given parts. A part that
// begins with ! must not be there.
func (o outcome) expect(t *testing.T, code int, stdout, stderr []string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", o.code, code, o.stdout, o.stderr)
	}
	for _, stream := range []struct {
		name, text string
		parts      []string
	}{{"stdout", o.stdout, stdout}, {"stderr", o.stderr, stderr}} {
		if stream.parts == nil && stream.text != "" {
			t.Errorf("%s is not empty:\n%s", stream.name, stream.text)
		}
		for _, part := range stream.parts {
			unwanted, negative := strings.CutPrefix(part, "!")
			if negative && strings.Contains(stream.text, unwanted) || !negative && !strings.Contains(stream.text, part) {
				t.Errorf("%s does not fit %q:\n%s", stream.name, part, stream.text)
			}
		}
	}
}

// countsOfWords is a dataset of word counts: unit u has u rows and drops one.
type countsOfWords struct {
	location string
	plan     *dataset.Plan
}

func (s countsOfWords) folder() storage.Folder { return storage.NewLocal(s.location) }

// begin plans a dataset and commits the first units.
func begin(t *testing.T, units, committed int, limit int) countsOfWords {
	t.Helper()
	list := make([]dataset.Unit, units)
	for i := range list {
		list[i].Ordinal = i
	}
	plan, err := dataset.Draft{
		Pipeline: "wordcounts", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Seed: 7, ShardBytes: 1 << 20, Units: list,
		Config: map[string]any{"limit": limit, "cased": true},
		Inputs: []dataset.Input{{Role: "documents", Files: 3, Bytes: 3_000_000, XXH3: "0a"}},
	}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	s := countsOfWords{filepath.Join(t.TempDir(), "counts"), plan}
	if _, err := plan.Create(t.Context(), s.folder(), list); err != nil {
		t.Fatal(err)
	}
	for unit := range committed {
		s.commit(t, unit)
	}
	return s
}

func (s countsOfWords) commit(t *testing.T, unit int) {
	t.Helper()
	a, err := dataset.Begin[schemas.WordCount](s.folder(), s.plan, unit, dataset.NewChain("wordcounts", "count"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Abort()
	for i := range unit {
		row := schemas.WordCount{Word: fmt.Sprintf("word %d.%d", unit, i), Language: []string{"eng", "spa"}[i%2],
			Count: int64(1000*unit + i)}
		if err := errors.Join(a.Write(t.Context(), row), a.Funnel().Keep("wordcounts", row.Language, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Funnel().Drop("wordcounts", "deu", "count", "too_rare", 1); err != nil {
		t.Fatal(err)
	}
	a.Rejects().Add(schemas.Reject{ID: fmt.Sprint("reject ", unit), Step: "count", Reason: "too_rare", Language: "deu",
		Sample: "ein\nWort"})
	if err := a.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// complete makes a whole dataset of 10 rows.
func complete(t *testing.T, limit int) string {
	t.Helper()
	s := begin(t, 5, 5, limit)
	if _, err := s.plan.Finalize(t.Context(), s.folder()); err != nil {
		t.Fatal(err)
	}
	return s.location
}
