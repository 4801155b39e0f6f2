package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/runners/command"
)

// The data half of the recipe handbook, which needs no libtorch, on the real pages: every dataset is recounted by programs
// that know nothing of ours, and a second run does nothing.
func TestHandbook(t *testing.T) {
	input, model, python := os.Getenv("SENTWEAVE_HANDBOOK"), os.Getenv("SENTWEAVE_LID176"), os.Getenv("SENTWEAVE_PYTHON")
	if input == "" || model == "" {
		t.Skip("skipped: SENTWEAVE_HANDBOOK or SENTWEAVE_LID176 is not set")
	}
	out := filepath.Join(t.TempDir(), "handbook")
	args := []string{"run", "handbook", "--out", out, "--set", "input=" + input, "--set", "langid=" + model,
		"--only", "documents,heldout,survivors,wordcounts,vocabulary,examples,heldout-examples,pairs,pair-examples,heldout-pairs"}
	o := sentweave(t, args...)
	if o.code != command.ExitDone {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	before := digests(t, filepath.Join(out, "examples"))
	again := sentweave(t, args...)
	if again.code != command.ExitDone || strings.Count(again.stderr, "nothing to do") != 10 {
		t.Errorf("second run: exit code %d\n%s", again.code, again.stderr)
	}
	if after := digests(t, filepath.Join(out, "examples")); len(after) != len(before) {
		t.Errorf("the second run left %d files, the first %d", len(after), len(before))
	}
	if python == "" {
		t.Skip("skipped: SENTWEAVE_PYTHON is not set, nobody recounts")
	}
	output, err := exec.Command(python, "testdata/recount.py", out).CombinedOutput()
	if err != nil {
		t.Fatalf("recount: %v\n%s", err, output)
	}
	t.Logf("%s", output)
	if n := strings.Count(string(output), " rows\n"); n != 9 {
		t.Errorf("%d datasets were recounted, want 9", n)
	}
}
