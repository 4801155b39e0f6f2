package enginetest

import (
	"context"

	"sentweave/transforms/engines"
)

// Translate implements engines.Engine.
func (w *watching) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	answers, err := w.Engine.Translate(ctx, p, texts)
	if err != nil {
		CheckSecret(w.t, err)
		if ctx.Err() == nil && engines.KindOf(err) == engines.Fatal {
			w.t.Errorf("a trouble is fatal: %v", err)
		}
	}
	return answers, err
}
