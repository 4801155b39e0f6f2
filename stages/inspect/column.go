package inspect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"sentweave/schemas/spelling"
)

// Kind is what the values of a column are.
type Kind int

// Kinds of columns.
const (
	group    Kind = iota // has fields
	text                 // UTF-8
	binary               // bytes, printed in base64
	integer              // signed, up to 64 bits
	unsigned             // up to 64 bits
	float                // 32 bits
	double               // 64 bits
	boolean
	Time // a moment, printed in RFC 3339, UTC
	date // a day
)

var kindNames = [...]string{"group", "text", "binary", "integer", "unsigned", "float", "double", "boolean", "time", "date"}

// String names the kind as in error messages.
func (k Kind) String() string { return kindNames[k] }

// Column is a column of a Parquet file, with the two inner levels of a list
// folded into the list's own.
type Column struct {
	// Name is the last part of Path, which joins the names from the root by dots.
	Name, Path string
	Kind       Kind
	// Optional says that the value may be absent, List that it is a list of values
	// of Kind, Nullable that an element of the list may be absent.
	Optional, List, Nullable bool
	// Fields are the columns of a group, in the order of the file.
	Fields []*Column

	// Parquet tells structure by levels: a value is present, the list is not empty,
	// the element is present if its definition level is at least these; it begins
	// another element if its repetition level is repeat.
	present, filled, element byte
	repeat                   byte
	// depth counts the lists that a leaf is in, its own included.
	depth byte
	// within counts the lists around the column, its own not included.
	within byte
	// first and end give the range of leaves; a leaf has one, its own.
	first, end int
	unit       time.Duration // of Time
	bits       int           // of Integer and Unsigned
}

// Leaf says whether the column holds values itself.
func (c *Column) Leaf() bool { return c.Kind != group }

// NumPy is the type in which NumPy has the numbers of a row, and its size in bytes; "" where a row has no list of
// floating-point numbers and no bytes of its own.
func (c *Column) NumPy() (descr string, size int) {
	switch {
	case c.within == 0 && c.List && c.Kind == float:
		return "<f4", 4
	case c.within == 0 && c.List && c.Kind == double:
		return "<f8", 8
	case c.within == 0 && !c.List && c.Kind == binary:
		return "|u1", 1
	}
	return "", 0
}

// Type describes the column's type as in "list of integer".
func (c *Column) Type() string {
	s := c.Kind.String()
	if c.List {
		s = "list of " + s
	}
	if c.Optional {
		s += ", optional"
	}
	return s
}

// Schema is the columns of a file.
type Schema struct {
	// Columns are those of the first level.
	Columns []*Column
	leaves  []*Column
}

// newSchema reads the tree of a Parquet schema.
func newSchema(root parquet.Node) (*Schema, error) {
	s := &Schema{}
	for _, f := range root.Fields() {
		c, err := s.add(f, f.Name(), f.Name(), 0, 0)
		if err != nil {
			return nil, err
		}
		s.Columns = append(s.Columns, c)
	}
	return s, nil
}

func (s *Schema) add(node parquet.Node, name, path string, repetition, definition byte) (*Column, error) {
	c := &Column{Name: name, Path: path, first: len(s.leaves), within: repetition}
	if node.Optional() {
		definition++
		c.Optional = true
	}
	c.present = definition
	if inner, ok := listOf(node); ok {
		repetition++
		definition++
		c.List, c.repeat, c.filled = true, repetition, definition
		if inner.Optional() {
			definition++
			c.Nullable = true
		}
		c.element = definition
		node = inner
		if node.Repeated() {
			return nil, fmt.Errorf("column %s: a list whose elements repeat is not supported", path)
		}
		if _, nested := listOf(node); nested {
			return nil, fmt.Errorf("column %s: a list of lists is not supported", path)
		}
	}
	if node.Leaf() {
		c.setKind(node.Type())
		c.depth = repetition
		s.leaves = append(s.leaves, c)
		c.end = len(s.leaves)
		return c, nil
	}
	for _, f := range node.Fields() {
		field, err := s.add(f, f.Name(), path+"."+f.Name(), repetition, definition)
		if err != nil {
			return nil, err
		}
		c.Fields = append(c.Fields, field)
	}
	c.end = len(s.leaves)
	return c, nil
}

// listOf returns the element of a list: of the three-level form that we write,
// or of a field that repeats.
func listOf(node parquet.Node) (element parquet.Node, ok bool) {
	if node.Repeated() {
		return required{node}, true
	}
	if node.Leaf() || node.Type() == nil || node.Type().LogicalType() == nil {
		return nil, false
	}
	if _, ok := node.Type().LogicalType().Value.(*format.ListType); !ok || len(node.Fields()) != 1 {
		return nil, false
	}
	inner := node.Fields()[0]
	if !inner.Repeated() {
		return nil, false
	}
	if inner.Leaf() || len(inner.Fields()) != 1 {
		return required{inner}, true
	}
	return inner.Fields()[0], true
}

