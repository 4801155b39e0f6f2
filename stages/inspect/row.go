package inspect

import (
	"bytes"
	"encoding/base64"
	endian "encoding/binary" // binary is a kind here
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// Row is one row, as its selected columns' values. It is valid until the next.
type Row struct {
	schema    *Schema
	selection Selection
	values    [][]parquet.Value
	at        []int // cursor of every leaf while the row is printed
}

// AppendJSON appends the selected columns as one JSON object without a line break.
func (r *Row) AppendJSON(dst []byte, selection Selection) []byte {
	clear(r.at)
	return r.object(dst, selection, r.schema.Columns)
}

// AppendCell appends one column for a table: a text as it is, other values as in
// JSON. A column that is absent appends nothing; one that is in a list gives
// the list of its values.
func (r *Row) AppendCell(dst []byte, selection Selection, c *Column) []byte {
	clear(r.at)
	first := selection.firstOf(c)
	switch {
	case first < 0:
		return dst
	case c.within > 0 && c.Leaf():
		dst = append(dst, '[')
		start := len(dst)
		for _, v := range r.values[c.first] {
			if v.IsNull() {
				continue
			}
			if len(dst) > start {
				dst = append(dst, ',')
			}
			dst = c.appendValue(dst, v)
		}
		return append(dst, ']')
	case c.within > 0: // no row of ours has such a column
		return r.AppendJSON(dst, selection)
	case r.absent(c, first):
		return dst
	case c.Kind == text && !c.List:
		return append(dst, r.peek(first).ByteArray()...)
	}
	return r.value(dst, selection, c)
}

// AppendLines appends every value of a leaf as a line: a text with its line breaks
// turned into spaces, other values as in JSON without quotes. An absent value
// gives an empty line, so that the lines of two columns go together; an empty
// list gives none.
func (r *Row) AppendLines(dst []byte, c *Column) []byte {
	for _, v := range r.values[c.first] {
		if v.IsNull() {
			if c.depth == 0 || c.Nullable && v.DefinitionLevel() >= int(c.filled) {
				dst = append(dst, '\n')
			}
			continue
		}
		start := len(dst)
		if c.Kind == text {
			dst = appendLine(dst, v.ByteArray())
		} else {
			dst = c.appendValue(dst, v)
			if dst[start] == '"' {
				dst = append(dst[:start], dst[start+1:len(dst)-1]...)
			}
		}
		dst = append(dst, '\n')
	}
	return dst
}

// AppendNumbers appends the values of a leaf as NumPy has them, little endian; see Column.NumPy. Absent ones append nothing.
func (r *Row) AppendNumbers(dst []byte, c *Column) []byte {
	for _, v := range r.values[c.first] {
		switch {
		case v.IsNull():
		case c.Kind == float:
			dst = endian.LittleEndian.AppendUint32(dst, math.Float32bits(v.Float()))
		case c.Kind == double:
			dst = endian.LittleEndian.AppendUint64(dst, math.Float64bits(v.Double()))
		default:
			dst = append(dst, v.ByteArray()...)
		}
	}
	return dst
}

// appendLine appends a text with every line break of Unicode as one space.
func appendLine(dst, text []byte) []byte {
	start := 0
	for i := 0; i < len(text); {
		n := lineBreak(text[i:])
		if n == 0 {
			i++
			continue
		}
		dst = append(dst, text[start:i]...)
		dst = append(dst, ' ')
		i += n
		start = i
	}
	return append(dst, text[start:]...)
}

// lineBreak returns the length of the line break that the text begins with:
// what any of wc, Python's splitlines and UAX 14 take for one.
func lineBreak(text []byte) int {
	switch b := text[0]; {
	case b == '\r' && len(text) > 1 && text[1] == '\n':
		return 2
	case b >= '\n' && b <= '\r', b >= 0x1c && b <= 0x1e:
		return 1
	case b == 0xc2 && len(text) > 1 && text[1] == 0x85:
		return 2
	case b == 0xe2 && len(text) > 2 && text[1] == 0x80 && text[2]&^1 == 0xa8:
		return 3
	}
	return 0
}

// peek returns the next value of a leaf; after the last it gives one of levels 0.
func (r *Row) peek(leaf int) parquet.Value {
	if r.at[leaf] < len(r.values[leaf]) {
		return r.values[leaf][r.at[leaf]]
	}
	return parquet.NullValue()
}

func (r *Row) absent(c *Column, first int) bool {
	return c.Optional && r.peek(first).DefinitionLevel() < int(c.present)
}

// skip passes over a column that is absent or empty.
func (r *Row) skip(selection Selection, c *Column) {
	for i := c.first; i < c.end; i++ {
		if selection.leaves[i] {
			r.at[i]++
		}
	}
}

func (r *Row) object(dst []byte, selection Selection, columns []*Column) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for _, c := range columns {
		first := selection.firstOf(c)
		if first < 0 {
			continue
		}
		if r.absent(c, first) {
			r.skip(selection, c)
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = appendString(dst, []byte(c.Name))
		dst = append(dst, ':')
		dst = r.value(dst, selection, c)
	}
	return append(dst, '}')
}

// value appends a column that is there.
func (r *Row) value(dst []byte, selection Selection, c *Column) []byte {
	if !c.List {
		return r.content(dst, selection, c)
	}
	first := selection.firstOf(c)
	dst = append(dst, '[')
	if r.peek(first).DefinitionLevel() < int(c.filled) {
		r.skip(selection, c)
		return append(dst, ']')
	}
	for {
		if c.Nullable && r.peek(first).DefinitionLevel() < int(c.element) {
			r.skip(selection, c)
			dst = append(dst, "null"...)
		} else {
			dst = r.content(dst, selection, c)
		}
		if r.at[first] >= len(r.values[first]) || r.peek(first).RepetitionLevel() != int(c.repeat) {
			return append(dst, ']')
		}
		dst = append(dst, ',')
	}
}

func (r *Row) content(dst []byte, selection Selection, c *Column) []byte {
	if !c.Leaf() {
		return r.object(dst, selection, c.Fields)
	}
	v := r.peek(c.first)
	r.at[c.first]++
	return c.appendValue(dst, v)
}

// appendValue appends a value of a leaf as JSON.
func (c *Column) appendValue(dst []byte, v parquet.Value) []byte {
	if v.IsNull() {
		return append(dst, "null"...)
	}
	switch c.Kind {
	case boolean:
		return strconv.AppendBool(dst, v.Boolean())
	case integer:
		return strconv.AppendInt(dst, c.integer(v), 10)
	case unsigned:
		return strconv.AppendUint(dst, c.unsigned(v), 10)
	case float:
		return appendFloat(dst, float64(v.Float()), 32)
	case double:
		return appendFloat(dst, v.Double(), 64)
	case Time:
		dst = append(dst, '"')
		dst = c.moment(v).AppendFormat(dst, time.RFC3339Nano)
		return append(dst, '"')
	case date:
		dst = append(dst, '"')
		dst = time.Unix(int64(v.Int32())*86_400, 0).UTC().AppendFormat(dst, time.DateOnly)
		return append(dst, '"')
	case text:
		return appendString(dst, v.ByteArray())
	default:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, v.Bytes())
		return append(dst, '"')
	}
}

