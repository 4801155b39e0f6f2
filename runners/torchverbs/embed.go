package torchverbs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/torchverbs/progress"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/stages/embed"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/model"
	"sentweave/stages/serve"
	"sentweave/stages/torch"
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
	DryRun bool `help:"Print how many texts and tokens there are and what would be made of them, and do nothing." group:"Output"`
}

// Alone says that a file or a service gives the vectors, or that none are made.
func (e *Embed) Alone() bool { return e.Sourced() || e.DryRun }

// Validate returns all faults at once.
func (e *Embed) Validate() error {
	return errors.Join(e.Config.Validate(), e.check())
}

// Run implements the verb.
func (e *Embed) Run(ctx context.Context, p *command.Program) error {
	if e.DryRun {
		return e.estimate(ctx, p)
	}
	t := progress.NewTally(p.Stderr, "embed", "vectors")
	m, existed, err := embed.Run(ctx, e.Out, e.Config, embed.Options{Overwrite: e.Overwrite, Observe: t.Show,
		Open: opening(p, "embed", e.Compute, embed.Open), Note: func(text string) { fmt.Fprintf(p.Stderr, "note: %s\n", text) }})
	t.End()
	if err := e.made(ctx, p, "embed", existed, err); err != nil {
		return err
	}
	return e.show(p, "embedding", m)
}

// estimate prints what would be done.
func (e *Embed) estimate(ctx context.Context, p *command.Program) error {
	s, err := embed.EstimateRun(ctx, e.Out, e.Config, e.Overwrite)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "texts     %s of %s, %s\n", command.Count(s.Texts), command.Counted(s.Rows, "row"), command.Size(s.Bytes))
	if s.Tokens > 0 {
		fmt.Fprintf(p.Stdout, "tokens    about %s\n", command.Count(s.Tokens))
	}
	if encoder.IsEndpoint(e.Model) && s.Fate != dataset.Complete {
		unpaid := "none, each text has a vector already"
		if s.Unpaid > 0 {
			unpaid = fmt.Sprintf("%s without a vector, at most %s: one a byte and some a text, also beyond what the model takes",
				command.Counted(s.Unpaid, "text"), command.Counted(s.MostTokens, "token"))
		}
		fmt.Fprintf(p.Stdout, "unpaid    %s\n", unpaid)
	}
	if s.Dollars > 0 {
		beyond := ""
		if e.Budget > 0 && s.Dollars > e.Budget {
			beyond = fmt.Sprintf(", more than --budget %v", e.Budget)
		}
		fmt.Fprintf(p.Stdout, "cost      $%.4f at most%s\n", s.Dollars, beyond)
	}
	if s.Dimension > 0 {
		bytes := 4 * int64(s.Dimension) * s.Texts
		if !e.NoText {
			bytes += s.Bytes
		}
		fmt.Fprintf(p.Stdout, "vectors   of %s, about %s\n", command.Counted(int64(s.Dimension), "number"), command.Size(bytes))
	}
	fate := map[dataset.Fate]string{dataset.Resumed: ", some of which may be done", dataset.Complete: ", which are complete"}[s.Fate]
	fmt.Fprintf(p.Stdout, "shards    %d%s\n", s.Shards, fate)
	return nil
}

// Standing returns what is in the folder of --out, or the error with which the verb would refuse that
// without --overwrite.
func (e *Embed) Standing(ctx context.Context) (dataset.Fate, error) {
	return embed.Standing(ctx, e.Out, e.Config)
}