// required is a repeated node seen as one of its elements.
type required struct{ parquet.Node }

func (required) Repeated() bool { return false }
func (required) Optional() bool { return false }

func (c *Column) setKind(t parquet.Type) {
	switch t.Kind() {
	case parquet.Boolean:
		c.Kind = boolean
	case parquet.Int32:
		c.Kind, c.bits = integer, 32
	case parquet.Int64:
		c.Kind, c.bits = integer, 64
	case parquet.Float:
		c.Kind = float
	case parquet.Double:
		c.Kind = double
	default:
		c.Kind = binary
	}
	if t.LogicalType() == nil {
		return
	}
	switch l := t.LogicalType().Value.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		c.Kind = text
	case *format.IntType:
		if !l.IsSigned {
			c.Kind = unsigned
		}
	case *format.DateType:
		c.Kind = date
	case *format.TimestampType:
		if l.Unit.Value != nil {
			c.Kind, c.unit = Time, l.Unit.Value.Duration()
		}
	}
}

// Fault is an error in what the caller asked for: a filter or the name of a column.
type Fault struct{ error }

// Faultf returns a fault with that text.
func Faultf(format string, args ...any) error { return &Fault{fmt.Errorf(format, args...)} }

// Unwrap returns the error.
func (f *Fault) Unwrap() error { return f.error }

// Column returns the column of a path such as sentences.text. The error of an
// unknown one proposes the nearest, or lists what there is.
func (s *Schema) Column(path string) (*Column, error) {
	if column := s.find(path); column != nil {
		return column, nil
	}
	return nil, &Fault{s.unknown(path, nil)}
}

// find returns the column of a path, nil if there is none.
func (s *Schema) find(path string) *Column {
	columns := s.Columns
	var column *Column
	for name := range strings.SplitSeq(path, ".") {
		i := slices.IndexFunc(columns, func(c *Column) bool { return c.Name == name })
		if i < 0 {
			return nil
		}
		column = columns[i]
		columns = column.Fields
	}
	return column
}

// unknown is the error of a path that is neither a column nor one of the scores.
func (s *Schema) unknown(path string, scores []string) error {
	var paths []string
	s.walk(func(c *Column) { paths = append(paths, c.Path) })
	list := ""
	if len(scores) > 0 {
		list = "; the scores are " + strings.Join(scores, ", ")
	}
	if best := spelling.Nearest(path, slices.Concat(paths, scores)); best != "" {
		return fmt.Errorf("there is no column %q; did you mean %q?%s", path, best, list)
	}
	return fmt.Errorf("there is no column %q; there are %s%s", path, strings.Join(paths, ", "), list)
}

// walk visits all columns, a group before its fields.
func (s *Schema) walk(visit func(*Column)) {
	var descend func([]*Column)
	descend = func(columns []*Column) {
		for _, c := range columns {
			visit(c)
			descend(c.Fields)
		}
	}
	descend(s.Columns)
}

// Selection is the leaves that are read.
type Selection struct{ leaves []bool }

// Select returns the selection of the columns of these paths, with all fields of
// a group; no paths select everything.
func (s *Schema) Select(paths ...string) (Selection, error) {
	sel := Selection{make([]bool, len(s.leaves))}
	if len(paths) == 0 {
		for i := range sel.leaves {
			sel.leaves[i] = true
		}
	}
	for _, path := range paths {
		c, err := s.Column(path)
		if err != nil {
			return sel, err
		}
		sel.add(c)
	}
	return sel, nil
}

// selection selects columns.
func (s *Schema) selection(columns ...*Column) Selection {
	sel := Selection{make([]bool, len(s.leaves))}
	for _, c := range columns {
		sel.add(c)
	}
	return sel
}

func (s Selection) add(c *Column) {
	for i := c.first; i < c.end; i++ {
		s.leaves[i] = true
	}
}

// Union selects what either does.
func (s Selection) Union(t Selection) Selection {
	u := Selection{slices.Clone(s.leaves)}
	for i, selected := range t.leaves {
		u.leaves[i] = u.leaves[i] || selected
	}
	return u
}

// firstOf returns the first selected leaf of a column, or -1.
func (s Selection) firstOf(c *Column) int {
	for i := c.first; i < c.end; i++ {
		if s.leaves[i] {
			return i
		}
	}
	return -1
}
