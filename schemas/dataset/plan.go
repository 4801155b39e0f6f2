package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"
)

const (
	// format is the version of the layout and of the files in _run. Since version 2 a receipt
	// names files for its counts by language and its samples, and samples are bounded by step
	// and reason.
	format = 2
	// oldestFormat is that of the oldest datasets that are read.
	oldestFormat = 1
)

// Plan is everything that decides the bytes of a dataset. It holds no location,
// no clock and no parallelism.
type Plan struct {
	Format          int    `json:"format"`
	Pipeline        string `json:"pipeline"`
	PipelineVersion int    `json:"pipeline_version"`
	Schema          string `json:"schema"`
	SchemaVersion   int    `json:"schema_version"`
	Seed            uint64 `json:"seed"`
	// Config is the semantic configuration as canonical JSON.
	Config json.RawMessage `json:"config"`
	// ShardBytes is the size of input that makes one unit, of the first input if there
	// are several and nobody chose a size.
	ShardBytes int64   `json:"shard_bytes"`
	Inputs     []Input `json:"inputs"`
	Units      int     `json:"units"`
	// UnitsPerFile is the number of units in one file of the plan. It follows
	// from the units.
	UnitsPerFile int `json:"units_per_file"`
	// UnitsXXH3 is the hash over the units' spans.
	UnitsXXH3 string `json:"units_xxh3"`
	// Layout is the pattern by which the names of documents' sources tell language and
	// page, or "" if they do not. Pipelines that join the versions of a page read it.
	Layout string `json:"layout,omitempty"`
	// SpillsKept are the units whose spill files stay in the complete dataset, for the plans that extend it; nil for none.
	SpillsKept *UnitRange `json:"spills_kept,omitempty"`
	// Hash identifies the plan: the hash of all the above.
	Hash string `json:"hash"`
}

// UnitRange is a run of units.
type UnitRange struct {
	First int `json:"first"`
	Count int `json:"count"`
}

// Has says whether the run, which may be nil, has a unit.
func (r *UnitRange) Has(unit int) bool { return r != nil && unit >= r.First && unit < r.First+r.Count }

// Draft is a plan before its units are counted and hashed.
type Draft struct {
	Pipeline        string
	PipelineVersion int
	Schema          schemas.Schema
	Seed            uint64
	// Config is marshalled to JSON; it holds semantic settings only.
	Config     any
	ShardBytes int64
	Inputs     []Input
	Units      []Unit
	Layout     string
	SpillsKept *UnitRange
}

// Plan hashes the draft. The units' ordinals must count from 0.
func (d Draft) Plan() (*Plan, error) {
	config, err := canonical(d.Config)
	if err != nil {
		return nil, fmt.Errorf("plan of %s: encode config: %w", d.Pipeline, err)
	}
	if len(d.Units) > maxUnits {
		return nil, fmt.Errorf("plan of %s: %d units are more than the %d that a manifest holds; choose a larger --shard-bytes", d.Pipeline,
			len(d.Units), maxUnits)
	}
	p := &Plan{
		Format: format, Pipeline: d.Pipeline, PipelineVersion: d.PipelineVersion,
		Schema: d.Schema.Name, SchemaVersion: d.Schema.Version, Seed: d.Seed,
		Config: config, ShardBytes: d.ShardBytes, Inputs: d.Inputs,
		Units: len(d.Units), UnitsPerFile: unitsPerFile(d.Units), Layout: d.Layout, SpillsKept: d.SpillsKept,
	}
	hasher := xxh3.New()
	encoder := json.NewEncoder(hasher)
	for i, u := range d.Units {
		if u.Ordinal != i {
			return nil, fmt.Errorf("plan of %s: unit %d is at place %d", d.Pipeline, u.Ordinal, i)
		}
		u.Spans = slices.Clone(u.Spans)
		for k := range u.Spans {
			u.Spans[k].XXH3 = "" // the inputs have it
		}
		if err := encoder.Encode(u); err != nil {
			return nil, err
		}
	}
	p.UnitsXXH3 = HashString(hasher.Sum64())
	if _, err := sealed.Seal(p); err != nil {
		return nil, err
	}
	return p, nil
}

// CheckField implements sealed.Record.
func (p *Plan) CheckField() *string { return &p.Hash }

