package rowfile

import (
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowtest"
)

// Rows whose values do not fit the columns are refused before a value is used.
func TestRowShape(t *testing.T) {
	schema := parquet.SchemaOf(schemas.Example{})
	shape, err := shapeOf(schema)
	if err != nil {
		t.Fatal(err)
	}
	row := rowtest.Example(1)
	whole := func() parquet.Row { return schema.Deconstruct(nil, &row) }
	find := func(r parquet.Row, column int) int {
		return slices.IndexFunc(r, func(v parquet.Value) bool { return v.Column() == column })
	}
	const tokensA, label = 4, 10
	tests := []struct {
		name   string
		change func(parquet.Row) parquet.Row
		ok     bool
	}{
		{"as it is", func(r parquet.Row) parquet.Row { return r }, true},
		{"nothing", func(parquet.Row) parquet.Row { return nil }, false},
		{"a column less at the end", func(r parquet.Row) parquet.Row { return r[:len(r)-1] }, false},
		{"a column less at the beginning", func(r parquet.Row) parquet.Row { return r[1:] }, false},
		{
			"a column less in the middle",
			func(r parquet.Row) parquet.Row { return slices.Delete(r, find(r, label), find(r, label)+1) },
			false,
		},
		{"a column more", func(r parquet.Row) parquet.Row { return append(r, parquet.Int32Value(1).Level(0, 0, 14)) }, false},
		{"a column twice", func(r parquet.Row) parquet.Row { return slices.Insert(r, 0, r[0]) }, false},
		{"two columns swapped", func(r parquet.Row) parquet.Row { r[0], r[1] = r[1], r[0]; return r }, false},
		{
			"a list that begins in its middle",
			func(r parquet.Row) parquet.Row { return slices.Delete(r, find(r, tokensA), find(r, tokensA)+1) },
			false,
		},
		{"a number for a text", func(r parquet.Row) parquet.Row { r[0] = parquet.Int64Value(1).Level(0, 0, 0); return r }, false},
		{"a text for a number", func(r parquet.Row) parquet.Row {
			r[find(r, label)] = parquet.ByteArrayValue([]byte("x")).Level(0, 1, label)
			return r
		}, false},
		{"absent", func(r parquet.Row) parquet.Row { r[find(r, label)] = parquet.NullValue().Level(0, 0, label); return r }, true},
		{"absent where it must be", func(r parquet.Row) parquet.Row { r[0] = parquet.NullValue().Level(0, 0, 0); return r }, false},
		{
			"absent and defined",
			func(r parquet.Row) parquet.Row { r[find(r, label)] = parquet.NullValue().Level(0, 1, label); return r },
			false,
		},
		{"there and undefined", func(r parquet.Row) parquet.Row {
			r[find(r, label)] = parquet.Int32Value(1).Level(0, 0, label)
			return r
		}, false},
		{"defined too deep", func(r parquet.Row) parquet.Row {
			r[find(r, label)] = parquet.Int32Value(1).Level(0, 2, label)
			return r
		}, false},
		{"repeated too deep", func(r parquet.Row) parquet.Row {
			r[find(r, tokensA)+1] = parquet.Int32Value(1).Level(2, 1, tokensA)
			return r
		}, false},
		{"repeated where it is not a list", func(r parquet.Row) parquet.Row {
			return slices.Insert(r, 1, parquet.ByteArrayValue(nil).Level(1, 0, 0))
		}, false},
	}
	for _, test := range tests {
		if err := shape.check(test.change(whole())); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
