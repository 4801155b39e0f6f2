package torchverbs

import (
	"context"
	"errors"
	"fmt"
	"os"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/torchverbs/progress"
	"sentweave/schemas/dataset"
	"sentweave/stages/embed"
	"sentweave/stages/encoder"
)

// EmbedVerb is what the programs know of the verb embed.
var EmbedVerb = verb.Verb{
	Name: "embed", Group: verb.GroupEvaluate,
	Help: "Turn the texts of a dataset into embeddings.",
	Examples: []string{
		"embed --model encoder --texts pairs --out embeddings",
		"embed --model https://api.openai.com/v1#text-embedding-3-small --key-variable OPENAI_API_KEY --texts pairs --out embeddings",
		"embed --import vectors.npy --texts pairs --out embeddings",
		"embed --import vectors.npy --lines texts.txt --language eng --out embeddings",
	},
	Makes: verb.Output{Rows: "embedding"},
	Made: func(s verb.Step) verb.Product {
		texts, _ := s.From("texts")
		return verb.Product{Rows: "embedding", Kinds: texts.Kinds}
	},
	Libtorch: true,
	New:      func() any { return new(Embed) },
}

// Embed is the verb that turns texts into a dataset of embeddings.
type Embed struct {
	output `embed:""`
	embed.Config
}

// Alone says that a file or a service gives the vectors.
func (e *Embed) Alone() bool { return e.Sourced() }

// Validate returns all faults at once.
func (e *Embed) Validate() error {
	return errors.Join(e.Config.Validate(), e.check())
}

// Run implements the verb.
func (e *Embed) Run(ctx context.Context, p *command.Program) error {
	t := progress.NewTally(p.Stderr, "embed", "vectors")
	m, existed, err := embed.Run(ctx, e.Out, e.Config, embed.Options{Overwrite: e.Overwrite, Observe: t.Show,
		Open: opening(p, "embed", e.Compute, embed.Open), Note: func(text string) { fmt.Fprintf(p.Stderr, "note: %s\n", text) }})
	t.End()
	if err := e.made(ctx, p, "embed", existed, err); err != nil {
		return err
	}
	return e.show(p, "embedding", m)
}

// Standing returns what is in the folder of --out, or the error with which the verb would refuse that
// without --overwrite.
func (e *Embed) Standing(ctx context.Context) (dataset.Fate, error) {
	return embed.Standing(ctx, e.Out, e.Config)
}

// EncodeVerb is what sentweave-torch knows of the verb encode.
var EncodeVerb = verb.Verb{Name: "encode", Help: "Give vectors to another program over the standard streams.",
	New: func() any { return new(Encode) }}

// Encode is the verb by which other programs have texts encoded; see
// encoder.Serve and encoder.ServeTokens for what is spoken on the standard streams.
type Encode struct {
	embed.ModelConfig
	Tokens bool `help:"Give the vectors of the tokens of texts, not those of texts." group:"Output"`
}

// Run implements the verb. Why a model cannot be opened is told to the caller, who
// tells the user: it is not printed here, too.
func (e *Encode) Run(ctx context.Context, _ *command.Program) error {
	told := false
	var err error
	if e.Tokens {
		err = encoder.ServeTokens(ctx, os.Stdin, os.Stdout, func() (encoder.TokenEncoder, error) {
			m, err := load(ctx, e.ModelConfig, embed.OpenTokens)
			told = err != nil
			return m, err
		})
	} else {
		err = encoder.Serve(ctx, os.Stdin, os.Stdout, func() (encoder.Encoder, error) {
			m, err := load(ctx, e.ModelConfig, embed.Open)
			told = err != nil
			return m, err
		})
	}
	if told {
		return nil
	}
	return err
}

// load opens a model in memory, for which a remote folder is fetched for as long.
func load[M any](ctx context.Context, c embed.ModelConfig, open func(embed.ModelConfig) (M, error)) (m M, err error) {
	c, fetched, err := c.Fetched(ctx)
	if err != nil {
		return m, err
	}
	defer fetched.Close() // once it is in memory
	return open(c)
}
