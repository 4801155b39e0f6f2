package embed

import (
	"context"

	"sentweave/stages/serve"
)

// Sequence implements serve.Encoder.
func (m *Model) Sequence(text string) (ids []int32, cut int) { return m.sequencer.AppendCut(nil, text) }

// EncodeSequences implements serve.Encoder. Vectors do not depend on their neighbours, as torch.Encoder.Encode says.
func (m *Model) EncodeSequences(ctx context.Context, dst []float32, sequences [][]int32) error {
	return m.encoder.Encode(ctx, dst, sequences)
}

// Served returns the model under a name, with each prompt of its folder. It is used until the model is closed.
func (m *Model) Served(name string) (serve.Model, error) {
	s := serve.Model{Name: name, Encoder: m, Prompts: map[string]serve.Encoder{}}
	sequencers, err := m.folder.Prompted(m.sequencer)
	for prompt, sequencer := range sequencers {
		own, weights := *m, *m.encoder // which share the weights
		if m.folder.WithoutPrompt {
			weights.PoolFrom(sequencer.PromptTokens())
		}
		own.sequencer, own.encoder = sequencer, &weights
		s.Prompts[prompt] = &own
	}
	return s, err
}
