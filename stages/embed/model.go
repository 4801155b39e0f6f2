// Package embed is the stage that turns the texts of a dataset into a dataset of
// embeddings. It also opens the encoder in a model's folder.
package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"sentweave/schemas/fault"
	"sentweave/stages/encoder"
	"sentweave/stages/model"
	"sentweave/stages/ordered"
	"sentweave/stages/torch"
)

// ModelConfig says how a model's folder is used. The tags are read by the command
// line; the json names are in plan and manifest.
type ModelConfig struct {
	Model     string `help:"Folder of an encoder, as Hugging Face or sentence-transformers keep it, or https://host/v1#MODEL, a model behind a service that speaks OpenAI's protocol of embeddings." placeholder:"DIR" takes:"encoder" group:"Model" json:"-"`
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

var errNoModel = errors.New("model is empty: give the folder of an encoder")

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
	errs.Check(c.Layer >= -1, "layer is %d, it must be -1, the last, or from 0 on", c.Layer)
	errs.Check(c.MaxTokens == 0 || c.MaxTokens >= 3, "max-tokens is %d, it must be 0 or at least 3: [CLS], a token, [SEP]", c.MaxTokens)
	errs.Check(c.Prompt == "" || !c.NoPrompt, "prompt and --no-prompt exclude each other")
	errs.Add(c.Compute.Validate())
	return errs.Err()
}

// folder opens the settings of the folder, with those of the configuration, and says
// what does not fit.
func (c ModelConfig) folder() (*model.Folder, error) {
	path := cmp.Or(c.path, c.Model)
	if path == "" {
		return nil, errNoModel
	}
	f, err := model.Open(path)
	if err != nil {
		return nil, model.NoEncoder(c.Model, err)
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
		if c.MaxTokens > f.Config.MaxTokens() {
			return nil, fmt.Errorf("max-tokens is %d, %s has %d positions", c.MaxTokens, c.Model, f.Config.MaxTokens())
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

// Model is the encoder of a model's folder. It is safe for concurrent use; libtorch computes as torch.UseLanes describes.
type Model struct {
	name      string
	folder    *model.Folder
	sequencer *model.Sequencer
	encoder   *torch.Encoder
	coded     bool         // its vectors have sparse codes
	cuts      *atomic.Bool // the end of a text was cut off
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
	m := &Model{name: filepath.Base(filepath.Clean(c.Model)), folder: f, coded: f.Pooling == model.Lens, cuts: new(atomic.Bool)}
	if m.sequencer, err = f.Sequencer(); err != nil {
		return nil, err
	}
	if err := torch.UseLanes(c.Compute); err != nil {
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
	list := make([]encoder.Text, len(texts))
	for i, t := range texts {
		list[i].Text = t
	}
	sequences, err := m.sequences(ctx, list)
	if err != nil {
		return nil, err
	}
	vectors := make([]float32, len(texts)*m.Dimension())
	return vectors, m.encoder.Encode(ctx, vectors, sequences)
}

// partTexts is the number of texts that go to a goroutine to become ids.
const partTexts = 1024

// sequences returns the ids of texts.
func (m *Model) sequences(ctx context.Context, texts []encoder.Text) ([][]int32, error) {
	parts := func(yield func([]encoder.Text, error) bool) {
		for part := range slices.Chunk(texts, partTexts) {
			if !yield(part, nil) {
				return
			}
		}
	}
	list := make([][]int32, 0, len(texts))
	for part, err := range ordered.Map(ctx, runtime.GOMAXPROCS(0), parts, func(_ context.Context, part []encoder.Text) ([][]int32, error) {
		return m.sequence(part), nil
	}) {
		if err != nil {
			return nil, err
		}
		list = append(list, part...)
	}
	return list, nil
}

// sequence returns the ids of texts, which share memory.
func (m *Model) sequence(texts []encoder.Text) [][]int32 {
	var ids []int32
	sequences, starts := make([][]int32, len(texts)), make([]int, len(texts)+1)
	for i, t := range texts {
		var cut int
		if ids, cut = m.sequencer.AppendCut(ids, t.Text); cut > 0 {
			m.cuts.Store(true)
		}
		starts[i+1] = len(ids)
	}
	for i := range texts { // when the list of ids does not move any more
		sequences[i] = ids[starts[i]:starts[i+1]]
	}
	return sequences
}

// Encode implements encoder.Encoder. Equal texts are encoded once.
func (m *Model) Encode(ctx context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	different, places := distinct(texts)
	sequences, err := m.sequences(ctx, different)
	if err != nil {
		return nil, err
	}
	d := m.Dimension()
	vectors := make([]float32, len(different)*d)
	if err := m.encoder.Encode(ctx, vectors, sequences); err != nil {
		return nil, err
	}
	if len(different) == len(texts) {
		return encoder.NewDense(vectors, d)
	}
	data := make([]float32, 0, len(texts)*d)
	for _, place := range places {
		data = append(data, vectors[place*d:(place+1)*d]...)
	}
	return encoder.NewDense(data, d)
}
