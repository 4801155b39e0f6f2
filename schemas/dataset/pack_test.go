package dataset

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowtest"
	"sentweave/schemas/storage"
)

// Properties of Pack on random pieces: order, every piece once, no more units
// than total/shardBytes+1, groups whole, and no unit much too large.
func TestPack(t *testing.T) {
	for seed := range uint64(2_000) {
		r := rand.New(rand.NewPCG(seed, 0))
		shardBytes := 1 + r.Int64N(100)
		var pieces []Piece
		var total int64
		group := ""
		for i := range r.IntN(60) {
			switch r.IntN(4) {
			case 0:
				group = ""
			case 1:
				group = fmt.Sprint("g", r.IntN(3)) // the same name may come again later
			}
			p := Piece{Span: Span{Name: fmt.Sprint(i)}, Weight: r.Int64N(2 * shardBytes), Group: group}
			if r.IntN(3) == 0 {
				p.Weight = 0
			}
			total += p.Weight
			pieces = append(pieces, p)
		}
		units := Pack(pieces, shardBytes)
		if most := total/shardBytes + 1; int64(len(units)) > most {
			t.Errorf("seed %d: %d units for %d bytes, at most %d", seed, len(units), total, most)
		}
		next := 0
		for i, u := range units {
			if u.Ordinal != i || len(u.Spans) == 0 {
				t.Fatalf("seed %d: unit %d has ordinal %d and %d spans", seed, i, u.Ordinal, len(u.Spans))
			}
			first := next
			var weight, run int64 // run is the weight of the last piece or group
			for j, s := range u.Spans {
				if next >= len(pieces) || s != pieces[next].Span {
					t.Fatalf("seed %d: unit %d, span %d is %v, want piece %d", seed, i, j, s, next)
				}
				p := pieces[next]
				if next == first || p.Group == "" || p.Group != pieces[next-1].Group {
					run = 0
				}
				weight += p.Weight
				run += p.Weight
				next++
			}
			if weight-run >= shardBytes {
				t.Errorf("seed %d: unit %d weighs %d, its last piece or group %d, the shard size is %d", seed, i, weight, run, shardBytes)
			}
			if g := pieces[first].Group; first > 0 && g != "" && pieces[first-1].Group == g {
				t.Errorf("seed %d: unit %d begins within the group %q", seed, i, g)
			}
		}
		if next != len(pieces) {
			t.Errorf("seed %d: %d of %d pieces are in units", seed, next, len(pieces))
		}
	}
}

