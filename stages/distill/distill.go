// Package distill draws the meaning out of sentence embeddings: a stage that learns,
// from embeddings of texts and their translations, to split a vector into a part that
// tells the meaning and a part that tells the language (Tiyajamorn et al. 2021,
// "Language-agnostic Representation from Multilingual Sentence Encoders for
// Cross-lingual Similarity Estimation").
//
// # Method
//
// Two layers, each one matrix with a bias, give the meaning ê_M and the language ê_L of
// a vector e. A third one tells from ê_L which language it is. Over pairs of a text s and
// its translation t, each with another random text of its language, s' and t', the
// loss is the sum of (section 3)
//   - reconstruction: the mean squared difference between ê_M + ê_L and e, of both sides,
//   - meaning: 1 − cos(s_M, t_M) + max(0, cos(s_M, s'_M)) + max(0, cos(t_M, t'_M)),
//   - language: 2 − cos(s_L, s'_L) − cos(t_L, t'_L), and the cross-entropy of the
//     languages of both sides.
//
// Beside it stands the projection of Libovický et al. 2020: the vectors of each language are mapped onto those of
// their translations in one language, by the affine map with the least squares.
//
// Adam steps over batches until the loss on pairs that are held out has not become less
// for some epochs; the best epoch counts. All is a function of configuration and
// embeddings, on processors of one kind.
package distill

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
)

// Version of the stage: raised when the same input gives another result.
const Version = 2

// RecordName is the file that is written last, beside FileName.
const RecordName = "distill.json"

var files = dataset.LearnedFiles{Record: RecordName, File: FileName, Lacks: "a split of embeddings"}

