package recipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Fault is something that is wrong with a recipe.
type Fault struct {
	// File is the name that Parse was given, Line counts from 1.
	File    string
	Line    int
	Message string
}

// Error has the form file:line: message.
func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message) }

// Parse reads a recipe. The error joins all faults, each a *Fault, in the order
// of the lines; name stands in them. Text that is not YAML gives one error.
func Parse(name string, data []byte) (*Recipe, error) {
	p, root, err := open(name, data)
	if err != nil {
		return nil, err
	}
	r := p.recipe(root)
	p.validate(r)
	if err := p.err(); err != nil {
		return nil, err
	}
	return r, nil
}

// document turns a YAML tree into a recipe and collects what is wrong on the way.
type document struct {
	file    string
	anchors map[string]ast.Node
	faults  []*Fault
	depth   int  // of the files that use this one
	full    bool // more nodes were visited than may be
	visited int  // nodes
}

func (p *document) fault(line int, format string, args ...any) {
	if p.full || len(p.faults) == maxFaults {
		return // what is left out would be at fault, or there are enough of them
	}
	p.faults = append(p.faults, &Fault{p.file, line, fmt.Sprintf(format, args...)})
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

// resolve follows anchors and aliases to the value that they stand for.
func (p *document) resolve(n ast.Node) ast.Node {
	if p.visited++; p.visited > maxVisited {
		p.fault(lineOf(n), "aliases and merges make more than %d lines up to here", maxVisited)
		p.full = true
		return ast.Null(n.GetToken())
	}
	for range maxAliases {
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.AliasNode:
			name := v.Value.GetToken().Value
			target, ok := p.anchors[name]
			if !ok {
				p.fault(lineOf(v), "there is no anchor &%s", name)
				return ast.Null(v.GetToken())
			}
			n = target
		default:
			return n
		}
	}
	p.fault(lineOf(n), "the aliases go in a circle")
	return ast.Null(n.GetToken())
}

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 1
	}
	return n.GetToken().Position.Line
}

// entry is a key of a mapping with its value.
type entry struct {
	key   string
	line  int
	value ast.Node
}

// entries lists a mapping in its order, with what << merges in before its own
// keys. A value that is absent is an empty mapping.
func (p *document) entries(n ast.Node, what string) []entry { return p.merged(n, what, 0) }

func (p *document) merged(n ast.Node, what string, depth int) []entry {
	if depth > maxAliases {
		p.fault(lineOf(n), "%s merges itself", what)
		return nil
	}
	var values []*ast.MappingValueNode
	switch v := p.resolve(n).(type) {
	case *ast.MappingNode:
		values = v.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{v}
	case *ast.NullNode:
		return nil
	default:
		p.fault(lineOf(n), "%s is no mapping of keys to values", what)
		return nil
	}
	var list []entry
	own := map[string]bool{}
	for _, v := range values {
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			for _, source := range p.mergeSources(v.Value) {
				for _, e := range p.merged(source, what, depth+1) {
					p.visited++
					if !slices.ContainsFunc(list, func(o entry) bool { return o.key == e.key }) {
						list = append(list, e)
					}
				}
			}
			continue
		}
		e := entry{key: v.Key.GetToken().Value, line: lineOf(v.Key), value: v.Value}
		if own[e.key] {
			p.fault(e.line, "%s has the key %q twice", what, e.key)
		}
		own[e.key] = true
		if i := slices.IndexFunc(list, func(o entry) bool { return o.key == e.key }); i >= 0 {
			list[i] = e
			continue
		}
		list = append(list, e)
	}
	return list
}

func (p *document) mergeSources(n ast.Node) []ast.Node {
	if list, ok := p.resolve(n).(*ast.SequenceNode); ok {
		return list.Values
	}
	return []ast.Node{n}
}

// keys calls the function of each key of a mapping; other keys are faults.
func (p *document) keys(n ast.Node, what string, use map[string]func(entry)) {
	var known []string
	for key := range use {
		known = append(known, key)
	}
	slices.Sort(known)
	for _, e := range p.entries(n, what) {
		if f, ok := use[e.key]; ok {
			f(e)
			continue
		}
		p.fault(e.line, "%s has no key %q%s; it has %s", what, e.key, proposal(e.key, known), strings.Join(known, ", "))
	}
}

// sequence lists the elements of a list.
func (p *document) sequence(e entry, what string) []ast.Node {
	switch v := p.resolve(e.value).(type) {
	case *ast.SequenceNode:
		return v.Values
	case *ast.NullNode:
		return nil
	}
	p.fault(e.line, "%s is no list", what)
	return nil
}

