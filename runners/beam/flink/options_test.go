package flink

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/runners/beam/portable"
	"sentweave/runners/beam/worker"
)

func TestOptions(t *testing.T) {
	t.Setenv(worker.TokenVariable, "sixteen letters or more")
	folder := t.TempDir()
	jar := filepath.Join(folder, "server.jar")
	if err := os.WriteFile(jar, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		options Options
		want    []string // none: valid
	}{
		"a Flink of its own": {Options{Master: "[local]"}, nil},
		"a cluster":          {Options{Master: "flink.example:8081", JobServer: jar, Worker: "/opt/sentweave", Conf: folder}, nil},
		"version 6":          {Options{Master: "[::1]:8081"}, nil},
		"a worker pool": {Options{Master: "flink:8081", WorkerPool: "localhost:50000",
			Set: map[string]string{"max_parallelism": "128"}}, nil},
		"a given job server":  {Options{Master: "flink:8081", JobEndpoint: "localhost:8099"}, nil},
		"no port":             {Options{Master: "flink"}, []string{`flink-master "flink" is not an address`}},
		"a URL":               {Options{Master: "http://flink:8081"}, []string{"is not an address: give host:port"}},
		"a port out of range": {Options{Master: "flink:80810"}, []string{"is not an address"}},
		"no host":             {Options{Master: ":8081"}, []string{"is not an address"}},
		"two job servers":     {Options{Master: "[local]", JobServer: jar, JobEndpoint: "a:1"}, []string{"give one of them"}},
		"two kinds of worker": {Options{Master: "f:1", Worker: "/opt/x", WorkerPool: "a:1"}, []string{"no effect beside it"}},
		"a relative worker":   {Options{Master: "f:1", Worker: "bin/sentweave"}, []string{"is not absolute"}},
		"a job server gone":   {Options{Master: "[local]", JobServer: filepath.Join(folder, "x.jar")}, []string{"x.jar does not exist"}},
		"a folder for a jar":  {Options{Master: "[local]", JobServer: folder}, []string{"is not a file"}},
		"a file for a folder": {Options{Master: "[local]", Conf: jar}, []string{"is not a folder"}},
		"an option with a dash": {Options{Master: "[local]", Set: map[string]string{"max-parallelism": "1"}},
			[]string{"is not the name of an option"}},
		"an option of ours": {Options{Master: "[local]", Set: map[string]string{"parallelism": "4", "runner": "x"}},
			[]string{"parallelism is set by this program: give --parallelism", "runner is set by this program"}},
		"a token without pool": {Options{Master: "f:1", WorkerPoolToken: jar}, []string{"no effect without flink-worker-pool"}},
		"an empty token": {Options{Master: "f:1", WorkerPool: "a:1", WorkerPoolToken: jar},
			[]string{"server.jar has 0 characters, it needs 16"}},
		"no file of a token": {Options{Master: "f:1", WorkerPool: "a:1", WorkerPoolToken: filepath.Join(folder, "none")},
			[]string{"token of the worker pool: open "}},
		"several faults": {Options{Master: "x", WorkerPool: "y", Worker: "z"},
			[]string{"flink-master", "flink-worker-pool", "flink-worker", "not absolute"}},
	} {
		err := test.options.Validate()
		if (err == nil) != (test.want == nil) {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range test.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", name, err, want)
			}
		}
	}
}

func TestOptionValue(t *testing.T) {
	for text, want := range map[string]any{"128": int64(128), "true": true, "PIPELINED": "PIPELINED", "": "", "1.5": "1.5"} {
		if got := optionValue(text); got != want {
			t.Errorf("%q: %#v", text, got)
		}
	}
}

// What a TaskManager says that cannot start a worker names the file or the address,
// and the flag.
func TestHint(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		said    string
		want    []string
	}{
		"no program": {Options{Worker: "/opt/x"},
			"Caused by: java.io.IOException: Cannot run program \"/opt/x\": error=2, No such file or directory",
			[]string{"/opt/x", "--flink-worker"}},
		"no pool": {Options{WorkerPool: "localhost:50000"}, "finishConnect(..) failed: Connection refused",
			[]string{"does not reach the worker pool at localhost:50000", "sentweave worker-pool"}},
		"a wrong token": {Options{WorkerPool: "localhost:50000"}, "Caused by: a.B: " + worker.Refusal,
			[]string{"give the token of the pool at localhost:50000"}},
		"a worker spoke": {Options{Worker: "/opt/x"}, "Cannot run program ⟦sentweave: unit 7: disk full⟧", []string{"unit 7: disk full"}},
		"something else": {Options{}, "Caused by: a.B: c", []string{"job j failed: c"}},
	} {
		err := test.options.hint(&portable.Failure{Job: "j", Said: test.said})
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", name, err, want)
			}
		}
	}
	if err := (Options{}).hint(nil); err != nil {
		t.Error(err)
	}
}
