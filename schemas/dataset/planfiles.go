package dataset

import (
	"context"
	"fmt"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// unitsPerChunk is the number of units that a worker is given at once.
const unitsPerChunk = 1000

// maxSpansPerFile bounds a file of the plan, which is read whole: about 12 MB
// with names of 60 bytes. Units of many small files stand fewer to a file.
const maxSpansPerFile = 100_000

type unitFile struct {
	Units []Unit `json:"units"`
	Check string `json:"check"`
}

// CheckField implements sealed.Record.
func (f *unitFile) CheckField() *string { return &f.Check }

// unitsPerFile returns how many units are in one file of the plan: the most
// that divide a chunk evenly and keep every file under maxSpansPerFile.
func unitsPerFile(units []Unit) int {
	for _, n := range []int{unitsPerChunk, 500, 250, 100, 50, 25, 10, 5, 2} {
		if mostSpans(units, n) <= maxSpansPerFile {
			return n
		}
	}
	return 1
}

func mostSpans(units []Unit, perFile int) int {
	maximum, spans := 0, 0
	for i, u := range units {
		if i%perFile == 0 {
			spans = 0
		}
		spans += len(u.Spans)
		maximum = max(maximum, spans)
	}
	return maximum
}

// Chunks is the number of chunks of the plan: a thousand units each.
func (p *Plan) Chunks() int { return (p.Units + unitsPerChunk - 1) / unitsPerChunk }

// ChunkOf returns the index of the chunk that a unit belongs to.
func ChunkOf(unit int) int { return unit / unitsPerChunk }

func (p *Plan) fileName(i int) string {
	return fmt.Sprintf("%s%s/%05d.json", layout.PlanFolder, p.Hash, i)
}

// writeUnits writes the files that hold the plan's units.
func (p *Plan) writeUnits(ctx context.Context, folder storage.Folder, units []Unit) error {
	for first := 0; first < len(units); first += p.UnitsPerFile {
		f := unitFile{Units: units[first:min(len(units), first+p.UnitsPerFile)]}
		data, err := sealed.Seal(&f)
		if err != nil {
			return err
		}
		if len(data) > maxPlan {
			return fmt.Errorf("unit %d has %d spans, %d bytes in the plan, which is more than the limit of %d; choose a smaller shard size",
				first, mostSpans(f.Units, 1), len(data), maxPlan)
		}
		err = storage.Settle(ctx, folder, storage.File{Name: p.fileName(first / p.UnitsPerFile), Data: data}, maxPlan,
			func([]byte) error { return nil })
		if err != nil {
			return err
		}
	}
	return nil
}

// LoadUnits reads the units of one chunk of the plan.
func (p *Plan) LoadUnits(ctx context.Context, folder storage.Folder, chunk int) ([]Unit, error) {
	first, end := chunk*unitsPerChunk, min((chunk+1)*unitsPerChunk, p.Units)
	if chunk < 0 || first >= end {
		return nil, fmt.Errorf("the plan in %s has no chunk %d, it has %d", folder, chunk, p.Chunks())
	}
	var units []Unit
	for ; first < end; first += p.UnitsPerFile {
		part, err := p.loadFile(ctx, folder, first/p.UnitsPerFile)
		if err != nil {
			return nil, err
		}
		units = append(units, part...)
	}
	return units, nil
}

// LoadUnit reads one unit of the plan. It reads only the file that holds the unit,
// while LoadUnits reads the whole chunk.
func (p *Plan) LoadUnit(ctx context.Context, folder storage.Folder, unit int) (Unit, error) {
	if unit < 0 || unit >= p.Units {
		return Unit{}, fmt.Errorf("the plan in %s has no unit %d, it has %d", folder, unit, p.Units)
	}
	units, err := p.loadFile(ctx, folder, unit/p.UnitsPerFile)
	if err != nil {
		return Unit{}, err
	}
	return units[unit%p.UnitsPerFile], nil
}

func (p *Plan) loadFile(ctx context.Context, folder storage.Folder, index int) ([]Unit, error) {
	var f unitFile
	name := p.fileName(index)
	if err := sealed.Read(ctx, folder, name, maxPlan, &f); err != nil {
		return nil, err
	}
	first := index * p.UnitsPerFile
	if want := min(p.UnitsPerFile, p.Units-first); len(f.Units) != want {
		return nil, fmt.Errorf("%s in %s: %w: it has %d units, the plan says %d", name, folder, ErrCorrupt, len(f.Units), want)
	}
	for i, u := range f.Units {
		if u.Ordinal != first+i {
			return nil, fmt.Errorf("%s in %s: %w: unit %d is in the place of unit %d", name, folder, ErrCorrupt, u.Ordinal, first+i)
		}
	}
	return f.Units, nil
}

// LoadPlan reads the plan of a folder.
func LoadPlan(ctx context.Context, folder storage.Folder) (*Plan, error) {
	data, err := storage.ReadFile(ctx, folder, layout.PlanName, maxPlan)
	if err != nil {
		return nil, err
	}
	return parsePlan(data, folder)
}

func parsePlan(data []byte, folder storage.Folder) (*Plan, error) {
	var head tombstone
	switch err := jsonfile.Unmarshal(data, &head); {
	case err != nil: // which is said below
	case !isKnown(head.Format):
		return nil, unknownFormat(layout.PlanName, folder, head.Format)
	case head.Deleted:
		return nil, fmt.Errorf("%w: %s: %w: give --overwrite to go on with that, or choose another --out", ErrOtherPlan, folder, errDeleted)
	}
	var p Plan
	if err := sealed.Unseal(data, &p); err != nil {
		return nil, fmt.Errorf("%s in %s: %w", layout.PlanName, folder, err)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s in %s: %w: %w", layout.PlanName, folder, ErrCorrupt, err)
	}
	p.Config = compact(p.Config)
	return &p, nil
}

// check says what a plan cannot be, whose hash may be right all the same: whoever
// makes a plan can seal it.
func (p *Plan) check() error {
	if p.Units < 0 || p.Units > maxUnits || p.UnitsPerFile < 1 || unitsPerChunk%p.UnitsPerFile != 0 {
		return fmt.Errorf("%d units, %d per file", p.Units, p.UnitsPerFile)
	}
	return nil
}

// isKnown says whether datasets of a format are read.
func isKnown(version int) bool { return version >= oldestFormat && version <= format }

// outdated returns an error if the plan is of an older program, whose unfinished runs this
// one does not go on with.
func (p *Plan) outdated(folder storage.Folder) error {
	if p.Format == format {
		return nil
	}
	return fmt.Errorf("%w: the unfinished run in %s was begun by an older program, in %w %d, and this one goes on with %d; finish it with that program, choose another --out, or give --overwrite to delete it",
		ErrOtherPlan, folder, ErrFormat, p.Format, format)
}

// unknownFormat is found before the fields are looked at: another format may
// well have other fields, and that is not damage.
func unknownFormat(name string, folder storage.Folder, version int) error {
	if version > format {
		return fmt.Errorf("%s in %s: %w %d, this program knows %d; use the newer program that made it", name, folder, ErrFormat, version,
			format)
	}
	return fmt.Errorf("%s in %s: %w %d, this program knows %d; make the dataset again", name, folder, ErrFormat, version, format)
}
