package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// Manifest describes a complete dataset. It holds no clock, path, host,
// parallelism or program revision, so that equal data give an equal manifest.
type Manifest struct {
	// Plan is the plan that was carried out.
	Plan Plan  `json:"plan"`
	Rows int64 `json:"rows"`
	// Bytes sums the shards.
	Bytes int64 `json:"bytes"`
	// ContentXXH3 is the sum of the hashes of all rows: equal for equal rows,
	// however they are cut into shards.
	ContentXXH3 string  `json:"content_xxh3"`
	Shards      []Shard `json:"shards"`
	// Rejects is the file of sampled rejects, nil if nothing was dropped.
	Rejects *Shard `json:"rejects,omitempty"`
	// Counts is the file of all counts of the funnel, nil if Funnel has them all.
	Counts *Shard `json:"counts,omitempty"`
	// Funnel tells the languages with the most items of each chain, and sums the rest as
	// Others: see Manifest.WholeFunnel.
	Funnel *Funnel `json:"funnel"`
	// Check is the hash of all the above; other datasets name their input by it.
	Check string `json:"check"`
}

// Schema is the schema of the rows.
func (m *Manifest) Schema() schemas.Schema {
	return schemas.Schema{Name: m.Plan.Schema, Version: m.Plan.SchemaVersion}
}

func loadManifest(ctx context.Context, folder storage.Folder) (*Manifest, error) {
	data, err := storage.ReadFile(ctx, folder, ManifestName, maxManifest)
	if err != nil {
		return nil, err
	}
	var head struct {
		Plan struct {
			Format int `json:"format"`
		} `json:"plan"`
	}
	if jsonfile.Unmarshal(data, &head) == nil && !isKnown(head.Plan.Format) {
		return nil, unknownFormat(ManifestName, folder, head.Plan.Format)
	}
	var m Manifest
	if err := sealed.Unseal(data, &m); err != nil {
		return nil, fmt.Errorf("%s in %s: %w; %s", ManifestName, folder, err, remake(ctx, folder))
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s in %s: %w: %w; %s", ManifestName, folder, ErrCorrupt, err, remake(ctx, folder))
	}
	m.Plan.Config = compact(m.Plan.Config)
	return &m, nil
}

// CheckField implements sealed.Record.
func (m *Manifest) CheckField() *string { return &m.Check }

// check says what a manifest cannot be, though it is sealed.
func (m *Manifest) check() error {
	if err := m.Plan.check(); err != nil {
		return err
	}
	if m.Funnel == nil || slices.ContainsFunc(m.Funnel.Chains, func(c Chain) bool { return len(c.Steps) == 0 }) {
		return errors.New("it has no funnel, or one of no steps")
	}
	names := make(map[string]bool, len(m.Shards))
	for _, s := range m.files() {
		if names[s.Name] { // a reader of each would read it as often as somebody likes
			return fmt.Errorf("%.200q occurs twice", s.Name)
		}
		names[s.Name] = true
		if s.Rows < 0 || s.Rows > maxShardRows || s.Bytes < 0 || s.Bytes > maxShardBytes {
			return fmt.Errorf("%.200q has %d rows of %d bytes", s.Name, s.Rows, s.Bytes)
		}
	}
	return nil
}

// remake says how to get another manifest.
func remake(ctx context.Context, folder storage.Folder) string {
	if _, err := folder.Stat(ctx, layout.PlanName); err == nil {
		return fmt.Sprintf("`sentweave finalize %s` writes it anew from the receipts", folder)
	}
	return "the folder has no receipts to write it anew: copy the dataset again, or make it anew"
}

// Load returns the manifest of a complete dataset. Errors match ErrNoDataset,
// ErrIncomplete (with the way out), ErrFormat or ErrCorrupt.
func Load(ctx context.Context, folder storage.Folder) (*Manifest, error) {
	m, manifestErr := loadManifest(ctx, folder)
	if manifestErr != nil && !isAbsent(manifestErr) {
		return nil, manifestErr
	}
	plan, err := LoadPlan(ctx, folder)
	switch {
	case errors.Is(err, errDeleted):
		return nil, fmt.Errorf("%w in %s: %w: run the command again that was to overwrite it", ErrNoDataset, folder, errDeleted)
	case manifestErr == nil && (err != nil || plan.Hash == m.Plan.Hash):
		return m, nil // a copy needs no plan
	case isAbsent(err):
		return nil, fmt.Errorf("%w in %s: it holds neither %s nor a plan", ErrNoDataset, folder, ManifestName)
	case err != nil:
		return nil, err
	}
	if err := plan.outdated(folder); err != nil {
		return nil, err
	}
	// Beside another plan a manifest is what a finalizer left that came too late.
	progress := Progress{}
	if progress.Done, err = plan.CountReceipts(ctx, folder); err == nil && progress.Done == plan.Units {
		progress, err = plan.Progress(ctx, folder) // whether only the manifest is missing
	}
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%w: %s has %d of %d units; %s", ErrIncomplete, folder, progress.Done, plan.Units, plan.WayOn(folder, progress))
}

// Open is Load for the folder at a location. The folder is nil where a location cannot be one.
func Open(ctx context.Context, location string) (folder storage.Folder, m *Manifest, err error) {
	if folder, err = storage.Locate(location); err == nil {
		m, err = Load(ctx, folder)
	}
	return folder, m, err
}

