package apertium

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sentweave/schemas/realdata"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
	"sentweave/transforms/engines/process"
)

var pair = engines.Pair{Source: "eng", Target: "spa"}

// open opens the Apertium that SENTWEAVE_APERTIUM names, or that on the PATH. Where
// it is absent, or has no English and Spanish, the test is skipped.
func open(t testing.TB) *Engine {
	t.Helper()
	config := DefaultConfig()
	config.Program = os.Getenv("SENTWEAVE_APERTIUM")
	e, err := Open(t.Context(), config)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	t.Cleanup(func() { e.Close() })
	if err := e.Supports(pair); err != nil {
		t.Skipf("skipped: %v", err)
	}
	return e
}

// sentences are n English ones of the Tatoeba set.
func sentences(t testing.TB, n int) []string {
	t.Helper()
	folder := filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba")
	var texts []string
	for _, file := range []string{"spa", "deu", "fra", "ita", "nld"} {
		data, err := os.ReadFile(filepath.Join(folder, "tatoeba."+file+"-eng.eng"))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.Split(strings.TrimSpace(string(data)), "\n")...)
	}
	return texts[:n]
}

// bare translates by the program as it is, all texts through one pipe, with blank
// lines between them.
func bare(t testing.TB, e *Engine, pair engines.Pair, texts []string) []string {
	t.Helper()
	c := exec.Command(e.config.Program, "-d", e.config.Data, "-u", pair.String())
	c.Env = append(os.Environ(), e.environment()...)
	c.Stdin = strings.NewReader(strings.Join(texts, "\n\n"))
	output, err := c.Output()
	if err != nil && !strings.HasPrefix(e.config.Program, "/usr/") {
		t.Skipf("skipped: %s is not where it was made to be, and does not run by itself: %v", e.config.Program, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(bytes.TrimSpace(output)), "\n\n")
}

func translate(t testing.TB, e *Engine, pair engines.Pair, texts []string) []string {
	t.Helper()
	c, err := engines.NewCaller(e, engines.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	answers, err := c.Translate(t.Context(), pair, texts)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(texts))
	for i, a := range answers {
		if got[i] = a.Text; a.Err != nil {
			t.Fatal(a.Err)
		}
	}
	return got
}

// taggers are pairs whose taggers are of different kinds: one that is changed by what
// it reads, and one that is not.
var taggers = []engines.Pair{pair, {Source: "eng", Target: "cat"}}

// The programs that are kept alive give what the program gives that reads all. Its
// tagger changes as it goes: where the two differ, ours is what the program gives
// for the text alone.
func TestTranslateAsTheProgram(t *testing.T) {
	e := open(t)
	for _, pair := range taggers {
		t.Run(pair.String(), func(t *testing.T) {
			if err := e.Supports(pair); err != nil {
				t.Skipf("skipped: %v", err)
			}
			asTheProgram(t, e, pair, sentences(t, 500))
		})
	}
}

func asTheProgram(t *testing.T, e *Engine, pair engines.Pair, texts []string) {
	want, got := bare(t, e, pair, texts), translate(t, e, pair, texts)
	if len(want) != len(texts) {
		t.Fatalf("the program gave %d of %d texts", len(want), len(texts))
	}
	differ := 0
	for i, text := range texts {
		if got[i] == want[i] && i%100 != 0 {
			continue
		}
		if got[i] != want[i] {
			differ++
		}
		if alone := bare(t, e, pair, []string{text})[0]; strings.TrimSpace(got[i]) != alone {
			t.Errorf("%q: %q, the program gives %q", text, got[i], alone)
		}
	}
	if t.Logf("%d of %d differ from one pipe", differ, len(texts)); differ > len(texts)/50 {
		t.Errorf("%d of %d texts differ from what the program gives in one pipe", differ, len(texts))
	}
}

// A text is translated alike whatever is translated before it, and beside it, and
// long ones too, of which a tagger has more to say than a pipe holds.
func TestTranslateInAnyOrder(t *testing.T) {
	e := open(t)
	texts := sentences(t, 1000)
	for i := 0; i+20 <= 200; i += 20 {
		texts = append(texts, strings.Join(texts[i:i+20], " "))
	}
	for _, pair := range taggers {
		t.Run(pair.String(), func(t *testing.T) {
			if err := e.Supports(pair); err != nil {
				t.Skipf("skipped: %v", err)
			}
			want := translate(t, e, pair, texts)
			backward := slices.Clone(texts)
			slices.Reverse(backward)
			got := translate(t, e, pair, backward)
			slices.Reverse(got)
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%q: %q, and %q in another order", texts[i], want[i], got[i])
				}
			}
		})
	}
}

