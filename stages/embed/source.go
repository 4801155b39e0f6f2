package embed

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/stages/encoder/endpoint"
	"sentweave/stages/encoder/vectorcache"
	"sentweave/transforms/read/texts"
)

// SourceConfig says where vectors come from that no folder of an encoder gives. The command line reads the tags.
type SourceConfig struct {
	Import       string `help:"File of vectors that another program made, in the place of a model: .npy, .npz, .parquet, .jsonl. They are in the order of the texts, unless --import-ids is given." placeholder:"FILE" group:"Input" json:"-"`
	ImportColumn string `help:"Column or field of the vectors, or array of .npz; vector or embedding, or the only array, if not given." placeholder:"NAME" group:"Input"`
	ImportIDs    string `name:"import-ids" help:"Column or field with the ids of the texts that the vectors of --import belong to, as export prints them of embeddings." placeholder:"NAME" group:"Input"`
	Lines        string `help:"Text file in the place of --texts: each line is a text. It is for --import, and for a service as --model." placeholder:"FILE" group:"Input" json:"-"`
	Language     string `help:"Language of the texts of --lines, by its code of ISO 639-3." default:"und" placeholder:"CODE" group:"Input"`

	KeyVariable string  `help:"Environment variable with the key of the service of --model." placeholder:"NAME" group:"Endpoints" json:"-"`
	KeyFile     string  `help:"File with the key of the service of --model." placeholder:"FILE" group:"Endpoints" json:"-"`
	Dimensions  int     `help:"Size of the vectors to ask the service of --model for; its own if not given." placeholder:"N" group:"Endpoints" json:"-"`
	Price       float64 `help:"Dollars for a million tokens." placeholder:"DOLLARS" group:"Endpoints" json:"-"`
	endpoint.Limits
}

// Sourced says whether vectors come from a file or a service, which takes no libtorch.
func (c Config) Sourced() bool { return c.Import != "" || encoder.IsEndpoint(c.Model) }

// sourceFaults adds what is wrong with the flags of files and services.
func (c Config) sourceFaults(errs *fault.List) {
	errs.Check(c.Import == "" || c.Model == "", "model and import exclude each other")
	errs.Check(c.Texts != "" || c.Lines != "", "texts is empty: give a dataset of documents, pairs or benchmarks, or with --import a text file as --lines")
	errs.Check(c.Texts == "" || c.Lines == "", "texts and lines exclude each other")
	errs.Check(c.Import != "" || c.ImportColumn == "" && c.ImportIDs == "", "import-column and import-ids have no effect without --import")
	errs.Check(c.Sourced() || c.Lines == "", "lines are for --import, and for a service as --model; give a dataset as --texts")
	if c.Lines != "" {
		errs.Add(language.Check(c.Language))
	}
	errs.Check(c.Lines == "" || c.ImportIDs == "", "import-ids: the lines of a file have no ids; leave --import-ids out")
	errs.Check(!c.Sourced() || c.Distilled == "", "distilled needs the folder of an encoder as --model")
	errs.Check(!c.Sourced() || c.Pooling == "" && c.Layer <= 0 && !c.Normalize && c.MaxTokens == 0 && c.Prompt == "" && !c.NoPrompt,
		"pooling, layer, normalize, max-tokens, prompt and no-prompt are for folders of encoders")
	errs.Check(encoder.IsEndpoint(c.Model) || c.KeyVariable == "" && c.KeyFile == "" && c.Dimensions == 0 && c.Price == 0 && c.Budget == 0,
		"key-variable, key-file, dimensions, price and budget have no effect without --model=https://host/v1#MODEL")
	if encoder.IsEndpoint(c.Model) {
		errs.Add(c.endpoint().Validate())
	}
}

// endpoint returns how the service is asked.
func (c Config) endpoint() endpoint.Config {
	return endpoint.Config{Location: c.Model, Dimensions: c.Dimensions, KeyVariable: c.KeyVariable, KeyFile: c.KeyFile, Price: c.Price,
		Budget: endpoint.NewBudget(c.Budget), Call: c.Limits.Call()}
}

// source gives vectors without libtorch.
type source interface {
	// vectors sets the places, the vectors and the dimension of a batch.
	vectors(ctx context.Context, b *batch) error
	io.Closer
}

// sourcePlan plans a run whose vectors come from a file or a service.
func (c Config) sourcePlan(ctx context.Context, texts dataset.Input, units []dataset.Unit) (*dataset.Plan, error) {
	input := dataset.ListingInput("model", []dataset.File{{Name: c.endpoint().Identity()}})
	if c.Import != "" {
		var err error
		if input, err = dataset.FileInput(ctx, "vectors", c.Import); err != nil {
			return nil, err
		}
	}
	config := struct {
		Column   string `json:"import_column,omitempty"`
		IDs      string `json:"import_ids,omitempty"`
		Language string `json:"language,omitempty"`
		NoText   bool   `json:"no_text,omitempty"`
	}{c.ImportColumn, c.ImportIDs, "", c.NoText}
	if c.Lines != "" {
		config.Language = c.Language
	}
	return dataset.Draft{
		Pipeline: "embed", PipelineVersion: Version, Schema: schemas.Embedding{}.Schema(), Config: config, ShardBytes: int64(c.ShardBytes),
		Units: units, Inputs: []dataset.Input{texts, input},
	}.Plan()
}