// scalar is the text of a value as it is written, so that 0.10 stays 0.10.
func (p *document) scalar(n ast.Node, what string) (string, bool) {
	switch v := p.resolve(n).(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return v.GetToken().Value, true
	case *ast.NullNode:
		p.fault(lineOf(n), `%s has no value; an empty one is written ""`, what)
	default:
		p.fault(lineOf(n), "%s is no text, number or truth value", what)
	}
	return "", false
}

// scalars is a scalar or a list of them.
func (p *document) scalars(n ast.Node, what string) []string {
	list, ok := p.resolve(n).(*ast.SequenceNode)
	if !ok {
		text, _ := p.scalar(n, what)
		return []string{text}
	}
	values := []string{}
	for _, v := range list.Values {
		if text, ok := p.scalar(v, what); ok {
			values = append(values, text)
		}
	}
	return values
}

func (p *document) recipe(root ast.Node) *Recipe {
	r := &Recipe{}
	var uses []use
	text := func(to *string) func(entry) {
		return func(e entry) { *to, _ = p.scalar(e.value, e.key) }
	}
	p.keys(root, "a recipe", map[string]func(entry){
		"name":  text(&r.Name),
		"about": text(&r.About),
		"paper": text(&r.Paper),
		"table": text(&r.Table),
		"parameters": func(e entry) {
			for _, e := range p.entries(e.value, "parameters") {
				r.Parameters = append(r.Parameters, p.parameter(e))
			}
		},
		"publish": func(e entry) {
			for _, n := range p.sequence(e, "publish") {
				text, ok := p.scalar(n, "publish")
				if !ok {
					continue
				}
				r.Publish = append(r.Publish, parseReference(text, lineOf(n)))
			}
		},
		"steps": func(e entry) {
			for _, n := range p.sequence(e, "steps") {
				if p.used(n) != nil {
					uses = append(uses, use{len(r.Steps), *p.used(n)})
					continue
				}
				r.Steps = append(r.Steps, p.step(n))
			}
		},
	})
	p.insert(r, uses)
	return r
}

func (p *document) parameter(e entry) Parameter {
	parameter := Parameter{Name: e.key, Required: true, line: e.line}
	p.keys(e.value, fmt.Sprintf("parameter %q", e.key), map[string]func(entry){
		"help": func(e entry) { parameter.Help, _ = p.scalar(e.value, "help") },
		"default": func(e entry) {
			parameter.Default = join(p.scalars(e.value, "default"))
			parameter.Required = false
		},
		"choices": func(e entry) {
			for _, e := range p.entries(e.value, "choices") {
				parameter.Choices = append(parameter.Choices, p.choice(e))
			}
		},
	})
	return parameter
}

func (p *document) step(n ast.Node) Step {
	s := Step{line: lineOf(n)}
	if entries, ok := p.resolve(n).(*ast.MappingNode); ok && len(entries.Values) > 0 {
		s.line = lineOf(entries.Values[0].Key)
	}
	p.keys(n, "a step", map[string]func(entry){
		"name": func(e entry) { s.Name, _ = p.scalar(e.value, "name"); s.line = e.line },
		"run":  func(e entry) { s.Run, _ = p.scalar(e.value, "run") },
		"from": func(e entry) {
			for _, e := range p.entries(e.value, "from") {
				in := Input{Flag: e.key, line: e.line}
				for _, text := range p.scalars(e.value, e.key) {
					ref := parseReference(text, e.line)
					if strings.Contains(text, "=") && !labelForm.MatchString(ref.Label) && !parameterForm.MatchString(ref.Label) {
						p.fault(e.line, "%s: the label %q is not of letters, digits, _, ., + and -", e.key, ref.Label)
					}
					in.From = append(in.From, ref)
				}
				s.From = append(s.From, in)
			}
		},
		"with": func(e entry) {
			for _, e := range p.entries(e.value, "with") {
				s.With = append(s.With, Setting{e.key, p.scalars(e.value, e.key), e.line})
			}
		},
	})
	return s
}

// parseReference reads [LABEL=]STEP[/FILE].
func parseReference(text string, line int) Reference {
	ref := Reference{line: line}
	if before, after, ok := strings.Cut(text, "="); ok {
		ref.Label, text = before, after
	}
	ref.Step, ref.File, _ = strings.Cut(text, "/")
	return ref
}

// join makes a list of values one value, as flags with several take it.
func join(values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	escaped := make([]string, len(values))
	for i, v := range values {
		escaped[i] = escape(v)
	}
	return strings.Join(escaped, ",")
}

func escape(value string) string { return strings.ReplaceAll(value, ",", `\,`) }
