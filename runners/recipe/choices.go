package recipe

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"sentweave/schemas/fault"
	"sentweave/schemas/spelling"
	"sentweave/schemas/yamlfile"
)

// Choice is a value that a parameter may have, with what it sets.
type Choice struct {
	Name string
	// Sets are in the order of the file.
	Sets []Assignment

	line int
}

// Assignment gives a value to a parameter, or to a flag of a step, STEP.FLAG.
type Assignment struct {
	Name, Value string
	// By are values by the choice that is made of another parameter, instead of Value.
	By map[string]string
	// Required says that the caller must set it.
	Required bool

	line int
}

func (p *document) choice(e yamlfile.Entry) Choice {
	c := Choice{Name: e.Key, line: e.Line}
	for _, e := range p.Entries(e.Value, "choice "+e.Key) {
		a := Assignment{Name: e.Key, line: e.Line}
		switch p.Resolve(e.Value).(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
			a.By = map[string]string{}
			for _, e := range p.Entries(e.Value, e.Key) {
				a.By[e.Key] = join(p.Scalars(e.Value, e.Key))
			}
		case *ast.NullNode:
			a.Required = true
		default:
			a.Value = join(p.Scalars(e.Value, e.Key))
		}
		c.Sets = append(c.Sets, a)
	}
	return c
}

// Names are those of the choices of a parameter.
func (p Parameter) Names() (names []string) {
	for _, c := range p.Choices {
		names = append(names, c.Name)
	}
	return names
}

// choiceFaults looks at the choices of the parameters, and at what they set.
func (p *document) choiceFaults(r *Recipe) {
	for i, parameter := range r.Parameters {
		if parameter.Choices != nil && !parameter.Required && !slices.Contains(parameter.Names(), parameter.Default) {
			p.Faultf(parameter.line, "parameter %q: the default %q is not one of the choices, which are %s", parameter.Name, parameter.Default,
				strings.Join(parameter.Names(), ", "))
		}
		for _, c := range parameter.Choices {
			if !choiceForm.MatchString(c.Name) {
				p.Faultf(c.line, "parameter %q: the choice %q must consist of small letters, digits, hyphens, + and points", parameter.Name,
					c.Name)
			}
			for _, a := range c.Sets {
				p.assignmentFaults(r, i, a)
			}
		}
	}
}

// assignmentFaults looks at what a choice of parameter i sets.
func (p *document) assignmentFaults(r *Recipe, i int, a Assignment) {
	var names []string
	for k, parameter := range r.Parameters {
		names = append(names, parameter.Name)
		if parameter.Name == a.Name && parameter.Choices != nil && k <= i {
			p.Faultf(a.line, "a choice of %q sets %q, which comes before it: move that down", r.Parameters[i].Name, a.Name)
		}
	}
	if isFlag, err := r.flagOf(a.Name); isFlag && err != nil {
		p.Faultf(a.line, "%v", err)
	} else if !isFlag && !slices.Contains(names, a.Name) {
		p.Faultf(a.line, "a choice of %q sets %q, which is neither a parameter nor STEP.FLAG%s", r.Parameters[i].Name, a.Name,
			spelling.Proposal(a.Name, names))
	}
	if a.Required && !slices.Contains(names, a.Name) {
		p.Faultf(a.line, "a choice of %q leaves %q to the caller, who can set only parameters", r.Parameters[i].Name, a.Name)
	}
	if a.By != nil && r.decider(i, a) == "" {
		p.Faultf(a.line, "a choice of %q sets %q by %s, and no parameter before it has these choices", r.Parameters[i].Name, a.Name,
			strings.Join(slices.Sorted(maps.Keys(a.By)), ", "))
	}
}

// decider is the parameter before parameter i whose choices an assignment of it goes by.
func (r *Recipe) decider(i int, a Assignment) string {
	for _, parameter := range r.Parameters[:i] {
		names := parameter.Names()
		slices.Sort(names)
		if slices.Equal(names, slices.Sorted(maps.Keys(a.By))) {
			return parameter.Name
		}
	}
	return ""
}

