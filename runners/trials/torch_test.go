//go:build libtorch

package trials

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/pipelines/examples"
	"sentweave/pipelines/pipelinetest"
	"sentweave/runners/torchverbs"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/train"
)

// outcome is what a command line gave.
type outcome struct {
	stdout, stderr string
	code           int
}

// call runs a command line, after it was asked what is there.
func call(t *testing.T, args ...string) (dataset.Fate, outcome) {
	t.Helper()
	p := program()
	p.Verbs = slices.Concat(Verbs, torchverbs.Verbs)
	fate := dataset.Fresh
	if parsed, _, err := p.Parsed(args); err == nil {
		fate, _ = parsed.(interface {
			Standing(context.Context) (dataset.Fate, error)
		}).Standing(t.Context())
	}
	var stdout, stderr bytes.Buffer
	p.Stdout, p.Stderr = &stdout, &stderr
	code := p.ExitCode(t.Context(), p.Execute(t.Context(), args))
	return fate, outcome{stdout.String(), stderr.String(), code}
}

// expect checks the code and that the streams hold the parts.
func (o outcome) expect(t *testing.T, code int, stdout, stderr []string) {
	t.Helper()
	for _, s := range []struct {
		name, text string
		parts      []string
	}{{"stdout", o.stdout, stdout}, {"stderr", o.stderr, stderr}} {
		for _, part := range s.parts {
			if !strings.Contains(s.text, part) {
				t.Errorf("%s does not hold %q:\n%s", s.name, part, s.text)
			}
		}
	}
	if o.code != code {
		t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", o.code, code, o.stdout, o.stderr)
	}
}

