package diff_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sentweave/schemas/dataset"
	"sentweave/stages/diff"
)

// manifest is one that a test changes.
func manifest(change func(*dataset.Manifest)) *dataset.Manifest {
	chain := dataset.NewChain("documents", "read", "quality")
	m := &dataset.Manifest{
		Plan: dataset.Plan{
			Pipeline: "corpus", PipelineVersion: 1, Schema: "document", SchemaVersion: 1, Seed: 1, ShardBytes: 100, Units: 2,
			Config: json.RawMessage(`{"min":10,"languages":["eng"],"nested":{"a":1,"b":{"c":12345678901234567890}}}`),
			Inputs: []dataset.Input{{Role: "pages", Files: 3, Bytes: 30, XXH3: "aa"}, {Role: "against", Files: 1, Bytes: 10, XXH3: "bb"},
				{Role: "against", Files: 2, Bytes: 20, XXH3: "cc"}},
			Hash: "01",
		},
		Rows: 5, Bytes: 50, ContentXXH3: "0f", Shards: []dataset.Shard{{Name: "data/part-00000.parquet", Rows: 5, Bytes: 50}},
		Funnel: dataset.NewFunnel(chain),
	}
	m.Funnel.Keep("documents", "eng", 5)
	m.Funnel.Drop("documents", "eng", "quality", "too_short", 2)
	if change != nil {
		change(m)
	}
	return m
}

func TestCompare(t *testing.T) {
	tests := []struct {
		name   string
		change func(*dataset.Manifest)
		want   diff.Report
	}{
		{"equal", nil, diff.Report{EqualContent: true}},
		{"other shards, same rows", func(m *dataset.Manifest) {
			m.Plan.ShardBytes, m.Plan.Units = 50, 3
			m.Shards = append(m.Shards, dataset.Shard{})
			m.Bytes = 55
		}, diff.Report{
			EqualContent: true,
			Plan:         []diff.Change{{"shard bytes", "100", "50"}, {"units", "2", "3"}},
			Data:         []diff.Change{{"shards", "1", "2"}, {"bytes", "50", "55"}},
		}},
		{"config key by key", func(m *dataset.Manifest) {
			m.Plan.Config = json.RawMessage(`{"languages": ["eng"], "min": 20, "nested": {"b": {"c": 12345678901234567891}}, "new": {}}`)
		}, diff.Report{EqualContent: true, Plan: []diff.Change{
			{"config.min", "10", "20"}, {"config.nested.a", "1", ""}, {"config.nested.b.c", "12345678901234567890", "12345678901234567891"},
			{"config.new", "", "{}"},
		}}},
		{"inputs", func(m *dataset.Manifest) {
			m.Plan.Inputs = []dataset.Input{m.Plan.Inputs[0], m.Plan.Inputs[2]}
			m.Plan.Inputs[0].XXH3 = "ab"
		}, diff.Report{EqualContent: true, Plan: []diff.Change{
			{"input against", "1 files, 10 bytes, bb", "2 files, 20 bytes, cc"}, {"input against 2", "2 files, 20 bytes, cc", ""},
			{"input pages", "3 files, 30 bytes, aa", "3 files, 30 bytes, ab"},
		}}},
		{"funnel and rows", func(m *dataset.Manifest) {
			m.Funnel.Drop("documents", "eng", "quality", "too_short", 1)
			m.Funnel.Drop("documents", "deu", "read", "empty", 1)
			m.Rows, m.ContentXXH3 = 6, "f0"
			m.Rejects = &dataset.Shard{Rows: 1, XXH3: "dd"}
		}, diff.Report{
			Funnel: []diff.Change{
				{"documents/read/eng in", "7", "8"}, {"documents/read/eng out", "7", "8"},
				{"documents/quality/eng in", "7", "8"}, {"documents/quality/eng dropped too_short", "2", "3"},
				{"documents/read/deu in", "", "1"}, {"documents/read/deu dropped empty", "", "1"}, {"documents/read/deu out", "", "0"},
			},
			Data: []diff.Change{{"rows", "5", "6"}, {"content", "0f", "f0"}, {"rejects", "", "1, dd"}},
		}},
		{"another pipeline", func(m *dataset.Manifest) {
			m.Plan.Pipeline, m.Plan.PipelineVersion, m.Plan.Schema, m.Plan.Seed = "pairs", 2, "pair", 9
		}, diff.Report{Plan: []diff.Change{{"pipeline", "corpus", "pairs"}, {"pipeline version", "1", "2"},
			{"schema", "document v1", "pair v1"}, {"seed", "1", "9"}}}},
	}
	for _, test := range tests {
		got := diff.Compare(manifest(nil), manifest(test.change))
		if d := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: want, got:\n%s", test.name, d)
		}
		if got.Equal() != (test.name == "equal") {
			t.Errorf("%s: Equal is %t", test.name, got.Equal())
		}
		for _, back := range diff.Compare(manifest(test.change), manifest(nil)).Data { // the other way round
			if back.A == back.B {
				t.Errorf("%s: %v is no change", test.name, back)
			}
		}
	}
}
