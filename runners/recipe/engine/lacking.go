package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"sentweave/runners/recipe"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// runs says whether a step is among the commands.
func runs(commands []recipe.Command, step string) bool {
	return slices.ContainsFunc(commands, func(c recipe.Command) bool { return c.Step == step })
}

// absent returns an error for each output that a step reads of a step that is not to run and has not run, and notes these
// steps with those that they read themselves.
func (l *preparation) absent(commands []recipe.Command, step string) error {
	var errs fault.List
	s, _ := l.recipe.Find(step)
	for _, input := range s.From {
		for _, ref := range input.From {
			location := storage.Join(l.Out, ref.Step, ref.File)
			if runs(commands, ref.Step) || storage.IsRemote(location) { // of a bucket the step says so
				continue
			}
			if _, err := os.Stat(location); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			errs.Addf("%s: %s is not there; step %s makes it", input.Flag, location, ref.Step)
			if !l.lacking[ref.Step] {
				l.lacking[ref.Step] = true
				_ = l.absent(commands, ref.Step) // the step that is asked for lacks them only by this one
			}
		}
	}
	return errs.Err()
}

// wayToLacking adds the command that runs the steps that are lacking, too, in their order.
func (l *preparation) wayToLacking(commands []recipe.Command) {
	if len(l.lacking) == 0 {
		return
	}
	var names []string
	for _, s := range l.recipe.Steps {
		if l.lacking[s.Name] || runs(commands, s.Name) {
			names = append(names, s.Name)
		}
	}
	given := "--only"
	if l.From != "" {
		given = "--from"
	}
	if len(names) == len(l.recipe.Steps) {
		l.ways = append(l.ways, fmt.Sprintf("leave %s out: all steps are wanted", given))
		return
	}
	l.ways = append(l.ways, fmt.Sprintf("give `--only %s`, which has all that is missing in its order, or leave %s out",
		strings.Join(names, ","), given))
}

// batches returns an error if a training wants larger batches than there are examples that stand already as they will be then.
func (l *preparation) batches(ctx context.Context, step recipe.Command) error {
	t, ok := l.parsed[step.Step].(batcher)
	if !ok {
		return nil
	}
	return t.CheckBatches(ctx, func(location string) bool {
		for name, f := range l.fates {
			if location == storage.Join(l.Out, name) {
				return f.is == fateComplete && !f.doubtful
			}
		}
		return true
	})
}

// ahead returns an error if a training after a step wants larger batches than there are examples by now, so that the step
// would be in vain.
func (l *preparation) ahead(ctx context.Context, commands []recipe.Command, step string) error {
	index := slices.IndexFunc(commands, func(c recipe.Command) bool { return c.Step == step })
	var errs fault.List
	for i, later := range commands[index:] {
		t, ok := l.parsed[later.Step].(batcher)
		if !ok || i == 0 { // which says so itself
			continue
		}
		err := t.CheckBatches(ctx, func(location string) bool {
			return !slices.ContainsFunc(commands[index:], func(c recipe.Command) bool { return location == c.Out })
		})
		if err != nil {
			errs.Addf("it was not begun, since step %s would fail: %s", later.Step, inRecipe(err.Error(), l.recipe, later.Step, l.verbs))
		}
	}
	return errs.Err()
}
