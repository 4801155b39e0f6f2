package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/transforms/tokens/formats"
	"sentweave/transforms/tokens/wordpiece"
)

// Folder is an encoder that is not loaded: everything but its weights.
type Folder struct {
	Path   string
	Config Config
	// Inside is the folder of the encoder itself, with its tokenizer, where that lies below Path; "" where it does not.
	Inside string
	// Pooling and Normalize say what becomes of the last layer.
	Pooling   Pooling
	Normalize bool
	// Dense are layers between the pooling and Normalize.
	Dense []Dense
	// MaxTokens is the most tokens of a sentence, [CLS] and [SEP] among them.
	MaxTokens int
	// LensSize is the size of the vectors, where the pooling is Lens.
	LensSize int
	// Second says that there is a second encoder with weights of its own, whose vector is
	// put behind that of the first.
	Second bool
	// Gate is the GatedConv of the lens; a lens without one has the zero value.
	Gate GatedConv
	// Tokenizer are the settings of WordPiece; tokenizers of other models have theirs in their file.
	Tokenizer wordpiece.Options
	// Prompt is put before every text: of a folder that is opened, the default one of
	// sentence-transformers, if it has one. WithoutPrompt leaves its tokens out of the
	// pooling, [CLS] among them.
	Prompt        string
	WithoutPrompt bool
	// Truncate is how many of their first numbers the vectors of a folder that is opened have,
	// after all else (truncate_dim of sentence-transformers); 0 leaves them whole. WriteSettings
	// does not write it, nor Prompt.
	Truncate int

	// parsed is the tokenizer's file, once it is read, and parsedName its name; vocab.txt is none.
	parsed     formats.Serialized
	parsedName string
}

// Names of the files.
const (
	WeightsName    = "model.safetensors"
	VocabularyName = wordpiece.FileName
)

// MinTokens is the least number of tokens that an encoder takes: [CLS], a token and [SEP].
const MinTokens = 3

// maxJSON bounds the files of settings.
const maxJSON = 16 << 20

type moduleJSON struct {
	Index int    `json:"idx"`
	Name  string `json:"name"`
	Path  string `json:"path"`
	Type  string `json:"type"`
}

// A lens is a module that sentence-transformers does not have: it says so when it loads the
// folder, instead of giving other vectors.
const (
	lensType       = "sentweave.Lens"
	lensFolder     = "1_Lens"
	lensConfigName = lensFolder + "/config.json"
	// LensWeightsName has the matrix and the bias of a lens.
	LensWeightsName = lensFolder + "/" + WeightsName
)

// A second encoder is such a module, too.
const (
	secondType       = "sentweave.SecondEncoder"
	secondFolder     = "1_Second"
	secondConfigName = secondFolder + "/config.json"
	// SecondWeightsName has the weights of a second encoder.
	SecondWeightsName = secondFolder + "/" + WeightsName
)

type secondJSON struct {
	Pooling Pooling `json:"pooling"`
}

type lensJSON struct {
	Size int        `json:"size"`
	Gate *GatedConv `json:"gated_conv,omitempty"`
}

// GatedConv says of a lens how two networks gate tokens before it (Kiros 2020, equations 1
// to 3): each has a linear layer and Layers convolutions over Width tokens, of Size.
type GatedConv struct {
	Size   int    `json:"size"`
	Layers int    `json:"layers"`
	Width  int    `json:"width"`
	Skip   string `json:"skip"`
}

// What the gated vectors are added to: the first layer of the controller, or of the encoder.
const (
	SkipController = "g0"
	SkipEncoder    = "h0"
)

// Validate returns all faults at once.
func (g GatedConv) Validate() error {
	var errs fault.List
	errs.Check(g.Size >= 1 && g.Size <= 1<<16, "gate is %d, it must be from 1 to %d", g.Size, 1<<16)
	errs.Check(g.Layers >= 1 && g.Layers <= 16, "layers is %d, it must be from 1 to 16", g.Layers)
	errs.Check(g.Width >= 1 && g.Width <= 31 && g.Width%2 == 1, "width is %d, it must be an odd number from 1 to 31", g.Width)
	errs.Check(g.Skip == SkipController || g.Skip == SkipEncoder, "skip %q is not one of %s, %s", g.Skip, SkipController, SkipEncoder)
	return errs.Err()
}

type sentenceJSON struct {
	MaxTokens *float64 `json:"max_seq_length"`
	Lowercase bool     `json:"do_lower_case"`
}

// Open reads the settings of a folder. Without modules.json, as plain BERTs have
// none, the pooling is empty: it must be chosen, since a silent default has
// spoiled more than one published comparison.
func Open(path string) (*Folder, error) {
	f := &Folder{Path: path}
	modules, err := f.listed()
	if err != nil {
		return nil, err
	}
	name := filepath.Join(f.Inside, "config.json")
	data, err := f.content(name, maxJSON)
	if err != nil {
		return nil, err
	}
	if f.Config, err = ParseConfig(data); err == nil {
		err = f.Config.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(path, name), err)
	}
	if err := f.tokenizer(); err != nil {
		return nil, err
	}
	if err := f.modules(modules); err != nil {
		return nil, err
	}
	encoding, err := f.readEncoding()
	if err != nil {
		return nil, err
	}
	f.Prompt, f.Truncate = encoding.prompts[encoding.usual], encoding.truncate
	return f, nil
}

