package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/runners/recipe/openlineage"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// lineageEvent is what the tests read of an event.
type lineageEvent struct {
	EventType string
	Run       struct {
		RunID  string
		Facets struct {
			Parent       struct{ Run struct{ RunID string } }
			ErrorMessage struct{ Message string }
		}
	}
	Job             struct{ Name string }
	Inputs, Outputs []struct {
		Namespace, Name string
		Facets          struct {
			Version struct{ DatasetVersion string }
			Schema  struct{ Fields []struct{ Name, Type string } }
		}
		OutputFacets struct{ OutputStatistics struct{ RowCount int64 } }
	}
}

func lineageEvents(t *testing.T, data []byte) (list []lineageEvent, order []string) {
	t.Helper()
	for line := range bytes.Lines(data) {
		var e lineageEvent
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		list, order = append(list, e), append(order, e.EventType+" "+e.Job.Name)
	}
	return list, order
}

// A recipe tells what its steps read and make: by folder, with the hash, the rows and the columns of datasets.
func TestOpenLineage(t *testing.T) {
	file, input := writeRecipe(t, recipeText)
	base := t.TempDir()
	out, events := filepath.Join(base, "out"), filepath.Join(base, "events.ndjson")
	sentweave(t, "run", file, "--out", out, "--openlineage", events, "--set", "input="+input).expect(t, 0, anything, anything)
	m, err := dataset.Load(t.Context(), storage.NewLocal(filepath.Join(out, "documents")))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(events)
	if err != nil {
		t.Fatal(err)
	}
	list, order := lineageEvents(t, data)
	if want := []string{"START test", "START test.documents", "COMPLETE test.documents", "START test.counts", "COMPLETE test.counts",
		"COMPLETE test"}; !slices.Equal(order, want) {
		t.Fatalf("%q, want %q", order, want)
	}
	made, read := list[2].Outputs[0], list[3].Inputs[0]
	if made.Namespace != "file" || made.Name != filepath.Join(out, "documents") || made.Facets.Version.DatasetVersion != m.ContentXXH3 ||
		made.OutputFacets.OutputStatistics.RowCount != m.Rows || fmt.Sprint(made.Facets.Schema.Fields[:2]) != "[{id text} {source text}]" {
		t.Errorf("documents: %+v", made)
	}
	if list[1].Inputs[0].Name != input || read.Name != made.Name || read.Facets.Version != made.Facets.Version {
		t.Errorf("inputs: %+v, %+v", list[1].Inputs, read)
	}
	for i, e := range list[1:5] {
		if e.Run.Facets.Parent.Run.RunID != list[0].Run.RunID || e.Run.RunID != list[1+i/2*2].Run.RunID {
			t.Errorf("event %d: run %+v", i, e.Run)
		}
	}
	validateEvents(t, events)
}

// validateEvents checks events and their facets by OpenLineage's own schemas.
func validateEvents(t *testing.T, events string) {
	spec, python := os.Getenv("SENTWEAVE_OPENLINEAGE"), os.Getenv("SENTWEAVE_PYTHON")
	if spec == "" {
		t.Skip("skipped: SENTWEAVE_OPENLINEAGE, the folder spec of OpenLineage's repository, is not set")
	}
	if exec.Command(python, "-c", "import jsonschema").Run() != nil {
		t.Skip("skipped: SENTWEAVE_PYTHON names no interpreter with jsonschema")
	}
	out, err := exec.Command(python, filepath.Join("testdata", "openlineage.py"), spec, events).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "6 events and 22 facets are valid, and without their producer none" {
		t.Errorf("%v: %s", err, out)
	}
}

// Events are sent with the key, which is not shown. A service that refuses them, or is not there, is told of once, and no run fails.
func TestOpenLineageService(t *testing.T) {
	file, input := writeRecipe(t, recipeText)
	const key = "the key of this test"
	t.Setenv(openlineage.KeyVariable, key)
	var got bytes.Buffer
	status := http.StatusCreated
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/api/v1/lineage" || q.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s %v", q.URL, q.Header)
		}
		_, _ = io.Copy(&got, q.Body)
		got.WriteByte('\n')
		w.WriteHeader(status)
	}))
	defer server.Close()
	run := func(target string) outcome {
		return sentweave(t, "run", file, "--out", filepath.Join(t.TempDir(), "out"), "--set", "input="+input, "--openlineage", target)
	}
	o := run(server.URL)
	o.expect(t, 0, anything, anything)
	if _, order := lineageEvents(t, got.Bytes()); len(order) != 6 || strings.Contains(o.stdout+o.stderr+got.String(), key) ||
		strings.Contains(o.stderr, "openlineage") {
		t.Errorf("%q\n%s", order, o.stderr)
	}
	status = http.StatusTeapot
	refused := run(server.URL)
	server.Close()
	gone := run(server.URL)
	for want, o := range map[string]outcome{"418": refused, "refused": gone} {
		o.expect(t, 0, anything, anything)
		if strings.Count(o.stderr, "an event was not delivered") != 1 || !strings.Contains(o.stderr, want) ||
			strings.Contains(o.stderr, key) {
			t.Error(o.stderr)
		}
	}
}
