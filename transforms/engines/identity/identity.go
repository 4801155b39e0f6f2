// Package identity is an engine that returns every text unchanged, for tests and to
// see what a run would send.
package identity

import (
	"context"

	"sentweave/transforms/engines"
)

// Name of the engine.
const Name = "identity"

// Settings of the engine: there are none.
type Settings struct{}

// Describe implements engines.Settings.
func (Settings) Describe() engines.Description {
	return engines.Description{Name: Name, Help: "texts as they are"}
}

// Open implements engines.Settings.
func (Settings) Open(context.Context, engines.Config) (engines.Engine, error) { return Engine{}, nil }

// Engine returns texts as they are. The zero value is ready.
type Engine struct{}

// Name implements engines.Engine.
func (Engine) Name() string { return Name }

// Identity implements engines.Engine.
func (Engine) Identity(p engines.Pair) (engines.Identity, error) {
	return engines.Identity{Engine: Name}, engines.CheckPair(p)
}

// Limits implements engines.Engine.
func (Engine) Limits() engines.Limits { return engines.Limits{Items: 1000, Characters: 100_000} }

// Price implements engines.Engine.
func (Engine) Price() float64 { return 0 }

// Supports implements engines.Engine: every two languages.
func (Engine) Supports(p engines.Pair) error { return engines.CheckPair(p) }

// Translate implements engines.Engine.
func (Engine) Translate(ctx context.Context, _ engines.Pair, texts []string) ([]engines.Answer, error) {
	answers := make([]engines.Answer, len(texts))
	for i, text := range texts {
		answers[i].Text = text
	}
	return answers, ctx.Err()
}

// Close implements engines.Engine.
func (Engine) Close() error { return nil }