// Prepared answers a recipe.
func (e *Embed) Prepared(context.Context, *command.Program, bool) error {
	return model.CheckPrompt(e.Model, e.Prompt)
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

// ServeVerb is what the programs know of the verb serve.
var ServeVerb = verb.Verb{
	Name: "serve", Group: verb.GroupEvaluate,
	Help: "Answer OpenAI's requests of embeddings over HTTP, on this machine.",
	Examples: []string{
		"serve --model encoder",
		"serve --model mine=encoder,minilm=.build/minilm --precision int8",
		"serve --model mine=encoder --components mine=components",
		"serve --model encoder --listen :8000 --key-file key",
	},
	Libtorch: true,
	New:      func() any { return new(Serve) },
}

// Serve is the verb that gives vectors to whoever asks over HTTP.
type Serve struct {
	Model      []string          `help:"Folders of encoders; NAME= before one is how requests name it, and else its folder's name." required:"" placeholder:"[NAME=]DIR,..." takes:"encoder" group:"Models"`
	Components map[string]string `help:"Take the principal components of this folder, as sentweave pcr makes it, off the vectors of the model of that name, in requests that name their language." placeholder:"NAME=DIR" takes:"component" mapsep:"," group:"Models"`
	Pooling    string            `help:"How the vectors of tokens become one (mean, max, cls); as each folder says if not given." placeholder:"NAME" enum:",mean,max,cls" default:"" group:"Models"`
	Normalize  bool              `help:"Bring vectors to unit length, also where a folder does not say so." group:"Models"`
	MaxTokens  int               `help:"Most tokens of a text, of which the rest is cut off; 0 is what each folder says." default:"0" group:"Models"`
	Prompt     string            `help:"Prompt to put before texts of requests without a prompt_name, by its name in the folders; each folder's default one if not given." placeholder:"NAME" group:"Models"`
	NoPrompt   bool              `help:"Put no prompt before texts of requests without a prompt_name." group:"Models"`
	torch.Compute
	serve.Config
}

func (s *Serve) models() encoders.Models {
	return encoders.Models{Model: s.Model, Components: s.Components, Pooling: s.Pooling, Layer: -1}
}

// config is what a folder is opened with.
func (s *Serve) config(folder string) embed.ModelConfig {
	return embed.ModelConfig{Model: folder, Pooling: s.Pooling, Layer: -1, Normalize: s.Normalize,
		MaxTokens: s.MaxTokens, Prompt: s.Prompt, NoPrompt: s.NoPrompt, Compute: s.Compute}
}

// Validate returns all faults at once.
func (s *Serve) Validate() error {
	models := s.models()
	errs := fault.List{s.Config.Validate(), s.config("").Validate(), models.Validate()}
	for _, m := range models.Specs() {
		errs.Check(encoder.IsLocation(m.Location), "model %q is not the folder of an encoder", m.Location)
	}
	return errs.Err()
}

// Run implements the verb. A key that cannot be read and an address that is taken are said before models are loaded.
func (s *Serve) Run(ctx context.Context, p *command.Program) error {
	if _, err := s.ReadKey(); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("%w; give another address by --listen", err)
	}
	defer listener.Close()
	var names []string
	var models []serve.Model
	for _, spec := range s.models().Specs() {
		fmt.Fprintf(p.Stderr, "serve: opening %s\n", spec.Name)
		components, err := s.models().ComponentsOf(ctx, spec)
		if err != nil {
			return fmt.Errorf("model %s: %w", spec.Name, err)
		}
		m, err := load(ctx, s.config(spec.Location), opening(p, "serve", s.Compute, embed.Open))
		if err != nil {
			return fmt.Errorf("model %s: %w", spec.Name, err)
		}
		defer m.Close()
		served, err := m.Served(spec.Name)
		if err != nil {
			return fmt.Errorf("model %s: %w", spec.Name, err)
		}
		served.Components = components
		names, models = append(names, spec.Name), append(models, served)
	}
	s.Config.Lanes = s.Compute.Lanes()
	server, err := serve.New(s.Config, models, func(text string) { fmt.Fprintf(p.Errors, "serve: %s\n", text) })
	if err != nil {
		return err
	}
	defer server.Close()
	if _, err := fmt.Fprintf(p.Stdout, "%s at http://%s/v1\n", strings.Join(names, ", "), listener.Addr()); err != nil {
		return err
	}
	err = server.Serve(ctx, listener)
	if err == nil && ctx.Err() != nil {
		fmt.Fprintln(p.Stderr, "serve: all requests are answered")
	}
	return err
}