// small are the flags of an encoder that learns from pairs in a moment.
func small(t *testing.T) []string {
	vocabulary := pipelinetest.Vocabulary(t)
	var list []schemas.Pair
	for i := range 120 {
		group := uint64(i)
		list = append(list, schemas.Pair{ID: schemas.DerivedID("test", fmt.Sprint(i)), Kind: schemas.KindBitext, Origin: "test",
			Group: &group, LanguageA: "eng", LanguageB: "deu",
			TextA: pipelinetest.Sentence("eng", i), TextB: pipelinetest.Sentence("deu", i)})
	}
	config := pipelinetest.Parse[examples.Config](t, "--pairs", datasettest.Write(t, nil, list), "--mask=trainer", "--max-tokens=24",
		"--vocabulary", vocabulary)
	location, _ := pipelinetest.Run(t, config, pipelinetest.Settings(1<<12), pipelinetest.Plain(2))
	return []string{"--preset=br", "--bitext=" + location, "--vocabulary=" + vocabulary, "--layers=1", "--hidden=16", "--heads=2",
		"--intermediate=32", "--positions=48", "--bitext-batch=8", "--optimizer=adamw", "--steps=12", "--threads=1", "--seed=3",
		"--validate-every=4", "--validate-share=.2"}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A search keeps the encoder of the best trial, which train makes of the settings that are told.
func TestSearch(t *testing.T) {
	flags, base := small(t), t.TempDir()
	out := filepath.Join(base, "out")
	line := slices.Concat([]string{"search", "--out=" + out, "--rungs=4,8", "--vary={rate: {from: 0.0001, to: 0.1, log: true}}"}, flags)
	with := func(flags ...string) []string { return append(slices.Clone(line), flags...) }

	_, o := call(t, with("--trials=5", "--dry-run")...)
	o.expect(t, 0, []string{"000 ", "004 ", "--rate=", "5 trials: about "}, nil)
	if list, err := os.ReadDir(base); len(list) > 0 || err != nil {
		t.Errorf("a dry run leaves %v, %v", list, err)
	}
	fate, o := call(t, with("--trials=5")...)
	o.expect(t, 0, []string{"trial  steps  loss", out + ": the encoder of trial ", "`sentweave train` makes it with --rate="},
		[]string{"search: trial 000, 1 of 5, up to step 4: --rate="})
	if fate != dataset.Fresh {
		t.Error(fate)
	}
	summary := read(t, out, SearchName)
	_, settings, _ := strings.Cut(strings.TrimSpace(o.stdout), "makes it with ")
	again := filepath.Join(base, "again")
	p := program()
	p.Verbs = torchverbs.Verbs
	if err := p.Execute(t.Context(), slices.Concat([]string{"train", "--out=" + again, settings}, flags)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"model.safetensors", train.RecordName} {
		if read(t, out, name) != read(t, again, name) {
			t.Errorf("%s of train differs", name)
		}
	}
	left, err := filepath.Glob(filepath.Join(out+TrialsSuffix, "*"+train.Suffix, "checkpoints", "*", "model.safetensors"))
	if len(left) > 2 || err != nil {
		t.Errorf("of the losers %q is left, %v", left, err)
	}
	fate, o = call(t, with("--trials=5")...)
	o.expect(t, 0, []string{"trial  steps  loss"}, []string{"search: " + out + " is complete, nothing to do"})
	if fate != dataset.Complete {
		t.Error(fate)
	}
	// The trials may be deleted, and made again by more of them.
	if err := os.RemoveAll(out + TrialsSuffix); err != nil {
		t.Fatal(err)
	}
	fate, o = call(t, with("--trials=5")...)
	if o.expect(t, 0, nil, []string{"nothing to do"}); fate != dataset.Complete {
		t.Error(fate)
	}
	_, o = call(t, with("--trials=6")...)
	o.expect(t, 0, []string{"of 6; "}, nil)
	if read(t, out, SearchName) == summary {
		t.Error("the summary has no trial more")
	}
	_, o = call(t, with("--trials=6", "--seed=4")...)
	o.expect(t, 1, nil, []string{"another plan: trial 00", "and here of --rate=", "--overwrite"})
	_, o = call(t, with("--trials=6", "--seed=4", "--overwrite")...)
	o.expect(t, 0, []string{"of 6; "}, nil)
	if err := os.WriteFile(filepath.Join(out, "notes"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, o = call(t, with("--trials=7", "--seed=4")...)
	o.expect(t, 1, nil, []string{`holds "notes", which no search made`})
	if read(t, out, "notes") != "" {
		t.Error("a file of the user is gone")
	}
}

// A grid has a table of means over seeds, and equal tokens give steps to each row.
func TestGrid(t *testing.T) {
	flags, base := small(t), t.TempDir()
	out := filepath.Join(base, "out")
	line := slices.Concat([]string{"grid", "--out=" + out, "--vary={rate: [0.01, 0.0001], seed: [1, 2, 3]}"}, flags)
	fate, o := call(t, line...)
	o.expect(t, 0, []string{"| rate | loss | Seeds |", "| 0.01 | **", "±", "| 0.01 | 0.0001 | −", filepath.Join(out, PageName)},
		[]string{"grid: trial 0.01-1, 1 of 6"})
	if fate != dataset.Fresh {
		t.Error(fate)
	}
	if page := read(t, out, PageName); !strings.Contains(page, "Trainings compared by loss") {
		t.Error(page)
	}
	table := read(t, out, GridName)
	fate, o = call(t, line...)
	if o.expect(t, 0, []string{"| 0.01 | **"}, nil); fate != dataset.Complete || read(t, out, GridName) != table {
		t.Error(fate, "the table differs")
	}
	_, o = call(t, append(slices.Clip(line), "--vary={rate: [0.01, 0.0001], seed: [1, 2]}")...)
	o.expect(t, 1, nil, []string{"its table has the cell 0.01-3, which this grid has not", "--overwrite"})
	equal := filepath.Join(base, "equal")
	line = slices.Concat([]string{"grid", "--out=" + equal, "--metric=loss",
		"--vary={accumulate: [1, 2], seed: [1, 2]}", "--equal-tokens=3000"}, flags)
	_, o = call(t, line...)
	o.expect(t, 0, []string{"All have equal tokens"}, []string{"measuring the steps of equal tokens"})
	var steps [2]int64
	for i := range steps {
		text := read(t, equal, budgetName)
		_, rest, _ := strings.Cut(text, fmt.Sprintf(`"%d": "`, i+1))
		if _, err := fmt.Sscan(strings.SplitN(rest, `"`, 2)[0], &steps[i]); err != nil {
			t.Fatal(err, text)
		}
	}
	if steps[1] < 5 || steps[0] < 2*steps[1]-2 || steps[0] > 2*steps[1]+2 {
		t.Errorf("%d steps of one batch, and %d of two, have equal tokens", steps[0], steps[1])
	}
	_, o = call(t, append(line, "--equal-tokens=4000")...)
	o.expect(t, 1, nil, []string{"its cells have 3000 tokens, and here 4000 tokens"})
	_, o = call(t, slices.Concat([]string{"grid", "--out=" + filepath.Join(base, "timed"), "--equal-seconds=.2",
		"--vary={rate: [0.01, 0.02]}"}, flags)...)
	o.expect(t, 0, []string{"All have equal seconds"}, nil)
}
