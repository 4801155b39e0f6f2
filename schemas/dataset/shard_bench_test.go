package dataset

import (
	"context"
	"io"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/rowtest"
	"sentweave/schemas/storage"
)

func BenchmarkWrite(b *testing.B) {
	b.Run("document", func(b *testing.B) { benchmarkWrite(b, rowtest.Document, 4_000) })
	b.Run("example", func(b *testing.B) { benchmarkWrite(b, rowtest.Example, 20_000) })
	b.Run("pair", func(b *testing.B) { benchmarkWrite(b, rowtest.Pair, 20_000) })
}

func benchmarkWrite[T schemas.Row](b *testing.B, row func(int) T, n int) {
	rows := rowtest.List(row, 0, n)
	var bytes int64
	b.ReportAllocs()
	for b.Loop() {
		w := rowfile.NewWriter[T](io.Discard)
		for _, r := range rows {
			if err := w.Write(r); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		bytes = w.Describe("x").Bytes
	}
	report(b, n, bytes)
}

// report gives MB of Parquet and rows a second.
func report(b *testing.B, rows int, bytes int64) {
	b.SetBytes(bytes)
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkRead(b *testing.B) {
	b.Run("document", func(b *testing.B) { benchmarkRead(b, rowtest.Document, 4_000) })
	b.Run("example", func(b *testing.B) { benchmarkRead(b, rowtest.Example, 20_000) })
	b.Run("pair", func(b *testing.B) { benchmarkRead(b, rowtest.Pair, 20_000) })
}

func benchmarkRead[T schemas.Row](b *testing.B, row func(int) T, n int) {
	ctx := context.Background()
	folder := storage.NewLocal(b.TempDir())
	m, err := writeDataset(ctx, folder, rowtest.List(row, 0, n), 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range Rows[T](ctx, folder, m) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	report(b, n, m.Bytes)
}

func BenchmarkVerify(b *testing.B) {
	b.Run("document", func(b *testing.B) { benchmarkVerify(b, rowtest.Document, 4_000) })
	b.Run("example", func(b *testing.B) { benchmarkVerify(b, rowtest.Example, 20_000) })
}

func benchmarkVerify[T schemas.Row](b *testing.B, row func(int) T, n int) {
	ctx := context.Background()
	folder := storage.NewLocal(b.TempDir())
	m, err := writeDataset(ctx, folder, rowtest.List(row, 0, n), 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Verify(ctx, folder); err != nil {
			b.Fatal(err)
		}
	}
	report(b, n, m.Bytes)
}

// writeDataset writes the rows as a dataset of so many units, evenly cut.
func writeDataset[T schemas.Row](ctx context.Context, folder storage.Folder, rows []T, units int) (*Manifest, error) {
	var zero T
	d := Draft{Pipeline: "test", PipelineVersion: 1, Schema: zero.Schema(), ShardBytes: 1, Config: struct{}{}, Inputs: []Input{}}
	for i := range units {
		d.Units = append(d.Units, Unit{Ordinal: i, Spans: []Span{}})
	}
	p, err := d.Plan()
	if err != nil {
		return nil, err
	}
	if _, err := p.Create(ctx, folder, d.Units); err != nil {
		return nil, err
	}
	items := zero.Schema().Name + "s"
	for i := range units {
		a, err := Begin[T](folder, p, i, NewChain(items, "write"))
		if err != nil {
			return nil, err
		}
		defer a.Abort()
		for _, row := range rows[len(rows)*i/units : len(rows)*(i+1)/units] {
			if err := a.Write(ctx, row); err != nil {
				return nil, err
			}
			if err := a.Funnel().Keep(items, "und", 1); err != nil {
				return nil, err
			}
		}
		if err := a.Commit(ctx); err != nil {
			return nil, err
		}
	}
	return p.Finalize(ctx, folder)
}
