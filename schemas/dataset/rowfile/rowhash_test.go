package rowfile

import (
	"bytes"
	"io"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowtest"
)

// hashOf is the hash as the writer computes it.
func hashOf[T schemas.Row](t testing.TB, row T) uint64 {
	t.Helper()
	h, err := newRowHasher(&row)
	if err != nil {
		t.Fatal(err)
	}
	return h.sum()
}

// The writer's hash of a Go value is the hash of what parquet-go makes of it.
func TestRowHashIsThatOfTheFile(t *testing.T) {
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.Document, 0, 50))
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.Pair, 0, 50))
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.Example, 0, 50))
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.Embedding, 0, 50))
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.State, 0, 50))
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.Result, 0, 50))
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.Benchmark, 0, 50))
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.Reject, 0, 50))
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.WordCount, 0, 50))
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.Translation, 0, 50))
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.Item, 0, 50))
	rowHashIsThatOfTheFile(t, rowtest.List(rowtest.Text, 0, 50))
	// What Validate refuses is hashed right all the same.
	quiet, signalling := math.Float32frombits(0x7fc00001), math.Float32frombits(0x7f800001)
	rowHashIsThatOfTheFile(t, []schemas.Document{
		{}, {Scores: []schemas.Score{{Value: quiet}, {Value: signalling}}, LanguageScore: signalling},
		{Sentences: make([]schemas.Sentence, 1)},
		{Offset: math.MinInt64, Date: math.MaxInt64, Scores: []schemas.Score{}, Sentences: []schemas.Sentence{}},
	})
	rowHashIsThatOfTheFile(
		t,
		[]schemas.Embedding{
			{},
			{Bits: []byte{}, Vector: []float32{}},
			{Bits: []byte{0}, Vector: []float32{signalling, quiet, float32(math.Inf(-1))}},
		},
	)
	rowHashIsThatOfTheFile(
		t,
		[]schemas.Pair{
			{},
			{Target: new(math.NaN()), Score: new(signalling), PositionA: new(int32(math.MinInt32)), Group: new(uint64(math.MaxUint64))},
		},
	)
	rowHashIsThatOfTheFile(t, []schemas.Result{{}, {Spread: new(math.Copysign(0, -1)), Seed: new(int64(math.MinInt64))}})
	rowHashIsThatOfTheFile(t, []schemas.Example{{}, {TokensA: []int32{}, MaskPositions: []int32{math.MinInt32}, Label: new(int32(0))}})
}

