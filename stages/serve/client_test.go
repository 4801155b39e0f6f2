package serve

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/peertest"
)

// OpenAI's client for Python reads models, vectors in both formats, and errors.
func TestOpenAIClient(t *testing.T) {
	python := peertest.Python(t, "openai")
	c := settings()
	c.KeyVariable = "SENTWEAVE_SERVE_KEY"
	t.Setenv(c.KeyVariable, "sesame")
	type answers struct {
		Models                          []string
		Base64, Floats, Short, Prompted [][]float32
		Tokens                          int
		Refused                         [][]any
	}
	var got answers
	peertest.Answer(t, nil, &got, python, filepath.Join("testdata", "client.py"), start(t, c, two()...)+"/v1", "sesame")
	want := answers{[]string{"a", "b", "b"}, [][]float32{{6, 122, 7}, {2, 98, 7}}, [][]float32{{6, 122, 7}, {2, 98, 7}}, [][]float32{{1}},
		[][]float32{{6, 122, 8}}, 8, [][]any{{"NotFoundError", 404., "there is no model of that name, only: a, b"},
			{"BadRequestError", 400., "input must be a text or a list of texts; ids of tokens are not taken, since they are those of one vocabulary"},
			{"BadRequestError", 400., "dimensions must be from 1 to 3"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