func (c *Column) integer(v parquet.Value) int64 {
	if c.bits == 32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func (c *Column) unsigned(v parquet.Value) uint64 {
	if c.bits == 32 {
		return uint64(v.Uint32())
	}
	return v.Uint64()
}

// moment is the time of a value. Seconds and the rest are taken apart so that
// no unit overflows.
func (c *Column) moment(v parquet.Value) time.Time {
	second := int64(time.Second / c.unit)
	n := v.Int64()
	return time.Unix(n/second, n%second*int64(c.unit)).UTC()
}

// appendFloat gives the shortest number that reads back as the same, always with
// a point or an exponent: readers that guess the type of a column from its values
// must not take 1 for an integer. What JSON has no number for becomes null.
func appendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	form := byte('f')
	if abs := math.Abs(f); abs != 0 {
		if bits == 64 && (abs < 1e-6 || abs >= 1e21) || bits == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
			form = 'e'
		}
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, form, -1, bits)
	if bytes.IndexByte(dst[start:], '.') < 0 && form == 'f' {
		dst = append(dst, '.', '0')
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string. Besides what JSON asks for it escapes the
// line separators of Unicode, since readers that split a file into lines may
// take them for ends of lines.
func appendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if b >= ' ' && b != '"' && b != '\\' && b != 0x7f {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			switch b {
			case '"', '\\':
				dst = append(dst, '\\', b)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		if r != utf8.RuneError || size > 1 {
			if r != 0x85 && r != 0x2028 && r != 0x2029 {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