// values returns those of all parameters, the flags of steps that are set, and what to say of
// the parameters that lack a value. The error joins all unknown parameters, and values that are
// no choice.
func (r *Recipe) values(set map[string]string) (values, flags, missing map[string]string, err error) {
	values, flags, missing = map[string]string{}, map[string]string{}, map[string]string{}
	var names []string
	var errs fault.List
	chosen := map[string]string{} // by choices
	needs := map[string]string{}  // the choices for which the caller must set a parameter
	value := func(p Parameter) (string, bool) {
		if v, ok := set[p.Name]; ok {
			return v, true
		}
		if needs[p.Name] != "" {
			return "", false
		}
		if v, ok := chosen[p.Name]; ok {
			return v, true
		}
		return p.Default, !p.Required
	}
	for i, p := range r.Parameters {
		names = append(names, p.Name)
		v, ok := value(p)
		if p.Choices == nil || !ok {
			continue
		}
		c := slices.Index(p.Names(), v)
		if c < 0 {
			errs.Addf("parameter %s is %q%s; it must be one of %s", p.Name, v, spelling.Proposal(v, p.Names()),
				strings.Join(p.Names(), ", "))
			continue
		}
		values[p.Name] = v
		for _, a := range p.Choices[c].Sets {
			if a.By != nil {
				a.Value = a.By[values[r.decider(i, a)]]
			}
			if delete(needs, a.Name); a.Required {
				needs[a.Name] = ", which " + p.Name + "=" + v + " needs"
			}
			chosen[a.Name] = a.Value
		}
	}
	for _, p := range r.Parameters {
		v, ok := value(p)
		if values[p.Name] = v; !ok {
			missing[p.Name] = fmt.Sprintf("parameter %s is not set: %s%s; give --set %s=…", p.Name, p.Help, needs[p.Name], p.Name)
		}
	}
	maps.Copy(flags, chosen)
	maps.Copy(flags, set)
	maps.DeleteFunc(flags, func(name, _ string) bool { return !strings.Contains(name, ".") })
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if isFlag, err := r.flagOf(name); isFlag {
			errs.Add(err)
		} else if !slices.Contains(names, name) {
			unknown = append(unknown, name)
		}
	}
	for _, name := range unknown {
		if step, _, dotted := strings.Cut(name, "."); dotted {
			errs.Addf("%s: %w", name, noStep(step, stepNames(r.Steps)))
			continue
		}
		errs.Addf("recipe %s has no parameter %q%s; it has %s, and STEP.FLAG for any flag of a step", r.Name, name,
			spelling.Proposal(name, names), strings.Join(names, ", "))
	}
	return values, flags, missing, errs.Err()
}

// Chosen returns the recipe of the parameters that are set: the references of its steps name
// steps, and the optional steps that nothing reads are left out. What is set and is read by none
// of the steps that run is in Unread: other choices read it. The error joins all unknown and
// missing parameters, references to nothing, and parameters in whose place the caller sets flags.
func (r *Recipe) Chosen(set map[string]string) (*Recipe, error) {
	values, flags, missing, err := r.values(set)
	variant, err := r.chosen(set, values, err)
	errs, running := fault.List{err}, stepNames(variant.Steps)
	chosen := maps.Clone(flags) // by choices alone
	maps.DeleteFunc(chosen, func(name, _ string) bool { _, ok := set[name]; return ok })
	for _, p := range r.Parameters {
		_, assigned := set[p.Name]
		text, lacks := missing[p.Name]
		switch used := p.Choices != nil || r.reads(p.Name, flags, running, anyFlag); {
		case lacks && used:
			errs.Addf("%s", text)
		case assigned && !used && r.reads(p.Name, chosen, running, anyFlag):
			errs.Addf("parameter %s is set, and so are the flags that would read it: leave --set %s out", p.Name, p.Name)
		case assigned && !used:
			variant.Unread = append(variant.Unread, fmt.Sprintf("--set %s has no effect: no step that runs here reads it", p.Name))
		}
	}
	return variant, errs.Err()
}

func anyFlag(_, _ string) bool { return true }

// Listed returns the parameters that count beside those that are set: those with choices, and
// those that a step which runs reads in a flag that has an effect, as takes says; first those
// that are required. Their Default and Required are what holds then. The recipe is that of Chosen, and so are the errors, but for missing
// parameters.
func (r *Recipe) Listed(set map[string]string, takes func(step, flag string) bool) (list []Parameter, variant *Recipe, err error) {
	values, flags, missing, err := r.values(set)
	if variant, err = r.chosen(set, values, err); err != nil {
		return nil, nil, err
	}
	required := 0
	for _, p := range r.Parameters {
		if p.Choices != nil || r.reads(p.Name, flags, stepNames(variant.Steps), takes) {
			if _, p.Required = missing[p.Name]; p.Required {
				list = slices.Insert(list, required, p)
				required++
				continue
			}
			p.Default = values[p.Name]
			list = append(list, p)
		}
	}
	return list, variant, nil
}

