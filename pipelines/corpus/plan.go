package corpus

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Plan lists the input folder, selects the pages and cuts them into units. All
// translations of a page lie next to each other in one unit.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	root, err := storage.Absolute(c.Input)
	if err != nil {
		return nil, err
	}
	folder, err := storage.At(root)
	if err != nil {
		return nil, err
	}
	listing, err := c.newListing(root, output)
	if err != nil {
		return nil, err
	}
	if err := listing.choose(ctx, folder); err != nil {
		return nil, err
	}
	if len(listing.taken) == 0 {
		return nil, listing.nothing(folder)
	}
	task := &task{Config: c, Input: root}
	var inputs []dataset.Input
	if c.Langid != "" {
		var model dataset.Input
		if task.Langid, model, err = units.OpenFile(ctx, LangidRole, c.Langid); err != nil {
			return nil, err
		}
		if _, err := openIdentifier(ctx, c.Langid); err != nil {
			return nil, err // before any work, and in the launcher's words
		}
		inputs = append(inputs, model)
	}
	taken, err := listing.inputs(ctx, folder)
	if err != nil {
		return nil, err
	}
	files := make([]dataset.File, len(taken))
	for i, in := range taken {
		files[i] = in.File
	}
	list := dataset.Pack(c.pieces(taken, int64(settings.ShardBytes)), int64(settings.ShardBytes))
	plan, err := dataset.Draft{
		Pipeline: "corpus", PipelineVersion: Version, Schema: schemas.Document{}.Schema(), Seed: settings.Seed,
		Config: c, ShardBytes: int64(settings.ShardBytes), Units: list,
		Inputs: append([]dataset.Input{dataset.ListingInput("pages", files)}, inputs...),
	}.Plan()
	if err != nil {
		return nil, fmt.Errorf("plan corpus: %w", err)
	}
	return &units.Job{Output: output, Plan: plan, Units: list, Notes: listing.notes(), Phases: []units.Phase{
		units.NewPhase("documents", 0, len(list), task),
	}}, nil
}

// pieces cuts the files, where they can be, into ranges of about shardBytes.
func (c Config) pieces(taken []input, shardBytes int64) []dataset.Piece {
	var pieces []dataset.Piece
	for _, in := range taken {
		if c.splits(in) {
			pieces = append(pieces, dataset.SplitBytes(in.Name, in.Bytes, shardBytes)...)
			continue
		}
		pieces = append(pieces, dataset.Piece{Span: dataset.Span{Name: in.Name, To: in.Bytes}, Weight: in.Bytes, Group: in.page})
	}
	return pieces
}
