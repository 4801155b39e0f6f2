// Package torchverbs holds the verbs that make, train and run encoders and need libtorch.
// The program sentweave-torch runs them; sentweave parses their command lines and
// starts it.
package torchverbs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/model"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/formats"
	"sentweave/transforms/tokens/masking"
	"sentweave/transforms/tokens/wordpiece"
)

// encoderGroup is the group of the flags of an encoder.
const encoderGroup = "Encoder"

// architecture are the flags of a new encoder.
type architecture struct {
	Vocabulary       string  `help:"Vocabulary of a new encoder: a WordPiece file with one piece a line, a tokenizer.json of WordPiece, Unigram or BPE, or the folder of an encoder that has one of them." placeholder:"FILE" takes:"vocabulary" group:"Encoder"`
	Size             string  `help:"What the other flags of the encoder are where they are not given, and for train --preset also steps, warm-up, batches, rates, optimizer, tokens, checkpoints and the weight of bitext retrieval (${enum}): tiny learns in minutes on two cores, small in an hour or two on eight, base is BERT base and wants a GPU." default:"base" enum:"tiny,small,base" group:"Encoder"`
	Architecture     string  `help:"The kind of a new encoder (${enum})." default:"bert" enum:"bert,roberta,xlm-roberta,camembert,distilbert,mpnet,modernbert" group:"Encoder"`
	Cased            bool    `help:"Keep case and accents; the vocabulary must be cased." group:"Encoder"`
	Layers           int     `help:"Layers; without any it is a bag of embeddings." default:"12" group:"Encoder"`
	Hidden           int     `help:"Size of the vectors." default:"768" group:"Encoder"`
	Heads            int     `help:"Attention heads of a layer." default:"12" group:"Encoder"`
	Intermediate     int     `help:"Inner size of the feed-forward layers, of modernbert that of values and of gates each." default:"3072" group:"Encoder"`
	Positions        int     `help:"Most tokens that the encoder can take." default:"512" group:"Encoder"`
	Dropout          float64 `help:"Dropout of hidden states and attention in training." default:"0.1" group:"Encoder"`
	InitializerRange float64 `help:"Standard deviation of the weights that are drawn." default:"0.02" group:"Encoder"`
	Pooling          string  `help:"How the vectors of tokens become one (${enum})." default:"mean" enum:"mean,max,cls" group:"Encoder"`
	EncodeTokens     int     `help:"Most tokens of a text that is encoded later; 0 is all positions." default:"0" group:"Encoder"`

	// given are the flags of the group that the command line names.
	given []string
}

// BeforeApply is called by kong before the values of flags are set.
func (a *architecture) BeforeApply(k *kong.Context) error {
	for _, p := range k.Path {
		if p.Flag != nil && p.Flag.Group != nil && p.Flag.Group.Key == encoderGroup && !slices.Contains(a.given, p.Flag.Name) {
			a.given = append(a.given, p.Flag.Name)
		}
	}
	slices.Sort(a.given)
	if s, ok := sized(k); ok {
		a.resize(s)
	}
	return nil
}

// againstFrom returns the faults of flags that say how a new encoder is made, beside
// --from, which names one that is there. The pooling is compared with its own.
func (a *architecture) againstFrom() (errs []error) {
	for _, name := range a.given {
		switch name {
		case "from", "pooling", "size": // which says how it is trained
		case "vocabulary":
			errs = append(errs, errors.New("from and --vocabulary exclude each other: the folder has its vocabulary"))
		case "layers":
			errs = append(errs, errors.New(
				"from and --layers exclude each other: the encoder of --from is as it was made; `sentweave init --from BAG --layers N` puts layers on a bag of embeddings"))
		default:
			errs = append(errs, fmt.Errorf("from and --%s exclude each other: the encoder of --from is as it was made", name))
		}
	}
	return errs
}

// validate returns all faults at once.
func (a architecture) validate() error {
	var errs fault.List
	if a.Positions < model.MinTokens { // config.json counts more in some architectures
		errs.Addf("positions is %d, it must be at least %d", a.Positions, model.MinTokens)
		a.Positions, a.EncodeTokens = model.ConfigOf(a.Architecture).MaxPositions, 0
	}
	c := a.config()
	c.VocabularySize = c.PadID + 5
	errs.Add(sizeFaults(c, nil))
	errs.Check(a.EncodeTokens == 0 || a.EncodeTokens >= model.MinTokens && a.EncodeTokens <= a.Positions,
		"encode-tokens is %d, it must be 0 or from %d to the %d positions", a.EncodeTokens, model.MinTokens, a.Positions)
	return errs.Err()
}

