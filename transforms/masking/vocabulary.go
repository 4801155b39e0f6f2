package masking

import (
	"errors"
	"fmt"
	"strings"
)

// Vocabulary is what masking has to know of a WordPiece vocabulary.
type Vocabulary struct {
	// Size is the number of entries; token ids are 0 to Size-1.
	Size int32
	// Mask is the id of [MASK].
	Mask int32
	// Special are the ids that are never masked, and never drawn where
	// Config.RandomTokens is RandomWords.
	Special []int32
	// Continues says whether a token goes on with the word before it ("##ing"). It
	// is asked in whole-word mode only, where it must not be nil, and must be safe
	// for concurrent use if the Masker is used so.
	Continues func(id int32) bool
}

// Placeholders returns the ids of the entries that stand for nothing: [unused0] …
// in BERT's vocabularies, <pad1> … in those of TensorFlow Text. They belong into
// Vocabulary.Special. [UNK] does not, so that it is a candidate as in BERT.
func Placeholders(entries []string) []int32 {
	var ids []int32
	for i, entry := range entries {
		if isNumbered(entry, "[unused", "]") || isNumbered(entry, "<pad", ">") {
			ids = append(ids, int32(i))
		}
	}
	return ids
}

// isNumbered says whether entry is a number between prefix and suffix.
func isNumbered(entry, prefix, suffix string) bool {
	digits, ok := strings.CutPrefix(entry, prefix)
	if !ok {
		return false
	}
	digits, ok = strings.CutSuffix(digits, suffix)
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// validate returns all faults of v, given whether words are masked as a whole.
func (v Vocabulary) validate(wholeWords bool) error {
	var faults []error
	if v.Size < 1 {
		faults = append(faults, fmt.Errorf("vocabulary size %d: want at least 1", v.Size))
	}
	if v.Mask < 0 || v.Mask >= v.Size {
		faults = append(faults, fmt.Errorf("id %d of [MASK] is outside the vocabulary of %d", v.Mask, v.Size))
	}
	for _, id := range v.Special {
		if id < 0 || id >= v.Size {
			faults = append(faults, fmt.Errorf("special id %d is outside the vocabulary of %d", id, v.Size))
		}
	}
	if wholeWords && v.Continues == nil {
		faults = append(faults, errors.New("whole_words is set, but the vocabulary does not say which tokens continue a word: set Continues"))
	}
	return errors.Join(faults...)
}
