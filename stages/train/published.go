package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/stages/train/checkpoint"
)

// Published is what the record beside a model says of its training.
type Published struct {
	// Steps are those that were planned, Taken those after which the model was published.
	Steps, Taken int64
	// Finished says that no step is to come. A model that was published after an earlier period is not finished.
	Finished bool
	// MaxTime is the time after which the run ended that wrote the record; empty if it did not end so.
	MaxTime string
	// Files are those of the model.
	Files []checkpoint.File
}

// ReadPublished reads the record in a folder, also that of an earlier version and that of a training without a step.
// The error matches fs.ErrNotExist where there is no record.
func ReadPublished(ctx context.Context, folder storage.Folder) (p Published, err error) {
	data, err := storage.ReadFile(ctx, folder, RecordName, maxRecord)
	if err != nil {
		return p, err
	}
	var r struct {
		Steps  int64  `json:"steps"`
		Step   int64  `json:"step"`
		Period string `json:"period"`
		Config struct {
			Periods []struct {
				Name string `json:"name"`
			} `json:"periods"`
		} `json:"config"`
		Validated struct {
			Stopped bool `json:"stopped"`
		} `json:"validated"`
		MaxTime string            `json:"max_time"`
		Files   []checkpoint.File `json:"files"`
	}
	if err := jsonfile.Unmarshal(data, &r); err != nil {
		return p, fmt.Errorf("read %s in %s: %w", RecordName, folder, err)
	}
	last := len(r.Config.Periods) - 1
	stopped := last >= 0 && r.Period == r.Config.Periods[last].Name && r.Validated.Stopped
	return Published{r.Steps, r.Step, r.Steps > 0 && (r.Step == r.Steps || stopped), r.MaxTime, r.Files}, nil
}

// CheckSizes returns an error that matches dataset.ErrCorrupt unless the files of the model are in the folder with the
// sizes that its record says. A file that was changed in place is not noticed.
func (p Published) CheckSizes(ctx context.Context, folder storage.Folder) error {
	var errs fault.List
	for _, f := range p.Files {
		switch info, err := folder.Stat(ctx, f.Name); {
		case errors.Is(err, fs.ErrNotExist):
			errs.Addf("%s in %s: %w: it is missing", f.Name, folder, dataset.ErrCorrupt)
		case err != nil:
			errs.Add(err)
		case info.Size != f.Bytes:
			errs.Addf("%s in %s: %w: it has %d bytes, %s says %d", f.Name, folder, dataset.ErrCorrupt, info.Size, RecordName, f.Bytes)
		}
	}
	return errs.Err()
}
