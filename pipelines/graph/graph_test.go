package graph

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

type spills struct{ Nothing }

func (spills) Spill(context.Context, Unit, *exchange.Output) error { return nil }

type writes struct{ Nothing }

func (writes) Write(context.Context, Unit, *dataset.Attempt[schemas.WordCount]) error { return nil }

// Units are numbered as they are added, phases run as they are added, and each phase reads
// what the one before it spills.
func TestBuilder(t *testing.T) {
	b := New(units.Settings{Seed: 7, ShardBytes: 1 << 20})
	read := []dataset.Unit{{Ordinal: 5, Spans: []dataset.Span{{Name: "a", To: 3}}}, {Ordinal: 5, Spans: []dataset.Span{{Name: "b", To: 4}}}}
	b.Input(dataset.ListingInput("files", []dataset.File{{Name: "a", Bytes: 3}, {Name: "b", Bytes: 4}}))
	written, reading, none := b.Buckets(3), b.Units(read), b.Buckets(0)
	if diff := cmp.Diff([]units.Range{{First: 0, Count: 3}, {First: 3, Count: 2}, {First: 5, Count: 0}},
		[]units.Range{written, reading, none}); diff != "" {
		t.Fatal(diff)
	}
	words := exchange.ByHash("words", written)
	Spill(b, "read", reading, &spills{}, words)
	Write(b, "write", written, &writes{})
	job, err := b.Job(t.TempDir(), dataset.Draft{Pipeline: "test", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	want := []dataset.Unit{{Ordinal: 0}, {Ordinal: 1}, {Ordinal: 2}, {Ordinal: 3, Spans: read[0].Spans}, {Ordinal: 4, Spans: read[1].Spans}}
	if diff := cmp.Diff(want, job.Units); diff != "" {
		t.Error(diff)
	}
	if job.Plan.Seed != 7 || job.Plan.ShardBytes != 1<<20 || len(job.Plan.Inputs) != 1 {
		t.Errorf("the plan has seed %d, shards of %d bytes, inputs %v", job.Plan.Seed, job.Plan.ShardBytes, job.Plan.Inputs)
	}
	if len(job.Phases) != 2 || job.Phases[0].Range != reading || job.Phases[1].Range != written || b.spilled != words {
		t.Errorf("phases %+v, which spill %+v", job.Phases, b.spilled)
	}
	if empty := exchange.ToUnits("none", none); empty.Buckets != 1 || !empty.ByUnit {
		t.Errorf("an exchange to no units: %+v", empty)
	}
}

// A job tells the rows of the datasets that it reads.
func TestRows(t *testing.T) {
	b := New(units.Settings{ShardBytes: 1 << 20})
	b.Pack(&dataset.Manifest{Rows: 5})
	b.PackShards(&dataset.Manifest{Rows: 2})
	job, err := b.Job(t.TempDir(), dataset.Draft{Pipeline: "test", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema()})
	if err != nil || job.Rows != 7 {
		t.Errorf("%d rows, want 7; error %v", job.Rows, err)
	}
}

func TestParts(t *testing.T) {
	parts := Parts[string]{{units.Range{First: 2, Count: 2}, "a"}, {units.Range{First: 4}, "empty"}, {units.Range{First: 4, Count: 1}, "b"}}
	for ordinal, want := range map[int]struct {
		from   string
		number int
	}{1: {"", -1}, 2: {"a", 0}, 3: {"a", 0}, 4: {"b", 2}, 5: {"", -1}} {
		if from, number := parts.Of(ordinal); from != want.from || number != want.number {
			t.Errorf("unit %d reads %q, part %d", ordinal, from, number)
		}
	}
	if all := parts[0].To(parts[2].Range); all != (units.Range{First: 2, Count: 3}) {
		t.Errorf("all parts: %+v", all)
	}
}

func TestBucketing(t *testing.T) {
	for spilling, want := range map[int]int{0: 0, 1: 1, 8: 1, 9: 2, 512: 64, 100_000: 64} {
		if got := Bucketing(spilling, 8); got != want {
			t.Errorf("%d units spill into %d buckets, want %d", spilling, got, want)
		}
	}
}
