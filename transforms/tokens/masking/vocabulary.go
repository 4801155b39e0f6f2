package masking

import (
	"strings"

	"sentweave/schemas/fault"
	"sentweave/transforms/tokens"
)

// Vocabulary is what masking has to know of a vocabulary.
type Vocabulary struct {
	// Size is the number of entries; token ids are 0 to Size-1.
	Size int32
	// Mask is the id of [MASK].
	Mask int32
	// Special are the ids that are never masked, and never drawn where
	// Config.RandomTokens is randomWords.
	Special []int32
	// Continues says whether a token goes on with the word before it ("##ing"). It
	// is asked in whole-word mode only, where it must not be nil, and must be safe
	// for concurrent use if the Masker is used so.
	Continues func(id int32) bool
}

// VocabularyOf returns what masking has to know of v, which must have all special tokens.
func VocabularyOf(v tokens.Vocabulary) (Vocabulary, error) {
	special, err := v.Special()
	if err != nil {
		return Vocabulary{}, err
	}
	return Vocabulary{
		Size: int32(v.Size()), Mask: special.Mask, Special: append(special.Own(), Placeholders(v.Pieces())...), Continues: v.Continues,
	}, nil
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
	var faults fault.List
	faults.Check(v.Size >= 1, "vocabulary size %d: want at least 1", v.Size)
	faults.Check(v.Mask >= 0 && v.Mask < v.Size, "id %d of [MASK] is outside the vocabulary of %d", v.Mask, v.Size)
	for _, id := range v.Special {
		faults.Check(id >= 0 && id < v.Size, "special id %d is outside the vocabulary of %d", id, v.Size)
	}
	if wholeWords && v.Continues == nil {
		faults.Addf("whole_words is set, but the vocabulary does not say which tokens continue a word: set Continues")
	}
	return faults.Err()
}
