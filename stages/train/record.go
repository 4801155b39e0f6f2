package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
)

// RecordName is the name of the record beside a model and in a checkpoint.
const RecordName = "training.json"

// Record is the content of training.json: the request and the progress. It has no
// clock and no path, so equal runs give equal records.
type Record struct {
	Version int `json:"version"`
	// Steps are those of all periods, Step those that are done.
	Steps int64 `json:"steps"`
	Step  int64 `json:"step"`
	// Period is the one that the last step belongs to, PeriodStep counts in it.
	Period     string `json:"stage"`
	PeriodStep int64  `json:"stage_step"`
	// Positions are the progress of the period's sources.
	Positions []Position `json:"positions"`
	Config    Config     `json:"config"`
	// Inputs are the datasets, by period and source.
	Inputs []dataset.Input `json:"inputs"`
	// Sums are those of the steps since the last line of losses.jsonl.
	Sums Sums `json:"sums"`
	// Files are all other files in the folder of the record.
	Files []File `json:"files"`
	// Check is the hash of all the above.
	Check string `json:"check"`
}

// File is a file beside a record.
type File struct {
	// Name is relative to the folder, with slashes.
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	XXH3  string `json:"xxh3"`
}

// Position is the progress of a source.
type Position struct {
	Source string `json:"source"`
	// Epoch counts complete epochs; Batch the batches that were trained on.
	Epoch int64 `json:"epoch"`
	Batch int64 `json:"batch"`
}

// finished says whether all steps are done.
func (r *Record) finished() bool { return r.Step == r.Steps }

// maxRecord bounds what is read of training.json.
const maxRecord = 64 << 20

// encode returns the record with its check.
func (r *Record) encode() ([]byte, error) {
	r.Check = ""
	body, err := indented(r)
	if err != nil {
		return nil, err
	}
	r.Check = dataset.HashString(xxh3.Hash(body))
	return indented(r)
}

func indented(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", " ")
	return append(data, '\n'), err
}

// readRecord reads the record of a folder. One that is not byte for byte what was
// written matches dataset.ErrCorrupt.
func readRecord(folder string) (*Record, error) {
	path := filepath.Join(folder, RecordName)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxRecord {
		return nil, fmt.Errorf("%s: %w: it has %d bytes", path, dataset.ErrCorrupt, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := parseRecord(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func parseRecord(data []byte) (*Record, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", dataset.ErrCorrupt, err)
	}
	check := r.Check
	again, err := r.encode()
	if err != nil || r.Check != check || !bytes.Equal(again, data) {
		return nil, errors.Join(fmt.Errorf("%w: its check is %s, its content gives %s", dataset.ErrCorrupt, check, r.Check), err)
	}
	return &r, nil
}

// checkFiles compares the files of a folder with its record.
func (r *Record) checkFiles(folder string) error {
	var errs fault.List
	for _, want := range r.Files {
		got, err := hashFile(filepath.Join(folder, filepath.FromSlash(want.Name)))
		switch {
		case errors.Is(err, os.ErrNotExist):
			errs.Addf("%w: %s is missing", dataset.ErrCorrupt, want.Name)
		case err != nil:
			errs.Add(err)
		case got.Bytes != want.Bytes:
			errs.Addf("%w: %s has %d bytes, %s says %d", dataset.ErrCorrupt, want.Name, got.Bytes, RecordName, want.Bytes)
		case got.XXH3 != want.XXH3:
			errs.Addf("%w: the xxh3 of %s is %s, %s says %s", dataset.ErrCorrupt, want.Name, got.XXH3, RecordName, want.XXH3)
		}
	}
	return errs.Err()
}

// readWhole reads a record and checks the files that it names.
func readWhole(folder string) (*Record, error) {
	r, err := readRecord(folder)
	if err != nil {
		return nil, err
	}
	return r, r.checkFiles(folder)
}

// difference names by what two runs differ that must be equal for one to go on
// with the other, or returns "".
func (r *Record) difference(there *Record) string {
	var parts []string
	if r.Version != there.Version {
		parts = append(parts, fmt.Sprintf("version is %d there and %d here", there.Version, r.Version))
	}
	parts = append(parts, differences("config", r.Config.decisive(), there.Config.decisive())...)
	if len(parts) == 0 && len(r.Inputs) == len(there.Inputs) {
		for i, here := range r.Inputs {
			if here != there.Inputs[i] {
				parts = append(parts, fmt.Sprintf("the dataset of %s has other content", here.Role))
			}
		}
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), "config.stages", "config.periods") // as it is called in files of settings
}

// decisive is the configuration without what does not change the result.
func (c Config) decisive() any {
	c.CheckpointEvery, c.Keep, c.ReadAhead = 0, 0, 0
	data, err := json.Marshal(c)
	var v any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err == nil {
		err = decoder.Decode(&v)
	}
	if err != nil { // Run has encoded it before
		return err.Error()
	}
	return v
}

// differences lists the fields by which two values of JSON differ, by their path.
func differences(path string, here, there any) []string {
	h, isMap := here.(map[string]any)
	t, areMaps := there.(map[string]any)
	if isMap && areMaps {
		var keys []string
		for k := range h {
			keys = append(keys, k)
		}
		for k := range t {
			if _, ok := h[k]; !ok {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		var parts []string
		for _, k := range keys {
			parts = append(parts, differences(path+"."+k, h[k], t[k])...)
		}
		return parts
	}
	hl, isList := here.([]any)
	tl, areLists := there.([]any)
	if isList && areLists && len(hl) == len(tl) {
		var parts []string
		for i := range hl {
			parts = append(parts, differences(fmt.Sprintf("%s[%d]", path, i), hl[i], tl[i])...)
		}
		return parts
	}
	if isList && areLists {
		return []string{fmt.Sprintf("%s has %d entries there and %d here", path, len(tl), len(hl))}
	}
	x, _ := json.Marshal(here) // values that were decoded can be encoded
	y, _ := json.Marshal(there)
	if bytes.Equal(x, y) {
		return nil
	}
	return []string{fmt.Sprintf("%s is %s there and %s here", path, y, x)}
}
