package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// Record holds the request of a stage that makes no dataset, in the folder of its
// output. A stage embeds it before its own fields, and writes the whole last. It has
// no clock and no path, so equal requests give equal files.
type Record[C any] struct {
	Stage   string `json:"stage"`
	Version int    `json:"version"`
	// Config is the requested configuration.
	Config C `json:"config"`
}

func (r *Record[C]) stage() string { return r.Stage }

// Difference describes how two requests with their inputs differ, or returns "".
func (r *Record[C]) Difference(previous *Record[C], inputs, previousInputs []Input) string {
	var parts []string
	if r.Version != previous.Version {
		parts = append(parts, fmt.Sprintf("version is %d there and %d here", previous.Version, r.Version))
	}
	requested, _ := json.Marshal(r.Config) // what was read from a file, or goes into one
	recorded, _ := json.Marshal(previous.Config)
	parts = append(parts, configDifference(requested, recorded)...)
	if len(inputs) != len(previousInputs) {
		parts = append(parts, fmt.Sprintf("it was made of %d datasets there and %d here", len(previousInputs), len(inputs)))
	} else {
		for i, input := range inputs {
			if d := input.Difference(previousInputs[i]); d != "" {
				parts = append(parts, d)
			}
		}
	}
	return strings.Join(parts, "; ")
}

// Learned is the record of a stage that learns one file from one dataset.
type Learned[C any] struct {
	Record[C]
	Input Input `json:"input"`
	// Encoder is the hash of the encoder whose embeddings the dataset holds, "" if its plan names none.
	Encoder string `json:"encoder,omitempty"`
	// Embedded is the configuration that the plan of the dataset says the embeddings were made with.
	Embedded json.RawMessage `json:"embedded,omitempty"`
	// File is the xxh3 of the file.
	File string `json:"file"`
}

// learnedRecord is a record that embeds Learned.
type learnedRecord[C any] interface {
	stage() string
	LearnedRecord() *Learned[C]
}

// From notes the dataset of embeddings that is learned from.
func (r *Learned[C]) From(m *Manifest) {
	r.Input, r.Encoder, r.Embedded = m.Input("embeddings"), m.Vectors(), m.Plan.Config
}

// Encoder is the hash of the encoder whose embeddings a dataset holds, "" if its plan names none.
func (m *Manifest) Encoder() string {
	return m.Plan.InputHash("model")
}

// Vectors names what the vectors of embeddings are made by: it is Encoder or, where something was drawn out of its vectors,
// this hash with the one of what was drawn.
func (m *Manifest) Vectors() string {
	if distilled := m.Plan.InputHash("distilled"); distilled != "" {
		return m.Encoder() + "/" + distilled
	}
	return m.Encoder()
}

