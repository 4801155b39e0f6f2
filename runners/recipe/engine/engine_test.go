package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/recipe/record"
	"sentweave/runners/torchverbs/cost"
	"sentweave/schemas/dataset"
)

// brew is a verb of the tests: it writes what it reads, and a word of its own, into a file of the folder of --out.
type brew struct {
	Out       string   `help:"Folder." required:"" placeholder:"DIR"`
	Overwrite bool     `help:"Make it anew."`
	Of        []string `help:"What it is made of." placeholder:"DIR" takes:"tea"`
	Word      string   `help:"Word." default:"water"`
	Fault     string   `help:"Fails with this."`
	Weight    int64    `help:"Bytes that it says it writes."`

	kitchen *kitchen
}

// kitchen notes which steps ran, and may interrupt one.
type kitchen struct {
	ran       []string
	interrupt string
	cancel    context.CancelFunc
}

const brewed = "tea.txt"

// text is what the verb writes.
func (b *brew) text() (text string, err error) {
	text = b.Word
	for _, folder := range b.Of {
		data, fault := os.ReadFile(filepath.Join(folder, brewed))
		text, err = text+"("+string(data)+")", errors.Join(err, fault)
	}
	return text, err
}

func (b *brew) Standing(context.Context) (dataset.Fate, error) {
	want, err := b.text()
	got, missing := os.ReadFile(filepath.Join(b.Out, brewed))
	switch {
	case err != nil || missing != nil:
		return dataset.Fresh, err
	case string(got) != want:
		return dataset.Fresh, fmt.Errorf("%w: %s is not %s", dataset.ErrOtherPlan, got, want)
	}
	return dataset.Complete, nil
}

func (b *brew) Run(ctx context.Context, p *command.Program) error {
	name := filepath.Base(b.Out)
	state, err := b.Standing(ctx)
	if state == dataset.Complete {
		p.Done("brew", b.Out)
		return nil
	}
	if err != nil && !(b.Overwrite && errors.Is(err, dataset.ErrOtherPlan)) {
		return err
	}
	b.kitchen.ran = append(b.kitchen.ran, name)
	if b.kitchen.interrupt == name {
		b.kitchen.cancel()
		return ctx.Err()
	}
	if b.Fault != "" {
		return errors.New(b.Fault + ": other water by --word")
	}
	text, err := b.text()
	return cmp.Or(err, os.MkdirAll(b.Out, 0o777), os.WriteFile(filepath.Join(b.Out, brewed), []byte(text), 0o666))
}

// Shape, Room and Operations answer a recipe as encoders do.
func (b *brew) Shape(cost.Upstream) (cost.Shape, bool) { return cost.Shape{}, false }
func (b *brew) Room(cost.Upstream) int64               { return b.Weight }
func (b *brew) Operations(_ cost.Upstream, bytes int64) (float64, bool) {
	return 90 * cost.CPUSpeed, true
}

const teas = `
name: teas
about: Tea of tea.
parameters:
  leaves: {help: leaves, default: green}
steps:
  - {name: a, run: brew, with: {word: "${leaves}"}}
  - {name: b, run: brew, from: {of: a}}
  - {name: c, run: brew, from: {of: [a, b]}}
  - {name: d, run: brew}
`

// house is a program whose verbs are run and some of the tests.
type house struct {
	kitchen
	t    *testing.T
	root string
}

func newHouse(t *testing.T, recipe string) *house {
	t.Helper()
	h := &house{t: t, root: t.TempDir()}
	if err := os.WriteFile(filepath.Join(h.root, "r.yaml"), []byte(recipe), 0o666); err != nil {
		t.Fatal(err)
	}
	return h
}

// run runs the recipe, and returns the steps that worked, what was printed, and the exit code.
func (h *house) run(args ...string) (ran, text string, code int) {
	h.t.Helper()
	var printed bytes.Buffer
	ctx, cancel := context.WithCancel(h.t.Context())
	defer cancel()
	h.ran, h.cancel = nil, cancel
	newBrew := func() any { return &brew{kitchen: &h.kitchen} }
	p := &command.Program{Name: "tea", Stdout: &printed, Stderr: &printed, Verbs: []verb.Verb{
		{Name: "brew", Help: "Brew.", Makes: verb.Output{Rows: "tea", Mark: brewed, Is: "tea"}, New: newBrew},
		{Name: "bake", Help: "Bake.", Makes: verb.Output{Rows: "cake", Mark: "cake.txt", Is: "a cake"}, New: newBrew}, Verb,
	}}
	words := append([]string{"run", filepath.Join(h.root, "r.yaml"), "--out", filepath.Join(h.root, "out")}, args...)
	code = p.ExitCode(ctx, p.Execute(ctx, words))
	return strings.Join(h.ran, " "), strings.ReplaceAll(printed.String(), h.root+"/", ""), code
}

