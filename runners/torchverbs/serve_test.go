//go:build libtorch

package torchverbs

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/stages/pcr"
)

// The verb listens before it loads, says where, answers, and ends well when it is asked to stop.
func TestServe(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	call(t, newCorpus(t).untrained(model)...).expect(t, 0, nil, nil)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for want, args := range map[string][]string{
		"give another address by --listen":     {"--listen=" + taken.Addr().String()},
		"two models have the name \"model\"":   {"--model=" + model + "," + model + "/"},
		"is not the folder of an encoder":      {"--model=https://host/v1#m"},
		"variable SENTWEAVE_NO_KEY is not set": {"--listen=:0", "--key-variable=SENTWEAVE_NO_KEY"},
		"can be reached from other machines":   {"--listen=:0"},
	} {
		o := callIn(t.Context(), with([]string{"serve", "--model=" + model}, args...)...)
		if o.code == 0 || !strings.Contains(o.stderr, want) {
			t.Errorf("%q: %d %s, want %q", args, o.code, o.stderr, want)
		}
	}

	data := t.TempDir()
	lines, vectors, components := filepath.Join(data, "lines"), filepath.Join(data, "vectors"), filepath.Join(data, "components")
	if err := os.WriteFile(lines, []byte("x\na text\nanother one\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	call(t, "embed", "--model="+model, "--lines="+lines, "--language=eng", "--out="+vectors).expect(t, 0, nil, nil)
	fit := pcr.StageConfig{Embeddings: vectors, MaxTexts: 10, Config: pcr.Config{Components: 1}}
	if _, _, err := pcr.Run(t.Context(), components, fit, pcr.Options{}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, said := io.Pipe()
	var stderr bytes.Buffer
	p := program()
	p.Stdout, p.Stderr = said, &stderr
	code := make(chan int)
	go func() {
		code <- p.ExitCode(ctx, p.Execute(ctx, []string{"serve", "--model=a=" + model, "--components=a=" + components,
			"--listen=127.0.0.1:0", "--threads=1"}))
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	name, address, ok := strings.Cut(strings.TrimSpace(line), " at ")
	if err != nil || !ok || name != "a" {
		t.Fatalf("%q, %v", line, err)
	}
	r, err := http.Post(address+"/embeddings", "application/json", strings.NewReader(`{"model":"a","input":["x",""],"language":"eng"}`))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if r.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(`"index":1`)) {
		t.Errorf("%d %s", r.StatusCode, body)
	}
	stop()
	if got := <-code; got != 0 || !strings.Contains(stderr.String(), "all requests are answered") {
		t.Errorf("%d %s", got, &stderr)
	}
}
