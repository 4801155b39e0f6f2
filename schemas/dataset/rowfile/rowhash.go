package rowfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/zeebo/xxh3"

	"sentweave/schemas"
)

// The hash of a row is the xxh3-64 of its leaves as Parquet sees them, column by
// column: for every value its repetition level, its definition level and, unless
// it is absent, its bytes (fixed width little-endian, or length and content). A
// repetition level of 0 starts the next column, so that two different rows of a
// schema never give the same input to the hash.
//
// It is computed twice: by HashRow from what is in a file, which needs no Go
// type, so that verify checks any schema; and by rowHasher from the Go value,
// since to take a row apart into parquet.Values takes longer than to write it.

// HashRow returns the hash of a row that was read. The buffer is reused.
func HashRow(row parquet.Row, buffer []byte) (uint64, []byte) {
	b := buffer[:0]
	for _, v := range row {
		b = append(b, byte(v.RepetitionLevel()), byte(v.DefinitionLevel()))
		if v.IsNull() {
			continue
		}
		switch v.Kind() {
		case parquet.Boolean:
			b = appendBool(b, v.Boolean())
		case parquet.Int32:
			b = binary.LittleEndian.AppendUint32(b, uint32(v.Int32()))
		case parquet.Int64:
			b = binary.LittleEndian.AppendUint64(b, uint64(v.Int64()))
		case parquet.Float:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v.Float()))
		case parquet.Double:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Double()))
		default: // the kinds of text; ReadGroup lets no other pass
			b = appendText(b, v.ByteArray())
		}
	}
	return xxh3.Hash(b), b
}

// rowHasher gives the hash of the Go value that it was made for.
type rowHasher struct {
	columns []func([]byte) []byte
	buffer  []byte
}

// newRowHasher returns a hasher that reads *row at every call of sum, so that
// the type is looked at once and not for every row. A type with a column of a
// kind that no schema has is an error.
func newRowHasher[T schemas.Row](row *T) (*rowHasher, error) {
	h := &rowHasher{}
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		optional := parquetTag(v.Type().Field(i), "optional")
		columns, err := columnsOf(v.Field(i), optional)
		if err != nil {
			return nil, fmt.Errorf("column %s of %T: %w", v.Type().Field(i).Name, *row, err)
		}
		h.columns = append(h.columns, columns...)
	}
	return h, nil
}

func (h *rowHasher) sum() uint64 {
	b := h.buffer[:0]
	for _, column := range h.columns {
		b = column(b)
	}
	h.buffer = b
	return xxh3.Hash(b)
}

// columnsOf returns the functions that append the values of a field's columns:
// one, or as many as the elements of a list of structs have fields.
func columnsOf(field reflect.Value, optional bool) ([]func([]byte) []byte, error) {
	single := func(f func([]byte) []byte) ([]func([]byte) []byte, error) { return []func([]byte) []byte{f}, nil }
	switch p := field.Addr().Interface().(type) {
	case *[]byte:
		return single(func(b []byte) []byte {
			if optional && *p == nil {
				return append(b, 0, 0)
			}
			return appendText(append(b, 0, level(optional)), *p)
		})
	case *[]int32:
		return single(func(b []byte) []byte { return appendList(b, *p) })
	case *[]float32:
		return single(func(b []byte) []byte { return appendList(b, *p) })
	}
	switch field.Kind() {
	case reflect.Slice:
		return columnsOfList(field)
	case reflect.Pointer:
		leaf, err := leafOf(field.Type().Elem())
		return []func([]byte) []byte{func(b []byte) []byte {
			if field.IsNil() {
				return append(b, 0, 0)
			}
			return leaf(append(b, 0, 1), field.Elem())
		}}, err
	default:
		leaf, err := leafOf(field.Type())
		return []func([]byte) []byte{func(b []byte) []byte {
			if optional && field.IsZero() {
				return append(b, 0, 0)
			}
			return leaf(append(b, 0, level(optional)), field)
		}}, err
	}
}

// columnsOfList gives one function a field of the list's elements.
func columnsOfList(list reflect.Value) ([]func([]byte) []byte, error) {
	element := list.Type().Elem()
	if element.Kind() != reflect.Struct {
		return nil, fmt.Errorf("no rule for a list of %s", element)
	}
	var columns []func([]byte) []byte
	for i := range element.NumField() {
		leaf, err := leafOf(element.Field(i).Type)
		if err != nil || parquetTag(element.Field(i), "optional") {
			return nil, fmt.Errorf("no rule for a list of %s with field %s", element, element.Field(i).Name)
		}
		columns = append(columns, func(b []byte) []byte {
			n := list.Len()
			if n == 0 {
				return append(b, 0, 0)
			}
			for j := range n {
				b = leaf(append(b, repetition(j), 1), list.Index(j).Field(i))
			}
			return b
		})
	}
	return columns, nil
}

// leafOf returns the function that appends a value of a type without levels.
func leafOf(t reflect.Type) (func([]byte, reflect.Value) []byte, error) {
	switch t.Kind() {
	case reflect.String:
		return func(b []byte, v reflect.Value) []byte { return appendText(b, v.String()) }, nil
	case reflect.Bool:
		return func(b []byte, v reflect.Value) []byte { return appendBool(b, v.Bool()) }, nil
	case reflect.Int32:
		return func(b []byte, v reflect.Value) []byte { return binary.LittleEndian.AppendUint32(b, uint32(v.Int())) }, nil
	case reflect.Int64:
		return func(b []byte, v reflect.Value) []byte { return binary.LittleEndian.AppendUint64(b, uint64(v.Int())) }, nil
	case reflect.Uint64:
		return func(b []byte, v reflect.Value) []byte { return binary.LittleEndian.AppendUint64(b, v.Uint()) }, nil
	case reflect.Float32:
		return func(b []byte, v reflect.Value) []byte {
			// Not v.Float(), whose detour over float64 changes the bits of some NaNs.
			return binary.LittleEndian.AppendUint32(b, math.Float32bits(*v.Addr().Interface().(*float32)))
		}, nil
	case reflect.Float64:
		return func(b []byte, v reflect.Value) []byte {
			return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
		}, nil
	}
	return nil, fmt.Errorf("no rule for the type %s", t)
}

// appendList is quick, since most of what is hashed are vectors.
func appendList[E int32 | float32](b []byte, list []E) []byte {
	if len(list) == 0 {
		return append(b, 0, 0)
	}
	const size = 2 + 4 // levels and number
	start := len(b)
	b = slices.Grow(b, size*len(list))[:start+size*len(list)]
	rest := b[start:]
	for _, x := range unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(list))), len(list)) {
		binary.LittleEndian.PutUint16(rest, 1<<8|1) // the levels of repetition and definition
		binary.LittleEndian.PutUint32(rest[2:], x)
		rest = rest[size:]
	}
	b[start] = 0
	return b
}

func appendText[S string | []byte](b []byte, text S) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// level is the definition level of a value that is there.
func level(optional bool) byte {
	if optional {
		return 1
	}
	return 0
}

// repetition is the repetition level of the i-th element of a list.
func repetition(i int) byte { return byte(min(i, 1)) }

// parquetTag says whether a field's Parquet tag has an option.
func parquetTag(f reflect.StructField, option string) bool {
	options := strings.Split(f.Tag.Get("parquet"), ",")
	return slices.Contains(options[1:], option)
}
