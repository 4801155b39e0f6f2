package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sentweave/runners/command"
	"sentweave/runners/recipe"
	"sentweave/stages/evaluate"
)

// list prints the parameters of a recipe, or of those that are embedded.
func (c *runCommand) list(ctx context.Context, p *command.Program) error {
	recipes, err := recipe.Embedded()
	if c.Recipe != "" {
		var one *recipe.Recipe
		one, err = recipe.Load(ctx, c.Recipe)
		recipes = []*recipe.Recipe{one}
	}
	if err != nil {
		return command.Usage(err)
	}
	tables := slices.DeleteFunc(slices.Clone(recipes), func(r *recipe.Recipe) bool { return c.Recipe != "" || r.Paper == "" })
	slices.SortStableFunc(tables, func(a, b *recipe.Recipe) int { return strings.Compare(a.Paper, b.Paper) })
	for _, r := range recipes {
		if slices.Contains(tables, r) {
			continue
		}
		if err := c.listOne(p, r); err != nil {
			return command.Usage(err)
		}
	}
	return listTables(p.Stdout, tables)
}

// listOne prints the parameters that count beside what is set, with their values.
func (c *runCommand) listOne(p *command.Program, r *recipe.Recipe) error {
	list, of, err := r.Listed(c.Set, func(_, _ string) bool { return true })
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
	if c.Recipe == "" {
		return nil
	}
	fmt.Fprintln(p.Stdout, "Steps, with the verbs whose flags --set STEP.FLAG=… sets; `sentweave help VERB` lists them:")
	for _, s := range of.Steps {
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
	evaluations := map[string]*evaluateCommand{}
	commands, err := r.Commands("…", full)
	if err != nil { // run says so when all is set
		commands = nil
	}
	for _, step := range commands {
		evaluations[step.Step] = evaluation(p, step)
	}
	return func(step, flag string) bool {
		e := evaluations[step]
		return e == nil || e.Takes(flag)
	}
}

// withoutUseless leaves out the flags of the recipe's own that have no effect on the tasks that
// are chosen: evaluate refuses them, and the caller has not set them.
func withoutUseless(p *command.Program, step *recipe.Command) {
	if e := evaluation(p, *step); e != nil {
		step.Without(func(flag string) bool { return !e.Takes(flag) })
	}
}

// evaluation is a step of evaluate without the flags that are for some tasks, nil if it is another
// verb or is refused all the same, which its check says.
func evaluation(p *command.Program, step recipe.Command) *evaluateCommand {
	if step.Verb() != "evaluate" {
		return nil
	}
	parsed, _, err := p.Parsed(slices.DeleteFunc(slices.Clone(step.Args), func(arg string) bool {
		flag, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		return evaluate.OfTasks(flag)
	}))
	if err != nil {
		return nil
	}
	e, _ := parsed.(*evaluateCommand)
	return e
}

// listTables prints the recipes of the tables of papers, with the rows of each.
// tables names the table of a recipe, or its tables.
func tables(r *recipe.Recipe) string {
	if strings.Contains(r.Table, " and ") {
		return "tables " + r.Table
	}
	return "table " + r.Table
}

func listTables(to io.Writer, recipes []*recipe.Recipe) error {
	paper := ""
	for _, r := range recipes {
		if r.Paper != paper {
			paper = r.Paper
			fmt.Fprintf(to, "\n%s; `sentweave run --list NAME` lists the parameters\n", paper)
		}
		fmt.Fprintf(to, "  %s, %s: %s\n", r.Name, tables(r), r.About)
		for _, parameter := range r.Parameters {
			if parameter.Name == "row" {
				fmt.Fprintf(to, "    --set row=%s\n", strings.Join(parameter.Names(), "|"))
			}
		}
	}
	return nil
}
