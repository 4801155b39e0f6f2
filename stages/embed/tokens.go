package embed

import (
	"context"
	"fmt"

	"sentweave/stages/encoder"
	"sentweave/stages/model"
	"sentweave/transforms/measure/bertscore"
)

// TokenModel gives the vectors of tokens by the encoder of a model's folder. It is safe for concurrent use.
type TokenModel struct{ model *Model }

// OpenTokens loads the model, which must be on the local disk, for the vectors that a layer gives its tokens, before
// they are pooled. No prompt comes before texts. The model must be closed.
func OpenTokens(c ModelConfig) (*TokenModel, error) {
	if c.Pooling == "" {
		c.Pooling = string(model.Mean) // nothing is pooled
	}
	c.Prompt, c.NoPrompt = "", true
	m, err := open(c, func(f *model.Folder) error {
		if f.Second {
			return fmt.Errorf("%s holds two encoders, which give each token two vectors: take the folder of one encoder", c.Model)
		}
		f.Dense = nil // which changes vectors of texts alone
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &TokenModel{m}, nil
}

// Close frees the model.
func (t *TokenModel) Close() error { return t.model.Close() }

// Name implements encoder.TokenEncoder.
func (t *TokenModel) Name() string { return t.model.name }

// TokenIDs implements encoder.TokenEncoder.
func (t *TokenModel) TokenIDs(_ context.Context, texts []encoder.Text) ([][]int32, error) {
	return t.model.sequence(texts), nil
}

// Tokens implements encoder.TokenEncoder.
func (t *TokenModel) Tokens(ctx context.Context, texts []encoder.Text) ([]bertscore.Tokens, error) {
	ids, err := t.TokenIDs(ctx, texts)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	states, err := t.model.encoder.States(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]bertscore.Tokens, len(ids))
	tokens := 0
	for _, list := range ids {
		tokens += len(list)
	}
	size := len(states) / tokens
	for i := range list {
		list[i].IDs = ids[i]
		list[i].Vectors, states = states[:len(ids[i])*size], states[len(ids[i])*size:]
	}
	return list, nil
}
