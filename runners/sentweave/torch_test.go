package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sentweave/pipelines/verb"
	"sentweave/runners/child"
	"sentweave/runners/command"
	"sentweave/runners/libtorch"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/encoder"
)

// The test binary stands in for the program with libtorch where it is started
// under that name. This says what it does then: "exit N", "wait" until it is asked
// to stop, be "slow" after that, be "killed".
const standInVariable = "SENTWEAVE_TEST_TORCH"

// standInLog is where it writes what comes to it, in the current folder.
const standInLog = "SENTWEAVE_TEST_TORCH_LOG"

func actAsTorch(args []string) int {
	started := child.EndWithParent(time.Minute)
	how := os.Getenv(standInVariable)
	if len(args) > 0 && args[0] == "encode" {
		err := encoder.Serve(context.Background(), os.Stdin, os.Stdout, func() (encoder.Encoder, error) {
			switch how {
			case "no model":
				return nil, errors.New("the model has no weights")
			case "say arguments":
				return nil, errors.New(strings.Join(args, " "))
			}
			return letters{}, nil
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, "stand-in:", err)
			return 1
		}
		return 0
	}
	if len(args) == 1 && args[0] == "device" {
		fmt.Println(2)
		return 0
	}
	if len(args) > 0 && args[0] == "device" {
		fmt.Fprintf(os.Stderr, "stand-in: %s needs a GPU\n", args[1])
		return 1
	}
	data, err := json.Marshal(args)
	if err != nil {
		return 99
	}
	fmt.Printf("%s\n", data)
	code, exits := strings.CutPrefix(how, "exit ")
	switch {
	case exits:
		fmt.Fprintf(os.Stderr, "stand-in: I end with %s\n", code)
		n, err := strconv.Atoi(code)
		if err != nil {
			return 99
		}
		return n
	case how == "say caller":
		fmt.Fprintf(os.Stderr, "stand-in: %s\n",
			command.CallerOf(os.Getenv(command.CallerVariable))("take fewer by --bitext-batch, or --cased"))
		return 1
	case how == "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // does not return
	}
	p := &command.Program{Name: "stand-in", Verbs: []verb.Verb{{Name: "work", New: func() any { return new(standInWork) }}},
		Stdout: os.Stdout, Stderr: os.Stderr, Started: started}
	return p.Main([]string{"work", how}, os.Exit)
}

// standInWork is a verb that handles interrupts as those of the program with libtorch do.
type standInWork struct {
	How string `arg:""`
}

// Run implements the verb: it waits to be asked to stop.
func (w *standInWork) Run(ctx context.Context) error {
	log, err := os.OpenFile(os.Getenv(standInLog), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for s := range signals {
			fmt.Fprintln(log, s)
		}
	}()
	fmt.Fprintln(log, "ready")
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		return errors.New("nobody asked me to stop")
	}
	if w.How == "slow" {
		time.Sleep(10 * time.Second)
	}
	time.Sleep(600 * time.Millisecond) // the checkpoint
	fmt.Fprintln(log, "checkpoint")
	return errors.Join(ctx.Err(), command.ErrResumes)
}

// letters gives each text how often it has some letters.
type letters struct{}

func (letters) Name() string { return "letters" }

func (letters) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	var data []float32
	for _, t := range texts {
		for _, l := range "aeinorst" {
			data = append(data, float32(strings.Count(t.Text, string(l)))+.01)
		}
	}
	return encoder.NewDense(data, len("aeinorst"))
}

