package inspect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/parquet-go/parquet-go"
)

// Filter is a compiled filter: comparisons of a column with a value, joined by and, or,
// not and parentheses, in the grammar of github.com/expr-lang/expr. The name of a score
// of documents stands where that of a column can.
//
// A comparison holds if it does for any value of the column: for some sentence,
// some token. Absent values, scores that a row lacks and empty lists have none, so
// nothing holds for them but == null. Texts compare by their bytes; == and the
// orderings on times and dates take "2024-01-31" or RFC 3339. length is the characters of a text, the
// bytes of binary, or the elements of a list. contains looks for a part of a
// text, matches for a regular expression of RE2 anywhere in it. Numbers from 1<<63
// on are in quotes.
type Filter struct {
	holds func(*Row) bool
	// Selection is the columns that the filter reads.
	Selection Selection

	operands []operand // in the order of the text, each once
}

// All says that every row passes.
func (f Filter) All() bool { return f.holds == nil }

// Holds says whether the row passes. The zero Filter passes every row.
func (f Filter) Holds(r *Row) bool { return f.holds == nil || f.holds(r) }

// longestFilter bounds how deeply the parser calls itself, in bytes.
const longestFilter = 1 << 16

// Filter parses and compiles a filter; an empty text passes every row. Errors
// are of type *Fault and name the place, except those of reading names of scores.
func (t Table) Filter(ctx context.Context, text string) (Filter, error) {
	f := Filter{Selection: t.selection()}
	if strings.TrimSpace(text) == "" {
		return f, nil
	}
	if len(text) > longestFilter || !utf8.ValidString(text) {
		return f, Faultf("filter: it is not UTF-8, or longer than %d bytes", longestFilter)
	}
	var unread error
	listed := false
	tree, err := parser.Parse(text)
	if err == nil {
		c := compiler{schema: t.Schema, source: tree.Source, filter: &f}
		c.score = func(name string) (found bool, others []string) {
			found, others, err := t.score(ctx, name)
			unread = errors.Join(unread, err)
			if found || listed {
				return found, nil
			}
			listed = true // once is enough
			return false, others
		}
		f.holds, err = c.compile(tree.Node)
	}
	if err != nil && unread == nil {
		err = Faultf("filter: %w", err)
	}
	return f, cmp.Or(unread, err)
}

type predicate = func(*Row) bool

type compiler struct {
	schema *Schema
	source file.Source
	filter *Filter
	// score says whether there is a score of that name, and which there are if not.
	score func(name string) (found bool, others []string)
}

func (c *compiler) fault(node ast.Node, format string, args ...any) error {
	return (&file.Error{Location: node.Location(), Message: fmt.Sprintf(format, args...)}).Bind(c.source)
}

func (c *compiler) compile(n ast.Node) (predicate, error) {
	switch n := n.(type) {
	case *ast.UnaryNode:
		if isNot(n) {
			operand, err := c.compile(n.Node)
			return func(r *Row) bool { return !operand(r) }, err
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "and", "&&":
			left, right, err := c.both(n)
			return func(r *Row) bool { return left(r) && right(r) }, err
		case "or", "||":
			left, right, err := c.both(n)
			return func(r *Row) bool { return left(r) || right(r) }, err
		}
		if isNot(n.Left) { // which the grammar binds closer than ==
			negation, inner := *n.Left.(*ast.UnaryNode), *n
			inner.Left, negation.Node = negation.Node, &inner
			return c.compile(&negation)
		}
		return c.comparison(n)
	}
	return nil, c.fault(n, `a comparison of a column with a value should be here, such as language == "eng"`)
}

func isNot(n ast.Node) bool {
	negation, ok := n.(*ast.UnaryNode)
	return ok && (negation.Operator == "not" || negation.Operator == "!")
}

func (c *compiler) both(n *ast.BinaryNode) (left, right predicate, err error) {
	left, errLeft := c.compile(n.Left)
	right, errRight := c.compile(n.Right)
	return left, right, errors.Join(errLeft, errRight)
}

// comparison is a comparison as it is compiled.
type comparison struct {
	*ast.BinaryNode
	path    string               // of the column
	kind    literalKind          // of the right side
	literal string               // a text without its quotes, others as written
	ordered func(order int) bool // nil for contains and matches
}

type literalKind int

const (
	quoted literalKind = iota
	number
	truth
	null
)