// expect runs the recipe and checks which steps worked, parts of what was printed, and the exit code. A part
// that begins with ! must not be there.
func (h *house) expect(args, ran string, code int, parts ...string) {
	h.t.Helper()
	gotRan, text, gotCode := h.run(strings.Fields(args)...)
	if gotRan != ran || gotCode != code {
		h.t.Errorf("run %s: worked on %q and ended with %d, want %q and %d:\n%s", args, gotRan, gotCode, ran, code, text)
	}
	for _, part := range parts {
		if unwanted, negative := strings.CutPrefix(part, "!"); strings.Contains(text, unwanted) == negative {
			h.t.Errorf("run %s: the text does not fit %q:\n%s", args, part, text)
		}
	}
}

var planned = regexp.MustCompile(`(?m)^(\w+) +(?:brew|bake) .*?(?:\d|known)?  +([a-z ]+)$`)

// fates returns what a dry run says becomes of the steps.
func (h *house) fates(args string) string {
	h.t.Helper()
	_, text, _ := h.run(append(strings.Fields(args), "--dry-run")...)
	var list []string
	for _, m := range planned.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1]+" "+strings.TrimSpace(m[2]))
	}
	return strings.Join(list, ", ")
}

func (h *house) state() string {
	h.t.Helper()
	notes, err := record.Read(h.t.Context(), filepath.Join(h.root, "out"))
	if err != nil || notes.Run == nil {
		h.t.Fatal(notes, err)
	}
	return notes.Run.State(notes.Run.Seen, record.Beat(h.root))
}

