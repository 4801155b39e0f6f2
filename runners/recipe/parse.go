package recipe

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"sentweave/schemas/yamlfile"
)

// Parse reads a recipe. The error joins all faults, each a *yamlfile.Fault, in the order
// of the lines; name is in them. Text that is not YAML gives one error.
func Parse(name string, data []byte) (*Recipe, error) {
	parsed, root, err := yamlfile.Open(name, data)
	if err != nil {
		return nil, err
	}
	p := &document{Document: parsed}
	r := p.recipe(root)
	p.validate(r)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// document turns a YAML tree into a recipe.
type document struct {
	*yamlfile.Document
	depth int // of the files that use this one
}

func (p *document) recipe(root ast.Node) *Recipe {
	r := &Recipe{}
	var uses []use
	text := func(field *string) func(yamlfile.Entry) {
		return func(e yamlfile.Entry) { *field, _ = p.Scalar(e.Value, e.Key) }
	}
	p.Keys(root, "a recipe", map[string]func(yamlfile.Entry){
		"name":  text(&r.Name),
		"about": text(&r.About),
		"paper": text(&r.Paper),
		"table": text(&r.Table),
		"parameters": func(e yamlfile.Entry) {
			for _, e := range p.Entries(e.Value, "parameters") {
				r.Parameters = append(r.Parameters, p.parameter(e))
			}
		},
		"publish": func(e yamlfile.Entry) {
			for _, n := range p.Sequence(e, "publish") {
				text, ok := p.Scalar(n, "publish")
				if !ok {
					continue
				}
				r.Publish = append(r.Publish, parseReference(text, yamlfile.LineOf(n)))
			}
		},
		"steps": func(e yamlfile.Entry) {
			for _, n := range p.Sequence(e, "steps") {
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

func (p *document) parameter(e yamlfile.Entry) Parameter {
	parameter := Parameter{Name: e.Key, Required: true, line: e.Line}
	p.Keys(e.Value, fmt.Sprintf("parameter %q", e.Key), map[string]func(yamlfile.Entry){
		"help": func(e yamlfile.Entry) { parameter.Help, _ = p.Scalar(e.Value, "help") },
		"default": func(e yamlfile.Entry) {
			parameter.Default = join(p.Scalars(e.Value, "default"))
			parameter.Required = false
		},
		"choices": func(e yamlfile.Entry) {
			for _, e := range p.Entries(e.Value, "choices") {
				parameter.Choices = append(parameter.Choices, p.choice(e))
			}
		},
	})
	return parameter
}

func (p *document) step(n ast.Node) Step {
	s := Step{line: yamlfile.LineOf(n)}
	if entries, ok := p.Resolve(n).(*ast.MappingNode); ok && len(entries.Values) > 0 {
		s.line = yamlfile.LineOf(entries.Values[0].Key)
	}
	p.Keys(n, "a step", map[string]func(yamlfile.Entry){
		"name": func(e yamlfile.Entry) { s.Name, _ = p.Scalar(e.Value, "name"); s.line = e.Line },
		"run":  func(e yamlfile.Entry) { s.Run, _ = p.Scalar(e.Value, "run") },
		"from": func(e yamlfile.Entry) {
			for _, e := range p.Entries(e.Value, "from") {
				input := Input{Flag: e.Key, line: e.Line}
				for _, text := range p.Scalars(e.Value, e.Key) {
					ref := parseReference(text, e.Line)
					if strings.Contains(text, "=") && !labelForm.MatchString(ref.Label) {
						p.Faultf(e.Line, "%s: the label %q must consist of letters, digits, _, ., + and -", e.Key, ref.Label)
					}
					input.From = append(input.From, ref)
				}
				s.From = append(s.From, input)
			}
		},
		"with": func(e yamlfile.Entry) {
			for _, e := range p.Entries(e.Value, "with") {
				s.With = append(s.With, Setting{e.Key, p.Scalars(e.Value, e.Key), e.Line})
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
