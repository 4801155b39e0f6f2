package peertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Python returns the path of the interpreter that SENTWEAVE_PYTHON names. The test is skipped where the variable is not set, or where
// the interpreter cannot import one of the modules. A module may have the version to install, as in tokenizers==0.23.3.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	return interpreter(t, "SENTWEAVE_PYTHON", modules)
}

// PyTorch is Python for SENTWEAVE_PYTORCH, whose interpreter has PyTorch, SciPy and scikit-learn.
func PyTorch(t testing.TB, modules ...string) string {
	t.Helper()
	return interpreter(t, "SENTWEAVE_PYTORCH", modules)
}

func interpreter(t testing.TB, variable string, modules []string) string {
	t.Helper()
	python := os.Getenv(variable)
	if python == "" {
		t.Skipf("skipped: %s is not set", variable)
	}
	for _, module := range modules {
		name, _, _ := strings.Cut(module, "==")
		if exec.CommandContext(t.Context(), python, "-c", "import "+name).Run() != nil {
			t.Skipf("skipped: %s has no module %s: pip install %s", variable, name, module)
		}
	}
	return python
}

// noModule is the exit code of a script that cannot import what it compares with.
const noModule = 3

// Output runs a program on an input, and returns what it prints. If the program fails, the test fails with its messages; it is skipped if
// the program ends with 3, which means that a module is missing.
func Output(t testing.TB, input []byte, program string, args ...string) []byte {
	t.Helper()
	var output, messages bytes.Buffer
	command := exec.CommandContext(t.Context(), program, args...)
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), &output, &messages
	if err := command.Run(); err != nil {
		if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == noModule {
			t.Skipf("skipped: the interpreter lacks a module: %s", strings.TrimSpace(messages.String()))
		}
		t.Fatalf("%v\n%s%s", err, output.String(), messages.String())
	}
	return output.Bytes()
}

// Answer runs a program on an input in JSON, and reads the JSON that it prints into output.
func Answer(t testing.TB, input, output any, program string, args ...string) {
	t.Helper()
	data, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	if answer := Output(t, data, program, args...); json.Unmarshal(answer, output) != nil {
		t.Fatalf("the answer is not the JSON that is wanted: %.200s", answer)
	}
}

// Lines returns values in JSON, each on a line.
func Lines[T any](t testing.TB, values []T) []byte {
	t.Helper()
	var lines bytes.Buffer
	for encoder := json.NewEncoder(&lines); len(values) > 0; values = values[1:] {
		if err := encoder.Encode(values[0]); err != nil {
			t.Fatal(err)
		}
	}
	return lines.Bytes()
}

// Values parses output as a sequence of values in JSON, such as one a line.
func Values[T any](t testing.TB, output []byte) (list []T) {
	t.Helper()
	for decoder := json.NewDecoder(bytes.NewReader(output)); decoder.More(); {
		var value T
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		list = append(list, value)
	}
	return list
}
