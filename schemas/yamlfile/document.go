// Package yamlfile reads the YAML files that users write: recipes, trainings, tasks. It is the only
// reader of YAML, so that its bounds hold for each of them: a file of a few kilobytes, whose
// aliases stand for gigabytes, is a fault with a line. Time and memory are those of MaxBytes, maxVisited
// and maxText (bounds.go), at most some 500 MB.
package yamlfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"sentweave/schemas/spelling"
)

// Fault is something that is wrong with a file.
type Fault struct {
	// File is the name that was given, Line counts from 1.
	File    string
	Line    int
	Message string
}

// Error has the form file:line: message.
func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message) }

// Document is the tree of a file, and collects what is wrong with the file as the tree is read. Each
// node and each text count as often as aliases and merges repeat them; from maxVisited nodes or
// maxText bytes on nothing is read.
type Document struct {
	// Faults are what was found so far, at most maxFaults of them.
	Faults []*Fault

	file    string
	anchors map[string]ast.Node
	full    bool // more was visited than may be
	visited int  // nodes
	text    int  // bytes of the texts among them
}

// Faultf adds a fault at a line.
func (p *Document) Faultf(line int, format string, args ...any) {
	if p.full || len(p.Faults) == maxFaults {
		return // what is left out would be at fault, or there are enough of them
	}
	p.Faults = append(p.Faults, &Fault{p.file, line, fmt.Sprintf(format, args...)})
}

type anchorsOf map[string]ast.Node

// Visit implements ast.Visitor.
func (a anchorsOf) Visit(n ast.Node) ast.Visitor {
	if anchor, ok := n.(*ast.AnchorNode); ok && anchor.Name != nil {
		a[anchor.Name.GetToken().Value] = anchor.Value
	}
	return a
}

// maxAliases bounds aliases of aliases, which may form a circle.
const maxAliases = 20

// Resolve follows anchors and aliases to the value that they stand for.
func (p *Document) Resolve(n ast.Node) ast.Node {
	if p.visited++; p.visited > maxVisited {
		return p.tooMuch(n, "lines", maxVisited)
	}
	reference := n
	for range maxAliases {
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.AliasNode:
			name := v.Value.GetToken().Value
			target, ok := p.anchors[name]
			if !ok {
				p.Faultf(LineOf(v), "there is no anchor &%s", name)
				return ast.Null(v.GetToken())
			}
			n = target
		case ast.ScalarNode:
			if p.text += len(v.GetToken().Value); p.text > maxText {
				return p.tooMuch(reference, "bytes of text", maxText)
			}
			return n
		default:
			return n
		}
	}
	p.Faultf(LineOf(n), "the aliases go in a circle")
	return ast.Null(n.GetToken())
}

// tooMuch says what there is too much of, and gives nothing for the node.
func (p *Document) tooMuch(n ast.Node, what string, limit int) ast.Node {
	p.Faultf(LineOf(n), "aliases and merges make more than %d %s up to here", limit, what)
	p.full = true
	return ast.Null(n.GetToken())
}

// LineOf is the line of a node, counted from 1.
func LineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 1
	}
	return n.GetToken().Position.Line
}

// Entry is a key of a mapping with its value.
type Entry struct {
	Key   string
	Line  int
	Value ast.Node
}

// Entries lists a mapping in its order, with what << merges in before its own
// keys. A value that is absent is an empty mapping.
func (p *Document) Entries(n ast.Node, what string) []Entry { return p.merged(n, what, 0) }

func (p *Document) merged(n ast.Node, what string, depth int) []Entry {
	if depth > maxAliases {
		p.Faultf(LineOf(n), "%s merges itself", what)
		return nil
	}
	var values []*ast.MappingValueNode
	switch v := p.Resolve(n).(type) {
	case *ast.MappingNode:
		values = v.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{v}
	case *ast.NullNode:
		return nil
	default:
		p.Faultf(LineOf(n), "%s is not a mapping of keys to values", what)
		return nil
	}
	var list []Entry
	keys := map[string]bool{}
	for _, v := range values {
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			for _, source := range p.mergeSources(v.Value) {
				for _, e := range p.merged(source, what, depth+1) {
					p.visited++
					if !slices.ContainsFunc(list, func(o Entry) bool { return o.Key == e.Key }) {
						list = append(list, e)
					}
				}
			}
			continue
		}
		e := Entry{Key: v.Key.GetToken().Value, Line: LineOf(v.Key), Value: v.Value}
		if keys[e.Key] {
			p.Faultf(e.Line, "%s has the key %q twice", what, e.Key)
		}
		keys[e.Key] = true
		if i := slices.IndexFunc(list, func(o Entry) bool { return o.Key == e.Key }); i >= 0 {
			list[i] = e
			continue
		}
		list = append(list, e)
	}
	return list
}

func (p *Document) mergeSources(n ast.Node) []ast.Node {
	if list, ok := p.Resolve(n).(*ast.SequenceNode); ok {
		return list.Values
	}
	return []ast.Node{n}
}

// Keys calls the function of each key of a mapping; other keys are faults.
func (p *Document) Keys(n ast.Node, what string, use map[string]func(Entry)) {
	var keys []string
	for key := range use {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, e := range p.Entries(n, what) {
		if f, ok := use[e.Key]; ok {
			f(e)
			continue
		}
		p.Faultf(e.Line, "%s has no key %q%s; it has %s", what, e.Key, spelling.Proposal(e.Key, keys), strings.Join(keys, ", "))
	}
}

// Sequence lists the elements of a list.
func (p *Document) Sequence(e Entry, what string) []ast.Node {
	switch v := p.Resolve(e.Value).(type) {
	case *ast.SequenceNode:
		return v.Values
	case *ast.NullNode:
		return nil
	}
	p.Faultf(e.Line, "%s is not a list", what)
	return nil
}

// Scalar is the text of a value as it is written, so that 0.10 stays 0.10.
func (p *Document) Scalar(n ast.Node, what string) (string, bool) {
	switch v := p.Resolve(n).(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return v.GetToken().Value, true
	case *ast.NullNode:
		p.Faultf(LineOf(n), `%s has no value; an empty one is written ""`, what)
	default:
		p.Faultf(LineOf(n), "%s is not a text, number or truth value", what)
	}
	return "", false
}

// Scalars is a scalar or a list of them.
func (p *Document) Scalars(n ast.Node, what string) []string {
	list, ok := p.Resolve(n).(*ast.SequenceNode)
	if !ok {
		text, _ := p.Scalar(n, what)
		return []string{text}
	}
	values := []string{}
	for _, v := range list.Values {
		if text, ok := p.Scalar(v, what); ok {
			values = append(values, text)
		}
	}
	return values
}
