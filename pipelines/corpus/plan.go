package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
)

// input is a file that the plan takes.
type input struct {
	dataset.File
	page       string
	format     string
	compressed bool
}

// Plan lists the input folder, selects the pages and cuts them into units. All
// translations of a page lie next to each other in one unit.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	folder, err := storage.At(c.Input)
	if err != nil {
		return nil, err
	}
	inputs, err := c.list(ctx, folder)
	if err != nil {
		return nil, err
	}
	if len(inputs) == 0 {
		return nil, fmt.Errorf("no input: %s", c.nothingFound(folder))
	}
	model, err := c.modelInput(ctx)
	if err != nil {
		return nil, err
	}
	files := make([]dataset.File, len(inputs))
	var pieces []dataset.Piece
	for i, in := range inputs {
		files[i] = in.File
		if in.format == FormatJSONL && !in.compressed {
			pieces = append(pieces, dataset.SplitBytes(in.Name, in.Bytes, int64(settings.ShardBytes))...)
			continue
		}
		pieces = append(pieces, dataset.Piece{
			Span: dataset.Span{Name: in.Name, From: 0, To: in.Bytes}, Weight: in.Bytes, Group: in.page,
		})
	}
	list := dataset.Pack(pieces, int64(settings.ShardBytes))
	plan, err := dataset.Draft{
		Pipeline: "corpus", PipelineVersion: Version, Schema: schemas.Document{}.Schema(), Seed: settings.Seed,
		Config: c, ShardBytes: int64(settings.ShardBytes), Units: list,
		Inputs: append([]dataset.Input{dataset.ListingInput("pages", files)}, model...),
	}.Plan()
	if err != nil {
		return nil, err
	}
	task, err := c.task()
	if err != nil {
		return nil, err
	}
	return &units.Job{Output: output, Plan: plan, Units: list, Phases: []units.Phase{
		units.NewPhase("documents", 0, len(list), task),
	}}, nil
}

// list returns the files to read, ordered by page, then by name.
func (c Config) list(ctx context.Context, folder storage.Folder) ([]input, error) {
	layout, err := ParseLayout(c.Layout)
	if err != nil {
		return nil, err
	}
	wanted := func(name string) bool {
		format, _ := formatOf(name)
		return (c.Format != FormatAuto || format != "") && !isHidden(name)
	}
	inLayout := func(name string) bool {
		if layout.IsZero() {
			return true
		}
		stated, _, ok := layout.Read(name)
		return ok && c.wantsStated(stated)
	}
	files, err := dataset.List(ctx, folder, func(name string) bool { return wanted(name) && inLayout(name) })
	if err != nil {
		return nil, err
	}
	inputs := make([]input, len(files))
	var names []string
	for i, f := range files {
		_, page, _ := layout.Read(f.Name)
		format, compressed := formatOf(f.Name)
		if c.Format != FormatAuto {
			format = c.Format
		}
		inputs[i] = input{File: f, page: page, format: format, compressed: compressed}
		if format != FormatJSONL {
			names = append(names, page)
		}
	}
	taken := c.Selection.pages(names)
	inputs = slices.DeleteFunc(inputs, func(in input) bool { return in.format != FormatJSONL && !taken[in.page] })
	slices.SortFunc(inputs, func(a, b input) int {
		return cmp.Or(strings.Compare(a.page, b.page), strings.Compare(a.Name, b.Name))
	})
	return inputs, nil
}

// isHidden says whether a path element begins with "." or "_": work files of
// systems and of ours.
func isHidden(name string) bool {
	for element := range strings.SplitSeq(name, "/") {
		if element[0] == '.' || element[0] == '_' {
			return true
		}
	}
	return false
}

// wantsStated says whether a language that stands in a file's name is wanted.
// A name that tells no language is read: the identifier will decide.
func (c Config) wantsStated(stated string) bool {
	if len(c.Languages) == 0 {
		return true
	}
	code, err := language.Parse(stated)
	if err != nil {
		return true
	}
	return c.wants(code)
}

func (c Config) nothingFound(folder storage.Folder) string {
	var why []string
	if c.Format == FormatAuto {
		why = append(why, "files are taken by their names: .html .htm .xhtml .txt .text .jsonl .ndjson, each with or without .gz; give --format for others")
	} else {
		why = append(why, fmt.Sprintf("all files are taken as %s, except hidden ones", c.Format))
	}
	if c.Layout != "" {
		why = append(why, fmt.Sprintf("names must match the layout %q in a wanted language", c.Layout))
	}
	return fmt.Sprintf("%s holds no file to read (%s)", folder, strings.Join(why, "; "))
}
