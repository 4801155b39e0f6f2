package validate

import (
	"context"
	"fmt"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/testsets/benchmark"
)

// RecordName is the name of the record in the output folder.
const RecordName = "validation.json"

// What was compared with the source.
const (
	KindDataset = "dataset"
	KindFolder  = "folder"
)

// Validation is what was found: no clock, no path.
type Validation struct {
	dataset.Record[Config]
	Inputs []dataset.Input `json:"inputs"`
	// Faults counts all, those that Most cut off too.
	Faults int     `json:"faults"`
	Checks []Check `json:"checks"`
}

// Check is one task in one language; the task senteval.NoTask stands for the files of a
// folder that are of no task, if there is a fault in these.
type Check struct {
	// Kind says whether a dataset or a folder was compared.
	Kind     string `json:"kind"`
	Task     string `json:"task"`
	Language string `json:"language"`
	// Source and Rows are the rows of both sides; Same those without a fault; NoGold
	// the source's rows without gold; Untranslated the texts that equal the source's, in
	// rows with gold.
	Source       int     `json:"source"`
	Rows         int     `json:"rows"`
	Same         int     `json:"same"`
	NoGold       int     `json:"no_gold"`
	Untranslated int     `json:"untranslated"`
	Faults       int     `json:"faults"`
	Found        []Fault `json:"found,omitempty"`
}

// Fault is one thing that is wrong; Row is -1 for the whole file.
type Fault struct {
	File   string `json:"file"`
	Row    int32  `json:"row"`
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
}

// Table lays out the checks of one kind, "" where there are none.
func (v *Validation) Table(kind string) string {
	var list []benchmark.Summary
	for _, c := range v.Checks {
		if c.Kind == kind {
			list = append(list, benchmark.Summary{
				Task: c.Task, Language: c.Language, Source: c.Source, Rows: c.Rows, Same: c.Same, Skipped: c.NoGold,
				Untranslated: c.Untranslated, Faults: c.Faults,
			})
		}
	}
	if len(list) == 0 {
		return ""
	}
	return benchmark.SummaryTable(list)
}

// Lines lists the faults, a line each.
func (v *Validation) Lines() (lines []string) {
	for _, c := range v.Checks {
		for _, f := range c.Found {
			fault := benchmark.Fault{Task: c.Task, Language: c.Language, File: f.File, Row: f.Row, Kind: f.Kind, Detail: f.Detail}
			lines = append(lines, c.Kind+" "+fault.String())
		}
		if remaining := c.Faults - len(c.Found); remaining > 0 {
			lines = append(lines, fmt.Sprintf("%s %s %s: %d more faults; --most lists more", c.Kind, c.Task, c.Language, remaining))
		}
	}
	return lines
}

// LoadRecord reads validation.json. Errors match fs.ErrNotExist and dataset.ErrCorrupt.
func LoadRecord(ctx context.Context, folder storage.Folder) (*Validation, error) {
	var v Validation
	if err := dataset.ReadRecord(ctx, folder, RecordName, "validate", &v); err != nil {
		return nil, err
	}
	return &v, nil
}

// write puts validation.json into a folder, in the place of an earlier one. A folder
// with other files is refused.
func (v *Validation) write(ctx context.Context, output string) error {
	folder, err := storage.Locate(output)
	if err != nil {
		return err
	}
	if err := dataset.Vacant(ctx, folder, "validation", RecordName); err != nil {
		return err
	}
	if err := dataset.WriteRecord(ctx, folder, RecordName, "  ", v); err != nil {
		return err
	}
	return storage.Sweep(ctx, folder)
}
