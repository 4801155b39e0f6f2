package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/stages/train/batches"
	"sentweave/stages/train/checkpoint"
)

// RecordName is the name of the record beside a model and in a checkpoint.
const RecordName = "training.json"

// Record is the content of training.json: the request and the progress. It has no
// clock and no path, so equal runs on one machine give equal records.
type Record struct {
	Version int `json:"version"`
	// Steps are those of all periods, Step those that are done.
	Steps int64 `json:"steps"`
	Step  int64 `json:"step"`
	// Period is the one that the last step belongs to, PeriodStep counts in it.
	Period     string `json:"period"`
	PeriodStep int64  `json:"period_step"`
	// Positions are the progress of the period's sources.
	Positions []Position `json:"positions"`
	Config    Config     `json:"config"`
	// Inputs are the datasets, by period and source.
	Inputs []dataset.Input `json:"inputs"`
	// Changes are those of the configuration between two runs of the training.
	Changes []Change `json:"changes,omitempty"`
	// Validated is what validation has found in the period. The files of a model that is
	// published are then those of the best step.
	Validated *Validated `json:"validated,omitempty"`
	// Spikes are those of which the training went back, of all periods.
	Spikes []Spike `json:"spikes,omitempty"`
	// Moments are those of the losses of each source in the period, by which spikes are known. Anchors are the step of the
	// checkpoint that a spike goes back to, and the best one then if it is another. Both are of trainings with MaxSpike.
	Moments map[string]Moments `json:"moments,omitempty"`
	Anchors []int64            `json:"anchors,omitempty"`
	// Machines are where the steps were taken, one after another.
	Machines []Machine `json:"machines,omitempty"`
	// MaxTime is the time after which the run ended that wrote a checkpoint, where that is why it ended. A training
	// that is whole has none.
	MaxTime string `json:"max_time,omitempty"`
	// Sums are those of the steps since the last line of losses.jsonl.
	Sums Sums `json:"sums"`
	// Files are all other files in the folder of the record.
	Files []checkpoint.File `json:"files"`
	// Check is the hash of all the above.
	Check string `json:"check"`
}

// Position is the progress of a source.
type Position struct {
	Source string `json:"source"`
	// Epoch counts complete epochs; Batch the batches that were trained on, or left out because of a spike.
	Epoch int64 `json:"epoch"`
	Batch int64 `json:"batch"`
	// Drawn counts the examples of these batches by language, where they are drawn by it.
	Drawn map[string]int64 `json:"drawn,omitempty"`
	// Place is the one after these batches, where their sizes are given in tokens.
	Place *batches.Place `json:"place,omitempty"`
}

// Machine is where steps were taken, and by what. Weights depend on it in their last digits alone.
type Machine struct {
	// Step is the last one that was taken elsewhere before, 0 for none.
	Step int64 `json:"step"`
	// Processor is the name of the processor, Card and Driver are those of the GPU in use; empty where they are not known.
	Processor string `json:"processor,omitempty"`
	Card      string `json:"card,omitempty"`
	Driver    string `json:"driver,omitempty"`
	// Libtorch is its version. Kernels say what computes between matrix products.
	Libtorch string `json:"libtorch,omitempty"`
	Kernels  string `json:"kernels,omitempty"`
}

// Change is one of the configuration, by which a training went on in another way than it
// had begun.
type Change struct {
	// Step is the last one that was taken before.
	Step  int64  `json:"step"`
	Field string `json:"field"`
	// Before and After are in JSON.
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// finished says whether all steps are done, or the last period was stopped.
func (r *Record) finished() bool {
	return r.Step == r.Steps || r.stopped(r.Config.Periods[len(r.Config.Periods)-1].Name)
}

// stopped says whether the last step was the one at which a period's patience ended.
func (r *Record) stopped(period string) bool {
	return r.Period == period && r.Validated != nil && r.Validated.Stopped
}

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
	if !info.Mode().IsRegular() { // reading a named pipe would wait for a writer
		return nil, fmt.Errorf("%s: it is not a regular file", path)
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
	if err := jsonfile.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", dataset.ErrCorrupt, err)
	}
	check := r.Check
	encoded, err := r.encode()
	if err != nil || r.Check != check || !bytes.Equal(encoded, data) {
		return nil, errors.Join(fmt.Errorf("%w: its check is %s, its content gives %s", dataset.ErrCorrupt, check, r.Check), err)
	}
	return &r, nil
}