// OriginOf returns the Encoder of a Learned in a folder and the configuration of its embeddings, both empty if the record is
// not there or says none.
func OriginOf(ctx context.Context, folder storage.Folder, name string) (encoder string, embedded json.RawMessage, err error) {
	var r Learned[json.RawMessage]
	data, err := storage.ReadFile(ctx, folder, name, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err == nil {
		err = jsonfile.Unmarshal(data, &r)
	}
	if err != nil {
		return "", nil, fmt.Errorf("read %s in %s: %w", name, folder, err)
	}
	return r.Encoder, r.Embedded, nil
}

// LearnedRecord returns what a record that embeds Learned says of it.
func (r *Learned[C]) LearnedRecord() *Learned[C] { return r }

// LearnedFiles are the names of what a stage that learns one file writes.
type LearnedFiles struct {
	Record, File string
	// Lacks names what a folder without the two does not hold, as in "components".
	Lacks string
}

// maxLearned bounds what is read of a learned file.
const maxLearned = 1 << 30

// Standing says whether the folder holds the record of the same request and an undamaged file, which is Complete, and
// changes nothing. Standing reads the record of the folder into existing, which embeds a Learned. A folder of another
// request is an error that matches ErrOtherPlan; a folder without a record that holds files of others is an error that
// matches fs.ErrExist.
func (r *Learned[C]) Standing(ctx context.Context, folder storage.Folder, files LearnedFiles, existing learnedRecord[C]) (Fate, error) {
	switch err := ReadRecord(ctx, folder, files.Record, r.Stage, existing); {
	case errors.Is(err, ErrCorrupt):
		return Fresh, nil // half of a run: it is done again
	case errors.Is(err, fs.ErrNotExist):
		return Fresh, Vacant(ctx, folder, files.Lacks, files.File)
	case err != nil:
		return Fresh, err
	}
	learned := existing.LearnedRecord()
	if difference := r.Difference(&learned.Record, []Input{r.Input}, []Input{learned.Input}); difference != "" {
		return Fresh, OtherRequest(folder, difference)
	}
	data, err := storage.ReadFile(ctx, folder, files.File, maxLearned)
	if err != nil || HashString(xxh3.Hash(data)) != learned.File {
		return Fresh, nil // what is damaged is done again
	}
	return Complete, nil
}

// Present says whether what is asked for is Complete, as Standing does. With overwrite it deletes the record of another
// request; without, that record is the error of Standing.
func (r *Learned[C]) Present(ctx context.Context, folder storage.Folder, files LearnedFiles, existing learnedRecord[C],
	overwrite bool) (bool, error) {
	state, err := r.Standing(ctx, folder, files, existing)
	if overwrite && errors.Is(err, ErrOtherPlan) {
		err = folder.Remove(ctx, files.Record)
	}
	return state == Complete, err
}

// Save writes the file that was learned, and notes its hash.
func (r *Learned[C]) Save(ctx context.Context, folder storage.Folder, file string, data []byte) error {
	r.File = HashString(xxh3.Hash(data))
	return storage.WriteFile(ctx, folder, file, data, storage.Replace)
}

// maxRecord bounds what is read of a record.
const maxRecord = 256 << 20

// ReadRecord reads the record of a stage, which embeds Record. Errors match
// fs.ErrNotExist, or ErrCorrupt if the file is not such a record.
func ReadRecord(ctx context.Context, folder storage.Folder, name, stage string, record interface{ stage() string }) error {
	data, err := storage.ReadFile(ctx, folder, name, maxRecord)
	if err != nil {
		return err
	}
	if jsonfile.Unmarshal(data, record) != nil || record.stage() != stage {
		return fmt.Errorf("%s in %s: %w: it is not a record of `sentweave %s`", name, folder, ErrCorrupt, stage)
	}
	return nil
}

// WriteRecord writes a record and replaces an earlier one.
func WriteRecord(ctx context.Context, folder storage.Folder, name, indent string, record any) error {
	data, err := json.MarshalIndent(record, "", indent)
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, folder, name, append(data, '\n'), storage.Replace)
}

// Vacant returns an error if a folder without a record holds other files than those in
// ours, of which one that ends with a slash is all files of a folder. Lacks names what the folder does not hold, as in "vocabulary".
func Vacant(ctx context.Context, folder storage.Folder, lacks string, ours ...string) error {
	for info, err := range folder.List(ctx, "") {
		if err != nil && info.Name == "" {
			return err
		}
		own := func(name string) bool {
			return info.Name == name || strings.HasSuffix(name, "/") && strings.HasPrefix(info.Name, name)
		}
		if !slices.ContainsFunc(ours, own) && !strings.HasPrefix(info.Name, storage.TemporaryFolder) {
			return fmt.Errorf("%s holds %q, but no %s: %w; choose an empty folder", folder, info.Name, lacks, fs.ErrExist)
		}
	}
	return nil
}

// OtherRequest is the error for a folder with the output of another request.
func OtherRequest(folder storage.Folder, difference string) error {
	return Mismatch{What: fmt.Sprintf("%v is in %s: %s", ErrOtherPlan, folder, difference),
		Way: "choose another --out, or give --overwrite"}
}
