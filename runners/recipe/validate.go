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
			p.Faultf(parameter.line, "the parameter name %q is not of small letters, digits and hyphens", parameter.Name)
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
		for _, in := range s.From {
			for _, ref := range in.From {
				p.referenceFaults(r, i, in, ref, names)
				use(ref.Label+ref.Step, in.line, s.Name, in.Flag)
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

// publishFaults looks at the files to copy, which stand beside the folders of the
// steps under their own names.
func (p *document) publishFaults(r *Recipe, names []string) {
	beside := map[string]string{RunName: "of the record of the run"}
	for _, name := range names {
		beside[name] = "of a step"
	}
	for _, ref := range r.Publish {
		whole := ref.Step + "/" + ref.File
		switch name := path.Base(ref.File); {
		case ref.File == "" || ref.File == "." || path.Clean(ref.File) != ref.File:
			p.Faultf(ref.line, "publish: %q names no file in the output of a step, as report/report.html does", strings.TrimSuffix(whole, "/"))
		case !filepath.IsLocal(filepath.FromSlash(ref.File)):
			p.Faultf(ref.line, "publish: the file %q does not lie in the output of step %q", ref.File, ref.Step)
		case !slices.Contains(names, ref.Step):
			p.Faultf(ref.line, "publish: there is no step %q%s", ref.Step, spelling.Proposal(ref.Step, names))
		case beside[name] != "":
			p.Faultf(ref.line, "publish: %s has the name %s, which is that %s", whole, name, beside[name])
		default:
			beside[name] = "of another file to publish"
		}
	}
}

// stepFaults looks at a step by itself.
func (p *document) stepFaults(s Step, earlier []string) {
	switch {
	case s.Name == "":
		p.Faultf(s.line, "the step has no name")
	case !nameForm.MatchString(s.Name):
		p.Faultf(s.line, "the step name %q is not of small letters, digits and hyphens", s.Name)
	case slices.Contains(earlier, s.Name):
		p.Faultf(s.line, "there are two steps %q", s.Name)
	}
	switch {
	case s.Run == "":
		p.Faultf(s.line, "step %q has no run: the verb", s.Name)
	case !verbForm.MatchString(s.Run):
		p.Faultf(s.line, "step %q: run %q is no verb, such as corpus, or with its kind, such as views synonym", s.Name, s.Run)
	}
	flags := map[string]bool{}
	flag := func(name string, line int) {
		switch {
		case name == "out":
			p.Faultf(line, "step %q: out is given by the recipe: the step's folder", s.Name)
		case noSetting(name):
			p.Faultf(line, "step %q: %s is no setting of a step", s.Name, name)
		case !nameForm.MatchString(name):
			p.Faultf(line, "step %q: %q is not the name of a flag", s.Name, name)
		case flags[name] && s.parameterOf(name) == "":
			p.Faultf(line, "step %q: %s stands under from and under with, where only a parameter may stand, whose value counts more", s.Name, name)
		}
		flags[name] = true
	}
	for _, in := range s.From {
		flag(in.Flag, in.line)
	}
	for _, setting := range s.With {
		flag(setting.Flag, setting.line)
	}
}

// referenceFaults looks at what step i takes from another.
func (p *document) referenceFaults(r *Recipe, i int, in Input, ref Reference, names []string) {
	s := r.Steps[i]
	if strings.Contains(ref.Step+ref.File, "${") {
		if m := reference.FindString(ref.Step); m != ref.Step || strings.Contains(ref.File, "${") {
			p.Faultf(in.line, "step %q: %s: a parameter under from is the whole name of a step; give a path under with", s.Name, in.Flag)
		}
		return
	}
	if ref.File != "" && !filepath.IsLocal(filepath.FromSlash(ref.File)) {
		p.Faultf(in.line, "step %q: %s: the file %q does not lie in the output of step %q", s.Name, in.Flag, ref.File, ref.Step)
	}
	switch at := slices.Index(names, ref.Step); {
	case at < 0:
		p.Faultf(in.line, "step %q: %s: there is no step %q%s", s.Name, in.Flag, ref.Step, spelling.Proposal(ref.Step, names))
	case at == i:
		p.Faultf(in.line, "step %q: %s: the step takes its own output", s.Name, in.Flag)
	case at > i:
		if way := wayBack(r, at, i); way != nil {
			p.Faultf(in.line, "step %q: %s: the steps go in a circle: %s", s.Name, in.Flag, strings.Join(append([]string{s.Name}, way...), " needs "))
			return
		}
		p.Faultf(in.line, "step %q: %s: step %q stands later in the file; move it up", s.Name, in.Flag, ref.Step)
	}
}

// wayBack returns the names of the steps by which step from needs step to, both
// included, or nil.
func wayBack(r *Recipe, from, to int) []string {
	seen := make([]bool, len(r.Steps))
	var search func(int) []string
	search = func(at int) []string {
		if at == to {
			return []string{r.Steps[at].Name}
		}
		if seen[at] {
			return nil
		}
		seen[at] = true
		for _, in := range r.Steps[at].From {
			for _, ref := range in.From {
				next := slices.IndexFunc(r.Steps, func(s Step) bool { return s.Name == ref.Step })
				if next < 0 {
					continue
				}
				if way := search(next); way != nil {
					return append([]string{r.Steps[at].Name}, way...)
				}
			}
		}
		return nil
	}
	return search(from)
}