func TestRemembers(t *testing.T) {
	for program, want := range map[string]bool{
		" apertium-tagger -g 'eng-spa.prob' ": true, "apertium-tagger -z -gx 'eng-cat.prob'": false,
		"apertium-tagger -z -g --perceptron 'x.prob'": false,
		"apertium-tagger -x -g 'x.prob'":              false, "apertium-transfer -b 'x'": false, "cg-proc -w 'x'": false, "": false,
	} {
		if got := remembers(program); got != want {
			t.Errorf("%q: %t", program, got)
		}
	}
}

// Texts that a pipe would join, cut or take for its own marks.
func TestTranslateHardTexts(t *testing.T) {
	e := open(t)
	for text, want := range map[string]string{
		"The house.\n\nThe dog": "La casa.\n\nEl perro", "The house\tand the dog": "La casa\ty el perro", "Is it the house?": "Es la casa?",
		"The house": "La casa", "The house.": "La casa.",
		"[red] house": "[rojo] casa", `<b>house</b> {0} %s 9^8$ ~ @x #y \n 3/4*`: `<b>casa</b> {0} %s 9^8$ ~ @x #y \n 3/4*`,
		"xyzzyx":  "xyzzyx",
		"..[][][": "..[][][", "\x00house\x00": "Casa", " house ": " casa ",
	} {
		got := translate(t, e, pair, []string{text})[0]
		if !strings.EqualFold(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Answers stay with their texts when the program is killed again and again.
func TestTranslateSurvivesKills(t *testing.T) {
	e := open(t)
	texts := sentences(t, 1000)
	want := translate(t, e, pair, texts)
	killer := &killing{Engine: e}
	config := enginetest.Quick()
	config.Timeout, config.Parallel, config.Limits.Items = 10*time.Second, 2, 40
	c, err := engines.NewCaller(killer, config)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Translate(t.Context(), pair, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		if got[i].Text != want[i] {
			t.Errorf("%q: %v, want %q", texts[i], got[i], want[i])
		}
	}
	if t.Logf("%d programs were killed", killer.kills.Load()); killer.kills.Load() == 0 {
		t.Error("no program was killed")
	}
}

// Who ended a pipeline is told by its parts, or by the shell that ran it.
func TestOutside(t *testing.T) {
	shell := func(script string) *os.ProcessState {
		c := exec.Command("/bin/sh", "-c", script)
		_ = c.Run()
		return c.ProcessState
	}
	for name, c := range map[string]struct {
		ended process.Ended
		want  bool
	}{
		"a program was killed": {process.Ended{State: shell("exit 0"), Words: "lt-proc: status 137"}, true},
		"one was killed, another one was at fault": {
			process.Ended{State: shell("exit 0"), Words: "lt-proc: status 137\ncg-proc: status 139"}, false},
		"a program was at fault":                  {process.Ended{State: shell("exit 0"), Words: "lt-proc: status 1"}, false},
		"a program was killed and its shell, too": {process.Ended{State: shell("exit 0")}, true},
		"the shell was killed":                    {process.Ended{State: shell("kill -9 $$")}, true},
		"the shell had no time to tell":           {process.Ended{}, true},
		"a tagger was at fault":                   {process.Ended{State: shell("exit 3")}, false},
	} {
		if got := outside(&engines.Fault{Kind: engines.Crashed, Err: &c.ended}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if outside(errors.New("another one")) {
		t.Error("an error that tells of no end is taken for one")
	}
}

// killing kills programs in the middle of their work, of some requests.
type killing struct {
	*Engine
	requests, kills atomic.Int64
}

// Translate implements engines.Engine.
func (k *killing) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	if k.requests.Add(1)%3 != 0 {
		return k.Engine.Translate(ctx, p, texts)
	}
	// The next to be used is known, and one part of it after the other killed.
	l, err := k.pool.Get("eng-spa", func() (*line, error) { return nil, errors.New("none is idle") })
	if err != nil {
		return k.Engine.Translate(ctx, p, texts)
	}
	k.pool.Put("eng-spa", l)
	at := int(k.kills.Add(1))
	programs := slices.Concat(members(l.before.PID()), members(l.tagger.PID()), members(l.after.PID()))
	timer := time.AfterFunc(20*time.Millisecond, func() { _ = syscall.Kill(programs[at%len(programs)], syscall.SIGKILL) })
	defer timer.Stop()
	return k.Engine.Translate(ctx, p, texts)
}

// members returns the programs of a group, or the group where there is no /proc.
func members(group int) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		data, _ := os.ReadFile(file)
		var pid, parent, of int
		var name, state string
		if n, _ := fmt.Sscan(string(data), &pid, &name, &state, &parent, &of); n == 5 && of == group {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		pids = []int{-group}
	}
	return pids
}

func TestTranslateEndsWithContext(t *testing.T) {
	e := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := e.Translate(ctx, pair, sentences(t, 1000)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestIdentity(t *testing.T) {
	e := open(t)
	there, err := e.Identity(pair)
	if err != nil {
		t.Fatal(err)
	}
	back, err := e.Identity(engines.Pair{Source: "spa", Target: "eng"})
	if err != nil {
		t.Fatal(err)
	}
	if there.Model != "eng-spa" || there.Options == back.Options || !strings.Contains(there.Options, "3.") {
		t.Errorf("identities %v, %v", there, back)
	}
	if _, err := e.Identity(engines.Pair{Source: "eng", Target: "jpn"}); !errors.Is(err, engines.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}

// writer writes files below a folder, by their names with slashes.
func writer(t *testing.T, folder string) func(name, text string, mode os.FileMode) {
	t.Helper()
	return func(name, text string, mode os.FileMode) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// Modes are found by their names, and their data in a folder that was moved.
func TestOpen(t *testing.T) {
	folder := t.TempDir()
	write := writer(t, folder)
	write("bin/apertium", "#!/bin/sh\necho Apertium 9.9.9\n", 0o755)
	for _, mode := range []string{"en-es", "eng-spa", "eng-spa_US", "eng-spa-tagger", "nob-nno", "kaz-tat", "srp_Latn-slv", "x-y"} {
		write("share/apertium/modes/"+mode+".mode", "lt-proc '/usr/share/apertium/none/"+mode+
			".bin' | lt-proc $1 '/usr/share/apertium/none/x.bin'", 0o644)
		write("share/apertium/none/"+mode+".bin", mode, 0o644)
	}
	write("share/apertium/none/x.bin", "x", 0o644)
	config := DefaultConfig()
	config.Program = filepath.Join(folder, "bin", "apertium")
	t.Setenv("APERTIUM_DATADIR", "")
	e, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[engines.Pair]string{
		{Source: "eng", Target: "spa"}: "eng-spa", {Source: "nob", Target: "nno"}: "nob-nno", {Source: "nor", Target: "nno"}: "nob-nno",
		{Source: "srp_Latn", Target: "slv"}: "srp_Latn-slv",
		{Source: "spa", Target: "eng"}:      "", {Source: "srp", Target: "slv"}: "",
	} {
		if got, err := e.mode(p); got != want || (want == "") != errors.Is(err, engines.ErrUnsupported) {
			t.Errorf("%v: %q, error %v", p, got, err)
		}
	}
	line, err := e.pipeline(t.Context(), "eng-spa")
	data := filepath.Join(folder, "share", "apertium", "none")
	if want := "lt-proc -z '" + data + "/eng-spa.bin' | lt-proc -z $1 '" + data + "/x.bin'"; err != nil || line.before != want ||
		line.tagger != "" {
		t.Errorf("pipeline %q, error %v; want %q", line.before, err, want)
	}
	config.Data = t.TempDir()
	if _, err = Open(t.Context(), config); err == nil {
		t.Error("no error without modes")
	}
}

// BenchmarkTranslate measures texts beside the program itself, fed the same texts
// through one pipe.
func BenchmarkTranslate(b *testing.B) {
	e := open(b)
	texts := sentences(b, 2000)
	bytes := int64(len(strings.Join(texts, "\n")))
	b.Run("engine", func(b *testing.B) {
		b.SetBytes(bytes)
		for b.Loop() {
			translate(b, e, pair, texts)
		}
		b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "sentences/s")
	})
	b.Run("program", func(b *testing.B) {
		b.SetBytes(bytes)
		for b.Loop() {
			bare(b, e, pair, texts)
		}
		b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "sentences/s")
	})
}
