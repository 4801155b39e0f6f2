package torchverbs

import (
	"context"
	"errors"
	"fmt"

	"sentweave/runners/command"
	"sentweave/schemas/dataset"
)

// output are the flags of a verb that makes a dataset.
type output struct {
	Out       string `help:"Folder of the dataset to make." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Delete another dataset in --out." group:"Output"`
}

func (o output) check() error {
	if o.Out == "" {
		return errors.New("out is empty: give the folder of the dataset to make")
	}
	return nil
}

// made says what became of the dataset: err, that the command goes on if it is given
// again, or that nothing was left to do: then the error may be command.ErrDone, which
// ends a verb without another word.
func (o output) made(ctx context.Context, p *command.Program, verb string, complete bool, err error) error {
	if ctx.Err() != nil && err != nil {
		return errors.Join(err, command.ErrResumes)
	}
	if err == nil && complete && !p.Done(verb, o.Out) {
		return command.ErrDone
	}
	return err
}

// show prints where the dataset lies, and its size in what its rows are, such as "view".
func (o output) show(p *command.Program, row string, m *dataset.Manifest) error {
	_, err := fmt.Fprintf(p.Stdout, "%s: %s in %s, %s, content %s\n", o.Out, command.Counted(m.Rows, row),
		command.Counted(int64(len(m.Shards)), "shard"), command.Size(m.Bytes), m.ContentXXH3)
	return err
}