func rowHashIsThatOfTheFile[T schemas.Row](t *testing.T, rows []T) {
	t.Helper()
	var file bytes.Buffer
	w := parquet.NewGenericWriter[T](&file, writerOptions(rows[0].Schema())...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	reader := f.RowGroups()[0].Rows()
	defer reader.Close()
	read := make([]parquet.Row, len(rows))
	n := 0
	for n < len(read) {
		k, err := reader.ReadRows(read[n:])
		if n += k; err != nil && err != io.EOF {
			t.Fatal(err)
		}
	}
	for i, row := range rows {
		got, _ := HashRow(read[i], nil)
		if want := hashOf(t, row); got != want {
			t.Errorf("row %d of %T: the file gives %x, the value %x\n%+v", i, row, got, want, row)
		}
	}
}

// Rows that differ a little must not look alike to the hash: it is told where
// values, columns and lists end, and what is absent.
func TestRowHashTellsNeighboursApart(t *testing.T) {
	t.Run("texts that share a boundary", func(t *testing.T) {
		distinct(
			t,
			schemas.Reject{
				ID:     "ab",
				Source: "c",
			},
			schemas.Reject{ID: "a", Source: "bc"},
			schemas.Reject{ID: "abc"},
			schemas.Reject{Source: "abc"},
			schemas.Reject{ID: "ab\x00", Source: "c"},
			schemas.Reject{ID: "ab", Source: "\x00c"},
			schemas.Reject{
				Step:   "a",
				Reason: "b",
			},
			schemas.Reject{Step: "ab"},
			schemas.Reject{Step: "b", Reason: "a"},
			schemas.Reject{Reason: "ab"},
		)
	})
	t.Run("absent, empty and zero", func(t *testing.T) {
		distinct(
			t,
			schemas.Pair{},
			schemas.Pair{Target: new(0.0)},
			schemas.Pair{Score: new(float32(0))},
			schemas.Pair{PositionA: new(int32(0))},
			schemas.Pair{PositionB: new(int32(0))},
			schemas.Pair{Group: new(uint64(0))},
			schemas.Pair{Swapped: true},
			schemas.Pair{DocumentA: "x"},
			schemas.Pair{DocumentB: "x"},
			schemas.Pair{Target: new(math.Copysign(0, -1))},
			schemas.Pair{
				PositionA: new(int32(1)),
				PositionB: new(int32(2)),
			},
			schemas.Pair{PositionA: new(int32(2)), PositionB: new(int32(1))},
		)
	})
	t.Run("lists that share a boundary", func(t *testing.T) {
		distinct(
			t,
			schemas.Example{
				TokensA: []int32{1, 2},
			},
			schemas.Example{TokensA: []int32{1}, TokensB: []int32{2}},
			schemas.Example{TokensB: []int32{1, 2}},
			schemas.Example{
				TokensA: []int32{2, 1},
			},
			schemas.Example{TokensA: []int32{1, 2, 0}},
			schemas.Example{TokensA: []int32{1}, MaskPositions: []int32{2}},
			schemas.Example{
				MaskPositions: []int32{1},
				MaskTokens:    []int32{2},
			},
			schemas.Example{MaskTokens: []int32{1, 2}},
			schemas.Example{},
			schemas.Example{
				TokensA: []int32{0},
			},
			schemas.Example{TokensB: []int32{0}},
			schemas.Example{TokensA: []int32{0x01000000}},
			schemas.Example{TokensA: []int32{0, 0}},
			schemas.Example{LengthA: 1},
			schemas.Example{LengthB: 1},
			schemas.Example{Copy: 1},
			schemas.Example{Label: new(int32(1))},
		)
	})
	t.Run("lists of structs", func(t *testing.T) {
		s := func(texts ...string) (list []schemas.Sentence) {
			for _, text := range texts {
				list = append(list, schemas.Sentence{Text: text})
			}
			return list
		}
		distinct(
			t,
			schemas.Document{},
			schemas.Document{Sentences: s("")},
			schemas.Document{Sentences: s("", "x")},
			schemas.Document{Sentences: s("x", "")},
			schemas.Document{Sentences: s("x")},
			schemas.Document{Sentences: s("", "")},
			schemas.Document{Sentences: s("", "", "x")},
			schemas.Document{
				Scores: []schemas.Score{{}},
			},
			schemas.Document{Scores: []schemas.Score{{Name: "x"}}},
			schemas.Document{Scores: []schemas.Score{{}, {}}},
			schemas.Document{Sentences: []schemas.Sentence{{Block: 1}}},
			schemas.Document{Sentences: []schemas.Sentence{{Position: 1}}},
			schemas.Document{Sentences: []schemas.Sentence{{Language: "x"}}},
			schemas.Document{Sentences: []schemas.Sentence{{Main: 1}}},
			schemas.Document{Sentences: []schemas.Sentence{{LanguageScore: 1}}},
			schemas.Document{LanguageScore: 1},
		)
	})
	t.Run("bytes", func(t *testing.T) {
		distinct(
			t,
			schemas.Embedding{},
			schemas.Embedding{Bits: []byte{0}},
			schemas.Embedding{Text: "\x00"},
			schemas.Embedding{Vector: []float32{0}},
			schemas.Embedding{
				Bits: []byte{0, 0},
			},
			schemas.Embedding{Vector: []float32{float32(math.Copysign(0, -1))}},
			schemas.Embedding{Text: "0"},
		)
	})
}

func distinct[T schemas.Row](t *testing.T, rows ...T) {
	t.Helper()
	seen := map[uint64]T{}
	for _, row := range rows {
		hash := hashOf(t, row)
		if other, ok := seen[hash]; ok {
			t.Errorf("one hash for\n%+v\n%+v", other, row)
		}
		seen[hash] = row
	}
}

// The sum of the hashes does not depend on the order of the rows, and does on
// how often each is there.
func TestContentHashIsOrderFree(t *testing.T) {
	sum := func(rows []schemas.WordCount) (sum uint64) {
		w := NewWriter[schemas.WordCount](io.Discard)
		for _, row := range rows {
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		return w.Content
	}
	rows := rowtest.List(rowtest.WordCount, 0, 100)
	want := sum(rows)
	slices.Reverse(rows)
	if got := sum(rows); got != want {
		t.Errorf("reversed: %x, want %x", got, want)
	}
	if sum(append(rows, rows[0])) == want || sum(append(rows, rows[0], rows[0])) == want || sum(rows[1:]) == want {
		t.Error("a row more, or one less, gives the same sum")
	}
}

// Every type of field that has no rule is refused when the writer is made, not
// hashed as nothing.
func TestRowHashRefusesUnknownColumns(t *testing.T) {
	type inner struct {
		P *int32 `parquet:"p,optional"`
	}
	for _, field := range []any{new(int8), new([]string), new(map[string]int), new([]inner), new(struct{ A int }), new(**int32)} {
		if _, err := columnsOf(reflect.ValueOf(field).Elem(), false); err == nil {
			t.Errorf("a column of type %T was accepted", field)
		}
	}
}

func FuzzRowHash(f *testing.F) {
	f.Add("id", "text", []byte{1, 2}, int64(3), 1.5, true)
	f.Fuzz(func(t *testing.T, a, b string, raw []byte, n int64, x float64, flag bool) {
		var ids []int32
		var vector []float32
		for i, c := range raw {
			ids = append(ids, int32(c)<<(i%24))
			vector = append(vector, math.Float32frombits(uint32(c)*uint32(n)))
		}
		d := schemas.Document{ID: a, URL: b, Offset: n, Date: -n, LanguageScore: float32(x)}
		for range len(raw) % 4 {
			d.Sentences = append(d.Sentences, schemas.Sentence{Text: b, Language: a, Main: float32(x), Block: int32(n)})
			d.Scores = append(d.Scores, schemas.Score{Name: a, Value: float32(x)})
		}
		p := schemas.Pair{ID: a, TextB: b, Swapped: flag}
		if flag {
			p.Target, p.PositionB, p.Group = &x, new(int32(n)), new(uint64(n))
		}
		rowHashIsThatOfTheFile(t, []schemas.Document{d, {}, d})
		rowHashIsThatOfTheFile(t, []schemas.Pair{p, {}, p})
		rowHashIsThatOfTheFile(t, []schemas.Example{{ID: b, TokensA: ids, MaskTokens: ids[len(ids)/2:], Copy: int32(n)}})
		rowHashIsThatOfTheFile(t, []schemas.Embedding{{ID: a, Text: b, Vector: vector, Bits: raw}})
	})
}
