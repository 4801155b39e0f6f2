//go:build libtorch

package torchverbs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/runners/child/childtest"
	"sentweave/runners/command"
	"sentweave/runners/locations"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/doctor"
	"sentweave/stages/embed"
	"sentweave/stages/evaluate"
	"sentweave/stages/metrics"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch"
	"sentweave/stages/train"
	"sentweave/transforms/tokens/formats"
)

// programVariable has the command line, as JSON, of a process that is the program
// with libtorch.
const programVariable = "SENTWEAVE_TEST_PROGRAM"

// locklessVariable has the number of the error with which all locks of files fail in that process.
const locklessVariable = "SENTWEAVE_TEST_LOCKLESS"

// TestAsProgram is that process.
func TestAsProgram(t *testing.T) {
	text := os.Getenv(programVariable)
	if text == "" {
		return // this is not a process of another test
	}
	var args []string
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		t.Fatal(err)
	}
	if number, err := strconv.Atoi(os.Getenv(locklessVariable)); err == nil {
		if err := childtest.FailLocks(syscall.Errno(number)); err != nil {
			t.Fatal(err)
		}
	}
	p := program()
	p.Stdout, p.Stderr = os.Stdout, os.Stderr
	os.Exit(p.Main(args, os.Exit))
}

func process(t *testing.T, args ...string) (c *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	c, stderr = exec.Command(os.Args[0], "-test.run=^TestAsProgram$"), &bytes.Buffer{}
	c.Env, c.Stderr = append(os.Environ(), programVariable+"="+string(text)), stderr
	return c, stderr
}

// outcome is what a command line gave.
type outcome struct {
	stdout, stderr string
	code           int
}

// call runs a command line in this process, and compares what its verb finds with what it has said before
// that it would.
func call(t *testing.T, args ...string) outcome {
	t.Helper()
	state, err := dataset.Fresh, error(nil)
	parsed, _, _ := program().Parsed(args)
	verb, ok := parsed.(interface {
		Standing(ctx context.Context) (dataset.Fate, error)
	})
	if ok {
		state, err = verb.Standing(t.Context())
	}
	o := callIn(t.Context(), args...)
	done, refused := strings.Contains(o.stderr, "is complete, nothing to do"), strings.Contains(o.stderr, dataset.ErrOtherPlan.Error())
	overwrite := slices.Contains(args, "--overwrite")
	if ok && (done && state != dataset.Complete || refused && !errors.Is(err, dataset.ErrOtherPlan) ||
		errors.Is(err, dataset.ErrOtherPlan) && !overwrite && o.code == 0 || done &&
		strings.Contains(o.stderr, "other programs are at work")) {
		t.Errorf("%q finds %v, %v; run, it ends with %d: %s", args, state, err, o.code, o.stderr)
	}
	return o
}

func callIn(ctx context.Context, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	p := program()
	p.Stdout, p.Stderr = &stdout, &stderr
	code := p.ExitCode(ctx, p.Execute(ctx, args))
	return outcome{stdout.String(), stderr.String(), code}
}

// expect checks the code and that the streams hold the parts.
func (o outcome) expect(t *testing.T, code int, stdout, stderr []string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", o.code, code, o.stdout, o.stderr)
	}
	for _, part := range stdout {
		if !strings.Contains(o.stdout, part) {
			t.Errorf("stdout does not hold %q:\n%s", part, o.stdout)
		}
	}
	for _, part := range stderr {
		if !strings.Contains(o.stderr, part) {
			t.Errorf("stderr does not hold %q:\n%s", part, o.stderr)
		}
	}
}

// with puts flags, all written --name=value, in the place of others of the same name.
func with(base []string, flags ...string) []string {
	given := map[string]bool{}
	for _, f := range flags {
		name, _, _ := strings.Cut(f, "=")
		given[name] = true
	}
	return append(slices.DeleteFunc(slices.Clone(base), func(f string) bool {
		name, _, _ := strings.Cut(f, "=")
		return given[name]
	}), flags...)
}