func TestPackAtTheEdges(t *testing.T) {
	piece := func(weight int64, group string) Piece { return Piece{Weight: weight, Group: group} }
	tests := []struct {
		name       string
		pieces     []Piece
		shardBytes int64
		want       []int // spans of each unit
	}{
		{"nothing", nil, 10, nil},
		{"empty files alone make one unit", []Piece{piece(0, ""), piece(0, "")}, 10, []int{2}},
		{"even", []Piece{piece(10, ""), piece(10, "")}, 10, []int{1, 1}},
		{"an empty file behind a full unit", []Piece{piece(10, ""), piece(0, ""), piece(0, "")}, 10, []int{1, 2}},
		{"one large piece does not make empty units", []Piece{piece(1, ""), piece(1000, ""), piece(1, "")}, 10, []int{2, 1}},
		{"a group larger than a unit", []Piece{piece(10, "a"), piece(10, "a"), piece(10, "a"), piece(10, "b")}, 10, []int{3, 1}},
		{"a group that comes again", []Piece{piece(10, "a"), piece(10, "b"), piece(10, "a")}, 10, []int{1, 1, 1}},
		{"no shard size", []Piece{piece(10, ""), piece(10, "")}, 0, []int{2}},
		{"negative shard size", []Piece{piece(10, ""), piece(10, "")}, -1, []int{2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []int
			for _, u := range Pack(test.pieces, test.shardBytes) {
				got = append(got, len(u.Spans))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSplitBytes(t *testing.T) {
	for _, test := range []struct {
		size, shardBytes int64
		want             int
	}{
		{0, 10, 1}, {1, 10, 1}, {10, 10, 1}, {11, 10, 2}, {20, 10, 2}, {100, 1, 100}, {5, 0, 1}, {5, -3, 1},
		{math.MaxInt64, math.MaxInt64, 1}, {math.MaxInt64, math.MaxInt64/2 + 1, 2}, {math.MaxInt64, math.MaxInt64 - 1, 2},
	} {
		pieces := SplitBytes("x", test.size, test.shardBytes)
		if len(pieces) != test.want {
			t.Errorf("SplitBytes(%d, %d) gives %d pieces, want %d", test.size, test.shardBytes, len(pieces), test.want)
		}
		at := int64(0)
		for _, p := range pieces {
			if p.Span.From != at || p.Weight != p.Span.To-p.Span.From || test.shardBytes > 0 && p.Weight > test.shardBytes {
				t.Errorf("SplitBytes(%d, %d): %+v after %d", test.size, test.shardBytes, p, at)
			}
			at = p.Span.To
		}
		if at != test.size {
			t.Errorf("SplitBytes(%d, %d) ends at %d", test.size, test.shardBytes, at)
		}
	}
}

// Pieces of a dataset cover every row group once, whatever the shard size.
func TestPieces(t *testing.T) {
	m := &Manifest{Plan: Plan{Schema: "document"}}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 50 {
		rows := 1 + r.Int64N(20_000)
		m.Shards = append(m.Shards, Shard{Name: ShardName(i), Rows: rows, Bytes: rows * (1 + r.Int64N(5_000))})
		m.Bytes += m.Shards[i].Bytes
	}
	for _, shardBytes := range []int64{-1, 0, 1, 1_000, 1 << 20, 16 << 20, 64 << 20, math.MaxInt64} {
		pieces := m.Pieces(shardBytes)
		var weight int64
		i := 0
		for _, s := range m.Shards {
			at := int64(0)
			for ; i < len(pieces) && pieces[i].Span.Name == s.Name; i++ {
				p := pieces[i]
				if p.Span.From != at || p.Span.To <= p.Span.From {
					t.Fatalf("shard bytes %d: %+v after %d", shardBytes, p, at)
				}
				at = p.Span.To
				weight += p.Weight
			}
			if want := (s.Rows + 1999) / 2000; at != want {
				t.Errorf("shard bytes %d: %s ends at row group %d of %d", shardBytes, s.Name, at, want)
			}
		}
		if i != len(pieces) || weight != m.Bytes {
			t.Errorf("shard bytes %d: %d of %d pieces are of shards, they weigh %d of %d", shardBytes, i, len(pieces), weight, m.Bytes)
		}
		if shardBytes > 0 {
			if units, most := len(Pack(pieces, shardBytes)), m.Bytes/shardBytes+1; int64(units) > most {
				t.Errorf("shard bytes %d: %d units, at most %d", shardBytes, units, most)
			}
		}
	}
	if got, want := m.WholeShards(), m.Pieces(math.MaxInt64); !cmp.Equal(got, want) {
		t.Errorf("whole shards:\n%s", cmp.Diff(want, got))
	}
}

// Fine pieces cover every row once; they cut within row groups where there are few, but a
// shard no oftener than it is worth.
func TestFinePieces(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		m := &Manifest{Plan: Plan{Schema: "document"}}
		for i := range 1 + r.IntN(5) {
			rows := 1 + r.Int64N(9_000)
			m.Shards = append(m.Shards, Shard{Name: ShardName(i), Rows: rows, Bytes: rows * (1 + r.Int64N(5_000))})
		}
		unitBytes := 1 + r.Int64N(4<<20)
		pieces := m.FinePieces(unitBytes)
		for _, s := range m.Shards {
			at, weight, n := int64(0), int64(0), int64(0)
			for ; len(pieces) > 0 && pieces[0].Span.Name == s.Name; pieces = pieces[1:] {
				p := pieces[0]
				from := p.Span.From
				if !p.Span.Rows {
					from *= 2000
				}
				if from != at || p.Span.To <= p.Span.From {
					t.Fatalf("seed %d: %+v after row %d", seed, p, at)
				}
				rows := m.RowsOf(p.Span)
				at, weight, n = at+rows, weight+p.Weight, n+1
			}
			if at != s.Rows || weight != s.Bytes {
				t.Errorf("seed %d: %d of %d rows, %d of %d bytes", seed, at, s.Rows, weight, s.Bytes)
			}
			if groups := (s.Rows + 1999) / 2000; n > 4*groups || n > 16 || n > 1 && s.Bytes/n < unitBytes {
				t.Errorf("seed %d: %d pieces of %d row groups and %d bytes, units have %d", seed, n, groups, s.Bytes, unitBytes)
			}
		}
	}
}

func TestUnitBytes(t *testing.T) {
	for _, test := range []struct{ total, least, want int64 }{
		{0, LeastOfFiles, 1 << 20}, {64 << 20, LeastOfFiles, 1 << 20}, {64<<20 + 1, LeastOfFiles, 1<<20 + 1},
		{640 << 20, LeastOfFiles, 10 << 20},
		{4 << 30, LeastOfFiles, 64 << 20}, {1 << 50, LeastOfFiles, 64 << 20},
		{10 << 20, LeastOfRows, 256 << 10}, {32 << 20, LeastOfRows, 512 << 10}, {10 << 20, MostOfUnit, 64 << 20},
	} {
		if got := UnitBytes(test.total, test.least); got != test.want {
			t.Errorf("%d bytes, at least %d: %d, want %d", test.total, test.least, got, test.want)
		}
	}
}

// A dataset that is copied through other units keeps its rows, their order and
// its content hash.
func TestOtherShardBytesSameRows(t *testing.T) {
	ctx := t.Context()
	rows := rowtest.List(rowtest.WordCount, 0, 70_000)
	source := storage.NewLocal(t.TempDir())
	from, err := writeDataset(ctx, source, rows, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, shardBytes := range []int64{1, from.Bytes / 7, from.Bytes/2 + 1, from.Bytes * 2, from.Bytes / 23, from.Bytes / 5} {
		units := Pack(from.Pieces(shardBytes), shardBytes)
		if i > 3 {
			units = Pack(from.FinePieces(shardBytes), shardBytes)
		}
		folder := storage.NewLocal(t.TempDir())
		m, err := copyDataset(ctx, source, from, folder, units)
		if err != nil {
			t.Fatal(err)
		}
		if m.ContentXXH3 != from.ContentXXH3 || m.Rows != from.Rows {
			t.Errorf("shard bytes %d: %d rows of content %s, want %d of %s", shardBytes, m.Rows, m.ContentXXH3, from.Rows, from.ContentXXH3)
		}
		i := 0
		for row, err := range Rows[schemas.WordCount](ctx, folder, m) {
			if err != nil {
				t.Fatal(err)
			}
			if row != rows[i] {
				t.Fatalf("shard bytes %d: row %d is %v, want %v", shardBytes, i, row, rows[i])
			}
			i++
		}
		if _, err := Verify(ctx, folder); err != nil || i != len(rows) {
			t.Errorf("shard bytes %d: %d rows, %v", shardBytes, i, err)
		}
	}
}

// copyDataset copies the rows of each unit's spans.
func copyDataset(ctx context.Context, source storage.Folder, from *Manifest, folder storage.Folder, units []Unit) (*Manifest, error) {
	d := Draft{Pipeline: "copy", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Inputs: []Input{from.Input("rows")},
		Units: units}
	p, err := d.Plan()
	if err != nil {
		return nil, err
	}
	if _, err := p.Create(ctx, folder, units); err != nil {
		return nil, err
	}
	for _, u := range units {
		a, err := Begin[schemas.WordCount](folder, p, u.Ordinal, NewChain("wordcounts", "copy"))
		if err != nil {
			return nil, err
		}
		for _, span := range u.Spans {
			for row, err := range SpanRows[schemas.WordCount](ctx, source, from, span) {
				if err == nil {
					err = a.Write(ctx, row)
				}
				if err == nil {
					err = a.Funnel().Keep("wordcounts", row.Language, 1)
				}
				if err != nil {
					a.Abort()
					return nil, err
				}
			}
		}
		if err := a.Commit(ctx); err != nil {
			return nil, err
		}
	}
	return p.Finalize(ctx, folder)
}

func BenchmarkPack(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	pieces := make([]Piece, 100_000)
	for i := range pieces {
		pieces[i] = Piece{Span: Span{Name: fmt.Sprintf("pages/%06d.html", i)}, Weight: r.Int64N(100_000)}
	}
	b.ReportAllocs()
	for b.Loop() {
		Pack(pieces, 64<<20)
	}
}

// Units of an earlier plan stay where they are unchanged and no group crosses their ends; the others are packed anew, and the
// order of the pieces is kept.
func TestPackOnto(t *testing.T) {
	piece := func(name, group string) Piece { return Piece{Span: Span{Name: name, To: 10}, Weight: 10, Group: group} }
	unit := func(hash string, names ...string) (u Unit) {
		for _, name := range names {
			u.Spans = append(u.Spans, Span{Name: name, To: 10})
		}
		u.XXH3 = hash
		return u
	}
	for _, test := range []struct {
		name   string
		pieces []Piece
		want   string
	}{
		{"unchanged", []Piece{piece("a", "1"), piece("b", "2"), piece("c", "3")}, "0:ab 1:c"},
		{"before, between and behind",
			[]Piece{piece("A", ""), piece("a", "1"), piece("b", "2"), piece("bb", ""), piece("c", "3"), piece("d", "")},
			"A 0:ab bb 1:c d"},
		{"within a unit", []Piece{piece("a", "1"), piece("aa", ""), piece("b", "2"), piece("c", "3")}, "a aa b 1:c"},
		{"a group before a unit", []Piece{piece("A", "1"), piece("a", "1"), piece("b", "2"), piece("c", "3")}, "Aa b 1:c"},
		{"a group behind a unit", []Piece{piece("a", "1"), piece("b", "2"), piece("bb", "2"), piece("c", "3")}, "a bbb 1:c"},
		{"a piece is gone", []Piece{piece("b", "2"), piece("c", "3")}, "b 1:c"},
		{"the end is gone", []Piece{piece("a", "1")}, "a"},
		{"other content", []Piece{piece("x", ""), piece("c", "3")}, "x 1:c"},
	} {
		earlier := []Unit{unit("whole", "a", "b"), unit("whole", "c"), unit("changed", "x"), unit("")}
		for i := range earlier {
			earlier[i].Ordinal = i
		}
		var got []string
		for i, u := range PackOnto(earlier, test.pieces, 10, func([]Span) string { return "whole" }) {
			text := ""
			if u.Ordinal != i {
				t.Errorf("%s: unit %d has the ordinal %d", test.name, i, u.Ordinal)
			}
			if u.Adopts != nil {
				text = fmt.Sprint(*u.Adopts, ":")
			}
			for _, span := range u.Spans {
				text += span.Name
			}
			got = append(got, text)
		}
		if joined := strings.Join(got, " "); joined != test.want {
			t.Errorf("%s: %s, want %s", test.name, joined, test.want)
		}
	}
}
