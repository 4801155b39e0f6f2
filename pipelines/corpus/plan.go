package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/identifier"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/text"
	"sentweave/transforms/document"
	"sentweave/transforms/read/warc"
)

// Plan lists the input folder, selects the pages and cuts them into units. All
// translations of a page lie next to each other in one unit.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	c.resolve()
	if err := errors.Join(c.recordMain(), c.readThresholds(ctx)); err != nil {
		return nil, err
	}
	root, err := storage.Absolute(c.Input)
	if err != nil {
		return nil, err
	}
	listing, err := c.list(ctx, root, output)
	if err != nil {
		return nil, err
	}
	named, inputs, notes, err := c.planLanguageFiles(ctx)
	if err != nil {
		return nil, err
	}
	task := &task{Config: c, Input: root, Named: named}
	if location := identifier.Location(c.Langid); location != "" {
		var input dataset.Input
		if task.Langid, input, err = identifier.OpenFile(ctx, LangidRole, location); err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	lacking, err := c.lackingLanguages(ctx)
	if err != nil {
		return nil, err
	}
	notes = append(notes, lacking...)
	for _, f := range []struct {
		file           *units.File
		role, location string
		open           func() error
	}{
		{&task.Block, roleBlock, c.Block, func() error { _, err := readBlocked(ctx, c.Block); return err }},
		{&task.Quality, QualityRole, c.QualityModel, func() error { _, err := c.openQuality(ctx, c.QualityModel); return err }},
	} {
		if f.location == "" {
			continue
		}
		var input dataset.Input
		if *f.file, input, err = units.OpenFile(ctx, f.role, f.location); err == nil {
			err = f.open() // before any work, and in the launcher's words
		}
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	base, err := c.openExtended(ctx)
	if err != nil {
		return nil, err
	}
	var earlier []dataset.Unit
	if base != nil {
		earlier = base.Units
		inputs = append(inputs, base.Manifest().Input(units.RoleExtended))
		task.Extended = base.Dataset
		if settings.ShardBytes == 0 {
			settings.ShardBytes = dataset.Bytes(base.Manifest().Plan.ShardBytes)
		}
	}
	files, pages, err := listing.inputs(ctx)
	if err != nil {
		return nil, err
	}
	if base != nil {
		if err := base.checkFiles(files); err != nil {
			return nil, err
		}
	}
	fieldNotes, err := c.lookAt(ctx, listing.folder, files)
	if err != nil {
		return nil, err
	}
	notes = append(notes, fieldNotes...)
	record, err := c.record()
	if err != nil {
		return nil, err
	}
	b := graph.New(settings)
	size := b.UnitBytes(pages.Bytes, dataset.LeastOfFiles)
	b.Input(pages)
	b.Input(inputs...)
	graph.Write(b, "documents", b.Units(dataset.PackOnto(earlier, c.pieces(files, size), size, digest(files))), task)
	job, err := b.Job(output, dataset.Draft{Pipeline: pipeline, PipelineVersion: Version, Schema: schemas.Document{}.Schema(),
		Config: record, Layout: c.Layout})
	if err != nil {
		return nil, fmt.Errorf("plan corpus: %w", err)
	}
	job.Items = "pages"
	if c.MaxErrorRate != nil {
		job.Errors = &dataset.ErrorLimit{Share: *c.MaxErrorRate, Chain: document.Documents, Step: document.StepRead, Except: []string{
			document.ReasonBlocked, reasonOtherPart, reasonNotSampled, reasonHeaderLanguage, text.Empty, warc.HTTPStatus, warc.NotHTML}}
	}
	job.Filters, job.Notes = c.filterNames(), slices.Concat(listing.notes(), notes, c.headerNotes(files), c.wholeNotes(files, settings))
	if base != nil {
		note, err := base.check(ctx, job)
		if err != nil {
			return nil, err
		}
		job.Notes = append(job.Notes, note)
	}
	if c.PathsBytes > 0 {
		job.Blocked = fmt.Errorf("a plan of assumed sizes cannot be run: leave --paths-bytes out, so that %s is asked for the sizes of the files",
			root)
	}
	return job, nil
}

// Look returns what would keep Plan from beginning, as far as the names of the files and the
// beginnings of texts tell it. Folders in buckets, of which each file costs a request, are left
// to Plan.
func (c Config) Look(ctx context.Context, output string) error {
	listing, err := c.look(ctx, output)
	if err != nil || listing == nil {
		return err
	}
	names := slices.Sorted(maps.Keys(listing.taken))
	files := make([]input, len(names))
	for i, name := range names {
		files[i] = listing.taken[name]
		files[i].Name = name
	}
	_, err = c.lookAt(ctx, listing.folder, files)
	return err
}

// lookAt returns an error, or notes, for files whose beginnings tell that they are not what the settings take them for.
func (c Config) lookAt(ctx context.Context, folder storage.Folder, files []input) (notes []string, err error) {
	if c.PathsBytes > 0 { // nobody has asked whether they are there
		return nil, nil
	}
	if c.Layout != "" {
		if err := c.refuseLines(ctx, folder, files); err != nil {
			return nil, err
		}
	}
	return c.lookForFields(ctx, folder, files)
}

// LookTranslated returns an error if the pages would give no pairs of translations, as far as
// their names tell it, like Look. Only the relevant languages count, all if there is none, and
// of a pair one must be the pivot, unless that is "".
func (c Config) LookTranslated(ctx context.Context, output string, relevant []string, pivot string) error {
	listing, err := c.look(ctx, output)
	if err != nil || listing == nil {
		return err
	}
	return listing.checkTranslated(relevant, pivot)
}

// look lists a folder on this machine; nil for another one.
func (c Config) look(ctx context.Context, output string) (*listing, error) {
	root, err := storage.Absolute(c.Input)
	if err != nil || storage.IsRemote(root) {
		return nil, err
	}
	return c.list(ctx, root, output)
}

// The texts under a layout that are looked at, and how much of each.
const (
	looked   = 100
	lookedAt = 64 << 10
)

// refuseLines returns an error if texts under a layout are lines without blank ones between
// them: parallel would join each of them whole, as one block, where line by line was meant.
func (c Config) refuseLines(ctx context.Context, folder storage.Folder, files []input) error {
	n := 0
	for _, file := range files {
		if !file.format.paragraphs || file.compression != "" || n == looked {
			continue
		}
		n++
		object, err := folder.Open(ctx, file.Name)
		if err != nil {
			return err
		}
		begin := make([]byte, min(lookedAt, object.Size()))
		_, err = object.ReadAt(begin, 0)
		object.Close()
		if err != nil && err != io.EOF {
			return fmt.Errorf("read %s: %w", file.Name, err)
		}
		lines, blank := 0, false
		for line := range bytes.Lines(bytes.TrimSpace(begin)) {
			lines++
			blank = blank || len(bytes.TrimSpace(line)) == 0
		}
		if lines > 1 && !blank {
			return fmt.Errorf("layout: %s is a text of lines without a blank one between them, which would be one block: if its lines translate those of other files, "+
				"import them by `sentweave pairs --kind bitext --input %s`; if they are pages, part their paragraphs by blank lines",
				file.Name, c.Input)
		}
	}
	return nil
}

// headerNotes tells that no file has the headers that --header-languages goes by.
func (c Config) headerNotes(files []input) []string {
	hasHeaders := func(f input) bool { return slices.Contains(f.format.records, warc.Conversion) }
	if !c.HeaderLanguages || slices.ContainsFunc(files, hasHeaders) {
		return nil
	}
	return []string{"header-languages has no effect: the headers of WET name languages, and no file is WET"}
}

// wholeNotes tells of archives that make units of more bytes than a shard, and of files of which only the beginnings are read.
func (c Config) wholeNotes(files []input, settings units.Settings) []string {
	var large omitted
	limit := settings.UnitBytes(0, dataset.MostOfUnit)
	ranges := c.rangeBytes(files, limit)
	for _, file := range files {
		if file.format.isArchive() && file.Bytes > limit && (!c.splits(file) || ranges > limit) {
			large.add(file.Name)
		}
	}
	switch {
	case c.Limit > 0:
		return []string{fmt.Sprintf("bytes and times are those of whole files, of which --limit reads no more than %d pages each", c.Limit)}
	case large.n == 0:
		return nil
	}
	return []string{fmt.Sprintf("%d of %d files are larger than %s, such as %s, and make larger units: of web archives only those named .gz without --layout are cut, into at most %d ranges in all",
		large.n, len(files), dataset.Bytes(limit), large.first, mostRanges)}
}

// mostRanges is the most ranges into which archives are cut, so that a whole dump does not make more units than a manifest holds.
const mostRanges = 1 << 17

// leastRange is the least length of the ranges of archives, each of which is searched for members: about that of a member of a page.
const leastRange = 4 << 10

// rangeBytes returns the length of the ranges of archives: shardBytes, doubled until it is enough, and there are few enough ranges or
// no archive is cut.
func (c Config) rangeBytes(files []input, shardBytes int64) int64 {
	for length := shardBytes; ; length *= 2 {
		ranges, cut := int64(0), false
		for _, file := range files {
			if file.format.isArchive() && c.splits(file) {
				ranges, cut = ranges+(file.Bytes+length-1)/length, cut || file.Bytes > length
			}
		}
		if length >= leastRange && ranges <= mostRanges || !cut {
			return length
		}
	}
}

// pieces cuts the files, where they can be, into ranges of about shardBytes.
func (c Config) pieces(files []input, shardBytes int64) []dataset.Piece {
	var pieces []dataset.Piece
	ranges := c.rangeBytes(files, shardBytes)
	for _, file := range files {
		switch {
		case !c.splits(file):
			span := dataset.Span{Name: file.Name, To: file.Bytes}
			pieces = append(pieces, dataset.Piece{Span: span, Weight: file.Bytes, Group: file.page})
		case file.format.isArchive():
			pieces = append(pieces, dataset.SplitBytes(file.Name, file.Bytes, ranges)...)
		default:
			pieces = append(pieces, dataset.SplitBytes(file.Name, file.Bytes, shardBytes)...)
		}
	}
	return pieces
}
