package dataset

import (
	"context"
	"time"

	"sentweave/schemas/storage"
)

// RunRecord describes the last run that completed a dataset. Its facts must not be in
// the manifest, because they differ between runs with equal output.
type RunRecord struct {
	Started     time.Time `json:"started"`
	Finished    time.Time `json:"finished"`
	Runner      string    `json:"runner"`
	Parallelism int       `json:"parallelism"`
	// Revision is the program's version control revision, if it is known.
	Revision string `json:"revision,omitempty"`
	// UnitsDoneBefore counts the units that earlier, interrupted runs committed.
	UnitsDoneBefore int `json:"units_done_before"`
}

// WriteRunRecord writes _run/run.json.
func WriteRunRecord(ctx context.Context, folder storage.Folder, r RunRecord) error {
	data, err := encode(r)
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, folder, runName, data, storage.Replace)
}