// canonical encodes a value as JSON with sorted keys, so that the order of the
// fields of a struct is not part of a plan.
func canonical(value any) (json.RawMessage, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// Fate is what Create found in the folder.
type Fate int

const (
	// Fresh: the plan is new.
	Fresh Fate = iota
	// Resumed: the same plan was begun before.
	Resumed
	// Complete: the same plan is done, there is nothing to do.
	Complete
	// Extended: what is there is done, and the plan goes on with it, so that it will be another:
	// more steps of a training.
	Extended
)

// InputHash returns the hash of the first input that has a role, "" if none has it.
func (p *Plan) InputHash(role string) string {
	for _, input := range p.Inputs {
		if input.Role == role {
			return input.XXH3
		}
	}
	return ""
}

// Create writes the plan into the folder, exclusively and before any work. If the
// folder already holds the same plan, the run continues (Resumed) or is done
// (Complete). Another plan or dataset is refused with an error that matches
// ErrOtherPlan and names the difference. A damaged dataset of the same plan is
// repaired (see repair). Without receipts it is refused, too. The files of units are
// written before the plan, under the plan's hash, so that two launchers never mix.
func (p *Plan) Create(ctx context.Context, folder storage.Folder, units []Unit) (Fate, error) {
	present, err := LoadPlan(ctx, folder)
	if err == nil {
		return p.accept(ctx, folder, present)
	}
	if !isAbsent(err) {
		return Fresh, beyondRepair(err)
	}
	if manifest, err := loadManifest(ctx, folder); err == nil {
		if difference := p.difference(&manifest.Plan); difference != "" {
			return Fresh, p.refusal(folder, difference)
		}
		return Complete, beyondRepair(manifest.CheckSizes(ctx, folder))
	} else if !isAbsent(err) {
		return Fresh, beyondRepair(err)
	}
	if err := refuseForeign(ctx, folder); err != nil {
		// Perhaps a launcher was faster, and has shards already.
		if present, planErr := LoadPlan(ctx, folder); planErr == nil {
			return p.accept(ctx, folder, present)
		}
		return Fresh, err
	}
	err = p.begin(ctx, folder, units, storage.IfAbsent)
	if errors.Is(err, fs.ErrExist) { // another launcher was faster
		present, err := LoadPlan(ctx, folder)
		if err != nil {
			return Fresh, err
		}
		return p.accept(ctx, folder, present)
	}
	return Fresh, err
}

// Standing returns what Create would find in the folder, or the error with which it would refuse
// what is there, and writes nothing. What Create would repair is Resumed.
func (p *Plan) Standing(ctx context.Context, folder storage.Folder) (Fate, error) {
	present, err := LoadPlan(ctx, folder)
	manifest, manifestErr := loadManifest(ctx, folder)
	if isAbsent(err) {
		switch {
		case isAbsent(manifestErr):
			return Fresh, refuseForeign(ctx, folder)
		case manifestErr != nil:
			return Fresh, beyondRepair(manifestErr)
		}
		present = &manifest.Plan
	} else if err != nil {
		return Fresh, beyondRepair(err)
	}
	if difference := p.difference(present); difference != "" {
		return Fresh, p.refusal(folder, difference)
	}
	if manifestErr != nil {
		return Resumed, nil
	}
	damage := manifest.CheckSizes(ctx, folder)
	switch difference := p.difference(&manifest.Plan); {
	case isAbsent(err):
		return Complete, beyondRepair(damage) // a copy, which has no receipts
	case errors.Is(damage, ErrCorrupt):
		return Resumed, nil
	case difference != "":
		return Fresh, p.refusal(folder, difference)
	}
	return Complete, damage
}

// begin writes the files of units, then the plan.
func (p *Plan) begin(ctx context.Context, folder storage.Folder, units []Unit, condition storage.Condition) error {
	if len(units) != p.Units {
		return fmt.Errorf("create plan in %s: %d units are given, the plan has %d", folder, len(units), p.Units)
	}
	err := p.writeUnits(ctx, folder, units)
	if err == nil {
		copied := *p // sealing changes what it seals, and others read the plan
		var data []byte
		if data, err = sealed.Seal(&copied); len(data) > maxPlan {
			return fmt.Errorf("write plan: %w: its configuration and inputs have %d bytes, more than the %d that can be read",
				storage.ErrTooLarge, len(data), maxPlan)
		}
		if err == nil {
			err = storage.WriteFile(ctx, folder, layout.PlanName, data, condition)
		}
	}
	if err != nil {
		return fmt.Errorf("write plan: %w", rowfile.WayOut(err))
	}
	return nil
}

func (p *Plan) accept(ctx context.Context, folder storage.Folder, present *Plan) (Fate, error) {
	if difference := p.difference(present); difference != "" {
		return Fresh, p.refusal(folder, difference)
	}
	switch manifest, err := loadManifest(ctx, folder); {
	case err == nil:
		difference := p.difference(&manifest.Plan)
		err := manifest.CheckSizes(ctx, folder)
		switch {
		case difference != "" && errors.Is(err, ErrCorrupt):
			return Resumed, nil // of a run that was overwritten: Finalize replaces it
		case difference != "":
			return Fresh, p.refusal(folder, difference)
		case errors.Is(err, ErrCorrupt):
			return p.repair(ctx, folder)
		case err != nil:
			return Fresh, err
		}
		return Complete, p.clean(ctx, folder, manifest) // the run may have been stopped before it cleaned
	case isAbsent(err):
		return Resumed, storage.Sync(folder, layout.PlanName) // its writer may have been killed before it did
	case errors.Is(err, ErrCorrupt):
		return p.repair(ctx, folder)
	default:
		return Fresh, err
	}
}
