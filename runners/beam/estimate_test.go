package beam_test

import (
	"encoding/json"
	"testing"
	"time"

	"sentweave/pipelines/units"
	"sentweave/runners/beam"
	"sentweave/schemas/dataset"
)

// An estimate is input by rate, that of the pipeline and of what it reads; models
// and vocabularies are no input.
func TestEstimate(t *testing.T) {
	const size = 36_000_000
	for name, test := range map[string]struct {
		pipeline, config, file string
		rate                   int64
		wantRate, exchanged    int64
	}{
		"pages":                {"corpus", `{}`, "a/b.html", 0, 7_500_000, 0},
		"compressed pages":     {"corpus", `{}`, "a/b.html.gz", 0, 1_875_000, 0},
		"a web archive":        {"corpus", `{}`, "a/b.warc.gz", 0, 3_400_000, 0},
		"texts of one":         {"corpus", `{}`, "a/b.warc.wet.gz", 0, 3_000_000, 0},
		"a level of its own":   {"dedup", `{"level":"sentence"}`, "data/x.parquet", 0, 12_000_000, size * 73 / 100},
		"one without a rate":   {"dedup", `{"level":"document"}`, "data/x.parquet", 0, 17_000_000, size * 2 / 100},
		"lines by language":    {"pairs", `{"kind":"bitext"}`, "0", 0, 18_000_000, size * 12 / 100},
		"a rate that is given": {"corpus", `{}`, "a/b.html", 9_000_000, 9_000_000, 0},
		"an unknown pipeline":  {"paint", `{}`, "x", 0, 0, 0},
		"unknown, with a rate": {"paint", `{}`, "x", 9_000_000, 9_000_000, 0},
	} {
		job := &units.Job{
			Plan: &dataset.Plan{Pipeline: test.pipeline, Config: json.RawMessage(test.config), Inputs: []dataset.Input{
				{Role: "pages", Bytes: size}, {Role: "langid", Bytes: 1 << 40},
			}},
			Units:  []dataset.Unit{{}, {Ordinal: 1, Spans: []dataset.Span{{Name: test.file, To: 9}}}},
			Phases: []units.Phase{{Name: "work", Range: units.Range{Count: 2}}},
		}
		e, ok := beam.EstimateOf(job, test.rate)
		if ok != (test.wantRate > 0) {
			t.Errorf("%s: %t", name, ok)
			continue
		}
		if ok && (e.Rate != test.wantRate || e.Bytes != size || e.Exchanged != test.exchanged) {
			t.Errorf("%s: %+v", name, e)
		}
		want := time.Duration(float64(size)/float64(test.wantRate)/2*float64(time.Second)) + 308*time.Millisecond // to start, and for two units
		if ok && (e.Time(2)-want).Abs() > time.Microsecond {
			t.Errorf("%s: %v on two cores, want %v", name, e.Time(2), want)
		}
	}
	if _, ok := beam.EstimateOf(&units.Job{Plan: &dataset.Plan{Pipeline: "corpus", Config: json.RawMessage(`{}`)}}, 0); !ok {
		t.Error("a plan without units has no estimate")
	}
}
