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

// ProgressOf reads the receipts of a plan, of which there are count, if they are not too many.
func ProgressOf(ctx context.Context, plan *dataset.Plan, folder storage.Folder, count int) (Progress, error) {
	p := Progress{dataset.Progress{Done: count}, plan.Units, count <= maxReceipts}
	if !p.Counted {
		return p, nil
	}
	var err error
	p.Progress, err = plan.Progress(ctx, folder)
	return p, err
}

// ReadProgress returns the plan that is in a folder, and how far its dataset is.
func ReadProgress(ctx context.Context, folder storage.Folder) (*dataset.Plan, Progress, error) {
	plan, err := dataset.LoadPlan(ctx, folder)
	if err != nil {
		return nil, Progress{}, err
	}
	count, err := plan.CountReceipts(ctx, folder)
	if err != nil {
		return nil, Progress{}, err
	}
	p, err := ProgressOf(ctx, plan, folder, count)
	return plan, p, err
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
