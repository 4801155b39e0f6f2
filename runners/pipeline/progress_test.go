package pipeline

import (
	"strings"
	"testing"
	"time"

	"sentweave/runners/beam"
)

// What is told of a job: within units where this process does them, by units elsewhere.
func TestDescribe(t *testing.T) {
	for name, test := range map[string]struct {
		p    beam.Progress
		want string
	}{
		"at the beginning": {beam.Progress{Total: 62}, "0 of 62 units"},
		"one long unit": {beam.Progress{Total: 1, Share: .25, Read: 61200, Items: "pages", Elapsed: 30 * time.Second},
			"0 of 1 unit, 61,200 pages read, 2,040 a second, 30s, about 1m30s left"},
		"too early to forecast": {beam.Progress{Total: 2, Share: .01, Read: 7, Items: "rows", Elapsed: time.Second},
			"0 of 2 units, 7 rows read, 7 a second, 1s"},
		"a cluster": {beam.Progress{Done: 5, Total: 10, Before: 1, Share: .5, ShareBefore: .1, Elapsed: 20 * time.Second},
			"5 of 10 units (1 done before), 0.2 units a second, 20s, about 25s left"},
		"nothing done there": {beam.Progress{Total: 10, State: "job is queued", Elapsed: time.Minute}, "0 of 10 units, job is queued"},
		"translations": {beam.Progress{Done: 1, Total: 2, Share: .5, Elapsed: time.Minute, Working: "300 texts answered"},
			"1 of 2 units, 0.0167 units a second, 1m0s, about 1m0s left, 300 texts answered"},
		"the end": {beam.Progress{Done: 2, Total: 2, Share: 1, Read: 9, Items: "rows", Elapsed: 3 * time.Second,
			Finished: true}, "2 of 2 units, 9 rows read, 3 a second, 3s"},
	} {
		if got := describe(test.p); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// Without a terminal a job that reads on within one unit is told of every quarter of a
// minute.
func TestLines(t *testing.T) {
	var out strings.Builder
	l := &lines{to: &out}
	for second := range 61 {
		l.show(beam.Progress{Pipeline: "corpus", Total: 1, Read: int64(second), Items: "pages", Share: float64(second) / 1000,
			Elapsed: time.Duration(second) * time.Second})
	}
	if n := strings.Count(out.String(), "\n"); n != 5 {
		t.Errorf("%d lines of a minute:\n%s", n, out.String())
	}
}