func (a architecture) config() model.Config {
	c := model.ConfigOf(a.Architecture)
	c.Layers, c.HiddenSize, c.Heads, c.IntermediateSize = a.Layers, a.Hidden, a.Heads, a.Intermediate
	c.MaxPositions = a.Positions + c.FirstPosition()
	c.InitializerRange = a.InitializerRange
	c.SetDropout(a.Dropout)
	return c
}

// settings are an encoder's settings with its vocabulary.
type settings struct {
	folder     *model.Folder
	vocabulary tokens.Vocabulary
	special    tokens.Special
	// fingerprint is that of the vocabulary in datasets of examples.
	fingerprint string
}

// fetch returns the folder of a trained encoder on the local disk, with what training
// has left there beside the encoder.
func fetch(ctx context.Context, location string) (*cache.Folder, error) {
	return model.Fetch(ctx, location, model.HeadsName, train.RecordName)
}

// open reads the vocabulary and the settings: those of the local folder, which
// stands for the location, or, if it is empty, those of a new encoder.
func (a architecture) open(ctx context.Context, folder, location string) (e *settings, err error) {
	e = &settings{}
	if folder != "" {
		err = e.openFolder(folder, location, a)
	} else {
		err = e.openNew(ctx, a)
	}
	if err != nil {
		return nil, err
	}
	e.fingerprint = dataset.VocabularyInput(e.vocabulary.Content()).XXH3
	return e, nil
}

// openFolder reads the folder of an encoder. One that names no pooling has that of the flag, and so has one of a pooling with which
// none is trained, if the flag is given; one that names another than was given is an error.
func (e *settings) openFolder(path, location string, a architecture) (err error) {
	if e.folder, err = model.Open(path); err != nil {
		return model.NoEncoder(location, err)
	}
	trained := e.folder.Pooling.Trained() || e.folder.Pooling == model.Lens
	switch pooling := model.Pooling(a.Pooling); {
	case e.folder.Pooling == "" || !trained && slices.Contains(a.given, "pooling"):
		e.folder.Pooling = pooling
	case !trained && pooling != "":
		return fmt.Errorf("the encoder of --from, %s, has the pooling %s, with which none is trained: choose one by --pooling, mean, max or cls",
			location, e.folder.Pooling)
	case slices.Contains(a.given, "pooling") && pooling != e.folder.Pooling:
		return fmt.Errorf("pooling is %s, but the encoder of --from, %s, has %s: leave --pooling out", pooling, location, e.folder.Pooling)
	}
	if e.folder.Pooling != "" { // prefix asks for none
		if err := e.folder.Validate(); err != nil { // it could be read, and not be written
			return fmt.Errorf("%s: %w", location, err)
		}
	}
	if e.vocabulary, err = e.folder.Vocabulary(); err != nil {
		return err
	}
	if e.special, err = e.vocabulary.Special(); err != nil {
		return fmt.Errorf("vocabulary of %s: %w", location, err)
	}
	return nil
}

// openNew reads the vocabulary of a new encoder.
func (e *settings) openNew(ctx context.Context, a architecture) (err error) {
	file := formats.Locate(ctx, a.Vocabulary)
	if e.vocabulary, err = formats.Read(ctx, file); err != nil {
		return fmt.Errorf("vocabulary %s: %w", file, err)
	}
	if _, isWordPiece := e.vocabulary.(*wordpiece.Vocabulary); isWordPiece && a.config().IsGated() {
		return fmt.Errorf("vocabulary %s is of WordPiece: transformers opens a %s with a tokenizer.json of BPE or Unigram only; give one, or leave out --architecture",
			file, a.Architecture)
	}
	if e.special, err = e.vocabulary.Special(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := e.vocabulary.CheckCase(a.Cased); err != nil {
		return fmt.Errorf("vocabulary %s: %w", file, err)
	}
	e.folder = &model.Folder{Config: a.config(), Pooling: model.Pooling(a.Pooling), MaxTokens: a.EncodeTokens, Tokenizer: wordpiece.Uncased}
	e.folder.Config.VocabularySize = e.vocabulary.Size()
	e.folder.Config.PadID = int(e.special.Padding)
	e.folder.Config.MaxPositions = a.Positions + e.folder.Config.FirstPosition()
	if a.Cased {
		e.folder.Tokenizer = wordpiece.Cased
	}
	if e.folder.MaxTokens == 0 {
		e.folder.MaxTokens = a.Positions
	}
	return nil
}

// encoding is what examples must fit.
func (e *settings) encoding() batches.Encoding {
	special := append(e.special.Own(), masking.Placeholders(e.vocabulary.Pieces())...)
	return batches.Encoding{
		Vocabulary: masking.Vocabulary{Size: int32(e.folder.Config.VocabularySize), Mask: e.special.Mask, Special: special,
			Continues: e.vocabulary.Continues},
		Padding: e.special.Padding, MaxTokens: e.folder.Config.MaxTokens(),
	}
}