// told checks the events of OpenLineage in a file.
func (h *house) told(file, want string) {
	h.t.Helper()
	data, err := os.ReadFile(file)
	var list []string
	for line := range bytes.Lines(data) {
		var e struct {
			EventType string
			Job       struct{ Name string }
		}
		err = errors.Join(err, json.Unmarshal(line, &e))
		list = append(list, e.EventType+" "+e.Job.Name)
	}
	if got := strings.Join(list, ", "); err != nil || got != want {
		h.t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// A run works on each step once, in the order of the recipe, and the next one finds all done.
func TestRun(t *testing.T) {
	h := newHouse(t, teas)
	h.expect("", "a b c d", 0, "── a: brew", "recipe teas took")
	if text, err := os.ReadFile(filepath.Join(h.root, "out/c", brewed)); err != nil || string(text) != "water(green)(water(green))" {
		t.Errorf("c is %q, %v", text, err)
	}
	h.expect("", "", 0, "brew: out/a is complete, nothing to do", "!──")
	if state := h.state(); state != record.Complete {
		t.Error(state)
	}
}

// What a dry run says becomes of the steps is what the run does.
func TestFates(t *testing.T) {
	for _, test := range []struct {
		name, before, args, fates, ran string
		code                           int
	}{
		{"nothing there", "", "", "a new, b new, c new, d new", "a b c d", 0},
		{"some there", "--only a,d", "", "a complete, b new, c new, d complete", "b c", 0},
		{"all there", "--from a", "", "a complete, b complete, c complete, d complete", "", 0},
		{"other settings", "--from a", "--set leaves=black",
			"a refused, b refused if its input changes, c refused if its input changes, d complete", "", 1},
		{"other settings, made anew", "--from a", "--set leaves=black --overwrite",
			"a made anew, b made anew if its input changes, c made anew if its input changes, d complete", "a b c", 0},
		{"other settings of a later step", "--from a", "--set b.word=milk --overwrite",
			"a complete, b made anew, c made anew if its input changes, d complete", "b c", 0},
		{"a part", "--from a", "--only a --set leaves=black --overwrite", "a made anew", "a", 0},
		{"from a step on", "--only a", "--from b", "b new, c new, d new", "b c d", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHouse(t, teas)
			if test.before != "" {
				h.run(strings.Fields(test.before)...)
			}
			if got := h.fates(test.args); got != test.fates {
				t.Errorf("the dry run says %q, want %q", got, test.fates)
			}
			h.expect(test.args, test.ran, test.code)
		})
	}
}

// What is of a step that changes, and does not run, is told.
func TestStale(t *testing.T) {
	h := newHouse(t, teas)
	h.run()
	h.expect("--only a --set leaves=black --overwrite", "a", 0,
		"what is in the folders of steps b and c was made of what this run changes: `--only b,c --overwrite`")
	h.expect("--set leaves=black", "", 1, "step b: another plan: water(green) is not water(black)",
		"step c: what is there was made of what step b had made, and is kept if that comes out as before",
		"nothing was begun", "add --overwrite to the same command")
	h.expect("--only b,c --set leaves=black --overwrite", "b c", 0)
	h.expect("--set leaves=black", "", 0)
}

// A step that fails ends the run with its fault in words of the recipe; the next run goes on with it.
func TestFailure(t *testing.T) {
	h := newHouse(t, teas)
	events := filepath.Join(h.root, "events")
	h.expect("--set b.fault=cold --openlineage "+events, "a b", 1, "step b: cold: other water by --set b.word=…", "b     failed", "!──  c")
	h.told(events, "START teas, START teas.a, COMPLETE teas.a, START teas.b, FAIL teas.b, FAIL teas")
	if state := h.state(); state != record.Failed {
		t.Error(state)
	}
	h.expect("", "b c d", 0)
}

// A run that is interrupted goes on with the step in which it was.
func TestInterrupt(t *testing.T) {
	h := newHouse(t, teas)
	h.interrupt = "b"
	events := filepath.Join(h.root, "events")
	h.expect("--openlineage "+events, "a b", command.ExitInterrupted, "interrupted; run the same command again to go on")
	h.told(events, "START teas, START teas.a, COMPLETE teas.a, START teas.b, ABORT teas.b, ABORT teas")
	if state := h.state(); state != record.Stopped {
		t.Error(state)
	}
	h.interrupt = ""
	h.expect("", "b c d", 0)
}

// Misuse ends a run before any work.
func TestMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"--set leaf=black":                   "leaf",
		"--set b.colour=black":               "step b: unknown flag --colour",
		"--set b.of=a":                       "b.of is given by the recipe, which says what step b reads and writes",
		"--set a.word=black":                 "",
		"--only e":                           `the recipe has no step "e", did you mean a?; it has a, b, c, d`,
		"--from c --only a":                  "nothing to run: no step of --only is at or after c",
		"--set a.weight=4000000000000000000": "the steps write about 4000.0 PB (a 4000.0 PB), and ",
		"--only b": "out/a is not there; step a makes it\n" +
			"give `--only a,b`, which has all that is missing in its order, or leave --only out",
	} {
		h := newHouse(t, teas)
		ran, text, code := h.run(strings.Fields(args)...)
		if worked := ran != ""; worked != (want == "") || worked != (code == 0) || !strings.Contains(text, want) {
			t.Errorf("run %s: worked on %q and ended with %d, want %q:\n%s", args, ran, code, want, text)
		}
	}
	h := newHouse(t, strings.Replace(teas, "name: a, run: brew", "name: a, run: bake", 1))
	h.expect("", "", 2, "steps b and c: of takes a tea, step a makes a cake")
	h = newHouse(t, strings.Replace(teas, "name: d, run: brew", "name: d, run: boil", 1))
	h.expect("", "", 2, "step d: run: ", "the verbs are ")
}

// A dry run prints the command lines, and the minutes that verbs tell.
func TestDryRun(t *testing.T) {
	h := newHouse(t, teas)
	h.expect("--dry-run --only a,b --set leaves=x", "", 0, "brew --out=out/a --word=x", "a     brew", "1.5  ")
	if _, err := os.Stat(filepath.Join(h.root, "out")); err == nil {
		t.Error("a dry run made a folder")
	}
}

// Verbs without a flag or a method have nothing to say, and a verb answers what it is asked.
var _ = []any{Stander(&brew{}), encoderMaker(&brew{}), computer(&brew{}), slices.Sorted[string]}
