package serve

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// OpenAI's client for Python reads models, vectors in both formats, and errors.
func TestOpenAIClient(t *testing.T) {
	python := os.Getenv("SENTWEAVE_PYTHON")
	if python == "" {
		t.Skip("skipped: SENTWEAVE_PYTHON is not set")
	}
	if exec.Command(python, "-c", "import openai").Run() != nil {
		t.Skip("skipped: the Python of SENTWEAVE_PYTHON has no openai")
	}
	c := settings()
	c.KeyVariable = "SENTWEAVE_SERVE_KEY"
	t.Setenv(c.KeyVariable, "sesame")
	command := exec.Command(python, filepath.Join("testdata", "client.py"), start(t, c, two()...)+"/v1", "sesame")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	type answers struct {
		Models                          []string
		Base64, Floats, Short, Prompted [][]float32
		Tokens                          int
		Refused                         [][]any
	}
	var got answers
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	want := answers{[]string{"a", "b", "b"}, [][]float32{{6, 122, 7}, {2, 98, 7}}, [][]float32{{6, 122, 7}, {2, 98, 7}}, [][]float32{{1}},
		[][]float32{{6, 122, 8}}, 8, [][]any{{"NotFoundError", 404., "there is no model of that name, only: a, b"},
			{"BadRequestError", 400., "input must be a text or a list of texts; ids of tokens are not taken, since they are those of one vocabulary"},
			{"BadRequestError", 400., "dimensions must be from 1 to 3"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
