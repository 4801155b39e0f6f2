package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/spelling"
	"sentweave/schemas/storage"
	"sentweave/stages/model"
	"sentweave/stages/model/safetensors"
	"sentweave/stages/publish/hub"
	"sentweave/stages/train"
)

// companions are files of an encoder that do not decide its vectors, and which other programs read.
var companions = []string{"special_tokens_map.json", "added_tokens.json"}

// openEncoder collects an encoder.
func openEncoder(ctx context.Context, location, name string, c Config) (*Repository, error) {
	if c.WithoutRejects {
		return nil, fmt.Errorf("%s is an encoder: without-rejects is for datasets", location)
	}
	copied, err := model.Fetch(ctx, location, append(companions, train.RecordName)...)
	if err != nil {
		return nil, err
	}
	defer copied.Close()
	f, err := model.Open(copied.Path)
	if err != nil {
		return nil, err
	}
	folder, err := storage.Locate(location)
	if err != nil {
		return nil, err
	}
	files, err := filesOf(ctx, folder, model.Decisive(companions))
	if err != nil {
		return nil, err
	}
	if _, err := f.Sequencer(); err != nil { // others would fetch what nobody can open
		return nil, err
	}
	figures, err := figuresOf(ctx, f, location, c)
	if err != nil {
		return nil, err
	}
	data, err := encoderCard(ctx, f, name, figures, c)
	if err != nil {
		return nil, err
	}
	return &Repository{Kind: hub.Model, Files: append(files, madeFile(cardName, data)), Stale: func(name string) bool {
		return model.Decisive(nil)(name) // also weights of torch.save, which decide nothing beside ours, and would be another encoder's
	}}, nil
}

// encoderHead is the front matter of an encoder's card.
type encoderHead struct {
	License   string       `yaml:"license,omitempty"`
	Languages []string     `yaml:"language,omitempty"`
	Library   string       `yaml:"library_name"`
	Pipeline  string       `yaml:"pipeline_tag"`
	Base      string       `yaml:"base_model,omitempty"`
	Tags      []string     `yaml:"tags"`
	Index     []indexModel `yaml:"model-index,omitempty"`
}

// encoderCard says what the encoder is, how it was trained and what it reaches.
func encoderCard(ctx context.Context, f *model.Folder, name string, figures []schemas.Result, c Config) ([]byte, error) {
	library := "sentence-transformers"
	own := f.Pooling == model.Lens || f.Second // which sentence-transformers does not have
	if own {
		library = tag
	}
	head := encoderHead{License: c.License, Languages: tags(c.Languages), Library: library, Pipeline: "sentence-similarity",
		Base: c.BaseModel, Tags: []string{library, "sentence-similarity", "feature-extraction"}, Index: index(c.Title, figures)}
	if !own {
		head.Tags = append(head.Tags, tag)
	}
	var b card
	if err := b.head(head); err != nil {
		return nil, err
	}
	b.title(c.Title)
	parameters, err := parametersOf(f)
	if err != nil {
		return nil, err
	}
	b.paragraph("The encoder gives a text %d numbers. It has the architecture of `%s`: %d layers of %d, %s parameters, and takes up to %d tokens.%s",
		f.Dimension(), f.Config.ModelType, f.Config.Layers, f.Config.HiddenSize, spelling.Thousands(parameters), f.MaxTokens, pooled(f))
	b.section("Use")
	if own {
		b.code("console", "sentweave serve --model FOLDER")
	} else {
		b.code("python", fmt.Sprintf("from sentence_transformers import SentenceTransformer\n\nvectors = SentenceTransformer(%q).encode([\"hello\"])",
			address(name)))
	}
	if len(figures) > 0 {
		b.section("Figures")
		var rows [][]string
		for _, r := range figures {
			rows = append(rows, []string{r.Task, r.Subtask, r.Language, r.Metric, fmt.Sprintf("%.4g", r.Value),
				spelling.Thousands(r.N), r.DataXXH3})
		}
		b.table([]string{"task", "part", "language", "metric", "value", "items", "hash of the data"}, rows)
	}
	err = b.training(ctx, f)
	return b.Bytes(), err
}

// pooled says what becomes of the tokens.
func pooled(f *model.Folder) string {
	text := ""
	if f.Pooling != "" {
		text = fmt.Sprintf(" Its pooling is `%s`.", f.Pooling)
	}
	if f.Normalize {
		text += " Vectors have the length 1."
	}
	return text
}

// exponents are the bits of numbers in little endian that are all set in those that are not finite.
var exponents = map[safetensors.DType][]byte{safetensors.F64: {0, 0, 0, 0, 0, 0, 0xf0, 0x7f}, safetensors.F32: {0, 0, 0x80, 0x7f},
	safetensors.BF16: {0x80, 0x7f}, safetensors.F16: {0, 0x7c}}

// parametersOf counts the numbers of the weights. One that is not finite is an error: no text would have a vector. The cost is one
// reading of the weights, in the memory of the largest tensor.
func parametersOf(f *model.Folder) (n int64, err error) {
	w, err := model.OpenWeights(f.WeightsPath())
	if err != nil {
		return 0, err
	}
	defer w.Close()
	var data []byte
	for _, t := range w.Tensors {
		exponent, ok := exponents[t.DType]
		if !ok { // a buffer
			continue
		}
		if data, err = w.Read(data, t); err != nil {
			return 0, err
		}
		for number := range slices.Chunk(data, len(exponent)) {
			if n := len(number); number[n-1]&exponent[n-1] == exponent[n-1] && number[n-2]&exponent[n-2] == exponent[n-2] {
				return 0, fmt.Errorf("%s of %s holds a number that is not finite: the training has failed, and no text has a vector", t.Name,
					filepath.Base(f.WeightsPath()))
			}
		}
		size := int64(1)
		for _, d := range t.Shape {
			size *= d
		}
		n += size
	}
	return n, nil
}

// training adds what the record of the training says. An encoder of another program has none.
func (b *card) training(ctx context.Context, f *model.Folder) error {
	var record train.Record
	data, err := storage.ReadFile(ctx, storage.NewLocal(f.Path), train.RecordName, 64<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = jsonfile.Unmarshal(data, &record)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(f.Path, train.RecordName), err)
	}
	b.section("Training")
	b.paragraph("Sentweave trained the encoder in %s steps, seed %d. The same data, settings, machine and threads give the same bytes.",
		spelling.Thousands(record.Step), record.Config.Seed)
	var rows [][]string
	for _, p := range record.Config.Periods {
		for _, s := range p.Mixture {
			rows = append(rows, []string{p.Name, s.Objective, spelling.Thousands(int64(p.Steps)), fmt.Sprint(s.BatchSize),
				fmt.Sprint(s.MaxTokens)})
		}
	}
	b.table([]string{"period", "objective", "steps", "batch", "tokens at most"}, rows)
	rows = nil
	for _, input := range record.Inputs {
		rows = append(rows, []string{input.Role, input.XXH3})
	}
	if len(rows) > 0 {
		b.table([]string{"data", "hash"}, rows)
	}
	return nil
}