// tiny is an encoder that trains in a moment. Dropout is on: its numbers must be the
// same after a resume. One thread does not fight with those of other tests.
func (c corpus) tiny(out string, flags ...string) []string {
	line := []string{"train", "--out=" + out, "--threads=1", "--seed=3", "--vocabulary=" + c.vocabulary, "--layers=1", "--hidden=16",
		"--heads=2", "--intermediate=32", "--positions=48",
		"--batch=8", "--bitext-batch=8", "--optimizer=adamw", "--log-every=1", "--checkpoint-every=4", "--rate=0.01"}
	if !slices.Contains(flags, "--preset=br") {
		line = append(line, "--vectors=3")
	}
	return with(line, flags...)
}

func (c corpus) cmlm(out string, flags ...string) []string {
	return with(c.tiny(out, "--preset=cmlm", "--examples="+c.consecutive, "--steps=12", "--warmup=3", "--unigram-bias"), flags...)
}

// trained is what must be equal between runs of the same training.
type trained struct {
	Losses []train.Line
	Files  map[string]string
}

func resultOf(t *testing.T, out string) trained {
	t.Helper()
	list, err := train.ReadLosses(filepath.Join(out, train.LossesName))
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		l := &list[i]
		l.Seconds, l.TokensPerSecond, l.WaitShare, l.RemainingSeconds, l.RSSBytes = 0, 0, 0, 0, 0
	}
	r := trained{list, map[string]string{}}
	names := []string{"model.safetensors", "heads.safetensors", "config.json", train.RecordName}
	vocabularies := []string{model.VocabularyName, formats.SerializedName}
	if !slices.ContainsFunc(vocabularies, func(name string) bool { return locations.IsFile(filepath.Join(out, name)) }) {
		t.Fatalf("%s has no vocabulary", out)
	}
	for _, name := range append(vocabularies, model.LensWeightsName, model.SecondWeightsName) {
		if name := filepath.FromSlash(name); locations.IsFile(filepath.Join(out, name)) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		r.Files[name] = string(content)
	}
	// Of the training the optimizer's state alone is left, and the weights to go on with where
	// the encoder is of another step.
	left, err := filepath.Glob(filepath.Join(out+train.Suffix, "checkpoints", "*", "*.safetensors"))
	whole, wholeErr := readRecord(out)
	if err := errors.Join(err, wholeErr); err != nil {
		t.Fatal(err)
	}
	if v := whole.Validated; len(left) == 0 || len(left) != 1 && (v == nil || v.Best == whole.Step) {
		t.Fatalf("of the checkpoints %q is left", left)
	}
	for _, path := range left {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r.Files["left "+filepath.Base(path)] = string(content)
	}
	if r.Files["left optimizer.safetensors"] == "" {
		t.Fatalf("of the checkpoints %q is left, without the optimizer's state", left)
	}
	return r
}

