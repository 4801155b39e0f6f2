// Package jsonfields picks fields out of values of JSON (RFC 8259), such as the lines of
// JSONL, in one pass and without an allocation. It sees what encoding/json hides: bytes that
// are not UTF-8, halves of surrogate pairs, and names that occur twice in an object.
//
// # Behavior
//
// NaN, Infinity and -Infinity, which Python's json writes, are numbers: where nobody asks for
// them they do no harm.
package jsonfields

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// deepest is the nesting at which a value is refused, that of encoding/json.
const deepest = 10_000

// ErrDeep is matched by the error for a value in which objects and lists stand too deep in
// each other.
var ErrDeep = fmt.Errorf("more than %d objects and lists in each other", deepest)

// errSyntax is that of what is not JSON.
var errSyntax = errors.New("no JSON")

// Kind is the kind of a value.
type Kind uint8

// Kinds of values.
const (
	Absent Kind = iota
	String
	Number
	Null
	Other // an object, a list, true or false
)

// Value is what the path of a field led to.
type Value struct {
	Kind Kind
	// Raw is the value as it is in the line: of a string without its quotes, for Text.
	Raw []byte
	// Repeated says that a name of the path occurs twice in its object, so that nobody knows
	// which of the values is meant. This is the last one.
	Repeated bool

	rank int
}

// Picker picks the values of fields. It is not safe for concurrent use.
type Picker struct {
	root   *node
	values []Value
	line   []byte
	at     int
	deep   bool
	lines  uint64 // that were read
	buffer []byte
}

// node is a place that paths lead to or through.
type node struct {
	children map[string]*node
	numbered bool // a child may be an element of a list
	leaves   []leaf
	visited  uint64 // the last line in which something was here
}

// leaf is the end of a path of a field. That of the lowest rank counts.
type leaf struct{ field, rank int }

// New returns a picker of fields by their paths: names of objects in each other, or numbers
// of elements of lists from 0, joined by dots, such as "meta.title". Where a name has
// itself a dot, the path may have it, too: "meta.title" is looked for before "title" in "meta". The path ""
// leads to nothing.
func New(paths ...string) *Picker {
	p := &Picker{root: &node{}, values: make([]Value, len(paths))}
	for i, path := range paths {
		if path != "" {
			p.root.add(i, 0, path)
		}
	}
	return p
}

// add adds the ways that a path may be read in.
func (n *node) add(field, rank int, path string) {
	n.child(path).leaves = append(n.child(path).leaves, leaf{field, rank})
	if outer, inner, ok := strings.Cut(path, "."); ok {
		n.child(outer).add(field, rank+1, inner)
	}
}

func (n *node) child(name string) *node {
	if n.children == nil {
		n.children = map[string]*node{}
	}
	c := n.children[name]
	if c == nil {
		c = &node{}
		n.children[name] = c
	}
	if index, err := strconv.Atoi(name); err == nil && strconv.Itoa(index) == name {
		n.numbered = true
	}
	return c
}

// Pick reads a line, which must be one value. An error says where it is none, and matches
// ErrDeep where it may be one. The values are good until the next call.
func (p *Picker) Pick(line []byte) error {
	p.line, p.at, p.deep = line, 0, false
	p.lines++
	clear(p.values)
	p.spaces()
	ok := p.value(0, p.root)
	p.spaces()
	switch {
	case p.deep:
		return ErrDeep
	case ok && p.at < len(line) && (line[p.at] == '{' || line[p.at] == '['):
		return fmt.Errorf("several values of JSON in a line, the second at byte %d", p.at)
	case !ok || p.at < len(line):
		return fmt.Errorf("%w at byte %d of the line", errSyntax, p.at)
	}
	return nil
}

// Value returns the value of a field, by the number of its path.
func (p *Picker) Value(field int) Value { return p.values[field] }

