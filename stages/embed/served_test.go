//go:build libtorch

package embed

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sentweave/schemas/realdata"
	"sentweave/stages/encoder"
	"sentweave/stages/encoder/endpoint"
	"sentweave/stages/serve"
)

// A text has the vector of embed behind a service, to the last bit, whatever others ask for at the same time, and with the prompt
// that a request names that of --prompt.
func TestServed(t *testing.T) {
	base := realdata.Variable(t, "SENTWEAVE_MINILM")
	folder := filepath.Join(t.TempDir(), "prompts")
	if err := os.CopyFS(folder, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	prompts, err := json.Marshal(map[string]any{"prompts": map[string]string{"search": "find: ", "special": "[SEP]"}})
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "config_sentence_transformers.json"), prompts, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := ModelConfig{Model: folder, Layer: -1}
	var texts []string
	for i := range 60 {
		texts = append(texts, strings.Repeat(fmt.Sprint("number ", i, " "), i%9))
	}
	plain := vectorsOf(t, c, texts)
	c.Prompt = "search"
	prompted := vectorsOf(t, c, texts)

	c.Prompt = ""
	m, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	model, err := m.Served("m")
	if err != nil {
		t.Fatal(err)
	}
	if model.Prompts["search"] == nil || model.Prompts["special"] != nil {
		t.Errorf("the prompts are %v", model.Prompts)
	}
	s, err := serve.New(serve.Config{Listen: "127.0.0.1:0", ReadTimeout: time.Minute, RequestTimeout: time.Minute, RequestBytes: 1 << 20,
		RequestTexts: 100, RequestTokens: 1 << 20, QueueTexts: 1000, BatchTokens: 300, BatchWait: time.Millisecond},
		[]serve.Model{model, {Name: "search", Encoder: model.Prompts["search"]}}, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	var group sync.WaitGroup
	for client := range 8 {
		group.Go(func() {
			name, want := "m", plain
			if client%2 == 1 {
				name, want = "search", prompted
			}
			e, err := endpoint.Open(endpoint.Config{Location: server.URL + "/v1#" + name, Call: endpoint.DefaultCall()})
			if err != nil {
				t.Error(err)
				return
			}
			defer e.Close()
			from := client * len(texts) / 20
			vectors, err := e.Encode(t.Context(), encoder.Texts("eng", texts[from:]...))
			if err != nil {
				t.Error(err)
				return
			}
			d := vectors.(encoder.Dense)
			if !slices.Equal(d.Data, want[from*d.Dim:]) {
				t.Errorf("client %d: the vectors of %s have other bits", client, name)
			}
		})
	}
	group.Wait()
}
