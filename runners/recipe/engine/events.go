package engine

import (
	"context"
	"errors"

	"sentweave/runners/locations"
	"sentweave/runners/recipe"
	"sentweave/runners/recipe/openlineage"
	"sentweave/schemas/storage"
)

// tell tells that a step begins; ended is called with the step's fault.
func (l *preparation) tell(ctx context.Context, whole *openlineage.Run, step recipe.Command) (ended func(fault error)) {
	if l.events == nil {
		return func(error) {}
	}
	var read []openlineage.Dataset
	_, inputs, _ := l.program.Parsed(step.Args) // which has been checked
	for _, input := range inputs {
		read = append(read, openlineage.DatasetAt(ctx, input.Location))
	}
	if storage.IsRemote(l.Out) { // inputs are those on this machine
		for _, need := range step.Needs {
			read = append(read, openlineage.DatasetAt(ctx, storage.Join(l.Out, need)))
		}
	}
	run := l.events.Begin(ctx, step.Step, whole, read)
	return func(fault error) {
		ctx := context.WithoutCancel(ctx)
		var made []openlineage.Dataset
		if locations.HoldsAnything(ctx, step.Out) {
			made = append(made, openlineage.DatasetAt(ctx, step.Out))
		}
		run.End(ctx, fault, errors.Is(fault, errInterrupted), read, made)
	}
}