// state is what checkpoints need to know.
func (r *Record) state() checkpoint.State {
	s := checkpoint.State{Step: r.Step, Needed: r.Anchors, Files: r.Files}
	if r.Validated != nil {
		s.Best = r.Validated.Best
	}
	return s
}

// readWhole reads a record and checks the files that it names.
func readWhole(folder string) (*Record, error) {
	r, err := readRecord(folder)
	if err != nil {
		return nil, err
	}
	return r, checkpoint.CheckFiles(folder, RecordName, r.Files)
}

// changes returns what a run changes that goes on with the record of another, or names
// by what the two differ that must be equal. The steps of the last period may be raised,
// and its warm-up then be another, since it often follows from them; of the other fields
// those of Changeable may change. Where a spike goes back to depends on CheckpointEvery, if both runs look for spikes.
func (r *Record) changes(previous *Record, o Options) (changes []Change, difference string) {
	var parts []string
	if r.Version != previous.Version {
		parts = append(parts, fmt.Sprintf("version is %d there and %d here", previous.Version, r.Version))
	}
	last := len(r.Config.Periods) - 1
	raised := last == len(previous.Config.Periods)-1 && r.Steps > previous.Steps
	guarded := r.Config.MaxSpike > 0 && previous.Config.MaxSpike > 0
	for _, d := range differences("config", r.Config.decisive(guarded), previous.Config.decisive(guarded)) {
		flag, changeable := o.Changeable[d.Field]
		switch {
		case raised && (d.Field == fmt.Sprintf("config.periods[%d].steps", last) ||
			d.Field == fmt.Sprintf("config.periods[%d].warmup", last)), changeable && flag == "":
			d.Step = previous.Step
			changes = append(changes, d)
		case changeable:
			parts = append(parts, fmt.Sprintf("%s (%s goes on all the same)", o.told(d), flag))
		default:
			parts = append(parts, o.told(d))
		}
	}
	if len(parts) == 0 && len(r.Inputs) == len(previous.Inputs) {
		for i, input := range r.Inputs {
			if input != previous.Inputs[i] {
				parts = append(parts, fmt.Sprintf("the dataset of %s has other content", input.Role))
			}
		}
	}
	return changes, strings.Join(parts, "; ")
}

// told is a change in words.
func (o Options) told(c Change) string {
	words := func(value json.RawMessage) string {
		if string(value) == "null" {
			return "not set"
		}
		return string(value)
	}
	return fmt.Sprintf("%s is %s there and %s here", o.named(c.Field), words(c.Before), words(c.After))
}

// named is the name of a field in messages.
func (o Options) named(field string) string {
	if o.Named == nil {
		return field
	}
	return o.Named(field)
}

// decisive is the configuration without what does not change the result.
func (c Config) decisive(guarded bool) any {
	c.Keep, c.ReadAhead, c.Recompute = 0, 0, false
	if !guarded {
		c.CheckpointEvery = 0
	}
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

// differences lists the fields by which two values of JSON differ.
func differences(path string, current, previous any) []Change {
	h, isMap := current.(map[string]any)
	t, areMaps := previous.(map[string]any)
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
		var parts []Change
		for _, k := range keys {
			parts = append(parts, differences(path+"."+k, h[k], t[k])...)
		}
		return parts
	}
	hl, isList := current.([]any)
	tl, areLists := previous.([]any)
	if isList && areLists && len(hl) == len(tl) {
		var parts []Change
		for i := range hl {
			parts = append(parts, differences(fmt.Sprintf("%s[%d]", path, i), hl[i], tl[i])...)
		}
		return parts
	}
	x, _ := json.Marshal(current) // values that were decoded can be encoded
	y, _ := json.Marshal(previous)
	if bytes.Equal(x, y) {
		return nil
	}
	if isList && areLists {
		return []Change{{Field: path + ".length", Before: strconv.AppendInt(nil, int64(len(tl)), 10),
			After: strconv.AppendInt(nil, int64(len(hl)), 10)}}
	}
	return []Change{{Field: path, Before: y, After: x}}
}
