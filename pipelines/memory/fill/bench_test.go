package fill_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"sentweave/pipelines/memory/fill"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
)

// numbered are n different sentences of a usual length.
func numbered(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("On day %d the travellers crossed the river near the old harbour and rested for %d hours.", i, i%97)
	}
	return list
}

func parse(b *testing.B, args ...string) fill.Config {
	b.Helper()
	c, err := pipelinetest.Configure[fill.Config](args...)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// BenchmarkMemory measures texts that a memory has, from dataset to dataset,
// by two units at once.
func BenchmarkMemory(b *testing.B) {
	const n = 200_000
	input := benchmarkOf(b, 50_000, numbered(n))
	settings := units.Settings{Seed: 1, ShardBytes: 8 << 20}
	memory, _ := pipelinetest.Run(b, parse(b, "--texts", input, "--targets=deu", "--engine=identity", "--accept=copied"), settings,
		pipelinetest.Plain(2))
	c := parse(b, "--texts", input, "--targets=deu", "--engine=identity", "--accept=copied", "--memory", memory)
	for b.Loop() {
		pipelinetest.Run(b, c, settings, pipelinetest.Plain(2))
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "segments/s")
}

// BenchmarkQuota measures what is added to an engine that takes 50 ms for a request and
// so many requests a minute: "ideal" is what the requests take at the quota.
func BenchmarkQuota(b *testing.B) {
	const n, items, slots, latency, quota = 24_000, 20, 8, 50 * time.Millisecond, 6_000
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/languages" {
			_ = json.NewEncoder(w).Encode(
				[]map[string]any{{"code": "en", "targets": []string{"de"}}, {"code": "de", "targets": []string{"en"}}})
			return
		}
		var body struct{ Q []string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		time.Sleep(latency)
		for i := range body.Q {
			body.Q[i] = "de: " + body.Q[i]
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"translatedText": body.Q})
	}))
	defer server.Close()
	c := parse(b, "--texts", benchmarkOf(b, n, numbered(n)), "--targets=deu", "--engine=libretranslate", "--libretranslate-server="+
		server.URL,
		fmt.Sprint("--texts-per-request=", items), fmt.Sprint("--requests=", slots), fmt.Sprint("--requests-per-minute=", quota))
	root := b.TempDir()
	for i := 0; b.Loop(); i++ {
		job, err := c.Plan(context.Background(), filepath.Join(root, fmt.Sprint(i)), units.Settings{Seed: 1, ShardBytes: 64 << 20})
		if err == nil {
			_, err = pipelinetest.Plain(2)(context.Background(), job)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	ideal := 60.0*(n/items-quota/60)/quota + latency.Seconds() // the first second's requests may go at once
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/ideal, "x-ideal")
}