// OpenAs is LoadAs for the folder at a location.
func OpenAs[T schemas.Row](ctx context.Context, location string) (folder storage.Folder, m *Manifest, err error) {
	if folder, err = storage.Locate(location); err == nil {
		m, err = LoadAs[T](ctx, folder)
	}
	return folder, m, err
}

// LoadAs is Load for readers of rows of type T: another schema or version is an error.
func LoadAs[T schemas.Row](ctx context.Context, folder storage.Folder) (*Manifest, error) {
	m, err := Load(ctx, folder)
	if err != nil {
		return nil, err
	}
	var zero T
	if want := zero.Schema(); m.Plan.Schema != want.Name || !want.Reads(m.Plan.SchemaVersion) {
		return nil, fmt.Errorf("dataset %s holds rows of %s v%d, this step reads %s", folder, m.Plan.Schema, m.Plan.SchemaVersion, want)
	}
	return m, nil
}

// Finalize writes the manifest from the receipts and removes temporary and spill
// files. It may be run again at any time, also after a kill, and gives the same bytes.
// Several processes may run it at once, and each returns the manifest. A unit without
// a receipt is an error that matches ErrIncomplete.
func (p *Plan) Finalize(ctx context.Context, folder storage.Folder) (*Manifest, error) {
	return p.FinalizeWithin(ctx, folder, nil)
}

// FinalizeWithin is Finalize, but where more inputs were rejected than the limit allows it writes no manifest, and the error matches
// ErrTooManyErrors. A dataset that is complete stays so. A limit of nil is none.
func (p *Plan) FinalizeWithin(ctx context.Context, folder storage.Folder, limit *ErrorLimit) (*Manifest, error) {
	m := p.completed(ctx, folder)
	if m == nil {
		var err error
		if m, err = p.assemble(ctx, folder, false, limit); err != nil {
			// Another finalizer may have cleaned away what this one was about to read or
			// publish. If it was done, so is this one.
			m = p.completed(ctx, folder)
			if m == nil || errors.Is(err, ErrUnequal) {
				return nil, fmt.Errorf("finalize: %w", rowfile.WayOut(err))
			}
		}
	}
	return m, p.clean(ctx, folder, m)
}

// FinalizeChecked is Finalize for datasets whose files were not written just now. It
// reads all shards and compares their hashes before it writes the manifest, also if
// there is one already. A damaged shard is an error that matches ErrCorrupt and names
// the file. Damaged rejects are written again from the receipts, and receipts of other
// plans are removed. The cost is one reading of the data.
func (p *Plan) FinalizeChecked(ctx context.Context, folder storage.Folder) (*Manifest, error) {
	m := p.completed(ctx, folder)
	if m == nil || m.CheckHashes(ctx, folder) != nil {
		var err error
		if m, err = p.assemble(ctx, folder, true, nil); err != nil {
			return nil, fmt.Errorf("finalize: %w", rowfile.WayOut(err))
		}
	}
	if err := p.removeForeignReceipts(ctx, folder); err != nil {
		return nil, err
	}
	return m, p.clean(ctx, folder, m)
}

// completed returns the manifest if the folder holds that of this plan, and the plan.
func (p *Plan) completed(ctx context.Context, folder storage.Folder) *Manifest {
	if m, err := loadManifest(ctx, folder); err == nil && m.Plan.Hash == p.Hash && p.owns(ctx, folder) == nil {
		return m
	}
	return nil
}

// assemble makes the manifest from the receipts and publishes it, if wanted after
// comparing the hashes of the shards. What comes meanwhile is of a finalizer that was too
// late, so that it begins again.
func (p *Plan) assemble(ctx context.Context, folder storage.Folder, hashes bool, limit *ErrorLimit) (m *Manifest, err error) {
	for try := 1; ; try++ {
		if m, err = p.assembleOnce(ctx, folder, hashes, limit); try == mostRepeats || !errors.Is(err, errTooLate) {
			return m, err
		}
	}
}

// errTooLate marks an ErrUnequal of a file that is not the manifest.
var errTooLate = errors.New("another finalizer wrote it")

func (p *Plan) assembleOnce(ctx context.Context, folder storage.Folder, hashes bool, limit *ErrorLimit) (*Manifest, error) {
	f := finalizer{plan: p, folder: folder}
	defer f.abort()
	err := f.gather(ctx)
	if err == nil {
		err = limit.check(f.sums.Funnel, f.rejects)
	}
	if err == nil && hashes {
		if err = checkHashes(ctx, folder, f.sums.Shards, "receipt"); err != nil {
			err = fmt.Errorf("%w; %s", err, p.doAgain())
		}
	}
	if lost := p.owns(ctx, folder); errors.Is(lost, ErrOtherPlan) || err == nil {
		err = lost
	}
	if err != nil {
		return nil, err
	}
	err = f.publish(ctx)
	if lost := p.owns(ctx, folder); errors.Is(lost, ErrOtherPlan) {
		return nil, errors.Join(lost, p.withdraw(ctx, folder, ManifestName, func() (string, error) {
			m, err := loadManifest(ctx, folder)
			if err != nil {
				return "", err
			}
			return m.Plan.Hash, nil
		}, f.files...))
	} else if err == nil {
		err = lost
	}
	return &f.sums.Manifest, err
}

// doAgain says what to do about a damaged file of a unit.
func (p *Plan) doAgain() string {
	return fmt.Sprintf("delete that file and run the same `sentweave %s` again, it does that unit again", p.Pipeline)
}