// standIn makes the stand-in that $SENTWEAVE_TORCH names, and returns its log.
func standIn(t *testing.T, how string) (log string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	path := filepath.Join(folder, libtorch.Name)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	log = filepath.Join(folder, "log")
	t.Chdir(folder)
	err = os.WriteFile("v.txt", []byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n"), 0o666)
	for _, input := range []string{"x,y", "m", "a*?'b", "e", "t"} { // of handedOver
		err = errors.Join(err, os.Mkdir(input, 0o777))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(libtorch.Variable, path)
	t.Setenv(standInVariable, how)
	t.Setenv(standInLog, log)
	return log
}

// handedOver are command lines of all verbs on libtorch.
var handedOver = [][]string{
	{"train", "--out", "an encoder", "--preset=cmlm", "--examples", "x,y", "--vocabulary", "v.txt", "--steps", "3", "--unigram-bias",
		"--prefix-norm=false"},
	{"init", "--out=a", "--vocabulary=v.txt", "--layers", "0"},
	{"embed", "--out=a", "--model", "m", "--texts", "a*?'b", "--layer", "-1"},
	{"serve", "--model=a=m,e", "--listen", "127.0.0.1:1"},
	{"prefix", "--model=m", "--examples=e", "--out", "a"},
	{"states", "--model=m", "--examples=e", "--out", "a", "--tokens=9"},
	{"search", "--out=a", "--preset=cmlm", "--examples", "x,y", "--vocabulary", "v.txt", "--vary={rate: [0.001, 0.002]}",
		"--validate-every=1", "--validate-share=0.1"},
	{"grid", "--out=a", "--preset=cmlm", "--examples", "x,y", "--vocabulary", "v.txt", "--vary={seed: [1, 2]}", "--validate-every=1",
		"--validate-share=0.1"},
	{"mine", "--source=m", "--target=e", "--out=a", "--device", "cpu"},
	{"replace", "--model=m", "--texts", "t", "--out=a", "--share=0.3", "--language", "eng,deu"},
}

func TestHandOver(t *testing.T) {
	for _, v := range allVerbs {
		if v.Libtorch && !slices.ContainsFunc(handedOver, func(args []string) bool { return args[0] == v.Name }) {
			t.Errorf("handedOver has no command line of %s", v.Name)
		}
	}
	for _, args := range handedOver {
		for _, code := range []int{0, 1, 2, 130, 7} {
			t.Run(fmt.Sprint(args[0], " ", code), func(t *testing.T) {
				standIn(t, fmt.Sprint("exit ", code))
				got := sentweave(t, args...)
				want, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				if got.code != code || got.stdout != string(want)+"\n" || got.stderr != fmt.Sprintf("stand-in: I end with %d\n", code) {
					t.Errorf("got %+v, want the arguments %s", got, want)
				}
			})
		}
	}
}

// A fault in the flags is told before the other program is looked for.
func TestHandOverChecksFirst(t *testing.T) {
	t.Setenv(libtorch.Variable, "/nowhere/at/all")
	sentweave(t, "train", "--out=a", "--rate=-1", "--vocabulary=v", "--examples=e").expect(
		t, 2, nil, []string{"rate is -1", "!nowhere", "see `sentweave train --help`"})
	sentweave(t, "embed", "--out=a", "--modle=x").expect(t, 2, nil, []string{`did you mean "--model"?`})
}

func TestTorchProgramMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(libtorch.Variable, "")
	t.Setenv(cache.Variable, t.TempDir()) // evaluate looks there for vectors
	way := []string{"sentweave-torch", "neither beside this program nor on PATH", "`make torch` builds it", "$SENTWEAVE_TORCH"}
	folder := t.TempDir()
	for _, name := range []string{"config.json", "model.safetensors"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("{}"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	lines := append(slices.Clone(handedOver), []string{"evaluate", "--out", filepath.Join(t.TempDir(), "r"), "--tasks=retrieval", "--texts",
		parallelPairs(t, 3), "--model", folder})
	for _, args := range lines {
		t.Run(args[0], func(t *testing.T) {
			got := sentweave(t, args...)
			got.expect(t, 1, nil, append(way, "!panic"))
			if strings.Count(got.stderr, "sentweave: ") != 1 {
				t.Errorf("more than one error:\n%s", got.stderr)
			}
		})
	}
	t.Setenv(libtorch.Variable, filepath.Join(t.TempDir(), "gone"))
	sentweave(t, handedOver[0]...).expect(t, 1, nil, []string{"$SENTWEAVE_TORCH", "gone", "no such file", "`make torch`"})
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(libtorch.Variable, file)
	sentweave(t, handedOver[0]...).expect(t, 1, nil, []string{"$SENTWEAVE_TORCH", "permission denied"})
}

func TestTorchProgramOnPath(t *testing.T) {
	standIn(t, "exit 0")
	t.Setenv("PATH", filepath.Dir(os.Getenv(libtorch.Variable)))
	t.Setenv(libtorch.Variable, "")
	sentweave(t, handedOver[1]...).expect(t, 0, []string{`["init",`}, []string{"stand-in"})
}

func TestTorchProgramKilled(t *testing.T) {
	standIn(t, "killed")
	sentweave(t, handedOver[0]...).expect(t, 1, []string{"train"}, []string{"signal: killed", "when memory runs out"})
}

// parent starts the command in a process group of its own, as a shell does, and
// waits until the stand-in is ready. Its stderr ends when both have ended.
func parent(t *testing.T, log string) (c *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	c, stderr = program(handedOver[0]...), &bytes.Buffer{}
	c.Stderr = stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() }) // if the test failed
	awaitLog(t, log, "ready")
	return c, stderr
}

// awaitLog waits until the log has the line, and returns its lines.
func awaitLog(t *testing.T, log, line string) []string {
	t.Helper()
	for range 12_000 { // a minute
		if data, err := os.ReadFile(log); err == nil && strings.Contains(string(data), line+"\n") {
			return strings.Split(strings.TrimSpace(string(data)), "\n")
		}
		time.Sleep(5 * time.Millisecond)
	}
	data, err := os.ReadFile(log)
	t.Fatalf("%q did not come: %q, %v", line, data, err)
	return nil
}

// A recipe that is interrupted in a step on libtorch says last, below its table, how it goes on.
func TestRecipeInterruptedOnLibtorch(t *testing.T) {
	log := standIn(t, "wait")
	place(t, "r.yaml", []byte("name: r\nabout: An encoder.\nsteps:\n  - {name: start, run: init, with: {vocabulary: v.txt}}\n"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan outcome)
	go func() { ended <- sentweaveIn(ctx, "run", "r.yaml", "--out", "out") }()
	awaitLog(t, log, "ready")
	cancel()
	o := <-ended
	o.expect(t, 130, []string{"start  interrupted"}, []string{"stand-in: interrupted; run the same command again"})
	if !strings.HasSuffix(o.stderr, "sentweave: interrupted; run the same command again to go on; what is committed stays\n") {
		t.Errorf("the last line is of:\n%s", o.stderr)
	}
}

// An interrupt of the terminal goes to the whole process group of the command: the
// program with libtorch must get one signal only, or it would end without its
// checkpoint.
func TestHandOverInterrupted(t *testing.T) {
	log := standIn(t, "wait")
	c, stderr := parent(t, log)
	if err := syscall.Kill(-c.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := c.Wait()
	lines := awaitLog(t, log, "checkpoint")
	if want := []string{"ready", "terminated", "checkpoint"}; !slices.Equal(lines, want) {
		t.Errorf("the program got %q, want %q", lines, want)
	}
	if c.ProcessState.ExitCode() != 130 {
		t.Errorf("ended with %v", err)
	}
	const want = "sentweave: stopping; interrupt again to end at once\nstand-in: interrupted; run the same command again to go on; what is committed stays\n"
	if got := stderr.String(); got != want { // each program says its part
		t.Errorf("stderr is %q, want %q", got, want)
	}
}

func TestHandOverInterruptedTwice(t *testing.T) {
	log := standIn(t, "slow")
	c, _ := parent(t, log)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	awaitLog(t, log, "terminated")
	time.Sleep(400 * time.Millisecond) // more than a burst
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := c.Wait()
	if c.ProcessState.ExitCode() != 130 {
		t.Errorf("ended with %v", err)
	}
	if data, err := os.ReadFile(log); err != nil || strings.Contains(string(data), "checkpoint") {
		t.Errorf("the program did not end at once: %q, %v", data, err)
	}
}

// The program with libtorch ends when the command is killed, with its checkpoint.
func TestHandOverKilled(t *testing.T) {
	log := standIn(t, "wait")
	c, stderr := parent(t, log)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // killed
	awaitLog(t, log, "checkpoint")
	if !strings.HasSuffix(stderr.String(), "stand-in: interrupted; run the same command again to go on; what is committed stays\n") {
		t.Errorf("stderr is %q", stderr)
	}
}

// A step of a recipe that is handed over fails with one line that names the step.
func TestHandOverInRecipe(t *testing.T) {
	standIn(t, "exit 1")
	file := filepath.Join(t.TempDir(), "r.yaml")
	text := "name: r\nabout: One encoder.\nsteps:\n  - {name: first, run: init, with: {vocabulary: v.txt}}\n  - {name: second, run: embed, from: {model: first}, with: {texts: t}}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "run", file, "--out", filepath.Join(t.TempDir(), "out")).expect(t, 1, []string{"── first: init", "failed", "!── second"},
		[]string{"stand-in: I end with 1\n", "sentweave: step first failed"})
}

// Where the examples are there, too few for a batch are told before the first step, with the recipe's own way out; later
// the other program knows that way, too.
func TestRecipeOfTooFewExamples(t *testing.T) {
	standIn(t, "say caller")
	pairs := parallelPairs(t, 4)
	sentweave(t, "examples", "--pairs", pairs, "--vocabulary", "v.txt", "--out", "examples").expect(t, 0, anything, anything)
	for from, want := range map[string]outcome{
		"with: {bitext: examples, vocabulary: v.txt, size: tiny, preset: br}": {
			"", "step bag: period br: source bitext: dataset examples has 4 examples, a batch takes 64: take at most 4 by --set bag.bitext-batch=…\nnothing was begun\n",
			1},
		"from: {bitext: some}, with: {vocabulary: v.txt, size: tiny, preset: br}": {
			"", "stand-in: take fewer by --set bag.bitext-batch=…, or --set bag.cased=true\n", 1},
	} {
		place(t, "r.yaml", []byte("name: r\nabout: An encoder.\nsteps:\n  - {name: some, run: examples, with: {pairs: "+pairs+
			", vocabulary: v.txt}}\n  - {name: bag, run: train, "+from+"}\n"))
		sentweave(t, "run", "r.yaml", "--out", filepath.Join(t.TempDir(), "out")).expect(t, want.code, []string{want.stdout},
			[]string{want.stderr})
	}
}

// Batches that are too large for a later training are told before the first step where its examples are there, and else
// before the trainings that would be in vain.
func TestRecipeOfTooLargeBatches(t *testing.T) {
	standIn(t, "exit 1")
	pairs := parallelPairs(t, 4)
	sentweave(t, "examples", "--pairs", pairs, "--vocabulary", "v.txt", "--out", "examples").expect(t, 0, anything, anything)
	for next, want := range map[string]outcome{
		"from: {from: bag}, with: {bitext: examples, size: tiny, preset: br}": {
			"", "sentweave: step next: dataset examples has 4 examples, a batch takes 64: take at most 4 by --set next.bitext-batch=…\nnothing was begun\n",
			1},
		"from: {from: bag, bitext: some}, with: {size: tiny, preset: br}": {
			"── some: examples",
			"step bag: it was not begun, since step next would fail: dataset out/some has 4 examples, a batch takes 64: take at most 4 by --set next.bitext-batch=…",
			1},
	} {
		place(t, "r.yaml", []byte("name: r\nabout: An encoder.\nsteps:\n  - {name: some, run: examples, with: {pairs: "+pairs+
			", vocabulary: v.txt}}\n"+
			"  - {name: bag, run: train, from: {bitext: some}, with: {vocabulary: v.txt, size: tiny, preset: br, bitext-batch: 2}}\n  - {name: next, run: train, "+next+"}\n"))
		sentweave(t, "run", "r.yaml", "--out", "out").expect(t, want.code, []string{want.stdout, "!── bag"}, []string{want.stderr})
	}
}

// A device that is not there is told before the first step, once for all steps.
func TestDeviceBeforeWork(t *testing.T) {
	standIn(t, "exit 1")
	text := "name: r\nabout: One encoder.\nparameters:\n  device: {help: device, default: cpu}\nsteps:\n  - {name: first, run: init, with: {vocabulary: v.txt}}\n" +
		"  - {name: second, run: embed, from: {model: first}, with: {texts: t, device: \"${device}\"}}\n  - {name: third, run: embed, from: {model: first}, with: {texts: t, device: \"${device}\"}}\n"
	if err := os.WriteFile("r.yaml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "run", "r.yaml", "--out", "out", "--set", "device=cuda").expect(t, 1, []string{"!── first"},
		[]string{"steps second and third: --set device=cuda needs a GPU", "nothing was begun"})
}
