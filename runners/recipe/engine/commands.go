package engine

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sentweave/runners/command"
	"sentweave/runners/recipe"
	"sentweave/runners/recipe/record"
)

// commands returns the checked command lines of the wanted steps.
func (c *runCommand) commands(ctx context.Context, p *command.Program, verbs map[string]command.Flags) (*recipe.Recipe, []recipe.Command,
	error) {
	r, err := recipe.Load(ctx, c.Recipe)
	if err != nil {
		return nil, nil, err
	}
	steps, err := r.Commands(c.Out, c.Set)
	if err != nil {
		return nil, nil, err
	}
	loaded := r
	if r, err = r.Chosen(c.Set); err != nil {
		return nil, nil, err
	}
	if err := unknownFlags(loaded, r, c.Set, verbs); err != nil {
		return nil, nil, err
	}
	useless := map[string][]string{} // flags by step
	c.settings = map[string][]string{}
	for i := range steps {
		flags := verbs[steps[i].Verb()]
		steps[i].Escape(func(flag string) bool { return flags[flag].Many })
		useless[steps[i].Step] = withoutUseless(p, &steps[i])
		c.settings[steps[i].Step] = settingsIn(c.Out, steps[i])
	}
	commands, err := recipe.Choose(steps, c.Only, c.From)
	if err != nil {
		return nil, nil, err
	}
	if c.idle, err = c.idleSettings(ctx, loaded, commands); err != nil {
		return nil, nil, err
	}
	arguments, err := command.FlagsOf(&c.runnerFlags, p.Args)
	if err != nil {
		return nil, nil, err
	}
	if c.Overwrite {
		arguments = append(arguments, "--overwrite=true")
	}
	for i := range commands {
		for _, flag := range useless[commands[i].Step] {
			r.Unread = append(r.Unread, fmt.Sprintf("--set %s has no effect on what step %s does here", r.Setting(commands[i].Step, flag),
				commands[i].Step))
		}
		commands[i].Args = append(commands[i].Args, verbs[commands[i].Verb()].Having(arguments)...)
	}
	c.makes = outputs(p.Verbs, r, steps)
	var faults faultsOfSteps
	for _, step := range commands {
		if err := c.check(p, r, step, verbs); err != nil {
			faults.add(step.Step, err.Error())
		}
	}
	return r, commands, faults.list().Err()
}

// verbHelp is the hint at the help of a verb, which does not know how a recipe sets the flags of the verb.
var verbHelp = regexp.MustCompile("; see `[^`]* --help`$")

// check says what is wrong with the command line of a step, in the words of a recipe.
func (c *runCommand) check(p *command.Program, r *recipe.Recipe, step recipe.Command, verbs map[string]command.Flags) error {
	flags, exists := verbs[step.Verb()]
	if !exists {
		return fmt.Errorf("run: %w; the verbs are %s", p.Check(step.Args), strings.Join(slices.Sorted(maps.Keys(verbs)), ", "))
	}
	if _, ok := flags["out"]; !ok {
		return fmt.Errorf("%s writes no dataset: it has no --out", step.Verb())
	}
	if err := p.Check(step.Args); err != nil {
		text := inRecipe(err.Error(), r, step.Step, verbs)
		if strings.Contains(text, "--set ") {
			text = verbHelp.ReplaceAllString(text, "")
		}
		return command.Reword(text, err)
	}
	return checkInputs(r, step.Step, c.makes, verbs)
}

// idleSettings says which settings are of steps alone that do not run, unless what is in the folders of these steps was made
// with the same settings.
func (c *runCommand) idleSettings(ctx context.Context, r *recipe.Recipe, commands []recipe.Command) (notes []string, err error) {
	if len(c.Only) == 0 && c.From == "" {
		return nil, nil
	}
	latest, err := record.Read(ctx, c.Out)
	if err != nil {
		return nil, err
	}
	whole, err := r.Commands(c.Out, c.Set) // without what useless flags have lost
	if err != nil {
		return nil, err
	}
	earlier := latest.Settings(r.Name)
	for _, name := range slices.Sorted(maps.Keys(c.Set)) {
		without := maps.Clone(c.Set)
		delete(without, name)
		others, err := r.Commands(c.Out, without)
		if err != nil || len(others) != len(whole) { // without it there is no such recipe
			continue
		}
		var readers []string
		used, news := false, false // by a step that runs; of a step that was not made so
		for i, step := range whole {
			if slices.Equal(whole[i].Args, others[i].Args) {
				continue
			}
			readers, used = append(readers, step.Step), used || runs(commands, step.Step)
			news = news || !slices.Equal(earlier[step.Step], c.settings[step.Step])
		}
		if len(readers) > 0 && !used && news {
			notes = append(notes, fmt.Sprintf("--set %s has no effect: only %s, which does not run, reads it", name,
				recipe.StepsNamed(readers)))
		}
	}
	return notes, nil
}
