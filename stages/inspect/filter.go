package inspect

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"sentweave/stages/inspect/where"
)

// Filter is a compiled filter.
//
// A comparison holds if it does for any value of the column: for some sentence,
// some token. Absent values and empty lists have none, so nothing holds for them
// but == null. Texts compare by their bytes; == and the orderings on times and
// dates take "2024-01-31" or RFC 3339. length is the characters of a text, the
// bytes of binary, or the elements of a list. contains looks for a part of a
// text, ~ matches a regular expression of RE2 anywhere in it.
type Filter struct {
	holds func(*Row) bool
	// Selection is the columns that the filter reads.
	Selection Selection
}

// Holds says whether the row passes. The zero Filter passes every row.
func (f Filter) Holds(r *Row) bool { return f.holds == nil || f.holds(r) }

// Filter parses and compiles a filter; an empty text passes every row. Errors
// are of type *Fault, and name the place.
func (s *Schema) Filter(text string) (Filter, error) {
	f := Filter{Selection: Selection{make([]bool, len(s.leaves))}}
	if strings.TrimSpace(text) == "" {
		return f, nil
	}
	e, err := where.Parse(text)
	if err != nil {
		return f, &Fault{err}
	}
	c := compiler{schema: s, text: text, selection: f.Selection}
	if f.holds, err = c.compile(e); err != nil {
		return f, &Fault{err}
	}
	return f, nil
}

type predicate = func(*Row) bool

type compiler struct {
	schema    *Schema
	text      string
	selection Selection
}

func (c *compiler) fault(at int, format string, args ...any) error {
	return &where.Error{Filter: c.text, At: at, Message: fmt.Sprintf(format, args...)}
}

func (c *compiler) compile(e where.Expression) (predicate, error) {
	switch e := e.(type) {
	case where.And:
		left, right, err := c.both(e.Left, e.Right)
		return func(r *Row) bool { return left(r) && right(r) }, err
	case where.Or:
		left, right, err := c.both(e.Left, e.Right)
		return func(r *Row) bool { return left(r) || right(r) }, err
	case where.Not:
		operand, err := c.compile(e.Operand)
		return func(r *Row) bool { return !operand(r) }, err
	case *where.Comparison:
		return c.comparison(e)
	}
	return nil, fmt.Errorf("filter: no rule for %T", e)
}

func (c *compiler) both(a, b where.Expression) (left, right predicate, err error) {
	left, errLeft := c.compile(a)
	right, errRight := c.compile(b)
	return left, right, errors.Join(errLeft, errRight)
}

func (c *compiler) comparison(e *where.Comparison) (predicate, error) {
	column, err := c.schema.Column(e.Column)
	if err != nil {
		return nil, c.fault(e.ColumnAt, "%v", err)
	}
	c.selection.leaves[column.first] = true
	if e.Length {
		return c.length(e, column)
	}
	if !column.Leaf() {
		return nil, c.fault(e.ColumnAt, "%s is a %s: compare one of its columns, such as %s, or its length", e.Column, column.Type(), column.Fields[0].Path)
	}
	if e.Literal.Kind == where.Null {
		return c.null(e, column)
	}
	holds, err := c.value(e, column)
	return func(r *Row) bool {
		for _, v := range r.values[column.first] {
			if !v.IsNull() && holds(v) {
				return true
			}
		}
		return false
	}, err
}

func (c *compiler) null(e *where.Comparison, column *Column) (predicate, error) {
	if e.Operator != where.Equal && e.Operator != where.NotEqual {
		return nil, c.fault(e.OperatorAt, "null compares by == and != only")
	}
	absent := e.Operator == where.Equal
	return func(r *Row) bool {
		for _, v := range r.values[column.first] {
			if !v.IsNull() {
				return !absent
			}
		}
		return absent
	}, nil
}

// value compiles the comparison of one value.
func (c *compiler) value(e *where.Comparison, column *Column) (func(parquet.Value) bool, error) {
	wrong := func(want string) error {
		return c.fault(e.LiteralAt, "%s is %s and compares with %s, not with %s", e.Column, column.Kind, want, e.Literal)
	}
	if column.Kind != Text && (e.Operator == where.Contains || e.Operator == where.Matches) {
		return nil, c.fault(e.OperatorAt, "%s is for texts, %s is %s", e.Operator, e.Column, column.Kind)
	}
	switch column.Kind {
	case Text:
		if e.Literal.Kind != where.Text {
			return nil, wrong("a text in quotes")
		}
		return c.textual(e)
	case Boolean:
		if e.Literal.Kind != where.Truth {
			return nil, wrong("true or false")
		}
		if e.Operator != where.Equal && e.Operator != where.NotEqual {
			return nil, c.fault(e.OperatorAt, "true and false compare by == and != only")
		}
		want := (e.Literal.Text == "true") == (e.Operator == where.Equal)
		return func(v parquet.Value) bool { return v.Boolean() == want }, nil
	case Time, Date:
		if e.Literal.Kind != where.Text {
			return nil, wrong(`a time in quotes, such as "2024-01-31"`)
		}
		return c.temporal(e, column)
	case Binary:
		return nil, c.fault(e.ColumnAt, "%s is binary: only its length compares", e.Column)
	default:
		if e.Literal.Kind != where.Number {
			return nil, wrong("a number")
		}
		return c.numeric(e, column)
	}
}

