package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/recipe"
)

// list prints the parameters of a recipe, or a line for each of those that are embedded.
func (c *runCommand) list(ctx context.Context, p *command.Program) error {
	if c.Recipe != "" {
		r, err := recipe.Load(ctx, c.Recipe)
		if err == nil {
			err = c.listOne(p, r)
		}
		if err != nil {
			return command.Usage(err)
		}
		return nil
	}
	recipes, err := recipe.Embedded()
	if err != nil {
		return err
	}
	slices.SortStableFunc(recipes, func(a, b *recipe.Recipe) int { return strings.Compare(a.Paper, b.Paper) })
	paper := ""
	for _, r := range recipes {
		if r.Paper != paper {
			paper = r.Paper
			fmt.Fprintf(p.Stdout, "\n%s\n", paper)
		}
		name := r.Name
		if r.Paper != "" {
			name += ", " + tables(r)
		}
		fmt.Fprintf(p.Stdout, "  %s: %s\n", name, r.About)
	}
	_, err = fmt.Fprintln(p.Stdout, "\n`sentweave run --list NAME` lists the parameters, the rows of a table and the steps of one.")
	return err
}

// listOne prints the parameters that count beside what is set, with their values.
func (c *runCommand) listOne(p *command.Program, r *recipe.Recipe) error {
	list, selection, err := r.Listed(c.Set, func(_, _ string) bool { return true })
	if err != nil {
		return err
	}
	takes := takenFlags(p, r, c.Set, list)
	if list, _, err = r.Listed(c.Set, takes); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: %s\n", r.Name, r.About)
	if r.Paper != "" {
		fmt.Fprintf(p.Stdout, "  %s, %s\n", r.Paper, tables(r))
	}
	var choices []string
	for _, parameter := range list {
		if parameter.Choices != nil {
			choices = append(choices, parameter.Name+"="+parameter.Default)
		}
	}
	if choices != nil {
		fmt.Fprintf(p.Stdout, "What holds with %s; add --set to see what holds with others:\n", strings.Join(choices, " and "))
	}
	for _, parameter := range list {
		value := fmt.Sprintf("default %q", parameter.Default)
		if v, set := c.Set[parameter.Name]; set {
			value = fmt.Sprintf("set to %q", v)
		} else if parameter.Required {
			value = "required"
		}
		if names := parameter.Names(); len(names) > 0 {
			value += "; one of " + strings.Join(names, ", ")
		}
		fmt.Fprintf(p.Stdout, "  --set %s=…  %s (%s)\n", parameter.Name, parameter.Help, value)
	}
	fmt.Fprintln(p.Stdout, "Steps, with the verbs whose flags --set STEP.FLAG=… sets; `sentweave help VERB` lists them:")
	for _, s := range selection.Steps {
		fmt.Fprintf(p.Stdout, "  --set %s.FLAG=…  %s\n", s.Name, s.Run)
	}
	return nil
}

// takenFlags says which flags of the steps have an effect on the tasks that are chosen, whatever
// the parameters are that the caller has still to set.
func takenFlags(p *command.Program, r *recipe.Recipe, set map[string]string, list []recipe.Parameter) func(step, flag string) bool {
	full := map[string]string{}
	maps.Copy(full, set)
	for _, parameter := range list {
		if parameter.Required {
			full[parameter.Name] = "…"
		}
	}
	takers := map[string]taker{}
	commands, err := r.Commands("…", full)
	if err != nil { // run says so when all is set
		commands = nil
	}
	for _, step := range commands {
		takers[step.Step] = takerOf(p, step)
	}
	return func(step, flag string) bool {
		verb := takers[step]
		return verb == nil || verb.Takes(flag)
	}
}

// withoutUseless leaves out the flags that have no effect on the tasks or the objectives that are
// chosen, which the verbs refuse, and returns those that the caller has set.
func withoutUseless(p *command.Program, step *recipe.Command) (dropped []string) {
	if verb := takerOf(p, *step); verb != nil {
		dropped = step.Without(func(flag string) bool { return !verb.Takes(flag) })
	}
	return dropped
}

// takerOf is the verb of a step without these flags, nil if it is another verb or is refused all the
// same, which its check says.
func takerOf(p *command.Program, step recipe.Command) taker {
	v, ok := verb.Find(p.Verbs, step.Verb())
	if !ok {
		return nil
	}
	flags, ok := v.New().(taker)
	if !ok {
		return nil
	}
	parsed, _, err := p.Parsed(slices.DeleteFunc(slices.Clone(step.Args), func(arg string) bool {
		flag, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		return flags.OfSome(flag)
	}))
	if err != nil {
		return nil
	}
	flags, _ = parsed.(taker)
	return flags
}

// tables names the table of a recipe, or its tables.
func tables(r *recipe.Recipe) string {
	if strings.Contains(r.Table, " and ") {
		return "tables " + r.Table
	}
	return "table " + r.Table
}
