package fill_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/memory/fill"
	"sentweave/pipelines/memory/ingest"
	"sentweave/pipelines/pipelinetest"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// TestMain is also the program that translates, when it is started as such: one that
// writes down what it is asked, and ends over some texts.
func TestMain(m *testing.M) {
	log := os.Getenv("TEST_MORTAL")
	if log == "" || len(os.Args) > 1 {
		os.Exit(m.Run())
	}
	f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(2)
	}
	fmt.Fprintln(f, "start")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var r struct {
			ID     int64    `json:"id"`
			Target string   `json:"target"`
			Texts  []string `json:"texts"`
		}
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			os.Exit(2)
		}
		for i, text := range r.Texts {
			fmt.Fprintln(f, text)
			if strings.HasPrefix(text, "poison ") {
				fmt.Fprintln(os.Stderr, "index out of range")
				os.Exit(3)
			}
			r.Texts[i] = enginetest.Translation(r.Target, text)
		}
		data, _ := json.Marshal(map[string]any{"id": r.ID, "translations": r.Texts})
		fmt.Println(string(data))
	}
}

// A text over which the program ends is a row with the reason, and is asked in no later
// run: not by the job that was interrupted, nor by one that has it in a memory.
func TestPoisonIsRemembered(t *testing.T) {
	folder := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	list := hard(60)
	poison := map[string]bool{}
	for _, at := range []int{3, 20, 21, 55} {
		list[at] = fmt.Sprint("poison ", at)
		poison[list[at]] = true
	}
	texts := benchmarkOf(t, 100, list)
	asked := func(log string) (starts, poisons int) {
		data, _ := os.ReadFile(log)
		for line := range strings.Lines(string(data)) {
			switch line = strings.TrimSpace(line); {
			case line == "start":
				starts++
			case poison[line]:
				poisons++
			}
		}
		return starts, poisons
	}
	log := func(name string) string {
		t.Setenv("TEST_MORTAL", filepath.Join(folder, name))
		return filepath.Join(folder, name)
	}
	configure := func(args ...string) fill.Config {
		return pipelinetest.Parse[fill.Config](
			t, append([]string{"--texts", texts, "--targets=deu", "--engine=command", "--command-program=" + self, "--command-model=m",
				"--requests=1", "--texts-per-request=8", accept}, args...)...)
	}
	out := filepath.Join(t.TempDir(), "out")
	// The budget ends the first run in the middle.
	first := log("first")
	job, err := configure("--budget=600").Plan(t.Context(), out, pipelinetest.Settings(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipelinetest.Plain(1)(t.Context(), job); err == nil || !strings.Contains(err.Error(), engines.ErrBudget.Error()) {
		t.Fatalf("error %v", err)
	}
	_, before := asked(first)
	second := log("second")
	m := pipelinetest.RunTo(t, configure(), out, pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
	starts, after := asked(second)
	if before == 0 || after == 0 || before+after > 4*2+2 {
		t.Errorf("poison was asked %d times, and %d times by the next run", before, after)
	}
	if starts > 1+after {
		t.Errorf("%d starts for %d deaths", starts, after)
	}
	if n := pipelinetest.Dropped(m)["answers engine crashed"]; n != 4 {
		t.Errorf("%d texts were given up: %v", n, pipelinetest.Dropped(m))
	}
	for text, translation := range got(rowsIn(t, out)) {
		if want := enginetest.Translation("deu", text); poison[text] && translation != "rejected crashed" || !poison[text] &&
			translation != want {
			t.Errorf("%q: %q", text, translation)
		}
	}
	for _, r := range pipelinetest.Rejects(t, out) {
		if poison[r.Sample] && !strings.Contains(r.Detail, "index out of range") {
			t.Errorf("reject %+v", r)
		}
	}
	third := log("third")
	pipelinetest.Run(t, configure("--memory", out), pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
	memory, _ := pipelinetest.Run(t, pipelinetest.Parse[ingest.Config](t, "--input", out), pipelinetest.Settings(1<<20),
		pipelinetest.Plain(1))
	pipelinetest.Run(t, configure("--memory", memory), pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
	if starts, poisons := asked(third); starts+poisons > 0 {
		t.Errorf("with a memory: %d starts, %d poisons", starts, poisons)
	}
}