// Config is the configuration of the stage, by default the paper's. The tags are read by
// the command line; the json names are in the record.
type Config struct {
	Embeddings string `help:"Dataset of embeddings of pairs of translations, as sentweave embed makes it of pairs: their ids end in /a and /b." required:"" placeholder:"DIR" takes:"embedding" kinds:"bitext" group:"Input" json:"-"`
	Into       string `help:"Language onto whose vectors those of their translations are mapped, by least squares (Libovický et al. 2020), in the place of a split. Of the flags for losses and training, only --validation then has an effect." placeholder:"CODE" group:"Input" json:"into,omitempty"`
	MaxPairs   int    `help:"Most pairs: those whose ids have the least hashes. Memory is two vectors for each of them, and some tens of bytes for each pair of the input." default:"100000" group:"Input" json:"max_pairs"`

	Reconstruction float64 `help:"Weight of the loss by which both parts give back the vector." default:"1" group:"Loss" json:"reconstruction"`
	Meaning        float64 `help:"Weight of the loss by which translations have one meaning, and other texts another." default:"1" group:"Loss" json:"meaning"`
	Language       float64 `help:"Weight of the losses by which the other part tells the language." default:"1" group:"Loss" json:"language"`

	Batch      int     `help:"Pairs of a batch." default:"512" group:"Training" json:"batch"`
	Rate       float64 `help:"Learning rate of Adam." default:"0.0001" group:"Training" json:"rate"`
	Epochs     int     `help:"Most passes over the pairs." default:"1000" group:"Training" json:"epochs"`
	Validation float64 `help:"Share of the pairs that are not trained on and say when to stop." default:"0.1" group:"Training" json:"validation"`
	Patience   int     `help:"Passes without a lower loss on these, after which the training ends." default:"15" group:"Training" json:"patience"`
	Seed       uint64  `help:"Seed of the weights, the order of the pairs and the other texts." default:"0" group:"Training" json:"seed"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.Embeddings != "", "embeddings is empty: give a dataset of embeddings of pairs")
	if err := language.Check(c.Into); c.Into != "" && err != nil {
		errs.Addf("into: %w", err)
	}
	for _, n := range []struct {
		flag       string
		value, max int
	}{{"max-pairs", c.MaxPairs, 1 << 30}, {"batch", c.Batch, 1 << 20}, {"epochs", c.Epochs, 1 << 20}, {"patience", c.Patience, 1 << 20}} {
		errs.Check(n.value >= 1 && n.value <= n.max, "%s is %d, it must be from 1 to %d", n.flag, n.value, n.max)
	}
	for _, n := range []struct {
		flag  string
		value float64
	}{{"reconstruction", c.Reconstruction}, {"meaning", c.Meaning}, {"language", c.Language}} {
		errs.Check(n.value >= 0 && n.value <= 1000, "%s is %v, it must be from 0 to 1000", n.flag, n.value)
	}
	errs.Check(c.Reconstruction+c.Meaning+c.Language > 0, "all weights are 0: nothing is learned")
	errs.Check(c.Rate > 0 && c.Rate <= 1, "rate is %v, it must be above 0 and at most 1", c.Rate)
	errs.Check(c.Validation > 0 && c.Validation < 1, "validation is %v, it must be a share above 0 and below 1", c.Validation)
	return errs.Err()
}

// Record is what RecordName holds.
type Record struct {
	dataset.Learned[Config]
	// Pairs counts the pairs by their two languages.
	Pairs map[string]int `json:"pairs"`
	// Epochs is how many were taken, Best the one that counts, with its losses.
	Epochs int   `json:"epochs,omitempty"`
	Best   Epoch `json:"best,omitzero"`
	// Unexplained is the share of the variance of the vectors in the language of Into, over the pairs that
	// validate, that the projection of each other language does not explain.
	Unexplained map[string]float64 `json:"unexplained,omitempty"`
}

// Options are what decides nothing about the result.
type Options struct {
	Overwrite bool
	// Observe is called after each epoch.
	Observe func(Epoch)
}

// Run learns from a dataset of embeddings, into the folder at output. Existed says that the
// same request was met before; another one is refused unless it is to be overwritten.
func Run(ctx context.Context, output string, c Config, o Options) (r *Record, existed bool, err error) {
	folder, input, m, r, err := c.request(ctx, output)
	if err != nil {
		return nil, false, err
	}
	var existing Record
	if existed, err := r.Present(ctx, folder, files, &existing, o.Overwrite); err != nil || existed {
		return &existing, existed, err
	}
	pairs, languages, err := r.read(ctx, input, m)
	if err != nil {
		return nil, false, fmt.Errorf("embeddings %s: %w", input, err)
	}
	if err := storage.CheckWritable(ctx, folder, FileName); err != nil { // before anything is learned
		return nil, false, err
	}
	learned, err := r.learn(ctx, pairs, languages, o.Observe)
	if err != nil {
		return nil, false, fmt.Errorf("embeddings %s: %w", input, err)
	}
	data, err := learned.marshal()
	if err == nil {
		err = r.Save(ctx, folder, FileName, data)
	}
	if err != nil {
		return nil, false, fmt.Errorf("write %s: %w", FileName, err)
	}
	return r, false, dataset.WriteRecord(ctx, folder, RecordName, " ", r)
}

// request opens the folder at output and the embeddings, and returns the record of what is asked for.
func (c Config) request(ctx context.Context, output string) (folder, input storage.Folder, m *dataset.Manifest, r *Record, err error) {
	if err = c.Validate(); err != nil {
		return nil, nil, nil, nil, err
	}
	if folder, err = storage.Locate(output); err != nil {
		return nil, nil, nil, nil, err
	}
	if input, m, err = dataset.OpenAs[schemas.Embedding](ctx, c.Embeddings); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("embeddings: %w", err)
	}
	r = &Record{}
	r.Record = dataset.Record[Config]{Stage: "distill", Version: Version, Config: c}
	r.From(m)
	return folder, input, m, r, nil
}

// Standing returns what Run would find in the folder at output, or the error with which it would refuse that
// without Overwrite.
func Standing(ctx context.Context, output string, c Config) (dataset.Fate, error) {
	folder, _, _, r, err := c.request(ctx, output)
	if err != nil {
		return dataset.Fresh, err
	}
	var existing Record
	return r.Standing(ctx, folder, files, &existing)
}

// learn learns a split of the vectors of pairs, or projections.
func (r *Record) learn(ctx context.Context, pairs []pair, languages []string, observe func(Epoch)) (learned Distilled, err error) {
	if r.Config.Into != "" {
		learned, r.Unexplained, err = project(ctx, r.Config, pairs, languages)
		return learned, err
	}
	best, err := fit(ctx, r.Config, pairs, len(languages), observe)
	if err != nil {
		return nil, err
	}
	r.Epochs, r.Best = best.epochs, best.best
	return &split{languages: languages, network: best.network}, nil
}

// read returns the pairs in the order of their ids' hashes, and the languages. It reads the
// ids first, so that only the vectors of chosen pairs are held.
func (r *Record) read(ctx context.Context, input storage.Folder, m *dataset.Manifest) ([]pair, []string, error) {
	sides := map[uint64]uint8{} // which sides there are, by the hash of the pair's id
	err := eachSide(ctx, input, m, func(_ schemas.Embedding, id uint64, side int) error {
		sides[id] |= 1 << side
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	var chosen []uint64
	for id, mask := range sides {
		if mask == 3 {
			chosen = append(chosen, id)
		}
	}
	slices.Sort(chosen)
	chosen = chosen[:min(len(chosen), r.Config.MaxPairs)]
	pairs, names := make([]pair, len(chosen)), make([][2]string, len(chosen))
	err = eachSide(ctx, input, m, func(e schemas.Embedding, id uint64, side int) error {
		i, ok := slices.BinarySearch(chosen, id)
		switch {
		case !ok:
			return nil
		case pairs[i].vectors[side] != nil:
			return fmt.Errorf("the id %s occurs twice", e.ID)
		case len(e.Vector) == 0:
			return fmt.Errorf("row %s has no vector", e.ID)
		}
		pairs[i].id, names[i][side] = e.ID[:len(e.ID)-len("/a")], e.Language
		pairs[i].vectors[side] = slices.Clone(e.Vector)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	codes := map[string]int{}
	r.Pairs = map[string]int{}
	for i, p := range pairs {
		for side, v := range p.vectors {
			if dim := len(pairs[0].vectors[0]); len(v) != dim {
				return nil, nil, fmt.Errorf("a vector of the pair %s has %d dimensions, others have %d", p.id, len(v), dim)
			}
			codes[names[i][side]] = 0
		}
		r.Pairs[schemas.LanguagePair(names[i][0], names[i][1])]++
	}
	languages := slices.Sorted(maps.Keys(codes))
	for i, l := range languages {
		codes[l] = i
	}
	for i := range pairs {
		pairs[i].languages = [2]int{codes[names[i][0]], codes[names[i][1]]}
	}
	if len(languages) < 2 {
		return nil, nil, fmt.Errorf("%d rows hold %d pairs in %d languages, it takes 2: embed pairs of translations, so that the ids of their sides end in /a and /b",
			m.Rows, len(pairs), len(languages))
	}
	if training, validation := r.Config.split(pairs); len(training) < 2 || len(validation) == 0 {
		return nil, nil, fmt.Errorf("%d pairs are too few to train on some and to hold some out", len(pairs))
	}
	return pairs, languages, nil
}

// eachSide calls use with each row that is a side of a pair, and the hash of the pair's id.
func eachSide(ctx context.Context, input storage.Folder, m *dataset.Manifest,
	use func(e schemas.Embedding, id uint64, side int) error) error {
	for e, err := range dataset.Rows[schemas.Embedding](ctx, input, m) {
		if err != nil {
			return err
		}
		for side, suffix := range []string{"/a", "/b"} {
			if id, ok := strings.CutSuffix(e.ID, suffix); ok {
				if err := use(e, xxh3.HashString(id), side); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
