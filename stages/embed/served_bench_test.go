//go:build libtorch && linux

package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/stages/encoder"
	"sentweave/stages/serve"
	"sentweave/stages/torch"
)

// Texts as embed encodes them, and behind a service that 64 clients ask at once, in turn. Clients are another process, so that the
// figures are texts in a second of this one's CPU, and how many times those of embed they are. The times of one short text, by a single
// client and without a service, are the least of five medians, since other programs disturb times by the clock. SENTWEAVE_THREADS is how
// many threads compute.
func BenchmarkServed(b *testing.B) {
	base := realdata.Variable(b, "SENTWEAVE_MINILM")
	texts := sentences(b, 4096)
	list := filepath.Join(b.TempDir(), "texts.json")
	data, err := json.Marshal(texts)
	if err == nil {
		err = os.WriteFile(list, data, 0o666)
	}
	if err != nil {
		b.Fatal(err)
	}
	threads, _ := strconv.Atoi(os.Getenv("SENTWEAVE_THREADS"))
	for _, precision := range []string{torch.Float32, "bfloat16", torch.Int8} {
		b.Run(precision, func(b *testing.B) {
			compute := torch.Compute{Device: "cpu", Precision: precision, Threads: threads}
			m, err := Open(ModelConfig{Model: base, Layer: -1, Compute: compute})
			if err != nil {
				b.Skip("skipped: ", err)
			}
			defer m.Close()
			benchmarkServed(b, m, compute.Lanes(), texts, list)
		})
	}
}

func benchmarkServed(b *testing.B, m *Model, lanes int, texts []string, list string) {
	served, err := m.Served("m")
	if err != nil {
		b.Fatal(err)
	}
	s, err := serve.New(serve.Config{Listen: "127.0.0.1:0", ReadTimeout: time.Minute, RequestTimeout: time.Minute, RequestBytes: 4 << 20,
		RequestTexts: 2048, RequestTokens: 300_000, QueueTexts: 8192, BatchTokens: 1024, BatchWait: 10 * time.Millisecond,
		Lanes: lanes},
		[]serve.Model{served}, func(text string) { b.Error(text) })
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	kinds := []struct {
		name string
		call clients
	}{
		{"32-base64", clients{64, 32, "base64", 0}},
		{"32-float", clients{64, 32, "float", 0}},
		{"1-base64", clients{64, 1, "base64", 0}},
	}
	took := make([][]peertest.Took, len(kinds)+1)
	for range 3 {
		took[0] = append(took[0], peertest.Time(b, func() { embedAll(b, m, texts) }))
		for i, k := range kinds {
			took[i+1] = append(took[i+1], peertest.Time(b, func() { k.call.run(b, server.URL, list) }))
		}
	}
	for b.Loop() { // all is measured
	}
	b.ReportMetric(0, "ns/op")
	count := float64(len(texts))
	b.ReportMetric(count/peertest.CPU(took[0]), "embed/cpu-s")
	for i, k := range kinds {
		b.ReportMetric(count/peertest.CPU(took[i+1]), k.name+"/cpu-s")
		b.ReportMetric(peertest.CPU(took[0])/peertest.CPU(took[i+1]), k.name+"-x")
		b.ReportMetric(peertest.Clock(took[0])/peertest.Clock(took[i+1]), k.name+"-x-clock")
	}
	const times = 300
	single := clients{1, 1, "base64", times}
	short := func() float64 { return single.run(b, server.URL, list) }
	bare := func() float64 {
		var list []time.Duration
		for range times {
			began := time.Now()
			if _, err := m.Vectors(b.Context(), texts[:1]); err != nil {
				b.Fatal(err)
			}
			list = append(list, time.Since(began))
		}
		slices.Sort(list)
		return list[len(list)/2].Seconds() * 1000
	}
	var shorts, bares []float64
	for range 5 {
		shorts, bares = append(shorts, short()), append(bares, bare())
	}
	b.ReportMetric(slices.Min(shorts), "p50-ms")
	b.ReportMetric(slices.Min(bares), "bare-ms")
}

// sentences are the first different texts of the STS benchmark.
func sentences(b *testing.B, n int) (texts []string) {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(realdata.Folder(b, "stsb"), "stsb", "sts-train.csv"))
	if err != nil {
		b.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		for _, text := range strings.Split(strings.TrimSpace(line), "\t")[5:7] {
			if !seen[text] && len(texts) < n {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// embedAll encodes texts as embed does.
func embedAll(b *testing.B, m *Model, texts []string) {
	b.Helper()
	e := encoded{model: m}
	var batches iter.Seq2[*batch, error] = func(yield func(*batch, error) bool) {
		for part := range slices.Chunk(texts, batchTexts) {
			next := newBatch()
			next.texts = encoder.Texts("eng", part...)
			if !yield(next, nil) {
				return
			}
		}
	}
	for done, err := range e.vectors(b.Context(), batches) {
		if err != nil {
			b.Fatal(err)
		}
		done.release()
	}
}

// clients ask for vectors at once: each for some texts in a request.
type clients struct {
	Count, Texts int
	Format       string
	Times        int // that one text is asked for; 0 to ask once for each of all texts
}

// run has another process ask, and returns the median time of a request in milliseconds.
func (c clients) run(b *testing.B, url, list string) (median float64) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	task, err := json.Marshal(c)
	if err != nil {
		b.Fatal(err)
	}
	command := exec.Command(self, "-test.run=^TestClientProcess$")
	command.Env = append(os.Environ(), "SENTWEAVE_CLIENTS="+string(task), "SENTWEAVE_URL="+url, "SENTWEAVE_TEXTS="+list)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	if _, err := fmt.Sscan(string(out), &median); err != nil {
		b.Fatal(err)
	}
	return median
}

// TestClientProcess is the clients of BenchmarkServed, in a process of their own.
func TestClientProcess(t *testing.T) {
	task := os.Getenv("SENTWEAVE_CLIENTS")
	if task == "" {
		t.Skip("skipped: BenchmarkServed starts it")
	}
	var c clients
	var texts []string
	data, err := os.ReadFile(os.Getenv("SENTWEAVE_TEXTS"))
	if err == nil {
		err = json.Unmarshal(data, &texts)
	}
	if err == nil {
		err = json.Unmarshal([]byte(task), &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.Times > 0 {
		texts = slices.Repeat(texts[:1], c.Times)
	}
	list, err := c.ask(t.Context(), os.Getenv("SENTWEAVE_URL"), texts)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	fmt.Println(list[len(list)/2].Seconds() * 1000)
}

func (c clients) ask(ctx context.Context, url string, texts []string) ([]time.Duration, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: c.Count}}
	var group errgroup.Group
	group.SetLimit(c.Count)
	list := make([]time.Duration, (len(texts)+c.Texts-1)/c.Texts)
	i := 0
	for part := range slices.Chunk(texts, c.Texts) {
		body, err := json.Marshal(map[string]any{"model": "m", "input": part, "encoding_format": c.Format})
		if err != nil {
			return nil, err
		}
		took := &list[i]
		i++
		group.Go(func() error {
			began := time.Now()
			r, err := client.Post(url+"/v1/embeddings", "application/json", bytes.NewReader(body))
			if err != nil {
				return err
			}
			defer r.Body.Close()
			if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != http.StatusOK {
				return fmt.Errorf("%s: %w", r.Status, err)
			}
			*took = time.Since(began)
			return nil
		})
	}
	return list, group.Wait()
}