// Strings calls use with the name and the text of each string of an object that was picked, in
// their order; they are good until use returns. Of names that are equal each is told.
func (p *Picker) Strings(object Value, use func(name, text []byte)) {
	p.line, p.at, p.deep = object.Raw, 0, false
	if p.peek() == '{' {
		p.members(0, nil, use)
	}
}

// value reads a value at a depth; n is where paths have come, or nil. It reports whether the
// syntax is right.
func (p *Picker) value(depth int, n *node) bool {
	start := p.at
	kind, ok := p.parse(depth, n)
	if !ok || n == nil {
		return ok
	}
	for _, l := range n.leaves {
		v := &p.values[l.field]
		if v.Kind != Absent && v.rank < l.rank {
			continue
		}
		v.Repeated = v.Repeated && v.rank == l.rank
		v.Kind, v.Raw, v.rank = kind, p.line[start:p.at], l.rank
		if kind == String {
			v.Raw = v.Raw[1 : len(v.Raw)-1]
		}
	}
	return true
}

func (p *Picker) parse(depth int, n *node) (kind Kind, ok bool) {
	switch c := p.peek(); c {
	case '{':
		p.deep = p.deep || depth >= deepest
		return Other, !p.deep && p.members(depth, n, nil)
	case '[':
		p.deep = p.deep || depth >= deepest
		return Other, !p.deep && p.list(depth, n)
	case '"':
		return String, p.string()
	case 't':
		return Other, p.literal("true")
	case 'f':
		return Other, p.literal("false")
	case 'n':
		return Null, p.literal("null")
	case 'N':
		return Number, p.literal("NaN")
	}
	return Number, p.number()
}

// members reads an object; told, if given, gets its strings.
func (p *Picker) members(depth int, n *node, told func(name, text []byte)) bool {
	p.at++
	p.spaces()
	if p.peek() == '}' {
		p.at++
		return true
	}
	for {
		nameStart := p.at
		if p.peek() != '"' || !p.string() {
			return false
		}
		name := p.line[nameStart+1 : p.at-1]
		var next *node
		if n != nil && n.children != nil {
			text, _ := p.Text(name)
			next = p.enter(n.children[string(text)])
		}
		p.spaces()
		if p.peek() != ':' {
			return false
		}
		p.at++
		p.spaces()
		start := p.at
		if !p.value(depth+1, next) {
			return false
		}
		if told != nil && p.line[start] == '"' {
			key, _ := p.Text(name)
			key = bytes.Clone(key) // as the text is in the same buffer
			text, _ := p.Text(p.line[start+1 : p.at-1])
			told(key, text)
		}
		p.spaces()
		switch p.peek() {
		case ',':
			p.at++
			p.spaces()
		case '}':
			p.at++
			return true
		default:
			return false
		}
	}
}

func (p *Picker) list(depth int, n *node) bool {
	p.at++
	p.spaces()
	if p.peek() == ']' {
		p.at++
		return true
	}
	for i := 0; ; i++ {
		var next *node
		if n != nil && n.numbered {
			var digits [20]byte
			next = p.enter(n.children[string(strconv.AppendInt(digits[:0], int64(i), 10))])
		}
		if !p.value(depth+1, next) {
			return false
		}
		p.spaces()
		switch p.peek() {
		case ',':
			p.at++
			p.spaces()
		case ']':
			p.at++
			return true
		default:
			return false
		}
	}
}

// enter comes to a place. What it led to before in the line is forgotten, and repeated.
func (p *Picker) enter(n *node) *node {
	if n == nil {
		return nil
	}
	if n.visited == p.lines {
		p.repeated(n)
	}
	n.visited = p.lines
	return n
}

func (p *Picker) repeated(n *node) {
	for _, l := range n.leaves {
		if v := &p.values[l.field]; v.Kind == Absent || v.rank == l.rank {
			*v = Value{Repeated: true, rank: l.rank}
		}
	}
	for _, c := range n.children {
		p.repeated(c)
	}
}