// listed reads which modules the folder has, none if it does not say, and where the encoder is.
func (f *Folder) listed() (modules []moduleJSON, err error) {
	if err := f.read("modules.json", &modules); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	if len(modules) > 0 && modules[0].kind() == "Transformer" && modules[0].Path != "" && filepath.Clean(modules[0].Path) != "." {
		if f.Inside = filepath.Clean(modules[0].Path); !inside.MatchString(f.Inside) {
			return nil, fmt.Errorf("%s: the Transformer is in %q: it must be in the folder itself, or in one such as 0_Transformer",
				filepath.Join(f.Path, "modules.json"), modules[0].Path)
		}
	}
	return modules, nil
}

// kind is the name of the module's class.
func (m moduleJSON) kind() string { return m.Type[strings.LastIndexByte(m.Type, '.')+1:] }

// WeightsPath is where the weights of the encoder are, as OpenWeights takes it.
func (f *Folder) WeightsPath() string { return filepath.Join(f.Path, f.Inside, WeightsName) }

func (f *Folder) modules(modules []moduleJSON) error {
	for i, m := range modules {
		kind := m.kind()
		if m.Path != "" && !filepath.IsLocal(m.Path) {
			return fmt.Errorf("%s: module %q is outside of the folder", filepath.Join(f.Path, "modules.json"), m.Path)
		}
		switch {
		case kind == "Transformer" && i == 0:
			s, name, err := f.sentence()
			if err != nil {
				return err
			}
			if err := f.limit(name, "max_seq_length", s.MaxTokens); err != nil { // it is above that of the tokenizer
				return err
			}
			if _, isWordPiece := f.parsed.(*wordpiece.Serialized); s.Lowercase && f.parsed != nil && !isWordPiece {
				return fmt.Errorf("%s: do_lower_case is only supported with WordPiece: let the normalizer of tokenizer.json lower texts",
					filepath.Join(f.Path, name))
			}
			if s.Lowercase { // also where the tokenizer keeps case; accents stay its own
				f.Tokenizer.Lowercase = true
			}
		case kind == "Pooling" && i == 1:
			name := filepath.Join(m.Path, "config.json")
			var p poolingJSON
			if err := f.read(name, &p); err != nil {
				return err
			}
			f.WithoutPrompt = p.Prompt != nil && !*p.Prompt
			if f.Pooling = p.pooling(); f.Pooling == "" {
				return fmt.Errorf("%s: its pooling is not supported, only %s, %s, %s, %s, %s and %s, or several of them", filepath.Join(f.Path, name),
					readPoolings[0], readPoolings[1], readPoolings[2], readPoolings[3], readPoolings[4], readPoolings[5])
			}
		case m.Type == lensType && i == 1:
			var l lensJSON
			if err := f.read(lensConfigName, &l); err != nil {
				return err
			}
			if l.Size < 1 || l.Size > 1<<16 {
				return fmt.Errorf("%s: a lens of size %d", filepath.Join(f.Path, lensConfigName), l.Size)
			}
			f.Pooling, f.LensSize = Lens, l.Size
			if l.Gate != nil {
				if err := l.Gate.Validate(); err != nil {
					return fmt.Errorf("%s: %w", filepath.Join(f.Path, lensConfigName), err)
				}
				f.Gate = *l.Gate
			}
		case m.Type == secondType && i == 1:
			var second secondJSON
			if err := f.read(secondConfigName, &second); err != nil {
				return err
			}
			if p := second.Pooling; !p.Trained() {
				return fmt.Errorf("%s: pooling %q is not one of mean, max, cls", filepath.Join(f.Path, secondConfigName), p)
			}
			f.Pooling, f.Second = second.Pooling, true
		case kind == "Dense" && i >= 2 && !f.Normalize && f.Pooling != Lens && !f.Second:
			if err := f.dense(m.Path); err != nil {
				return err
			}
		case kind == "Normalize" && i >= 2 && !f.Normalize:
			f.Normalize = true
		default:
			return fmt.Errorf("%s: module %d is a %s, which is not supported: only Transformer, Pooling, Dense and Normalize, in that order",
				filepath.Join(f.Path, "modules.json"), i, kind)
		}
	}
	return nil
}

// read reads a file of JSON below the folder.
func (f *Folder) read(name string, value any) error {
	data, err := f.content(name, maxJSON)
	if err != nil {
		return err
	}
	if err := jsonfile.Unmarshal(data, value); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(f.Path, name), err)
	}
	return nil
}

// content reads a file below the folder, of so many bytes at most.
func (f *Folder) content(name string, limit int64) ([]byte, error) {
	path := filepath.Join(f.Path, name)
	file, err := storage.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	long := fmt.Errorf("%s is longer than %d bytes", path, limit)
	if info, err := file.Stat(); err != nil || info.Size() > limit {
		return nil, cmp.Or(err, long)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if int64(len(data)) > limit { // it has grown
		err = long
	}
	return data, err
}
