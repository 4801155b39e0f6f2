package recipe

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// keyed is a mapping whose values have types of their own.
type keyed interface {
	// Keys lists the keys that there may be.
	Keys() []string
	// Under returns a value of the type that a key's value has, a pointer to a struct.
	Under(key string) any
}

// Decode reads a YAML file into a struct, with the bounds of a recipe. Fields are
// named by their yaml tags; what the file leaves out stays as it is. The error joins
// all keys that the struct does not have, each a *Fault, or is the first value that
// does not fit its field.
func Decode(name string, data []byte, into any) error {
	p, root, err := open(name, data)
	if err != nil {
		return err
	}
	p.known(root, "the file", reflect.TypeOf(into).Elem())
	if err := p.err(); err != nil {
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
	p, n, err := open(name, data)
	if err != nil {
		return 0, err
	}
	line := 1
	for _, part := range path {
		switch part := part.(type) {
		case string:
			list := p.entries(n, "")
			i := slices.IndexFunc(list, func(e entry) bool { return e.key == part })
			if i < 0 {
				return line, nil
			}
			line, n = list[i].line, list[i].value
		case int:
			list := p.sequence(entry{line: line, value: n}, "")
			if part >= len(list) {
				return line, nil
			}
			line, n = lineOf(list[part]), list[part]
		}
	}
	return line, nil
}

// open parses the only document of a file.
func open(name string, data []byte) (*document, ast.Node, error) {
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
		return nil, nil, fmt.Errorf("%s is not YAML: %s", name, strings.TrimSpace(yaml.FormatError(err, false, true)))
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
	p := &document{file: name, anchors: map[string]ast.Node{}}
	ast.Walk(anchorsOf(p.anchors), roots[0])
	return p, roots[0], nil
}

// err joins the faults in the order of their lines.
func (p *document) err() error {
	slices.SortStableFunc(p.faults, func(a, b *Fault) int { return cmp.Compare(a.Line, b.Line) })
	var errs []error
	for _, f := range p.faults {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// known tells of keys that a type does not have.
func (p *document) known(n ast.Node, what string, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if types, ok := reflect.Zero(t).Interface().(keyed); ok {
		use := map[string]func(entry){}
		for _, key := range types.Keys() {
			use[key] = func(e entry) { p.known(e.value, e.key, reflect.TypeOf(types.Under(key))) }
		}
		p.keys(n, what, use)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		use := map[string]func(entry){}
		p.fields(t, use)
		p.keys(n, what, use)
	case reflect.Slice:
		for _, element := range p.sequence(entry{line: lineOf(n), value: n}, what) {
			p.known(element, "an entry of "+what, t.Elem())
		}
	default:
		p.resolve(n) // which counts it
	}
}

// fields collects the keys of a struct, with those of inlined ones.
func (p *document) fields(t reflect.Type, use map[string]func(entry)) {
	for i := range t.NumField() {
		field := t.Field(i)
		key, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			p.fields(field.Type, use)
		case key != "" && key != "-":
			use[key] = func(e entry) { p.known(e.value, e.key, field.Type) }
		}
	}
}
