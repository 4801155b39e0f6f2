package recipe

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"sentweave/schemas/spelling"
	"sentweave/schemas/yamlfile"
)

// use is the place among the steps of a recipe at which those of another file go.
type use struct {
	at int
	of yamlfile.Entry
}

// used returns the name of the file that an element of the steps stands for, nil if the
// element is a step.
func (p *document) used(n ast.Node) *yamlfile.Entry {
	switch v := p.Resolve(n).(type) {
	case *ast.MappingNode:
		if len(v.Values) != 1 {
			return nil
		}
		n = v.Values[0]
	}
	v, ok := n.(*ast.MappingValueNode)
	if !ok || v.Key.GetToken().Value != "use" {
		return nil
	}
	return &yamlfile.Entry{Key: "use", Line: yamlfile.LineOf(v.Key), Value: v.Value}
}

// maxUses bounds files that use files, which may form a circle.
const maxUses = 4

// insert puts the steps of other files in place. Their parameters come before those of the
// recipe, which says what it says itself in their place. The lines of faults in them are
// those of use.
func (p *document) insert(r *Recipe, uses []use) {
	shift := 0
	var parameters []Parameter
	add := func(list []Parameter) {
		for _, parameter := range list {
			if i := slices.IndexFunc(parameters, func(o Parameter) bool { return o.Name == parameter.Name }); i < 0 {
				parameters = append(parameters, parameter)
			} else {
				parameter.inherit(parameters[i])
				parameters[i] = parameter
			}
		}
	}
	for _, u := range uses {
		name, ok := p.Scalar(u.of.Value, "use")
		if !ok {
			continue
		}
		part := p.part(name, u.of.Line)
		for i := range part.Steps {
			part.Steps[i].moveTo(u.of.Line)
			part.Steps[i].Optional = true
		}
		for i := range part.Parameters {
			part.Parameters[i].moveTo(u.of.Line)
		}
		r.Steps = slices.Insert(r.Steps, u.at+shift, part.Steps...)
		shift += len(part.Steps)
		add(part.Parameters)
	}
	if len(uses) > 0 {
		add(r.Parameters)
		r.Parameters = parameters
	}
}

// part reads a file whose steps another one uses; it is empty after a fault.
func (p *document) part(name string, line int) *Recipe {
	if p.depth == maxUses {
		p.Faultf(line, "use: the files use each other more than %d deep", maxUses)
		return &Recipe{}
	}
	for _, file := range []string{name + ".yaml", "groups/" + name + ".yaml"} {
		data, err := embedded.ReadFile(file)
		if err != nil {
			continue
		}
		parsed, root, err := yamlfile.Open(file, data)
		if err != nil {
			p.Faultf(line, "use: %v", err)
			return &Recipe{}
		}
		q := &document{parsed, p.depth + 1}
		part := q.recipe(root)
		p.Faults = append(p.Faults, q.Faults...)
		return part
	}
	var names []string
	for _, folder := range []string{".", "groups"} {
		entries, _ := embedded.ReadDir(folder) // which is there
		for _, e := range entries {
			if base, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
				names = append(names, base)
			}
		}
	}
	p.Faultf(line, "use: there are no steps %q%s; there are those of %s", name, spelling.Proposal(name, names), strings.Join(names, ", "))
	return &Recipe{}
}

func (s *Step) moveTo(line int) {
	s.line = line
	for i := range s.From {
		s.From[i].line = line
		for k := range s.From[i].From {
			s.From[i].From[k].line = line
		}
	}
	for i := range s.With {
		s.With[i].line = line
	}
}

func (p *Parameter) moveTo(line int) {
	p.line, p.inherited = line, true
	for i := range p.Choices {
		for k := range p.Choices[i].Sets {
			p.Choices[i].Sets[k].line = line
		}
	}
}

// inherit takes over what a parameter leaves out and the one of a part says.
func (p *Parameter) inherit(source Parameter) {
	if p.Help == "" {
		p.Help = source.Help
	}
	if p.Required {
		p.Default, p.Required = source.Default, source.Required
	}
	if p.Choices == nil {
		p.Choices = source.Choices
	}
}