// prepareSource is the part of prepare for a file or a service. The texts are open unless they are lines.
func (r *run) prepareSource(ctx context.Context, c Config) (err error) {
	r.config = c
	if c.Lines == "" {
		shard := int64(c.ShardBytes)
		r.units = dataset.Pack(r.texts.Pieces(shard), shard)
		r.plan, err = c.sourcePlan(ctx, r.texts.Input("texts"), r.units)
		return err
	}
	input, err := dataset.FileInput(ctx, "texts", c.Lines)
	if err != nil {
		return err
	}
	r.texts, r.span = &dataset.Manifest{}, spanLines
	r.units = []dataset.Unit{{Spans: []dataset.Span{{Name: path.Base(c.Lines), To: 1}}}}
	r.plan, err = c.sourcePlan(ctx, input, r.units)
	return err
}

// openSource opens the file or the service, before anything is written.
func (r *run) openSource(ctx context.Context) (err error) {
	if r.config.Import != "" {
		r.source, err = r.openImport(ctx)
		return err
	}
	c := r.config.endpoint()
	kept, err := vectorcache.OpenPaid(endpoint.Name(c.Location), c.Identity(),
		func() (vectorcache.Streaming, error) { return endpoint.Open(c) })
	if err != nil {
		return err
	}
	if err := kept.Try(ctx); err != nil {
		return fmt.Errorf("model: %w", errors.Join(err, kept.Close()))
	}
	r.source = service{kept, c.Budget, r.options.Note}
	return nil
}

// sourced writes the rows of a unit.
func (r *run) sourced(ctx context.Context, unit dataset.Unit) error {
	place := int64(0)
	if r.first != nil {
		place = r.first[unit.Ordinal]
	}
	for b, err := range r.batches(ctx, r.units[unit.Ordinal]) {
		if err != nil {
			return err
		}
		b.first = place
		place += int64(len(b.texts))
		if err := r.source.vectors(ctx, b); err != nil {
			return err
		}
		if err := r.write(ctx, b); err != nil {
			return err
		}
		b.release()
	}
	return r.out.Commit(ctx)
}

// service is an encoder behind a service.
type service struct {
	*vectorcache.Encoder
	budget *endpoint.Budget
	note   func(string)
}

// Close says what was spent.
func (s service) Close() error {
	if spent := s.budget.String(); spent != "" && s.note != nil {
		s.note(spent)
	}
	return s.Encoder.Close()
}

func (s service) vectors(ctx context.Context, b *batch) error {
	different, places := distinct(b.texts)
	vectors, err := s.Encode(ctx, different)
	if err == nil {
		d := vectors.(encoder.Dense)
		b.places, b.vectors, b.dimension = places, d.Data, d.Dim
	}
	return err
}

// longestLine bounds a text of a file of lines.
const longestLine = 1 << 20

// spanLines yields the lines of a file, as rows of one text.
func spanLines(ctx context.Context, r *run, _ dataset.Span) iter.Seq2[iter.Seq[texts.Text], error] {
	return func(yield func(iter.Seq[texts.Text], error) bool) {
		folder, name, err := storage.LocateFile(r.config.Lines)
		if err != nil {
			yield(nil, err)
			return
		}
		object, err := folder.Open(ctx, name)
		if err != nil {
			yield(nil, err)
			return
		}
		defer object.Close()
		lines := bufio.NewScanner(io.NewSectionReader(object, 0, object.Size()))
		lines.Buffer(make([]byte, 1<<16), longestLine)
		number := 1
		for ; lines.Scan(); number++ {
			if !utf8.Valid(lines.Bytes()) {
				yield(nil, fmt.Errorf("lines: line %d of %s is not UTF-8: `iconv -f CHARSET -t UTF-8` converts the file", number, name))
				return
			}
			text := texts.Text{Row: path.Base(name) + "/" + strconv.Itoa(number), Text: strings.TrimSuffix(lines.Text(), "\r"),
				Language: r.config.Language}
			if !yield(func(yield func(texts.Text) bool) { yield(text) }, nil) {
				return
			}
		}
		if errors.Is(lines.Err(), bufio.ErrTooLong) {
			yield(nil, fmt.Errorf("lines: line %d has more than %d KiB", number, longestLine>>10))
		} else if lines.Err() != nil {
			yield(nil, lines.Err())
		}
	}
}
