package formats

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/bpe"
	"sentweave/transforms/tokens/pieces"
	"sentweave/transforms/tokens/unigram"
	"sentweave/transforms/tokens/wordpiece"
)

// names are the files of a folder that say how texts become ids, but for that of WordPiece. The first one that is there counts, as in
// transformers.
var names = []string{SerializedName, bpe.PiecesName, unigram.ModelName, unigram.OtherModelName}

// Names are all files of a folder that decide how texts become ids, beside its settings.
func Names() []string {
	return append([]string{wordpiece.FileName, bpe.MergesName, addedTokensName}, names...)
}

// Files reads a file of a folder by its name. The error of one that is not there is fs.ErrNotExist.
type Files func(name string) ([]byte, error)

// ReadFolder reads the tokenizer of a folder, and the name of the file that has it: a tokenizer.json, the two files of RoBERTa's
// folders, or one of SentencePiece. A folder without one has none, and no error.
func ReadFolder(files Files) (s Serialized, name string, err error) {
	for _, name := range names {
		s, err := files.serialized(name)
		if missing := (absent{}); errors.As(err, &missing) && missing.name == name {
			continue
		}
		return s, name, err
	}
	return nil, "", nil
}

// absent is the error of a file that is not there.
type absent struct {
	name string
	error
}

func (a absent) Unwrap() error { return a.error }

func (f Files) read(name string) ([]byte, error) {
	data, err := f(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = absent{name, err}
	}
	return data, err
}

// serialized reads a tokenizer of the file of a name and of those beside it.
func (f Files) serialized(name string) (Serialized, error) {
	data, err := f.read(name)
	if err != nil {
		return nil, err
	}
	settings := &settings{}
	if slices.Contains(names, name) {
		if settings, err = f.settings(); err != nil {
			return nil, err
		}
	}
	switch {
	case name == bpe.PiecesName:
		merges, err := f.read(bpe.MergesName)
		if err == nil {
			data, err = bpe.Serialize(data, merges, settings.Prefix != nil && *settings.Prefix)
		}
		if err != nil {
			return nil, err
		}
	case path.Ext(name) == ".model":
		class := settings.Class
		switch model := settings.Model; {
		case class == "" && model == "camembert":
			class = unigram.CamembertClass
		case class == "" && (model == "" || model == "xlm-roberta" || model == "roberta"):
			class = unigram.XLMRClass
		}
		if class != unigram.XLMRClass && class != unigram.CamembertClass {
			return nil, fmt.Errorf("its ids depend on the class of the tokenizer, and %s is not supported, only %s and %s: load it with transformers, and save_pretrained(folder) writes a %s",
				cmp.Or(class, "that of a model_type "+settings.Model), unigram.XLMRClass, unigram.CamembertClass, SerializedName)
		}
		if err := settings.checkAdded(nil); err != nil {
			return nil, err
		}
		return unigram.ReadModel(data, class)
	}
	s, err := ReadSerialized(data)
	if err != nil {
		return nil, err
	}
	if s, err = settings.apply(s); err != nil {
		return nil, err
	}
	var file struct {
		Added []pieces.Added `json:"added_tokens"`
	}
	if err := jsonfile.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	return s, settings.checkAdded(file.Added)
}

// Locate returns the location of the file of a vocabulary: the one that is given, or, of the folder of an encoder, that of ReadFolder,
// else its vocab.txt. The Transformer may lie in a folder below, as modules.json says.
func Locate(ctx context.Context, location string) string {
	folder, err := storage.Locate(location)
	if err != nil {
		return location
	}
	var modules []struct {
		Path string `json:"path"`
	}
	if data, err := storage.ReadFile(ctx, folder, "modules.json", 1<<20); err == nil && jsonfile.Unmarshal(data, &modules) == nil &&
		len(modules) > 0 && fs.ValidPath(modules[0].Path) {
		if below, err := storage.Locate(storage.Join(location, modules[0].Path)); err == nil {
			folder, location = below, storage.Join(location, modules[0].Path)
		}
	}
	has := func(name string) bool {
		_, err := folder.Stat(ctx, name)
		return err == nil
	}
	for _, name := range append(names, wordpiece.FileName) {
		if name == bpe.PiecesName && has(wordpiece.FileName) && !has(bpe.MergesName) {
			continue // the record of sentweave vocab, which has the same name
		}
		if has(name) {
			return storage.Join(location, name)
		}
	}
	return location
}

// Read reads the vocabulary of a file: a tokenizer.json or another file of JSON like it, a file of SentencePiece, a vocab.json with the
// merges.txt beside it, or else a WordPiece vocabulary with one piece a line. What folders say of such a file beside it counts.
func Read(ctx context.Context, location string) (tokens.Vocabulary, error) {
	parent, name, err := storage.Split(location)
	if err != nil {
		return nil, err
	}
	if name == bpe.MergesName {
		name = bpe.PiecesName
	}
	files := Files(func(name string) ([]byte, error) {
		return storage.ReadLocation(ctx, storage.Join(parent, name), MaxFile)
	})
	if extension := strings.ToLower(path.Ext(name)); extension != ".json" && extension != ".model" {
		data, err := files.read(name)
		if err != nil {
			return nil, err
		}
		if err := files.CheckWords(); err != nil {
			return nil, err
		}
		return wordpiece.ReadVocabulary(bytes.NewReader(data))
	}
	s, err := files.serialized(name)
	if err != nil {
		return nil, err
	}
	return s.Vocabulary()
}
