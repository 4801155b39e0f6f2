package trials

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/runners/command"
	"sentweave/stages/search"
)

func program() *command.Program {
	return &command.Program{Name: "sentweave-torch", Verbs: Verbs, Stdout: io.Discard, Stderr: io.Discard}
}

// line are the flags of a command line, of which those that are given take the place of others.
func line(verb string, flags ...string) []string {
	base := []string{"--out=o", "--preset=lens", "--from=f", "--bitext=b", "--lens-head=ranker", "--steps=100", "--validate-every=10",
		"--validate-share=.1"}
	for _, f := range flags {
		name, _, _ := strings.Cut(f, "=")
		for i, b := range base {
			if strings.HasPrefix(b, name+"=") {
				base = append(base[:i], base[i+1:]...)
				break
			}
		}
	}
	if verb == "search" {
		base = append(base, "--trials=3") // of which each is parsed
	}
	return append(append([]string{verb}, base...), flags...)
}

// What is wrong with a command line is told before any work.
func TestMisuse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "space.json")
	if err := os.WriteFile(file, []byte(`{"lens-dropout": [0, 0.1]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{line("search", "--space="+file), ""},
		{line("search", "--vary={lens-dropout: [0, .1]}", "--rungs=20,50"), ""},
		{line("search"), "give the settings that trials may have by --space or by --vary"},
		{line("search", "--space="+file, "--vary={rate: [1]}"), "one of both"},
		{line("search", "--space=absent.yaml"), "absent.yaml"},
		{line("search", "--vary={lens-dropuot: [0]}"), "vary:1: train has no setting lens-dropuot, did you mean lens-dropout?"},
		{line("search", "--vary={rate: []}"), "rate has no values"},
		{line("search", "--vary={rate: {from: 2, to: 1}}"), "the range from 2 to 1 is empty"},
		{line("search", "--vary={keep: [1, 2]}"), "keep is one for all trials: give --keep beside the space"},
		{line("search", "--vary={metric: [loss]}"), "metric is one for all trials"},
		{line("search", "--vary={out: [a, b]}"), "out is one for all trials"},
		{line("search", "--vary={threads: [1, 2]}"), "threads is one for all trials"},
		{line("search", "--vary={warmup: [10, 200]}"), "a trial with --warmup=200: --warmup is 200, it must be from 0 to the 100 steps"},
		{line("search", "--vary={warmup: {from: 10, to: 101}}"), "warmup is 101"},
		{line("search", "--vary={lens-dropout: [0, 1.5]}"), "dropout is 1.5, it must be in [0, 1)"},
		{line("search", "--vary={decay: [linear, cubic]}"), `decay must be one of`},
		{line("search", "--vary={rate: [x]}"), "expected a float but got"},
		{line("search", "--vary={lens-margin: [.1, .2]}"),
			"the setting margin changes the loss of lens itself, so that loss on held-out examples does not tell which is better: give a task by --metric"},
		{line("search", "--vary={lens-margin: [.1, .2]}", "--metric=stsb/spearman", "--validate=x"), ""},
		{line("search", "--vary={bitext-batch: [8, 16]}"), "the loss of lens has as many negatives as a batch has"},
		{line("search", "--vary={bitext-batch: [8, 16]}", "--lens-head=classifier"), ""},
		{line("search", "--vary={lens-dropout: [0]}", "--validate-every=0"), "every is 0"},
		{[]string{"search", "--out=o", "--preset=lens", "--from=f", "--bitext=b", "--vary={lens-dropout: [0]}"},
			"trials are compared by a validation: give --validate-every"},
		{line("search", "--vary={lens-dropout: [0]}", "--rungs=15"), "rungs has the step 15, at which trial 000 is not validated"},
		{line("search", "--vary={lens-dropout: [0]}", "--rungs=50,20"), "rungs must be steps in rising order, the 20 is not"},
		{line("search", "--vary={lens-dropout: [0]}", "--survivors=1"), "survivors is 1, it must be above 0 and below 1"},
		{line("search", "--vary={lens-dropout: [0]}", "--trials=0"), "trials is 0"},
		{line("search", "--vary={lens-dropout: [0]}", "--print-config"), "print-config is for train"},
		{line("search", "--vary={lens-dropout: [0]}", "--out="), "out is empty"},

		{line("grid", "--vary={lens-dropout: [0, .1], seed: [1, 2]}"), ""},
		{line("grid", "--vary={lens-dropout: {from: 0, to: .1}}"), "lens-dropout is a range, from which no grid can be made"},
		{line("grid", "--vary={lens-dropout: [0, .1]}", "--patience=2"), "patience would end cells after other steps"},
		{line("grid", "--vary={steps: [100, 200]}"), "take 100 and 200 steps: give all the same --steps"},
		{line("grid", "--vary={steps: [100, 200]}", "--equal-tokens=1000"), "has steps of its own"},
		{line("grid", "--vary={seed: [1]}", "--equal-tokens=1000", "--equal-seconds=2"), "exclude each other"},
		{line("grid", "--vary={bitext: [a, b]}"), "a and b are different examples"},
		{line("grid", "--vary={bitext: [a/b, a-b]}", "--metric=stsb/spearman", "--validate=x"), `would have one folder, "a-b"`},
		{[]string{"grid", "--out=o", "--from=f", "--steps=9", "--validate-every=3", "--metric=stsb/spearman", "--validate=x",
			"--vary={objective: {cosine: {preset: cosine, bitext: a}, mlm: {preset: mlm, examples: b}}, seed: [1, 2]}"}, ""},
		{[]string{"grid", "--out=o", "--from=f", "--steps=9", "--validate-every=3", "--metric=stsb/spearman", "--validate=x",
			"--vary={objective: {cosine: {preset: cosine, bitext: a}, mlm: {preset: mlm}}}"},
			"a trial with --preset=mlm: --preset mlm needs --examples"},
		{line("grid", "--vary={objective: {lens: {preset: lens}, br: {preset: br}}}", "--lens-head=classifier"), "not trained"},
		{[]string{"grid", "--out=o", "--from=f", "--bitext=b", "--steps=9", "--validate-every=3", "--validate-share=.1",
			"--vary={objective: {cosine: {preset: cosine}, br: {preset: br}}}"}, "cosine and bitext are different losses"},
	} {
		err := program().Check(test.args)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q: %v, want %q", test.args, err, test.want)
		}
	}
}

// A trial has the settings of the command line, but for its own.
func TestArguments(t *testing.T) {
	args := []string{"search", "--out", "o", "--steps", "100,200", "--preset=cmlm-then-br", "--examples", "e", "--bitext", "b,c",
		"--vocabulary", "v", "--unigram-bias", "--rate=.001", "--threads", "2", "--validate-every", "50", "--validate-share=.1",
		"--trials", "2", "--vary={rate: [.002], batch: [[8, 16]]}"}
	parsed, _, err := program().Parsed(args)
	if err != nil {
		t.Fatal(err)
	}
	s := parsed.(*Search)
	_, names, err := refusals()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(s.arguments(names, s.list[0].Settings), " ")
	want := "--out=o --steps=100,200 --preset=cmlm-then-br --examples=e --bitext=b,c --vocabulary=v --unigram-bias=true --threads=2 " +
		"--validate-every=50 --validate-share=.1 --rate=.002 --batch=8,16"
	if got != want {
		t.Errorf("%s", got)
	}
	one := s.list[0]
	if one.Steps != 300 || one.train.Out != "o.trials/000" || one.train.Rate[0] != .002 || len(one.train.Batch) != 2 ||
		one.train.Threads != 2 {
		t.Errorf("%+v", one.train)
	}
	if s.better() != -1 || s.metric() != "loss" {
		t.Error(s.better(), s.metric())
	}
}

// A flag may be said by its negation.
func TestNegation(t *testing.T) {
	parsed, _, err := program().Parsed([]string{"grid", "--out=o", "--preset=bsl", "--bitext=b", "--vocabulary=v", "--no-stop-gradient",
		"--steps=9", "--validate-every=3", "--validate-share=.1", "--quiet", "--vary={rate: [.1, .2]}"})
	if err != nil {
		t.Fatal(err)
	}
	if got := parsed.(*Grid).Ranges.given[4].String(); got != "--stop-gradient=false" {
		t.Error(got)
	}
}

// Rungs count the steps of all periods, of which each begins to validate anew.
func TestRungsOfPeriods(t *testing.T) {
	base := []string{"search", "--out=o", "--preset=cmlm-then-br", "--examples=e", "--bitext=b", "--vocabulary=v", "--steps=25,40",
		"--validate-every=10", "--validate-share=.1", "--vary={rate: [.1]}"}
	for rungs, want := range map[string]string{"--rungs=10,25,35": "", "--rungs=30": "the step 30", "--rungs=65,80": ""} {
		err := program().Check(append(base, rungs))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", rungs, err)
		}
	}
}

// The settings that override others are those of the same flags.
func TestOverride(t *testing.T) {
	got := override([]search.Setting{{Flag: "a", Value: "1"}, {Flag: "b", Value: "2"}}, []search.Setting{{Flag: "a", Value: "3"}})
	if search.FlagsOf(got) != "--b=2 --a=3" {
		t.Error(got)
	}
}