func literalOf(n ast.Node) (kind literalKind, text string, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return quoted, n.Value, true
	case *ast.IntegerNode, *ast.FloatNode:
		return number, n.String(), true
	case *ast.BoolNode:
		return truth, n.String(), true
	case *ast.NilNode:
		return null, "", true
	case *ast.IdentifierNode:
		return null, "", n.Value == "null"
	case *ast.UnaryNode:
		kind, text, ok = literalOf(n.Node)
		return kind, n.Operator + text, ok && kind == number && (n.Operator == "-" || n.Operator == "+")
	}
	return 0, "", false
}

// pathOf returns the path that names stand for, "" for what are not names.
func pathOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value
	case *ast.MemberNode:
		path := pathOf(n.Node)
		if property, ok := n.Property.(*ast.StringNode); ok && path != "" {
			return path + "." + property.Value
		}
	}
	return ""
}

func (c *compiler) comparison(n *ast.BinaryNode) (predicate, error) {
	e := &comparison{BinaryNode: n, path: pathOf(n.Left), ordered: ordering(n.Operator)}
	call, length := n.Left.(*ast.CallNode)
	if length {
		if pathOf(call.Callee) != "length" || len(call.Arguments) != 1 {
			return nil, c.fault(call, "there is no such function; there is length(column)")
		}
		e.path = pathOf(call.Arguments[0])
	}
	var ok bool
	switch e.kind, e.literal, ok = literalOf(n.Right); {
	case e.path == "":
		return nil, c.fault(n.Left, "the name of a column should come before %s", n.Operator)
	case e.ordered == nil && n.Operator != "contains" && n.Operator != "matches":
		return nil, c.fault(n, "%s does not compare; there are ==, !=, <, <=, >, >=, contains and matches", n.Operator)
	case !ok:
		return nil, c.fault(n.Right, "a value should come after %s: a text in quotes, a number, true, false or null", n.Operator)
	}
	column := c.schema.find(e.path)
	if column == nil {
		found, others := c.score(e.path)
		if !found {
			return nil, c.fault(n.Left, "%v", c.schema.unknown(e.path, others))
		}
		if length {
			return nil, c.fault(call, "%s is a score and has no length; texts, binary and lists have one", e.path)
		}
		return c.scored(e)
	}
	c.reads(operand{Column: column, path: e.path}, column.first)
	if length {
		return c.length(e, column)
	}
	if !column.Leaf() {
		return nil, c.fault(n.Left, "%s is a %s: compare one of its columns, such as %s, or its length", e.path, column.Type(),
			column.Fields[0].Path)
	}
	if e.kind == null {
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

func (c *compiler) null(e *comparison, column *Column) (predicate, error) {
	if e.Operator != "==" && e.Operator != "!=" {
		return nil, c.fault(e, onlyEqual)
	}
	absent := e.Operator == "=="
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
func (c *compiler) value(e *comparison, column *Column) (func(parquet.Value) bool, error) {
	wrong := func(want string) error {
		return c.fault(e.Right, "%s is %s and compares with %s, not with %s", e.path, column.Kind, want, e.Right)
	}
	if column.Kind != text && e.ordered == nil {
		return nil, c.fault(e, "%s is for texts, %s is %s", e.Operator, e.path, column.Kind)
	}
	switch column.Kind {
	case text:
		if e.kind != quoted {
			return nil, wrong("a text in quotes")
		}
		return c.textual(e)
	case boolean:
		if e.kind != truth {
			return nil, wrong("true or false")
		}
		if e.Operator != "==" && e.Operator != "!=" {
			return nil, c.fault(e, "true and false compare by == and != only")
		}
		want := (e.literal == "true") == (e.Operator == "==")
		return func(v parquet.Value) bool { return v.Boolean() == want }, nil
	case Time, date:
		if e.kind != quoted {
			return nil, wrong(`a time in quotes, such as "2024-01-31"`)
		}
		return c.temporal(e, column)
	case binary:
		return nil, c.fault(e.Left, "%s is binary: only its length compares", e.path)
	default:
		if e.kind != number && !(e.kind == quoted && column.Kind == unsigned) {
			return nil, wrong("a number")
		}
		return c.numeric(e, column)
	}
}

func (c *compiler) textual(e *comparison) (func(parquet.Value) bool, error) {
	want := []byte(e.literal)
	switch e.Operator {
	case "contains":
		return func(v parquet.Value) bool { return bytes.Contains(v.ByteArray(), want) }, nil
	case "matches":
		expression, err := regexp.Compile(e.literal)
		if err != nil {
			return nil, c.fault(e.Right, "%v", err)
		}
		return func(v parquet.Value) bool { return expression.Match(v.ByteArray()) }, nil
	}
	return func(v parquet.Value) bool { return e.ordered(bytes.Compare(v.ByteArray(), want)) }, nil
}

func (c *compiler) temporal(e *comparison, column *Column) (func(parquet.Value) bool, error) {
	var want time.Time
	var err error
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if want, err = time.Parse(layout, e.literal); err == nil {
			break
		}
	}
	if err != nil {
		return nil, c.fault(e.Right, `%q is no time; write "2024-01-31" or "2024-01-31T12:30:00Z"`, e.literal)
	}
	if column.Kind == date {
		return func(v parquet.Value) bool {
			return e.ordered(time.Unix(int64(v.Int32())*86_400, 0).UTC().Compare(want))
		}, nil
	}
	return func(v parquet.Value) bool { return e.ordered(column.moment(v).Compare(want)) }, nil
}

// numeric compares integers exactly where the literal is one. A column of 32-bit
// floats compares with the literal rounded to 32 bits: 0.1 is 0.1.
func (c *compiler) numeric(e *comparison, column *Column) (func(parquet.Value) bool, error) {
	text := e.literal
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xX_") {
		return nil, c.fault(e.Right, "%q is not a number", text)
	}
	switch column.Kind {
	case float:
		f32 := float32(f)
		return func(v parquet.Value) bool { return orderedFloat(e.ordered, float64(v.Float()), float64(f32)) }, nil
	case double:
		return func(v parquet.Value) bool { return orderedFloat(e.ordered, v.Double(), f) }, nil
	case unsigned:
		if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			return func(v parquet.Value) bool { return e.ordered(cmp.Compare(column.unsigned(v), u)) }, nil
		}
		return func(v parquet.Value) bool { return e.ordered(cmp.Compare(float64(column.unsigned(v)), f)) }, nil
	default:
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return func(v parquet.Value) bool { return e.ordered(cmp.Compare(column.integer(v), i)) }, nil
		}
		return func(v parquet.Value) bool { return e.ordered(cmp.Compare(float64(column.integer(v)), f)) }, nil
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
func (c *compiler) length(e *comparison, column *Column) (predicate, error) {
	if e.kind != number || e.ordered == nil {
		return nil, c.fault(e, "a length compares with a number by ==, !=, <, <=, > or >=")
	}
	want, err := strconv.ParseInt(e.literal, 10, 64)
	if err != nil {
		return nil, c.fault(e.Right, "%q is not a whole number", e.literal)
	}
	leaf := column.first
	if column.List {
		return func(r *Row) bool {
			return r.anyLength(column, func(n int64) bool { return e.ordered(cmp.Compare(n, want)) })
		}, nil
	}
	if column.Kind != text && column.Kind != binary {
		return nil, c.fault(e.Left, "%s is %s and has no length; texts, binary and lists have one", e.path, column.Kind)
	}
	return func(r *Row) bool {
		for _, v := range r.values[leaf] {
			if v.IsNull() {
				continue
			}
			n := len(v.Bytes())
			if column.Kind == text {
				n = utf8.RuneCount(v.ByteArray())
			}
			if e.ordered(cmp.Compare(int64(n), want)) {
				return true
			}
		}
		return false
	}, nil
}

// anyLength calls holds with the number of elements of each list of the column
// that is there, until it is true.
func (r *Row) anyLength(c *Column, holds func(int64) bool) bool {
	n, present := int64(0), false
	for _, v := range r.values[c.first] {
		if v.RepetitionLevel() < int(c.repeat) {
			if present && holds(n) {
				return true
			}
			n, present = 0, v.DefinitionLevel() >= int(c.present)
		}
		if v.RepetitionLevel() <= int(c.repeat) && v.DefinitionLevel() >= int(c.filled) {
			n++
		}
	}
	return present && holds(n)
}

// ordering turns the result of a three-way comparison into the operator's, nil for one
// that does not order.
func ordering(operator string) func(int) bool {
	switch operator {
	case "==":
		return func(c int) bool { return c == 0 }
	case "!=":
		return func(c int) bool { return c != 0 }
	case "<":
		return func(c int) bool { return c < 0 }
	case "<=":
		return func(c int) bool { return c <= 0 }
	case ">":
		return func(c int) bool { return c > 0 }
	case ">=":
		return func(c int) bool { return c >= 0 }
	}
	return nil
}
