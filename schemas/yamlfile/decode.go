package yamlfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"sentweave/schemas/excerpt"
)

// keyed is a mapping whose values have types of their own.
type keyed interface {
	// Keys lists the keys that there may be.
	Keys() []string
	// Under returns a value of the type that a key's value has, a pointer to a struct.
	Under(key string) any
}

// Decode reads a YAML file into a struct. Fields are
// named by their yaml tags; what the file leaves out stays as it is. Where zero stands for
// a default, the tag zero:"refused" keeps a file from saying 0. The error joins all keys that
// the struct does not have and all values of another type, each a *Fault, or is the first
// value that does not fit its field.
func Decode(name string, data []byte, into any) error {
	p, root, err := Open(name, data)
	if err != nil {
		return err
	}
	p.known(root, "the file", reflect.TypeOf(into).Elem())
	if err := p.Err(); err != nil {
		return err
	}
	err = yaml.NodeToValue(root, into, yaml.Strict())
	var fault yaml.Error
	if errors.As(err, &fault) && fault.GetToken() != nil {
		return &Fault{name, fault.GetToken().Position.Line, fault.GetMessage()}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Line returns the line at which a path of keys and of places in lists, counted from 0,
// leads to a value, or to the deepest part of the path that the file has. The file must
// be one that Decode reads.
func Line(name string, data []byte, path ...any) (int, error) {
	p, n, err := Open(name, data)
	if err != nil {
		return 0, err
	}
	line := 1
	for _, part := range path {
		switch part := part.(type) {
		case string:
			list := p.Entries(n, "")
			i := slices.IndexFunc(list, func(e Entry) bool { return e.Key == part })
			if i < 0 {
				return line, nil
			}
			line, n = list[i].Line, list[i].Value
		case int:
			list := p.Sequence(Entry{Line: line, Value: n}, "")
			if part >= len(list) {
				return line, nil
			}
			line, n = LineOf(list[part]), list[part]
		}
	}
	return line, nil
}

// Open parses the only document of a file.
func Open(name string, data []byte) (*Document, ast.Node, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, nil, fmt.Errorf("%s is not UTF-8: save it in that encoding", name)
	}
	words, err := tokens(name, data)
	if err != nil {
		return nil, nil, err
	}
	file, err := parser.Parse(words, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is not YAML: %s", name, messageOf(err))
	}
	var roots []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.NullType {
			roots = append(roots, d.Body)
		}
	}
	if len(roots) != 1 {
		return nil, nil, &Fault{name, 1, fmt.Sprintf("the file holds %d YAML documents, it must hold one", len(roots))}
	}
	p := &Document{file: name, anchors: map[string]ast.Node{}}
	ast.Walk(anchorsOf(p.anchors), roots[0])
	return p, roots[0], nil
}

// shownLine is how many characters an error shows of a line of the file.
const shownLine = 200

// messageOf is the message of the parser with the lines around the fault, each within shownLine.
func messageOf(err error) string {
	lines := strings.Split(strings.TrimSpace(yaml.FormatError(err, false, true)), "\n")
	for i, line := range lines {
		lines[i] = excerpt.Characters(line, shownLine)
	}
	return strings.Join(lines, "\n")
}

// Err joins the faults in the order of their lines.
func (p *Document) Err() error {
	slices.SortStableFunc(p.Faults, func(a, b *Fault) int { return cmp.Compare(a.Line, b.Line) })
	var errs []error
	for _, f := range p.Faults {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// known tells of keys that a type does not have.
func (p *Document) known(n ast.Node, what string, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if types, ok := reflect.Zero(t).Interface().(keyed); ok {
		use := map[string]func(Entry){}
		for _, key := range types.Keys() {
			use[key] = func(e Entry) { p.known(e.Value, e.Key, reflect.TypeOf(types.Under(key))) }
		}
		p.Keys(n, what, use)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		use := map[string]func(Entry){}
		p.fields(t, use)
		p.Keys(n, what, use)
	case reflect.Slice:
		for _, element := range p.Sequence(Entry{Line: LineOf(n), Value: n}, what) {
			p.known(element, "an entry of "+what, t.Elem())
		}
	case reflect.Map:
		for _, e := range p.Entries(n, what) {
			p.known(e.Value, what+": "+e.Key, t.Elem())
		}
	default:
		p.fits(n, what, t)
	}
}

// fits tells of a value that is not one of a field's kind. A whole number may stand for a text.
func (p *Document) fits(n ast.Node, what string, t reflect.Type) {
	v := p.Resolve(n)
	expected := ""
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		if _, ok := v.(*ast.IntegerNode); !ok {
			expected = "a whole number"
		}
	case reflect.Uint64:
		if i, ok := v.(*ast.IntegerNode); !ok || strings.HasPrefix(i.GetToken().Value, "-") {
			expected = "a whole number from 0 on"
		}
	case reflect.Float64:
		if !isNumber(v) {
			expected = "a number"
		}
	case reflect.Bool:
		if _, ok := v.(*ast.BoolNode); !ok {
			expected = "true or false"
		}
	case reflect.String:
		if _, ok := v.(ast.ScalarNode); !ok {
			expected = "a text"
		}
	}
	if v.Type() != ast.NullType && expected != "" {
		p.Faultf(LineOf(n), "%s is %s, it must be %s", what, sourceOf(v), expected)
	}
}

// sourceOf is a value as the file has it, if it is a short one.
func sourceOf(n ast.Node) string {
	if s, ok := n.(ast.ScalarNode); ok && len(s.GetToken().Value) < 40 {
		return strconv.Quote(s.GetToken().Value)
	}
	return "another kind of value"
}

// isNumber reports whether a value can be read as a number. The parser takes 1e-3, which has no dot, for a text.
func isNumber(n ast.Node) bool {
	switch v := n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return true
	case *ast.StringNode:
		_, err := strconv.ParseFloat(v.Value, 64)
		return err == nil
	}
	return false
}

// isZero reports whether a value is the number 0.
func isZero(n ast.Node) bool {
	value, err := strconv.ParseFloat(n.GetToken().Value, 64)
	return isNumber(n) && err == nil && value == 0
}

// fields collects the keys of a struct, with those of inlined ones.
func (p *Document) fields(t reflect.Type, use map[string]func(Entry)) {
	for i := range t.NumField() {
		field := t.Field(i)
		key, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			p.fields(field.Type, use)
		case key != "" && key != "-":
			use[key] = func(e Entry) {
				p.known(e.Value, e.Key, field.Type)
				if field.Tag.Get("zero") == "refused" && isZero(p.Resolve(e.Value)) {
					p.Faultf(e.Line, "%s is 0, it must be above 0; leave it out for its default", e.Key)
				}
			}
		}
	}
}
