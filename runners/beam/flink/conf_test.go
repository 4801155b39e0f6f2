package flink

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A Flink inside of the job server keeps to the loopback, whatever a given folder says;
// a cluster's folder is left as it is.
func TestConf(t *testing.T) {
	given := t.TempDir()
	for name, text := range map[string]string{
		"config.yaml":      "rest:\n  port: 8081\n  bind-address: 0.0.0.0\n\"jobmanager.bind-host\" : 0.0.0.0\r\ntaskmanager.bind-host-more: kept",
		"log4j.properties": "x=y\n",
	} {
		if err := os.WriteFile(filepath.Join(given, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bound := "jobmanager.bind-host: 127.0.0.1\njobmanager.rpc.address: 127.0.0.1\nrest.address: 127.0.0.1\nrest.bind-address: 127.0.0.1\n" +
		"taskmanager.bind-host: 127.0.0.1\ntaskmanager.host: 127.0.0.1\n"
	for name, test := range map[string]struct {
		options Options
		want    map[string]string // "": not there
	}{
		"none": {Options{Master: local}, map[string]string{"config.yaml": localConf + bound, "flink-conf.yaml": localConf + bound}},
		"given": {Options{Master: local, Conf: given},
			map[string]string{"config.yaml": "rest:\n  port: 8081\n  bind-address: 0.0.0.0\ntaskmanager.bind-host-more: kept\n" + bound,
				"flink-conf.yaml": "", "log4j.properties": "x=y\n"}},
		"empty":      {Options{Master: local, Conf: t.TempDir()}, map[string]string{"config.yaml": "", "flink-conf.yaml": bound}},
		"of cluster": {Options{Master: "flink:8081", Conf: given}, map[string]string{"config.yaml": "\"jobmanager.bind-host\" : 0.0.0.0"}},
	} {
		folder := filepath.Join(t.TempDir(), "conf")
		if err := prepareConf(folder, test.options); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for file, want := range test.want {
			text, err := os.ReadFile(filepath.Join(folder, file))
			if (err == nil) != (want != "") || test.options.isLocal() && string(text) != want || !strings.Contains(string(text), want) {
				t.Errorf("%s: %s holds %q, %v; want %q", name, file, text, err, want)
			}
		}
	}
}
