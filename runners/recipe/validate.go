package recipe

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sentweave/schemas/spelling"
)

var (
	nameForm   = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	choiceForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.+-]*$`)
	verbForm   = regexp.MustCompile(`^[a-z][a-z-]*( [a-z][a-z-]*)?$`)
	labelForm  = regexp.MustCompile(`^([A-Za-z0-9]|\$\{[^}]*\})([A-Za-z0-9_.+-]|\$\{[^}]*\})*$`)
	reference  = regexp.MustCompile(`\$\{([^}]*)\}`)
)

// validate collects what is wrong with the meaning of a recipe.
func (p *document) validate(r *Recipe) {
	if r.Name == "" {
		p.Faultf(1, "the recipe has no name")
	}
	if r.About == "" {
		p.Faultf(1, "the recipe has no about: one sentence on what it makes")
	}
	if len(r.Steps) == 0 {
		p.Faultf(1, "the recipe has no steps")
	}
	used := map[string]bool{}
	var parameters []string
	for _, parameter := range r.Parameters {
		parameters = append(parameters, parameter.Name)
		if !nameForm.MatchString(parameter.Name) {
			p.Faultf(parameter.line, "the parameter name %q must consist of small letters, digits and hyphens", parameter.Name)
		}
		if parameter.Help == "" {
			p.Faultf(parameter.line, "parameter %q has no help", parameter.Name)
		}
	}
	var names []string
	for _, s := range r.Steps {
		p.stepFaults(s, names)
		names = append(names, s.Name)
	}
	p.publishFaults(r, names)
	p.choiceFaults(r)
	use := func(text string, line int, step, flag string) {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
			if !slices.Contains(parameters, m[1]) {
				p.Faultf(line, "step %q: %s: there is no parameter %q%s", step, flag, m[1], spelling.Proposal(m[1], parameters))
			}
		}
	}
	for i, s := range r.Steps {
		for _, input := range s.From {
			for _, ref := range input.From {
				p.referenceFaults(r, i, input, ref, names)
				use(ref.Label+ref.Step, input.line, s.Name, input.Flag)
			}
		}
		for _, setting := range s.With {
			for _, value := range setting.Values {
				use(value, setting.line, s.Name, setting.Flag)
			}
		}
	}
	for _, parameter := range r.Parameters {
		if !used[parameter.Name] && parameter.Choices == nil && !parameter.inherited {
			p.Faultf(parameter.line, "parameter %q is used by no step", parameter.Name)
		}
	}
}

// publishFaults looks at the files to copy, which are beside the folders of the
// steps under their own names.
func (p *document) publishFaults(r *Recipe, names []string) {
	owners := map[string]string{RunName: "of the record of the run"}
	for _, name := range names {
		owners[name] = "of a step"
	}
	for _, ref := range r.Publish {
		location := ref.Step + "/" + ref.File
		switch name := path.Base(ref.File); {
		case ref.File == "" || ref.File == "." || path.Clean(ref.File) != ref.File:
			p.Faultf(ref.line, "publish: %q names no file in the output of a step, as report/report.html does",
				strings.TrimSuffix(location, "/"))
		case !filepath.IsLocal(filepath.FromSlash(ref.File)):
			p.Faultf(ref.line, "publish: the file %q does not lie in the output of step %q", ref.File, ref.Step)
		case !slices.Contains(names, ref.Step):
			p.Faultf(ref.line, "publish: there is no step %q%s", ref.Step, spelling.Proposal(ref.Step, names))
		case owners[name] != "":
			p.Faultf(ref.line, "publish: %s has the name %s, which is that %s", location, name, owners[name])
		default:
			owners[name] = "of another file to publish"
		}
	}
}

// stepFaults looks at a step by itself.
func (p *document) stepFaults(s Step, earlier []string) {
	switch {
	case s.Name == "":
		p.Faultf(s.line, "the step has no name")
	case !nameForm.MatchString(s.Name):
		p.Faultf(s.line, "the step name %q must consist of small letters, digits and hyphens", s.Name)
	case slices.Contains(earlier, s.Name):
		p.Faultf(s.line, "there are two steps %q", s.Name)
	}
	switch {
	case s.Run == "":
		p.Faultf(s.line, "step %q has no run: the verb", s.Name)
	case !verbForm.MatchString(s.Run):
		p.Faultf(s.line, "step %q: run %q is not a verb, such as corpus, or with its kind, such as views synonym", s.Name, s.Run)
	}
	flags := map[string]bool{}
	flag := func(name string, line int) {
		switch {
		case name == "out":
			p.Faultf(line, "step %q: out is given by the recipe: the step's folder", s.Name)
		case noSetting(name):
			p.Faultf(line, "step %q: %s is not a setting of a step", s.Name, name)
		case !nameForm.MatchString(name):
			p.Faultf(line, "step %q: %q is not the name of a flag", s.Name, name)
		case flags[name] && s.parameterOf(name) == "":
			p.Faultf(line, "step %q: %s is given under from and under with, where only a parameter may stand, whose value counts more",
				s.Name, name)
		}
		flags[name] = true
	}
	for _, input := range s.From {
		flag(input.Flag, input.line)
	}
	for _, setting := range s.With {
		flag(setting.Flag, setting.line)
	}
}

// referenceFaults looks at what step i takes from another.
func (p *document) referenceFaults(r *Recipe, i int, input Input, ref Reference, names []string) {
	s := r.Steps[i]
	if strings.Contains(ref.Step+ref.File, "${") {
		if m := reference.FindString(ref.Step); m != ref.Step || strings.Contains(ref.File, "${") {
			p.Faultf(input.line, "step %q: %s: a parameter under from is the whole name of a step; give a path under with", s.Name,
				input.Flag)
		}
		return
	}
	if ref.File != "" && !filepath.IsLocal(filepath.FromSlash(ref.File)) {
		p.Faultf(input.line, "step %q: %s: the file %q does not lie in the output of step %q", s.Name, input.Flag, ref.File, ref.Step)
	}
	switch index := slices.Index(names, ref.Step); {
	case index < 0:
		p.Faultf(input.line, "step %q: %s: there is no step %q%s", s.Name, input.Flag, ref.Step, spelling.Proposal(ref.Step, names))
	case index == i:
		p.Faultf(input.line, "step %q: %s: the step takes its own output", s.Name, input.Flag)
	case index > i:
		if way := wayBack(r, index, i); way != nil {
			p.Faultf(input.line, "step %q: %s: the steps go in a circle: %s", s.Name, input.Flag,
				strings.Join(append([]string{s.Name}, way...), " needs "))
			return
		}
		p.Faultf(input.line, "step %q: %s: step %q stands later in the file; move it up", s.Name, input.Flag, ref.Step)
	}
}

// wayBack returns the names of the steps by which step from needs step to, both
// included, or nil.
func wayBack(r *Recipe, from, to int) []string {
	visited := make([]bool, len(r.Steps))
	var search func(int) []string
	search = func(step int) []string {
		if step == to {
			return []string{r.Steps[step].Name}
		}
		if visited[step] {
			return nil
		}
		visited[step] = true
		for _, input := range r.Steps[step].From {
			for _, ref := range input.From {
				next := slices.IndexFunc(r.Steps, func(s Step) bool { return s.Name == ref.Step })
				if next < 0 {
					continue
				}
				if way := search(next); way != nil {
					return append([]string{r.Steps[step].Name}, way...)
				}
			}
		}
		return nil
	}
	return search(from)
}