func (c *compiler) textual(e *where.Comparison) (func(parquet.Value) bool, error) {
	want := []byte(e.Literal.Text)
	switch e.Operator {
	case where.Contains:
		return func(v parquet.Value) bool { return bytes.Contains(v.ByteArray(), want) }, nil
	case where.Matches:
		expression, err := regexp.Compile(e.Literal.Text)
		if err != nil {
			return nil, c.fault(e.LiteralAt, "%v", err)
		}
		return func(v parquet.Value) bool { return expression.Match(v.ByteArray()) }, nil
	}
	ordered := ordering(e.Operator)
	return func(v parquet.Value) bool { return ordered(bytes.Compare(v.ByteArray(), want)) }, nil
}

func (c *compiler) temporal(e *where.Comparison, column *Column) (func(parquet.Value) bool, error) {
	var want time.Time
	var err error
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if want, err = time.Parse(layout, e.Literal.Text); err == nil {
			break
		}
	}
	if err != nil {
		return nil, c.fault(e.LiteralAt, `%q is no time; write "2024-01-31" or "2024-01-31T12:30:00Z"`, e.Literal.Text)
	}
	ordered := ordering(e.Operator)
	if column.Kind == Date {
		return func(v parquet.Value) bool {
			return ordered(time.Unix(int64(v.Int32())*86_400, 0).UTC().Compare(want))
		}, nil
	}
	return func(v parquet.Value) bool { return ordered(column.moment(v).Compare(want)) }, nil
}

// numeric compares integers exactly where the literal is one. A column of 32-bit
// floats compares with the literal rounded to 32 bits: 0.1 is 0.1.
func (c *compiler) numeric(e *where.Comparison, column *Column) (func(parquet.Value) bool, error) {
	text := e.Literal.Text
	ordered := ordering(e.Operator)
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xX_") {
		return nil, c.fault(e.LiteralAt, "%q is no number", text)
	}
	switch column.Kind {
	case Float:
		f32 := float32(f)
		return func(v parquet.Value) bool { return orderedFloat(ordered, float64(v.Float()), float64(f32)) }, nil
	case Double:
		return func(v parquet.Value) bool { return orderedFloat(ordered, v.Double(), f) }, nil
	case Unsigned:
		if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			return func(v parquet.Value) bool { return ordered(cmp.Compare(column.unsigned(v), u)) }, nil
		}
		return func(v parquet.Value) bool { return ordered(cmp.Compare(float64(column.unsigned(v)), f)) }, nil
	default:
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return func(v parquet.Value) bool { return ordered(cmp.Compare(column.integer(v), i)) }, nil
		}
		return func(v parquet.Value) bool { return ordered(cmp.Compare(float64(column.integer(v)), f)) }, nil
	}
}

// orderedFloat is false for what is not a number, except that it differs.
func orderedFloat(ordered func(int) bool, a, b float64) bool {
	if a != a || b != b {
		return ordered(1) && ordered(-1)
	}
	return ordered(cmp.Compare(a, b))
}

// length compiles length(column).
func (c *compiler) length(e *where.Comparison, column *Column) (predicate, error) {
	if e.Literal.Kind != where.Number || e.Operator == where.Contains || e.Operator == where.Matches {
		return nil, c.fault(e.OperatorAt, "a length compares with a number by ==, !=, <, <=, > or >=")
	}
	want, err := strconv.ParseInt(e.Literal.Text, 10, 64)
	if err != nil {
		return nil, c.fault(e.LiteralAt, "%q is no whole number", e.Literal.Text)
	}
	ordered := ordering(e.Operator)
	leaf := column.first
	if column.List {
		return func(r *Row) bool {
			return r.anyLength(column, func(n int64) bool { return ordered(cmp.Compare(n, want)) })
		}, nil
	}
	if column.Kind != Text && column.Kind != Binary {
		return nil, c.fault(e.ColumnAt, "%s is %s and has no length; texts, binary and lists have one", e.Column, column.Kind)
	}
	return func(r *Row) bool {
		for _, v := range r.values[leaf] {
			if v.IsNull() {
				continue
			}
			n := len(v.Bytes())
			if column.Kind == Text {
				n = utf8.RuneCount(v.ByteArray())
			}
			if ordered(cmp.Compare(int64(n), want)) {
				return true
			}
		}
		return false
	}, nil
}

// anyLength calls holds with the number of elements of each list of the column
// that is there, until it is true.
func (r *Row) anyLength(c *Column, holds func(int64) bool) bool {
	n, there := int64(0), false
	for _, v := range r.values[c.first] {
		if v.RepetitionLevel() < int(c.repeat) {
			if there && holds(n) {
				return true
			}
			n, there = 0, v.DefinitionLevel() >= int(c.present)
		}
		if v.RepetitionLevel() <= int(c.repeat) && v.DefinitionLevel() >= int(c.filled) {
			n++
		}
	}
	return there && holds(n)
}

// ordering turns the result of a three-way comparison into the operator's.
func ordering(o where.Operator) func(int) bool {
	switch o {
	case where.Equal:
		return func(c int) bool { return c == 0 }
	case where.NotEqual:
		return func(c int) bool { return c != 0 }
	case where.Less:
		return func(c int) bool { return c < 0 }
	case where.LessOrEqual:
		return func(c int) bool { return c <= 0 }
	case where.Greater:
		return func(c int) bool { return c > 0 }
	default:
		return func(c int) bool { return c >= 0 }
	}
}
