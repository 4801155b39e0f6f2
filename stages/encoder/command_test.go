package encoder

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// oddly encodes as the program of a user may: with a dimension that changes, numbers that are none, or last words.
func oddly(how, text string) (vector []float32) {
	switch {
	case how == "sizes" && text == "long":
		return []float32{1, 2, 3}
	case how == "none" && text == "long":
		zero := float32(0)
		return []float32{1, zero / zero}
	case how == "words" && text == "long":
		fmt.Fprintln(os.Stderr, "Traceback: the model is out of memory")
		os.Exit(3)
	}
	return []float32{float32(len(text)), 1}
}

func TestCommand(t *testing.T) {
	for how, want := range map[string]string{
		"ok": "", "no model": "the model has no weights",
		"sizes": "it gave vectors of 3 numbers, and of 2 before", "none": `the vector of "long" has the number NaN`,
		"words": "Traceback: the model is out of memory", "stranger": "not an encoder of this version",
	} {
		t.Run(how, func(t *testing.T) {
			t.Setenv(programVariable, how)
			e, err := Open(t.Context(), "command:"+os.Args[0]+"  -x", nil)
			if err == nil {
				var texts []string
				for i := range commandTexts + 1 {
					texts = append(texts, strings.Repeat("a", i))
				}
				var v Vectors
				v, err = e.Encode(t.Context(), Texts("eng", texts...))
				if err != nil || v.Len() != len(texts) || v.(Dense).Row(commandTexts)[0] != commandTexts {
					t.Fatalf("%v, %v", v, err)
				}
				_, err = e.Encode(t.Context(), Texts("eng", "long"))
				if closeErr := Close(e); closeErr != nil {
					t.Error(closeErr)
				}
			}
			if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
				t.Errorf("error %q, want %q", got, want)
			}
		})
	}
	if _, err := Open(t.Context(), "command: ", nil); err == nil || !strings.Contains(err.Error(), "names no program") {
		t.Error(err)
	}
}

// An interrupt ends the program, and with it the call.
func TestCommandInterrupted(t *testing.T) {
	t.Setenv(programVariable, "sleep")
	e, err := Open(t.Context(), "command:"+os.Args[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := e.Encode(ctx, Texts("eng", "a")); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v", err)
	}
}

// What a program is known by changes with its words and with a file among them, and not with the place of the program.
func TestCommandInput(t *testing.T) {
	script := filepath.Join(t.TempDir(), "encode.py")
	hash := func(content, arguments string) string {
		t.Helper()
		if err := os.WriteFile(script, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		input, err := CommandInput(t.Context(), "model a", "command:sh "+script+arguments)
		if err != nil {
			t.Fatal(err)
		}
		return input.XXH3
	}
	first := hash("a", "")
	if hash("b", "") == first || hash("a", " -x") == first || hash("a", "") != first {
		t.Error("the input does not follow the words and the script")
	}
	if _, err := CommandInput(t.Context(), "model a", "command:./nowhere -x"); err == nil || !strings.Contains(err.Error(), "./nowhere") {
		t.Error(err)
	}
}

// The program of the page on evaluation speaks the protocol, with a stand-in for the module that it imports.
func TestCommandOfThePage(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("skipped: there is no python3")
	}
	page, err := os.ReadFile("../../runners/docs/evaluation.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "```python\n")
	program, _, ok := strings.Cut(program, "```")
	if !ok {
		t.Fatal("the page has no program in Python")
	}
	folder := t.TempDir()
	for name, content := range map[string]string{"program.py": program, "sentence_transformers.py": `
import array
class Vectors:
    def __init__(self, rows): self.rows, self.shape = rows, (len(rows), 2)
    def astype(self, kind): assert kind == "<f4"; return self
    def tobytes(self): return array.array("f", [x for row in self.rows for x in row]).tobytes()
class SentenceTransformer:
    def __init__(self, name):
        print("loading", name) # as libraries do, and to standard output
        if name == "absent": raise OSError("absent is not a model")
    def encode(self, texts, convert_to_numpy):
        if "refuse" in texts: raise ValueError("a text is refused: ä")
        return Vectors([[len(text), 1] for text in texts])
`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := "command:" + python + " " + filepath.Join(folder, "program.py") + " "
	e, err := Open(t.Context(), command+"model", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		v, err := e.Encode(t.Context(), Texts("eng", "", "äöü", strings.Repeat("x", 300_000)))
		if err != nil {
			t.Fatal(err)
		}
		if d := v.(Dense); d.Len() != 3 || d.Row(0)[0] != 0 || d.Row(1)[0] != 3 || d.Row(2)[0] != 300_000 {
			t.Errorf("vectors %v", d.Data)
		}
	}
	if _, err := e.Encode(t.Context(), Texts("eng", "refuse")); err == nil || !strings.Contains(err.Error(), "a text is refused: ä") {
		t.Error(err)
	}
	if err := Close(e); err != nil {
		t.Error(err)
	}
	if _, err := Open(t.Context(), command+"absent", nil); err == nil || !strings.Contains(err.Error(), "absent is not a model") {
		t.Error(err)
	}
}
