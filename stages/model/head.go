package model

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// HeadName begins the names of the parameters of a masked language model's head, as
// Hugging Face has them.
const HeadName = "cls.predictions."

// Head says where the parameters of a masked language model's head are.
type Head struct {
	// File is the name of the file that has it, WeightsName or HeadsName, and Path is where that is.
	File, Path string
	// Bias is the name of the vocabulary's, as BERT has it.
	Bias string
	// Decoder is the name of the vocabulary's matrix; empty if it is that of the word
	// embeddings.
	Decoder string
}

// errNoHead says that a folder has none.
var errNoHead = errors.New("no head of a masked language model")

// TiedHead finds the head with which a masked language model that begins with the folder
// goes on: one whose matrix is that of the word embeddings. If there is none, why says so.
func TiedHead(f *Folder) (h Head, why string, err error) {
	h, err = FindHead(f)
	switch {
	case errors.Is(err, errNoHead):
		return Head{}, "it has " + errNoHead.Error(), nil
	case err == nil && h.Decoder != "":
		return Head{}, "its head of a masked language model has a matrix of its own in the place of the word embeddings", nil
	}
	return h, "", err
}

// FindHead finds the head of a masked language model: among the weights, as
// transformers saves a BertForMaskedLM or BertForPreTraining, or in the file that
// CMLM's training leaves beside them. A folder without one is an error.
func FindHead(f *Folder) (Head, error) {
	for _, file := range []string{WeightsName, HeadsName} {
		path := filepath.Join(f.Path, file)
		if file == WeightsName {
			path = f.WeightsPath()
		}
		h, biased, err := headIn(path)
		if errors.Is(err, fs.ErrNotExist) && file == HeadsName {
			break
		}
		if err != nil {
			return Head{}, err
		}
		if h.Bias == "" {
			continue
		}
		h.File, h.Path = file, path
		// Where matrices are tied, as they are if nothing is said, transformers does not
		// look at the one in the file.
		var tied struct {
			Words *bool `json:"tie_word_embeddings"`
		}
		if err := f.read(filepath.Join(f.Inside, "config.json"), &tied); err != nil {
			return Head{}, err
		}
		if tied.Words == nil || *tied.Words {
			h.Decoder = ""
		} else if h.Decoder == "" {
			return Head{}, fmt.Errorf("%s: its word embeddings are not tied, but %s has no %s", filepath.Join(f.Path, "config.json"), file,
				decoderName)
		} else if biased {
			h.Bias = decoderBias
		}
		return h, nil
	}
	return Head{}, fmt.Errorf("%s has %w: no %s… in %s, nor in the %s that `sentweave train` leaves where CMLM was trained; give a BertForMaskedLM or such a folder",
		f.Path, errNoHead, HeadName, WeightsName, HeadsName)
}

// Names of the vocabulary's matrix and biases. The biases are one if matrices are
// tied, and a file may leave either out; else the decoder's own one counts.
const (
	decoderName = HeadName + "decoder.weight"
	decoderBias = HeadName + "decoder.bias"
	sharedBias  = HeadName + "bias"
)

// headIn looks for a head in a file of weights, whose bias is empty if there is none.
// Biased says whether the decoder has a bias of its own.
func headIn(path string) (h Head, biased bool, err error) {
	file, err := OpenWeights(path)
	if err != nil {
		return h, false, err
	}
	defer file.Close()
	for _, t := range file.Tensors {
		switch Canonical(t.Name) {
		case decoderName:
			h.Decoder = decoderName
		case decoderBias:
			biased = true
		case sharedBias:
			h.Bias = sharedBias
		}
	}
	if h.Bias == "" && biased {
		h.Bias = decoderBias
	}
	return h, biased, nil
}
