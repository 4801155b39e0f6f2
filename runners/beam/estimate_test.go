package beam_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/examples"
	"sentweave/pipelines/pairfilter"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/units"
	"sentweave/pipelines/verb"
	"sentweave/pipelines/wordcounts"
	"sentweave/runners/beam"
	"sentweave/schemas/dataset"
)

var rates = map[string]verb.Rates{
	"corpus": corpus.Verb.Rates, "dedup": dedup.Verb.Rates, "wordcounts": wordcounts.Verb.Rates, "examples": examples.Verb.Rates,
	"pairs": pairs.Verb.Rates,
}

// An estimate is input by rate, that of the pipeline and of what it reads; models
// and vocabularies are not an input. Pairs are counted by rows, of which there are 400,000.
func TestEstimate(t *testing.T) {
	const size, rows = 36_000_000, 400_000
	for name, test := range map[string]struct {
		pipeline, config, role, file string
		rate                         int64
		wantRate, exchanged, written int64
	}{
		"pages":                {"corpus", `{}`, "pages", "a/b.html", 0, 7_000_000, 0, size * 11 / 100},
		"compressed pages":     {"corpus", `{}`, "pages", "a/b.html.gz", 0, 1_750_000, 0, size * 11 / 100},
		"a web archive":        {"corpus", `{}`, "pages", "a/b.warc.gz", 0, 3_400_000, 0, 0},
		"texts of one":         {"corpus", `{}`, "pages", "a/b.warc.wet.gz", 0, 3_000_000, 0, 0},
		"a level of its own":   {"dedup", `{"level":"sentence"}`, "documents", "data/x.parquet", 0, 7_500_000, size * 73 / 100, size},
		"one without a rate":   {"dedup", `{"level":"document"}`, "documents", "data/x.parquet", 0, 8_000_000, size * 2 / 100, size},
		"near duplicates":      {"dedup", `{"near":"nemo"}`, "documents", "data/x.parquet", 0, 1_300_000, rows * 800, size},
		"pairs":                {"dedup", `{"level":"document"}`, "pairs", "data/x.parquet", 0, size / 400_000 * 68_000, rows * 69, size},
		"words of pairs":       {"wordcounts", `{}`, "pairs", "data/x.parquet", 0, size / 400_000 * 95_000, size * 75 / 100, 0},
		"examples":             {"examples", `{}`, "pairs", "data/x.parquet", 0, size / 400_000 * 80_000, 0, size * 17 / 10},
		"examples of texts":    {"examples", `{}`, "documents", "data/x.parquet", 0, 7_500_000, 0, size * 2},
		"lines by language":    {"pairs", `{"kind":"bitext"}`, "bitext", "0", 0, 16_000_000, size * 12 / 100, size * 6 / 10},
		"a rate that is given": {"corpus", `{}`, "pages", "a/b.html", 9_000_000, 9_000_000, 0, size * 11 / 100},
		"an unknown pipeline":  {"paint", `{}`, "x", "x", 0, 0, 0, 0},
		"unknown, with a rate": {"paint", `{}`, "x", "x", 9_000_000, 9_000_000, 0, 0},
	} {
		job := &units.Job{
			Rows: rows,
			Plan: &dataset.Plan{Pipeline: test.pipeline, Config: json.RawMessage(test.config), Inputs: []dataset.Input{
				{Role: test.role, Bytes: size, XXH3: "0a"}, {Role: "langid", Bytes: 1 << 40, XXH3: "0b"},
			}},
			Units:  []dataset.Unit{{}, {Ordinal: 1, Spans: []dataset.Span{{Name: test.file, To: 9}}}},
			Phases: []units.Phase{{Name: "work", Range: units.Range{Count: 2}}},
		}
		e, ok := beam.EstimateOf(job, rates[test.pipeline], test.rate)
		if ok != (test.wantRate > 0) {
			t.Errorf("%s: %t", name, ok)
			continue
		}
		if ok && (e.Rate != test.wantRate || e.Bytes != size || e.Exchanged != test.exchanged || e.Written != test.written) {
			t.Errorf("%s: %+v", name, e)
		}
		want := time.Duration(float64(size)/float64(test.wantRate)/2*float64(time.Second)) +
			104*time.Millisecond // to start, and for two units
		if ok && (e.Time(2)-want).Abs() > time.Microsecond {
			t.Errorf("%s: %v on two cores, want %v", name, e.Time(2), want)
		}
	}
	compressed := &units.Job{Content: map[string]int64{"aligned": 3 * size, "jsonl": size},
		Plan: &dataset.Plan{Pipeline: "pairs", Config: json.RawMessage(`{"kind":"bitext"}`),
			Inputs: []dataset.Input{{Role: "bitext", Bytes: size, XXH3: "0a"}}}}
	if e, ok := beam.EstimateOf(compressed, pairs.Verb.Rates, 0); !ok || e.Bytes != 4*size || e.Rate != 23_661_972 { // 4 / (3/35 + 1/12) MB
		t.Errorf("of compressed lines %d bytes count, want %d, at %d a second", e.Bytes, 4*size, e.Rate)
	}
	// Margins are counted by operations, here two seconds of them, and other filters have no rate.
	margins := &units.Job{Operations: 120e9, Rows: 10, Plan: &dataset.Plan{Pipeline: "pairfilter", Config: json.RawMessage(`{}`),
		Inputs: []dataset.Input{{Role: "pairs", Bytes: 600}}}}
	if e, ok := beam.EstimateOf(margins, pairfilter.Verb.Rates, 0); !ok || e.Rate != 300 || e.Exchanged != 500 {
		t.Errorf("margins: %+v, %v", e, ok)
	}
	margins.Operations = 0
	if e, ok := beam.EstimateOf(margins, pairfilter.Verb.Rates, 0); ok {
		t.Errorf("filters without margins: %+v", e)
	}
	if _, ok := beam.EstimateOf(&units.Job{Plan: &dataset.Plan{Pipeline: "corpus", Config: json.RawMessage(`{}`)}}, corpus.Verb.Rates,
		0); !ok {
		t.Error("a plan without units has no estimate")
	}
}

// What is not there yet takes what its bytes take at the rates, worked out by hand.
func TestGuessOf(t *testing.T) {
	for _, test := range []struct {
		pipeline, kind string
		pairs, langid  bool
		bytes          int64
		seconds        float64
		written        int64
	}{
		{"corpus", "", false, false, 130_000_000, 10, 14_300_000},
		{"corpus", "", false, true, 70_000_000, 10, 7_700_000},
		{"dedup", "document", false, false, 8_000_000, 1, 8_000_000},
		{"dedup", "sentence", false, false, 75_000_000, 10, 75_000_000},
		{"dedup", "", true, false, 4_080_000, 1, 4_080_000},
		{"pairs", "parallel", false, false, 1_200_000, 1, 0},
		{"translations", "", false, false, 1_000_000, 0, 0},
	} {
		e, known := beam.GuessOf(rates[test.pipeline], test.kind, test.pairs, test.langid, test.bytes)
		if known != (test.seconds > 0) {
			t.Errorf("%+v: known is %v", test, known)
			continue
		}
		if got := (e.Time(1) - 100*time.Millisecond).Seconds(); known && (math.Abs(got-test.seconds) > .001 || e.Written != test.written) {
			t.Errorf("%+v: %.3f s, %d bytes", test, got, e.Written)
		}
	}
}
