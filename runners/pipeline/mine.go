package pipeline

import (
	"context"

	"sentweave/pipelines/knn"
	"sentweave/pipelines/mine"
	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/fault"
	"sentweave/stages/torch"
)

// MineVerb is what the programs know of the verb mine.
var MineVerb = func() verb.Verb {
	v := mine.Verb
	v.New = func() any { return new(Mine) }
	return v
}()

// Mine is the verb of the pipeline mine, whose search libtorch may do.
type Mine struct {
	Command[mine.Config] `embed:""`
	Device               string `help:"Search by libtorch on cpu, cuda or cuda:N, which gives the same bytes; in Go if not given." placeholder:"NAME" group:"Running"`
}

// Alone says that Go does all. A dry run looks for the device as a run does.
func (m *Mine) Alone() bool { return m.Device == "" }

// Validate returns all faults at once.
func (m *Mine) Validate() error {
	errs := fault.List{m.Command.Validate()}
	if m.Device != "" {
		errs.Add(m.compute().Validate())
		errs.Check(m.Runner == "local", "device %s is of this machine, where the runner %s does not compute: leave one of them out", m.Device,
			m.Runner)
	}
	return errs.Err()
}

func (m *Mine) compute() torch.Compute {
	return torch.Compute{Device: m.Device, Threads: m.Parallelism}
}

// Run implements the verb.
func (m *Mine) Run(ctx context.Context, p *command.Program) error {
	if m.Alone() {
		return m.Command.Run(ctx, p)
	}
	if err := torch.UseLanes(m.compute()); err != nil {
		return err
	}
	return m.Command.Run(knn.WithProducts(ctx, torch.Products{}), p)
}
