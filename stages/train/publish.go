package train

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"sentweave/stages/train/checkpoint"
)

// publish copies the model of the chosen checkpoint to a folder, but for the private files, each
// whole or not at all; the record last, which is that of the last checkpoint. A folder that
// has the record already is left as it is.
func (o *output) publish(ctx context.Context, last, chosen, folder string, private []string) error {
	r, err := readRecord(last)
	if err != nil {
		return err
	}
	model, err := readRecord(chosen)
	if err != nil {
		return err
	}
	r.Files = checkpoint.Exclude(model.Files, private)
	record, err := r.encode()
	if err != nil {
		return err
	}
	if existing, err := o.readWhole(ctx, folder); err == nil && existing.Check == r.Check {
		return nil
	}
	if err := o.work.RemoveAll(filepath.Join(folder, RecordName)); err != nil {
		return err
	}
	for _, f := range r.Files {
		name := filepath.FromSlash(f.Name)
		if err := o.work.Copy(ctx, filepath.Join(chosen, name), filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("publish %s: %w", folder, wayOut(err))
		}
	}
	if err := o.work.Write(ctx, filepath.Join(folder, RecordName), bytes.NewReader(record)); err != nil {
		return fmt.Errorf("publish %s: %w", folder, wayOut(err))
	}
	return nil
}
