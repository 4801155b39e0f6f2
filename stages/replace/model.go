package replace

import (
	"context"
	"fmt"
	"io"

	"sentweave/stages/model"
	"sentweave/stages/torch"
	"sentweave/transforms/augment/infill"
	"sentweave/transforms/tokens/wordpiece"
)

// fetched returns the configuration for an encoder on the local disk: one elsewhere is
// fetched. The copy stays until it is closed, which it may be once it is loaded.
func (c Config) fetched(ctx context.Context) (Config, io.Closer, error) {
	f, err := model.Fetch(ctx, c.Model, model.HeadsName)
	if err != nil {
		return c, nil, err
	}
	c.path = f.Path
	return c, f, nil
}

// open returns the settings of the model's folder and what masks texts for it. It says
// what of the folder does not fit; weights are not read.
func (c Config) open() (*model.Folder, *infill.Infiller, error) {
	path := c.path
	if path == "" {
		path = c.Model
	}
	f, err := model.Open(path)
	if err == nil {
		_, err = model.FindHead(f)
	}
	if err != nil {
		return nil, nil, model.NoEncoder(c.Model, err)
	}
	v, err := f.Vocabulary()
	if err != nil {
		return nil, nil, err
	}
	words, ok := v.(*wordpiece.Vocabulary)
	if !ok {
		return nil, nil, fmt.Errorf("%s has a tokenizer of another model than WordPiece, which alone says where words begin and end: give such an encoder",
			c.Model)
	}
	t, err := wordpiece.New(words, f.Tokenizer)
	if err != nil {
		return nil, nil, err
	}
	i, err := infill.New(infill.Config{Seed: c.Seed, Share: c.Share, Top: c.Top, MinTokens: c.MinTokens, MaxTokens: f.Config.MaxTokens()},
		t)
	return f, i, err
}

// predictor is what is asked for the candidates of masks; torch.MaskedLM is one.
type predictor interface {
	Top(ctx context.Context, sequences [][]int32, masks [][]infill.Mask, k int) ([]infill.Candidate, error)
	Close()
}

// Model is the masked language model of a folder. It is safe for concurrent use; see torch.UseLanes.
type Model struct {
	infiller  *infill.Infiller
	predictor predictor
}

// Open loads the model, which must be on the local disk. It must be closed.
func Open(c Config) (*Model, error) {
	f, i, err := c.open()
	if err != nil {
		return nil, err
	}
	if err := torch.UseLanes(c.Compute); err != nil {
		return nil, err
	}
	m, err := torch.NewMaskedLM(f, i.Members())
	if err != nil {
		return nil, err
	}
	return &Model{i, m}, nil
}

// Close frees the model.
func (m *Model) Close() { m.predictor.Close() }

// fill calls use with the view of each text, or the reason for which there is none.
func (m *Model) fill(ctx context.Context, texts []infill.Masked, use func(i int, view, reason string)) error {
	sequences, masks := make([][]int32, len(texts)), make([][]infill.Mask, len(texts))
	for i, t := range texts {
		sequences[i], masks[i] = t.IDs, t.Masks
	}
	count := m.infiller.Wanted()
	candidates, err := m.predictor.Top(ctx, sequences, masks, count)
	if err != nil {
		return err
	}
	for i, t := range texts {
		n := count * len(t.Masks)
		view, reason, err := m.infiller.Fill(t, candidates[:n])
		if err != nil {
			return err
		}
		candidates = candidates[n:]
		use(i, view, reason)
	}
	return nil
}
