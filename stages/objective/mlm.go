package objective

import (
	"context"
	"errors"

	"sentweave/schemas"
)

// MLMName is the name of the masked language model.
const MLMName = "mlm"

var mlm = Objective{
	Name: MLMName, Alone: true,
	Kinds: []string{schemas.KindConsecutive, schemas.KindSingle, schemas.KindBitext, schemas.KindView}, Masked: true,
	Predicts: true, Weight: 1,
	Config: func() Config { return &MLM{} }, Fit: fitMLM, Fill: fillMLM,
}

// MLM configures the masked language model over single sentences (Devlin et al.
// 2019, section 3.1): each side of an example is a sentence of its own.
type MLM struct {
	UnigramBias `yaml:",inline" prefix:"mlm-" set:"objective=Masked language model"`
}

// Check implements Config: every value is valid.
func (c *MLM) Check() error { return nil }

// Prepare implements Config.
func (c *MLM) Prepare(ctx context.Context, g Facts) error { return c.prepare(ctx, g, MLMName) }

// MLMBatch is sentences with masks.
type MLMBatch struct {
	Texts Sequences
	// Positions are indices into Texts.IDs, ascending. Targets are the ids that stood
	// there.
	Positions, Targets []int32
}

// Objective is "mlm".
func (*MLMBatch) Objective() string { return MLMName }

// Tokens counts all sentences.
func (b *MLMBatch) Tokens() int { return b.Texts.tokens() }

// Items counts masked tokens.
func (b *MLMBatch) Items() []int { return []int{len(b.Targets)} }

func fitMLM(_ Config, e *Example, special []bool) error {
	if !maskable(e.A, special) && len(e.Positions) == 0 && !maskable(e.B, special) {
		return errors.New("it has no token that can be masked")
	}
	return nil
}

// fillMLM takes the masks that came with second sides; the others are masked by hash
// of the side and the epoch.
func fillMLM(f *Filler, list []Entry) (Batch, error) {
	var texts masked
	for _, e := range list {
		if err := texts.mask(f, e.A, e.ID+"/a", e.Epoch); err != nil {
			return nil, err
		}
		if len(e.B) == 0 {
			continue
		}
		if err := texts.add(f, e); err != nil {
			return nil, err
		}
	}
	sequences, positions, err := texts.pad(f)
	return &MLMBatch{Texts: sequences, Positions: positions, Targets: texts.targets}, err
}
