package datasets

import (
	"context"
	"fmt"

	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// maxReceipts is the number of receipts up to which the rows so far are counted:
// each is a file to read.
const maxReceipts = 2_000

// Progress is how far a dataset is; Counted says that its receipts were read.
type Progress struct {
	dataset.Progress
	units   int
	Counted bool
}

// progressOf reads the receipts, if they are not too many.
func ProgressOf(ctx context.Context, plan *dataset.Plan, folder storage.Folder, count int) (Progress, error) {
	p := Progress{dataset.Progress{Done: count}, plan.Units, count <= maxReceipts}
	if !p.Counted {
		return p, nil
	}
	var err error
	p.Progress, err = plan.Progress(ctx, folder)
	return p, err
}

// String describes the units that are done.
func (p Progress) String() string {
	if p.Done == 0 {
		return fmt.Sprintf("planned, none of %s done", command.Counted(int64(p.units), "unit"))
	}
	text := fmt.Sprintf("%s of %s done (%d %%)", command.Count(int64(p.Done)), command.Counted(int64(p.units), "unit"),
		100*p.Done/max(1, p.units))
	if p.Counted {
		text += fmt.Sprintf(", %s so far", command.Counted(p.Rows, "row"))
	}
	return text
}
