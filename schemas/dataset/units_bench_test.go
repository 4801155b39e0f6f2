package dataset

import (
	"fmt"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/storage"
)

// BenchmarkUnits makes a dataset of a thousand units of one row: what a unit costs beside
// its rows. $TMPDIR says on which disk.
func BenchmarkUnits(b *testing.B) {
	const n = 1000
	var pieces []Piece
	for i := range n {
		pieces = append(pieces, Piece{Span: Span{Name: fmt.Sprintf("in/%d", i), To: 10}, Weight: 10})
	}
	units := Pack(pieces, 10)
	p, err := Draft{Pipeline: "wordcounts", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), ShardBytes: 10, Units: units}.Plan()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		folder := storage.NewLocal(b.TempDir())
		if _, err := p.Create(b.Context(), folder, units); err != nil {
			b.Fatal(err)
		}
		for unit := range n {
			if done, err := p.Committed(b.Context(), folder, unit); done || err != nil {
				b.Fatal(done, err)
			}
			a, err := Begin[schemas.WordCount](folder, p, unit, NewChain("wordcounts", "read"))
			if err != nil {
				b.Fatal(err)
			}
			if err := a.Write(b.Context(), schemas.WordCount{Word: "w", Language: "eng", Count: 1}); err != nil {
				b.Fatal(err)
			}
			if err := a.Funnel().Keep("wordcounts", "eng", 1); err != nil {
				b.Fatal(err)
			}
			if err := a.Commit(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := p.Finalize(b.Context(), folder); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "µs/unit")
}