// same compares trainings without printing weights.
func same(t *testing.T, what string, want, got trained) {
	t.Helper()
	if diff := cmp.Diff(want.Losses, got.Losses); diff != "" {
		t.Errorf("%s: losses: %s", what, diff)
	}
	for name, content := range want.Files {
		if got.Files[name] != content {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

func TestTrain(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	first := filepath.Join(base, "first")
	got := call(t, c.cmlm(first)...)
	got.expect(t, 0, []string{first + ": 12 steps, loss ", "this run: 12 steps in "},
		[]string{"train cmlm: step 12 of 12, cmlm ", "train: cmlm: the encoder is in " + first, "--bitext-batch counts for nothing"})
	whole := resultOf(t, first)
	if n := len(whole.Losses); n != 12 || whole.Losses[n-1].Loss >= whole.Losses[0].Loss {
		t.Errorf("%d lines, losses from %v to %v", n, whole.Losses[0].Loss, whole.Losses[n-1].Loss)
	}
	call(t, c.cmlm(first, "--keep=3", "--checkpoint-every=5")...).expect(t, 0, []string{first + ": 12 steps, loss "},
		[]string{"train: " + first + " is complete, nothing to do\n"})

	// Equal calls give equal bytes.
	again := filepath.Join(base, "again")
	call(t, c.cmlm(again, "--checkpoint-every=100")...).expect(t, 0, nil, nil)
	for _, name := range []string{"model.safetensors", "heads.safetensors"} {
		if whole.Files[name] != resultOf(t, again).Files[name] {
			t.Errorf("%s of an equal training differs", name)
		}
	}

	// Another training is refused, and names what differs.
	refusals := []struct {
		name string
		args []string
		want []string
	}{
		{"another rate", c.cmlm(first, "--rate=0.02"), []string{"differs: --rate is 0.01 there and 0.02 here", "--overwrite"}},
		{"another seed", c.cmlm(first, "--seed=4"), []string{"differs: --seed is 3 there and 4 here"}},
		{"another encoder", c.cmlm(first, "--hidden=32"), []string{"differs: --hidden is 16 there and 32 here"}},
		{"other threads", c.cmlm(first, "--threads=2"),
			[]string{"differs: --threads is 1 there and 2 here (--other-threads goes on all the same)"}},
		{"another vocabulary", c.cmlm(filepath.Join(base, "x"), "--vocabulary="+file(t, "vocab.txt", pieces)),
			[]string{"dataset " + c.consecutive + " was made with the vocabulary"}},
		{"bitext for cmlm", c.cmlm(filepath.Join(base, "x"), "--examples="+c.bitext),
			[]string{"dataset " + c.bitext + " holds examples of the kind bitext, cmlm takes consecutive"}},
		{"pairs for examples", c.cmlm(filepath.Join(base, "x"), "--examples="+c.pairs), []string{c.pairs, "holds rows of pair v1"}},
		{"no dataset", c.cmlm(filepath.Join(base, "x"), "--examples="+filepath.Join(base, "absent")), []string{"no dataset", "absent"}},
		{"a folder of others", c.cmlm(c.documents), []string{c.documents, "but no training", "choose an empty folder"}},
		{"longer examples than positions", c.cmlm(filepath.Join(base, "short"), "--positions=8"), []string{"tokens"}},
	}
	for _, test := range refusals {
		t.Run(test.name, func(t *testing.T) { call(t, test.args...).expect(t, 1, nil, test.want) })
	}
	same(t, "after refusals", whole, resultOf(t, first))
	if _, err := os.Stat(filepath.Join(base, "x")); err == nil {
		t.Error("a folder was made before a fault was found")
	}
	call(t, c.cmlm(again, "--rate=0.02", "--overwrite")...).expect(t, 0, []string{": 12 steps"}, nil)
	if resultOf(t, again).Files["model.safetensors"] == whole.Files["model.safetensors"] {
		t.Error("another rate gives the same weights")
	}

	// A whole training goes on for more steps, with the state of its optimizer: at a
	// constant rate it ends as one that had them from the beginning. Without that state it
	// does not.
	constant := func(out string, flags ...string) []string { return c.cmlm(out, append(flags, "--decay=none")...) }
	straight, longer := filepath.Join(base, "straight"), filepath.Join(base, "longer")
	call(t, constant(straight, "--steps=20")...).expect(t, 0, []string{": 20 steps"}, nil)
	call(t, constant(longer)...).expect(t, 0, []string{": 12 steps"}, nil)
	call(t, constant(longer, "--steps=20")...).expect(t, 0, []string{": 20 steps", "this run: 8 steps"},
		[]string{"going on after step 12 of 20", "--steps is 12 there and 20 here"})
	for _, name := range []string{"model.safetensors", "heads.safetensors", "optimizer.safetensors"} {
		if resultOf(t, longer).Files[name] != resultOf(t, straight).Files[name] {
			t.Errorf("%s of a training that went on differs", name)
		}
	}
	call(t, constant(longer, "--steps=20", "--discard")...).expect(t, 0, nil, []string{"nothing to do"})
	call(t, constant(longer, "--steps=30")...).expect(t, 1, nil, []string{"the state of its optimizer is gone", "--from", "--overwrite"})

	// A second period in a folder of its own begins with the first one's weights and heads.
	second := filepath.Join(base, "second")
	then := []string{"train", "--out=" + second, "--from=" + first, "--threads=1", "--preset=cmlm+br", "--examples=" + c.consecutive,
		"--bitext=" + c.bitext, "--vectors=3", "--batch=8", "--bitext-batch=8", "--optimizer=adamw",
		"--steps=6", "--rate=0.005", "--log-every=2", "--tokens=16"}
	call(t, then...).expect(t, 0, []string{second + ": 6 steps"}, []string{"train cmlm+br: step 6 of 6, bitext "})
	losses := resultOf(t, second).Losses
	if len(losses) != 3 || losses[0].Losses["cmlm"] > whole.Losses[0].Losses["cmlm"] {
		t.Errorf("the second training begins with the loss %v, the first one with %v", losses[0].Losses, whole.Losses[0].Losses)
	}
	call(t, then...).expect(t, 0, nil, []string{"nothing to do"})
	call(t, with(then, "--unigram-bias", "--out="+filepath.Join(base, "y"))...).expect(
		t, 2, nil, []string{"--unigram-bias is for new encoders"})
	call(t, with(then, "--vectors=4", "--out="+filepath.Join(base, "y"))...).expect(t, 1, nil, []string{"heads.safetensors"})
	// A beginning with other weights is another training.
	if err := os.Rename(again, first+".other"); err != nil {
		t.Fatal(err)
	}
	call(t, with(then, "--from="+first+".other")...).expect(t, 1, nil, []string{"--from is", "there and"})
}

// Runs that end by --max-time give what one run gives, whose record names the machine.
func TestMaxTime(t *testing.T) {
	c := newCorpus(t)
	whole, cut := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "cut")
	line := func(out string, flags ...string) []string {
		args := c.cmlm(out, append(flags, "--steps=3", "--max-spike=7")...)
		args[slices.Index(args, "--batch=8")] = "--batch-tokens=128"
		return args
	}
	call(t, line(whole)...).expect(t, 0, nil, nil)
	for n := 1; n < 3; n++ {
		call(t, line(cut, "--max-time=1ns")...).expect(t, command.ExitInterrupted, nil,
			[]string{fmt.Sprintf("stopped after step %d of 3, the last good checkpoint is ", n), "the same command goes on from there",
				"--max-time"})
	}
	call(t, line(cut, "--max-time=1ns")...).expect(t, 0, []string{": 3 steps"}, nil)
	want := resultOf(t, whole)
	same(t, "by --max-time", want, resultOf(t, cut))
	var record train.Record
	if err := json.Unmarshal([]byte(want.Files[train.RecordName]), &record); err != nil {
		t.Fatal(err)
	}
	if len(record.Machines) != 1 || record.Machines[0].Libtorch != torch.Version() || record.Machines[0].Processor != doctor.Processor() ||
		record.Machines[0].Kernels != "ATen" {
		t.Errorf("machines %+v", record.Machines)
	}
	call(t, line(cut, "--max-time=1ns", "--dry-run")...).expect(t, 0, []string{"--max-time=1ns: about "}, nil)
}

// A file that --print-config wrote is the same training: it goes on where that of the
// flags ended, and gives the same bytes elsewhere.
func TestTrainByFile(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	whole, again := filepath.Join(base, "whole"), filepath.Join(base, "again")
	flags := c.tiny(whole, "--examples="+c.consecutive, "--bitext="+c.bitext, "--steps=5,4", "--accumulate=1,2", "--unigram-bias",
		"--margin=0.2", "--cache-chunk=4")
	printed := call(t, append(flags, "--print-config")...)
	printed.expect(t, 0, []string{"objective: bitext"}, nil)
	call(t, flags...).expect(t, 0, nil, nil)
	byFile := func(out string) []string {
		return []string{"train", "--out=" + out, "--config=" + file(t, "run.yaml", printed.stdout), "--threads=1",
			"--vocabulary=" + c.vocabulary, "--layers=1", "--hidden=16", "--heads=2", "--intermediate=32", "--positions=48"}
	}
	call(t, byFile(whole)...).expect(t, 0, nil, []string{"nothing to do"})
	// What differs is named as the caller set it.
	call(t, with(flags, "--rate=0.01,0.02")...).expect(t, 1, nil, []string{"--rate of period cmlm+br is 0.01 there and 0.02 here"})
	call(t, append(flags, "--bitext-batch=4")...).expect(t, 1, nil, []string{"--bitext-batch of period cmlm+br is 8 there and 4 here"})
	call(t, with(flags, "--cache-chunk=5")...).expect(t, 1, nil, []string{"--cache-chunk of period cmlm+br is 4 there and 5 here"})
	call(t, append(flags, "--recompute")...).expect(t, 0, nil, []string{"nothing to do"})
	call(t, append(flags, "--margin=0.3")...).expect(t, 1, nil, []string{"differs: --margin is 0.2 there and 0.3 here;"})
	call(t, with(flags, "--clip=2")...).expect(t, 1, nil, []string{"--clip of period cmlm is 1 there and 2 here"})
	call(t, append(byFile(whole), "--margin=0.3")...).expect(t, 1, nil, []string{"--margin is 0.2 there"})
	other := byFile(whole)
	other[2] = "--config=" + file(t, "other.yaml", strings.ReplaceAll(printed.stdout, "margin: 0.2", "margin: 0.4"))
	call(t, other...).expect(t, 1, nil, []string{"differs: model.bitext.margin is 0.2 there and 0.4 here"})
	call(t, byFile(again)...).expect(t, 0, nil, nil)
	same(t, "by a file", resultOf(t, whole), resultOf(t, again))
}

// The encoder's own pooling is trained, whatever the flags say.
func TestTrainFromKeepsThePooling(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	first, second := filepath.Join(base, "first"), filepath.Join(base, "second")
	call(t, c.cmlm(first, "--pooling=cls", "--steps=3")...).expect(t, 0, nil, nil)
	call(t, "train", "--out", second, "--from", first, "--preset=br", "--bitext", c.bitext, "--steps=2", "--bitext-batch=8",
		"--tokens=16").expect(t, 0, nil, nil)
	r, err := readRecord(second)
	if err != nil || r.Config.Model.Pooling != "cls" || r.Config.Model.Objectives["cmlm"].(*objective.CMLM).Pooling != "cls" ||
		r.Config.Model.Objectives["bitext"].(*objective.Bitext).Pooling != "cls" {
		t.Errorf("got %+v, %v", r, err)
	}
}

// A vocabulary by another name than vocab.txt, the one in every encoder's folder,
// is still known there.
func TestTrainFromKnowsTheVocabulary(t *testing.T) {
	c := newCorpus(t)
	c.vocabulary = copied(t, c.vocabulary, "english.txt")
	c.consecutive = examplesOf(t, c.vocabulary, "--documents", c.documents, "--mode=sentence", "--min-tokens=4", "--max-tokens=24")
	base := t.TempDir()
	first := filepath.Join(base, "first")
	call(t, c.cmlm(first, "--steps=3")...).expect(t, 0, nil, nil)
	call(t, "train", "--out", filepath.Join(base, "second"), "--from", first, "--preset=cmlm", "--examples", c.consecutive, "--vectors=3",
		"--steps=2", "--batch=8", "--tokens=16").expect(t, 0, nil, nil)
	call(t, "prefix", "--out", filepath.Join(base, "prefix"), "--model", first, "--examples", c.consecutive, "--batch=8").expect(
		t, 0, []string{"own prefix"}, nil)
}

// moment says whether it is time to kill, asked again and again.
type moment func() bool

// after is a moment some time after the start.
func after(d time.Duration) moment {
	var end time.Time
	return func() bool {
		if end.IsZero() {
			end = time.Now().Add(d)
		}
		return time.Now().After(end)
	}
}

// when is a moment a little after a count has come.
func when(count func() int, n int, later time.Duration) moment {
	rest := after(later)
	return func() bool { return count() >= n && rest() }
}

// A shard that is missing is told once, before anything is trained.
func TestTrainOnAMissingShard(t *testing.T) {
	c := newCorpus(t)
	if err := os.Remove(filepath.Join(c.bitext, "data", "part-00000.parquet")); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	o := call(t, c.tiny(out, "--preset=br", "--bitext="+c.bitext, "--steps=2")...)
	o.expect(t, 1, nil, []string{"the shard is missing", "sentweave examples"})
	if _, err := os.Stat(out); err == nil || strings.Count(o.stderr, "the shard is missing") != 1 {
		t.Errorf("%v; stderr: %s", err, o.stderr)
	}
}

// killed runs a command line in another process and kills it at each of the moments,
// as long as it has not ended; then it lets it end. It returns the number of kills.
func killed(t *testing.T, moments []moment, args []string) (kills int) {
	t.Helper()
	for _, now := range append(moments, func() bool { return false }) {
		c, stderr := process(t, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for running := true; running; {
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("after %d kills: %v\n%s", kills, err, stderr)
				}
				return kills
			case <-time.After(time.Millisecond):
				running = !now()
			}
		}
		_ = c.Process.Kill() // it may have ended
		if <-ended != nil {
			kills++
		}
	}
	return kills
}

// A training of both objectives in two periods, with gradient caching and layers that are computed again, survives kills.
func TestTrainKilled(t *testing.T) {
	c := newCorpus(t)
	whole, outs := survives(t, 82, func(out string) []string {
		return c.tiny(out, "--examples="+c.consecutive, "--bitext="+c.bitext, "--steps=40,42", "--accumulate=1,2", "--log-every=2",
			"--checkpoint-every=3", "--unigram-bias", "--skip", "--mean-projection", "--projection-width=1",
			"--cache-chunk=3", "--recompute")
	})
	for i, out := range outs {
		same(t, fmt.Sprint("first period of attempt ", i), periodOf(t, whole, "cmlm"), periodOf(t, out, "cmlm"))
	}
}

// A training that is validated, frozen in part, with Adam and rates by layer survives kills, and
// ends with its best encoder, when its patience ends.
func TestValidatedTrainKilled(t *testing.T) {
	c := newCorpus(t)
	line := func(out string) []string {
		return c.tiny(out, "--preset=br", "--bitext="+c.bitext, "--steps=400", "--decay=none", "--rate=0.01", "--optimizer=adam",
			"--log-every=2", "--checkpoint-every=7", "--keep=1",
			"--validate-every=6", "--validate-share=0.2", "--validate-examples=24", "--patience=3", "--freeze=embeddings",
			"--layer-decay=0.9")
	}
	whole, _ := survives(t, 30, line)
	r, err := readRecord(whole)
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Validated; r.Step >= 400 || !v.Stopped || v.Best != r.Step-18 || v.Value <= 0 {
		t.Errorf("step %d, %+v", r.Step, v)
	}
	// Another run takes more steps, and says where the encoder is from.
	call(t, with(line(whole), "--steps=500")...).expect(t, 0, []string{"the encoder is that of step "},
		[]string{"loss on held-out examples", "going on after step"})
	call(t, with(line(filepath.Join(t.TempDir(), "none")), "--metric=accuracy")...).expect(
		t, 2, nil, []string{`metric "accuracy" is not one of period br (loss, loss/bitext)`})
	sampled := call(t, c.tiny(filepath.Join(t.TempDir(), "sampled"), "--preset=br", "--bitext="+c.bitext, "--steps=3",
		"--sample-alpha=0.5")...)
	sampled.expect(t, 0, []string{": 3 steps"}, []string{"train: an epoch of br/bitext draws "})
	// Another dataset instead, and one that cannot be.
	absent := filepath.Join(t.TempDir(), "absent")
	call(t, with(c.cmlm(absent), "--validate-every=4", "--validate="+c.bitext)...).expect(
		t, 1, nil, []string{"validation: none of the datasets", "holds examples that cmlm takes, of the kind consecutive"})
	if _, err := os.Stat(absent); err == nil {
		t.Error("the output was made")
	}
	call(t, with(c.cmlm(absent), "--validate-every=4", "--validate="+c.consecutive)...).expect(t, 0, []string{"on held-out examples"},
		[]string{"train cmlm: step 4, loss on held-out examples"})
}

// A training that a task of evaluate validates survives kills: its figures are equal to the
// last digit, and so is what they choose. Pearson's correlation follows each digit of a cosine.
func TestTrainValidatedByATask(t *testing.T) {
	c := newCorpus(t)
	var table strings.Builder
	table.WriteString("one\ttwo\tgold\n")
	for i := range 40 {
		fmt.Fprintf(&table, "%s\t%s\t%d\n", pipelinetest.Sentence("eng", i), pipelinetest.Sentence("deu", i+i%3), i%3)
	}
	scores := file(t, "scores.tsv", table.String())
	task := filepath.Join(filepath.Dir(scores), "mine.yaml")
	if err := os.WriteFile(task, []byte(
		"name: mine\nmetric: correlation\nlanguage: eng\nlanguage_b: deu\nfiles: {test: scores.tsv}\ncolumns: {text_a: one, text_b: two, score: gold}\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	line := func(out string) []string {
		return c.tiny(out, "--preset=br", "--bitext="+c.bitext, "--steps=300", "--checkpoint-every=7", "--log-every=2", "--keep=1",
			"--validate-every=30", "--metric=mine/pearson", "--validate="+task)
	}
	whole, _ := survives(t, 30, line)
	r, err := readRecord(whole)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := train.ReadLosses(filepath.Join(whole, train.LossesName))
	if err != nil {
		t.Fatal(err)
	}
	best, validations := math.Inf(-1), 0
	for _, l := range lines {
		if l.Validation != nil {
			best, validations = max(best, l.Validation["mine/pearson"]), validations+1
		}
	}
	if v := r.Validated; validations != 10 || v.Value != best {
		t.Errorf("%+v is the best of %d validations, of which the greatest is %v", v, validations, best)
	}
	// The encoder that is published has the figure by which it was chosen.
	m, err := embed.Open(embed.ModelConfig{Model: whole, Layer: -1, Compute: torch.Compute{Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for row, err := range evaluate.Measure(
		t.Context(), evaluate.Config{TaskFiles: []string{task}, Split: "test", Probe: "literature", Seeds: 1}, m) {
		if err != nil || row.Metric == metrics.Pearson && row.Value != r.Validated.Value {
			t.Errorf("%+v, %v: chosen by %v", row, err, r.Validated.Value)
		}
	}
	// The training is the same without a validation: neither dropout nor an order follows from it.
	other := filepath.Join(t.TempDir(), "other")
	call(t, slices.DeleteFunc(line(other),
		func(f string) bool { return strings.HasPrefix(f, "--validate") || strings.HasPrefix(f, "--metric") })...).expect(t, 0, nil, nil)
	plain := resultOf(t, other).Losses
	for i, l := range resultOf(t, whole).Losses {
		if l.Validation = nil; !cmp.Equal(l, plain[i]) {
			t.Fatalf("with a validation %+v, without it %+v", l, plain[i])
		}
	}
	other = filepath.Join(t.TempDir(), "other")
	for metric, want := range map[string]string{
		"mine/accuracy": `metric "mine/accuracy": the task has no such figure: give one of mine/spearman, mine/pearson`,
		"stsb/pearson":  `metric "stsb/pearson": the task has no such figure`,
	} {
		call(t, with(line(other), "--metric="+metric)...).expect(t, 2, nil, []string{want})
	}
	call(t, with(slices.DeleteFunc(line(other), func(f string) bool { return strings.HasPrefix(f, "--validate=") }),
		"--validate-share=0.1")...).expect(
		t, 2, nil, []string{`metric "mine/pearson" is not one of period br (loss, loss/bitext); the name of a figure of a task of evaluate begins with the task, such as stsb/spearman, and needs --validate, which the task reads`})
	if _, err := os.Stat(other); err == nil {
		t.Error("the output was made")
	}
}

// survives checks that a training which is killed at any moment, and run again, gives
// the losses and weights of one that was not. Its command lines train for so many
// steps, and write a line of losses for two of them. It returns the folders of the
// training that was not killed and of the others.
func survives(t *testing.T, steps int, args func(out string) []string) (whole string, outs []string) {
	t.Helper()
	attempts := 5
	if testing.Short() {
		attempts = 1
	}
	return survivesAttempts(t, attempts, steps, args)
}

// survivesAttempts is survives with so many attempts, of four kills each.
func survivesAttempts(t *testing.T, attempts, steps int, args func(out string) []string) (whole string, outs []string) {
	t.Helper()
	base := t.TempDir()
	whole = filepath.Join(base, "whole")
	began := time.Now()
	call(t, args(whole)...).expect(t, 0, nil, nil)
	took := time.Since(began)
	want := resultOf(t, whole)
	random := rand.New(rand.NewPCG(1, 2))
	some := func(d time.Duration) time.Duration { return time.Duration(random.Int64N(int64(d))) }
	kills := 0
	for i := range attempts {
		out := filepath.Join(base, fmt.Sprint(i))
		lines := func() int {
			content, err := os.ReadFile(filepath.Join(out, train.LossesName))
			if err != nil {
				return 0
			}
			return bytes.Count(content, []byte("\n"))
		}
		kills += killed(t, []moment{
			after(some(took)), // perhaps before the plan is written, which a process of its own writes later
			when(lines, 1+i, some(5*time.Millisecond)), when(lines, 4+random.IntN(steps/2-6), some(10*time.Millisecond)),
			when(lines, steps/2, some(20*time.Millisecond)),
		}, args(out))
		same(t, fmt.Sprint("attempt ", i), want, resultOf(t, out))
		if left, err := filepath.Glob(filepath.Join(out+train.Suffix, storage.TemporaryFolder, "*")); err != nil || len(left) > 0 {
			t.Errorf("attempt %d left %v, %v", i, left, err)
		}
		outs = append(outs, out)
	}
	t.Logf("killed %d times", kills)
	if kills < attempts {
		t.Errorf("only %d kills came in the midst of the work", kills)
	}
	return whole, outs
}

// periodOf is the result of a period before the last one, which has no losses of its own: its weights.
func periodOf(t *testing.T, out, name string) trained {
	t.Helper()
	r := trained{Files: map[string]string{}}
	for _, pattern := range []string{"*.safetensors", "*/*.safetensors"} {
		paths, err := filepath.Glob(filepath.Join(out, name, pattern))
		if err != nil || len(paths) == 0 && pattern == "*.safetensors" {
			t.Fatalf("no weights of %s in %s: %v", name, out, err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r.Files[strings.TrimPrefix(path, out)] = string(content)
		}
	}
	return r
}

// A file system without locks, as Lustre and NFS often are, is told, and the training goes on.
func TestTrainWithoutLocks(t *testing.T) {
	c := newCorpus(t)
	for _, errno := range []syscall.Errno{syscall.ENOLCK, syscall.ENOSYS} {
		out := filepath.Join(t.TempDir(), "out")
		p, stderr := process(t, c.cmlm(out, "--steps=3")...)
		p.Env = append(p.Env, locklessVariable+"="+strconv.Itoa(int(errno)))
		err := p.Run()
		if want := "the file system of " + out + train.Suffix + " has no locks: see to it that no other process trains there"; err != nil ||
			!strings.Contains(stderr.String(), want) {
			t.Errorf("%v: %v, want the note %q:\n%s", errno, err, want, stderr)
		}
	}
}

// An interrupt ends with a checkpoint after the step at hand, and the way to go on.
func TestTrainInterrupted(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	out, whole := filepath.Join(base, "out"), filepath.Join(base, "whole")
	long := []string{"--steps=200", "--checkpoint-every=1000", "--log-every=1", "--warmup=0"}
	p, stderr := process(t, c.cmlm(out, long...)...)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	for range 4000 { // until it is under way
		if content, err := os.ReadFile(filepath.Join(out, train.LossesName)); err == nil && bytes.Count(content, []byte("\n")) >= 5 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := p.Wait()
	if p.ProcessState.ExitCode() != 130 || !strings.Contains(stderr.String(), "interrupted; run the same command again to go on") {
		t.Fatalf("%v\n%s", err, stderr)
	}
	steps, err := os.ReadDir(filepath.Join(out+train.Suffix, "checkpoints"))
	if err != nil || len(steps) != 1 {
		t.Fatalf("checkpoints: %v, %v", steps, err)
	}
	step := strings.TrimLeft(steps[0].Name(), "0")
	if want := "train: the state after step " + step + " is in "; !strings.Contains(stderr.String(), want) {
		t.Errorf("stderr does not hold %q:\n%s", want, stderr)
	}
	call(t, c.cmlm(out, long...)...).expect(t, 0, []string{": 200 steps"},
		[]string{"train: going on after step " + step + " of 200 from checkpoint "})
	call(t, c.cmlm(whole, long...)...).expect(t, 0, nil, nil)
	same(t, "after an interrupt", resultOf(t, whole), resultOf(t, out))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	callIn(ctx, c.cmlm(filepath.Join(base, "never"), long...)...).expect(
		t, 130, nil, []string{"interrupted; run the same command again to go on"})
}
