// Package embed is the stage that turns the texts of a dataset into a dataset of
// embeddings. It also opens the encoder in a model's folder.
package embed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"sentweave/schemas/fault"
	"sentweave/stages/encoder"
	"sentweave/stages/model"
	"sentweave/stages/torch"
)

// ModelConfig says how a model's folder is used. The tags are read by the command
// line; the json names stand in plan and manifest.
type ModelConfig struct {
	Model     string `help:"Folder of an encoder, as Hugging Face or sentence-transformers keep it." required:"" placeholder:"DIR" takes:"encoder" group:"Model" json:"-"`
	Pooling   string `help:"How the vectors of tokens become one (mean, max, cls); as the folder says if not given." placeholder:"NAME" enum:",mean,max,cls" default:"" group:"Model" json:"pooling"`
	Layer     int    `help:"Layer whose output is pooled; -1 is the last." default:"-1" group:"Model" json:"layer"`
	Normalize bool   `help:"Bring vectors to unit length, also where the folder does not say so." group:"Model" json:"normalize"`
	MaxTokens int    `help:"Most tokens of a text; 0 is what the folder says." default:"0" group:"Model" json:"max_tokens"`
	Prompt    string `help:"Prompt of sentence-transformers to put before every text, by its name in the folder; the folder's default one if none is given." placeholder:"NAME" group:"Model" json:"prompt,omitempty"`
	NoPrompt  bool   `help:"Put no prompt before texts, also where the folder has a default one." group:"Model" json:"no_prompt,omitempty"`
	torch.Compute

	// path is where the folder is read, if that is another place.
	path string
}

// Fetched returns the configuration for an encoder on the local disk: one elsewhere
// is fetched. The copy stays until it is closed, which it may be once it is loaded.
func (c ModelConfig) Fetched(ctx context.Context) (ModelConfig, io.Closer, error) {
	f, err := model.Fetch(ctx, c.Model)
	if err != nil {
		return c, nil, err
	}
	c.path = f.Path
	return c, f, nil
}

// Validate returns all faults at once.
func (c ModelConfig) Validate() error {
	var errs fault.List
	errs.Check(c.Model != "", "model is empty: give the folder of an encoder")
	errs.Check(c.Layer >= -1, "layer is %d, it must be -1, the last, or from 0 on", c.Layer)
	errs.Check(c.MaxTokens == 0 || c.MaxTokens >= 3, "max-tokens is %d, it must be 0 or at least 3: [CLS], a token, [SEP]", c.MaxTokens)
	errs.Check(c.Prompt == "" || !c.NoPrompt, "prompt and --no-prompt exclude each other")
	errs.Add(c.Compute.Validate())
	return errs.Err()
}

// folder opens the settings of the folder, with those of the configuration, and says
// what does not fit.
func (c ModelConfig) folder() (*model.Folder, error) {
	path := c.path
	if path == "" {
		path = c.Model
	}
	f, err := model.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no encoder: %w", c.Model, err)
	}
	if err != nil {
		return nil, err
	}
	if c.Pooling != "" {
		f.Pooling = model.Pooling(c.Pooling)
	}
	f.Normalize = f.Normalize || c.Normalize
	if c.NoPrompt {
		f.Prompt = ""
	} else if c.Prompt != "" {
		if err := f.ChoosePrompt(c.Prompt); err != nil {
			return nil, err
		}
	}
	if c.MaxTokens > 0 {
		if c.MaxTokens > f.Config.MaxPositions {
			return nil, fmt.Errorf("max-tokens is %d, %s has %d positions", c.MaxTokens, c.Model, f.Config.MaxPositions)
		}
		f.MaxTokens = c.MaxTokens
	}
	if f.Pooling == "" {
		return nil, fmt.Errorf("%s does not say how the vectors of its tokens become one: give --pooling mean, max or cls, as its authors say",
			c.Model)
	}
	if c.Layer > f.Config.Layers {
		return nil, fmt.Errorf("layer is %d, %s has %d layers", c.Layer, c.Model, f.Config.Layers)
	}
	return f, nil
}

// Model is the encoder of a model's folder. It is used by one goroutine at a time.
type Model struct {
	name      string
	sequencer *model.Sequencer
	encoder   *torch.Encoder
	coded     bool // its vectors have sparse codes
	sequences [][]int32
	ids       []int32
}

// Open loads the model, which must be on the local disk. It must be closed.
func Open(c ModelConfig) (*Model, error) {
	return open(c, func(*model.Folder) error { return nil })
}

// open is Open with a change of the settings of the folder.
func open(c ModelConfig, change func(*model.Folder) error) (*Model, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	f, err := c.folder()
	if err == nil {
		err = change(f)
	}
	if err != nil {
		return nil, err
	}
	m := &Model{name: filepath.Base(filepath.Clean(c.Model)), coded: f.Pooling == model.Lens}
	if m.sequencer, err = f.Sequencer(); err != nil {
		return nil, err
	}
	if err := torch.Use(c.Compute); err != nil {
		return nil, err
	}
	if m.encoder, err = torch.NewEncoder(f, c.Layer); err != nil {
		return nil, err
	}
	if f.WithoutPrompt {
		m.encoder.PoolFrom(m.sequencer.PromptTokens())
	}
	return m, nil
}

// Close frees the model.
func (m *Model) Close() error { m.encoder.Close(); return nil }

// Name implements encoder.Encoder.
func (m *Model) Name() string { return m.name }

// Dimension is the size of a vector.
func (m *Model) Dimension() int { return m.encoder.Dimension() }

// Vectors returns the vectors of texts, one after another.
func (m *Model) Vectors(ctx context.Context, texts []string) ([]float32, error) {
	m.sequence(len(texts), func(i int) string { return texts[i] })
	vectors := make([]float32, len(texts)*m.Dimension())
	return vectors, m.encoder.Encode(ctx, vectors, m.sequences)
}

// sequence sets the sequences to the ids of n texts.
func (m *Model) sequence(n int, text func(int) string) {
	m.sequences, m.ids = m.sequences[:0], m.ids[:0]
	starts := make([]int, 0, n+1)
	for i := range n {
		starts = append(starts, len(m.ids))
		m.ids = m.sequencer.Append(m.ids, text(i))
	}
	starts = append(starts, len(m.ids))
	for i := range n { // when the list of ids does not move any more
		m.sequences = append(m.sequences, m.ids[starts[i]:starts[i+1]])
	}
}

// Encode implements encoder.Encoder. Equal texts are encoded once.
func (m *Model) Encode(ctx context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	vectors, places, err := m.distinct(ctx, len(texts), func(i int) string { return texts[i].Text })
	if err != nil {
		return nil, err
	}
	d := m.Dimension()
	data := make([]float32, 0, len(texts)*d)
	for _, place := range places {
		data = append(data, vectors[place*d:(place+1)*d]...)
	}
	return encoder.NewDense(data, d)
}

// distinct encodes equal texts once: their vectors are equal then, to the last bit,
// which depends on a vector's neighbours. It returns the vectors of the different
// texts and which of them each of the n texts has.
func (m *Model) distinct(ctx context.Context, n int, text func(int) string) (vectors []float32, places []int, err error) {
	index := make(map[string]int, n)
	places = make([]int, n)
	var texts []string
	for i := range n {
		place, ok := index[text(i)]
		if !ok {
			place = len(texts)
			index[text(i)] = place
			texts = append(texts, text(i))
		}
		places[i] = place
	}
	vectors, err = m.Vectors(ctx, texts)
	return vectors, places, err
}
