package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"sentweave/runners/command"
	"sentweave/runners/recipe"
)

// Complete implements command.Completer: the names of recipes, and what --set may set in the recipe
// that is given: its parameters and its steps; of a step that is named, the flags.
func (c *runCommand) Complete(p *command.Program, flag string, arguments []string, word string) (list []command.Value) {
	if flag == "" {
		for _, name := range recipe.EmbeddedNames() {
			list = append(list, command.Value{Word: name})
		}
	}
	if flag != "set" || len(arguments) == 0 {
		return list
	}
	r, err := recipe.Load(context.Background(), arguments[0])
	if err != nil { // run says so
		return nil
	}
	step, _, dotted := strings.Cut(word, ".")
	for _, s := range r.Steps {
		if !dotted {
			list = append(list, command.Value{Word: s.Name + ".", Help: "flags of the step, which is " + s.Run})
			continue
		}
		if s.Name != step {
			continue
		}
		verbs, err := p.Flags()
		if err != nil {
			return nil
		}
		for _, flag := range slices.Sorted(maps.Keys(verbs[verbOf(r, step)])) {
			if r.Setting(step, flag) != "" {
				list = append(list, command.Value{Word: step + "." + flag + "="})
			}
		}
	}
	for _, parameter := range r.Parameters {
		list = append(list, command.Value{Word: parameter.Name + "=", Help: parameter.Help})
	}
	return list
}