// chosen is the recipe of the values of its parameters. Flags that are set of steps that are left
// out are in its Unread. The error joins err and references to nothing.
func (r *Recipe) chosen(set, values map[string]string, err error) (*Recipe, error) {
	if tooLong := r.checkExpanded(values); tooLong != nil {
		return &Recipe{Name: r.Name, Parameters: r.Parameters}, errors.Join(err, tooLong)
	}
	errs := fault.List{err}
	steps, names := slices.Clone(r.Steps), []string(nil)
	for i := range steps {
		s := &steps[i]
		s.From = slices.Clone(s.From)
		for k := range s.From {
			input := &s.From[k]
			input.From = substituted(input.From, values)
			for _, ref := range input.From {
				if !slices.Contains(names, ref.Step) {
					errs.Addf("step %s: %s: there is no step %q before it%s", s.Name, input.Flag, ref.Step,
						spelling.Proposal(ref.Step, names))
				}
			}
		}
		s.From = slices.DeleteFunc(s.From, func(input Input) bool {
			return len(input.From) == 0 || values[s.parameterOf(input.Flag)] != ""
		})
		names = append(names, s.Name)
	}
	needed := map[string]bool{}
	for _, ref := range r.Publish {
		needed[ref.Step] = true
	}
	variant := *r
	variant.Steps = nil
	for _, s := range slices.Backward(steps) {
		if s.Optional && !needed[s.Name] {
			continue
		}
		variant.Steps = append(variant.Steps, s)
		for _, input := range s.From {
			for _, ref := range input.From {
				needed[ref.Step] = true
			}
		}
	}
	slices.Reverse(variant.Steps)
	running := stepNames(variant.Steps)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if step, _, dotted := strings.Cut(name, "."); dotted && slices.Contains(names, step) && !slices.Contains(running, step) {
			variant.Unread = append(variant.Unread,
				fmt.Sprintf("--set %s has no effect: step %s is left out here, since no step that runs reads it", name, step))
		}
	}
	return &variant, errs.Err()
}

// reads says whether a step of those that run holds a parameter, in a flag of which
// takes is true and that is not set otherwise.
func (r *Recipe) reads(parameter string, flags map[string]string, running []string, takes func(step, flag string) bool) bool {
	holds := func(text string) bool { return strings.Contains(text, "${"+parameter+"}") }
	for _, s := range r.Steps {
		if !slices.Contains(running, s.Name) {
			continue
		}
		for _, input := range s.From {
			if takes(s.Name, input.Flag) && slices.ContainsFunc(input.From,
				func(ref Reference) bool { return holds(ref.Label) || holds(ref.Step) }) {
				return true
			}
		}
		for _, w := range s.With {
			_, set := flags[s.Name+"."+w.Flag]
			if !set && takes(s.Name, w.Flag) && slices.ContainsFunc(w.Values, holds) {
				return true
			}
		}
	}
	return false
}

// maxExpanded bounds the bytes of a recipe's settings with the values of parameters in them.
const maxExpanded = 1 << 20

// checkExpanded refuses a recipe whose few bytes stand for many: a value that repeats a parameter.
// Nothing is put in yet.
func (r *Recipe) checkExpanded(values map[string]string) error {
	length := func(text string) (bytes, names int) {
		bytes, names = len(text), 1
		for _, m := range reference.FindAllStringSubmatchIndex(text, -1) {
			value := values[text[m[2]:m[3]]]
			bytes, names = bytes+len(value), names+strings.Count(value, ",")
		}
		return bytes, names
	}
	size := 0
	for _, s := range r.Steps {
		for _, input := range s.From {
			for _, ref := range input.From {
				label, _ := length(ref.Label)
				bytes, names := length(ref.Step)
				size += bytes + names*label // a label comes before each of the names
			}
		}
		for _, w := range s.With {
			for _, v := range w.Values {
				bytes, _ := length(v)
				size += bytes
			}
		}
		if size > maxExpanded {
			return fmt.Errorf("step %s: the settings up to here have more than %d bytes with the values of their parameters: shorten the values",
				s.Name, maxExpanded)
		}
	}
	return nil
}

// expanded is a text with the values of the parameters that it names.
func expanded(text string, values map[string]string) string {
	return reference.ReplaceAllStringFunc(text, func(m string) string { return values[m[2:len(m)-1]] })
}

// substituted puts in the parameters that references name: a value may be several of them
// between commas, or empty.
func substituted(list []Reference, values map[string]string) (result []Reference) {
	for _, ref := range list {
		ref.Label = expanded(ref.Label, values)
		m := reference.FindStringSubmatch(ref.Step)
		if m == nil {
			result = append(result, ref)
			continue
		}
		for _, step := range strings.Split(values[m[1]], ",") {
			if step != "" {
				result = append(result, Reference{ref.Label, step, ref.File, ref.line})
			}
		}
	}
	return result
}
