// Package openlineage tells catalogues of data what a recipe reads and makes: an event of OpenLineage when the recipe and each of
// its steps begins and ends. Every event of a run has the run's id, and names its parent.
//
// Source: https://openlineage.io/spec/2-0-2/OpenLineage.json, the facets beside it, and
// https://openlineage.io/docs/spec/naming. The project's client for Go brings Google Cloud's Data Catalog and gRPC with it; an event
// is one object of JSON, which is written here.
package openlineage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"sentweave/runners/command"
	"sentweave/schemas/storage"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/web"
)

// KeyVariable holds the key that a service wants, as for OpenLineage's own clients.
const KeyVariable = "OPENLINEAGE_API_KEY"

const (
	namespace = "sentweave"
	// producer names this program. It is a URI, since the schema wants one.
	producer = "urn:sentweave:run"
	spec     = "https://openlineage.io/spec/"
	// patience is how long a service may take for an event, while the run waits.
	patience = 5 * time.Second
	// endpoint is where a service takes events that is named by its host alone.
	endpoint = "/api/v1/lineage"
)

// Log takes the events of one run of a recipe. A nil Log takes none.
type Log struct {
	send func(context.Context, []byte) error
	note func(string)
	lost int // events in a row
}

// mostLost events in a row are tried: a service that hangs does not hold up each step.
const mostLost = 3

// Open returns the log that appends to a file, an event a line, or sends to a service at a URL. A file that cannot be written and an
// address that is none are errors. What goes wrong later is noted once: no run fails of it.
func Open(target string, note func(string)) (*Log, error) {
	if !storage.IsAddress(target) {
		if storage.IsRemote(target) {
			return nil, fmt.Errorf("--openlineage %s: events go to a file of this machine, or to http:// or https://", target)
		}
		if err := appendLine(target, nil); err != nil {
			return nil, fmt.Errorf("--openlineage: %w", err)
		}
		return &Log{send: func(_ context.Context, event []byte) error { return appendLine(target, append(event, '\n')) }, note: note}, nil
	}
	var key engines.Secret
	var err error
	if os.Getenv(KeyVariable) != "" {
		if key, err = engines.ReadSecret(KeyVariable, ""); err != nil {
			return nil, err
		}
	}
	if _, err := web.New(target, key); err != nil {
		return nil, fmt.Errorf("--openlineage: %w", err)
	}
	if u, _ := url.Parse(target); strings.Trim(u.Path, "/") == "" {
		target = strings.TrimRight(target, "/") + endpoint
	}
	client := &http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Log{note: note, send: func(ctx context.Context, event []byte) error {
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(event))
		if err != nil {
			return key.Hide(err)
		}
		maps.Copy(q.Header, web.Bearer(key))
		q.Header.Set("Content-Type", "application/json")
		r, err := client.Do(q)
		if err != nil {
			return key.Hide(err)
		}
		defer r.Body.Close()
		_, _ = io.CopyN(io.Discard, r.Body, 1<<20) // so that the connection serves the next event
		if r.StatusCode/100 != 2 {
			return fmt.Errorf("%s: %s", target, r.Status)
		}
		return nil
	}}, nil
}

// appendLine appends a line to a file, behind the end of one that was cut off.
func appendLine(name string, line []byte) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	last := make([]byte, 1)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// Run is a recipe, or a step of one, that has begun.
type Run struct {
	log    *Log
	id     string
	name   string
	parent *Run // of a step
}

type object = map[string]any

// Begin tells that a recipe begins, or a step of the recipe that parent is, and what it reads.
func (l *Log) Begin(ctx context.Context, name string, parent *Run, inputs []Dataset) *Run {
	if l == nil {
		return nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		l.lose(err)
		return nil
	}
	r := &Run{l, id.String(), name, parent}
	if parent != nil {
		r.name = parent.name + "." + name
	}
	r.event(ctx, "START", nil, inputs, nil)
	return r
}

// End tells that the run has ended, as what it has read and made is now. Fault is why it ended too early, nil if it did not; an
// aborted one goes on another time.
func (r *Run) End(ctx context.Context, fault error, aborted bool, inputs, outputs []Dataset) {
	kind := "COMPLETE"
	switch {
	case fault != nil && aborted:
		kind = "ABORT"
	case fault != nil:
		kind = "FAIL"
	}
	if r != nil {
		r.event(ctx, kind, fault, inputs, outputs)
	}
}

func (r *Run) event(ctx context.Context, kind string, fault error, inputs, outputs []Dataset) {
	engine := object{"name": namespace, "version": command.Version()}
	facets := object{"processing_engine": facet("1-1-1", "ProcessingEngineRunFacet", engine)}
	if r.parent != nil {
		facets["parent"] = facet("1-2-0", "ParentRunFacet", object{"run": object{"runId": r.parent.id}, "job": r.parent.job()})
	}
	if fault != nil {
		facets["errorMessage"] = facet("1-0-1", "ErrorMessageRunFacet", object{"message": fault.Error(), "programmingLanguage": "Go"})
	}
	of := func(list []Dataset, statistics string) []object {
		result := []object{}
		for _, d := range list {
			result = append(result, d.object(statistics))
		}
		return result
	}
	data, err := json.Marshal(object{"eventType": kind, "eventTime": time.Now().UTC(), "producer": producer,
		"schemaURL": spec + "2-0-2/OpenLineage.json#/$defs/RunEvent", "run": object{"runId": r.id, "facets": facets}, "job": r.job(),
		"inputs": of(inputs, "input"), "outputs": of(outputs, "output")})
	if r.log.lost == mostLost {
		return
	}
	if err == nil {
		err = r.log.send(context.WithoutCancel(ctx), data)
	}
	r.log.lose(err)
}

// lose counts the events in a row that are lost, and notes the first one and the last.
func (l *Log) lose(err error) {
	if err == nil {
		l.lost = 0
		return
	}
	switch l.lost++; l.lost {
	case 1:
		l.note(fmt.Sprintf("openlineage: an event was not delivered: %v; the run goes on", err))
	case mostLost:
		l.note(fmt.Sprintf("openlineage: %d events in a row were not delivered, and no more are sent: %v", mostLost, err))
	}
}

func (r *Run) job() object { return object{"namespace": namespace, "name": r.name} }

// facet is a part of an event with the version of its schema.
func facet(version, name string, fields object) object {
	fields["_producer"], fields["_schemaURL"] = producer, spec+"facets/"+version+"/"+name+".json#/$defs/"+name
	return fields
}

// nameOf returns the namespace and the name of a location, by OpenLineage's conventions.
func nameOf(location string) (space, name string) {
	if scheme, rest, ok := strings.Cut(location, "://"); ok {
		bucket, object, _ := strings.Cut(rest, "/")
		return scheme + "://" + bucket, object
	}
	if path, err := filepath.Abs(location); err == nil {
		location = path
	}
	return "file", location
}
