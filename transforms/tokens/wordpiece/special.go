package wordpiece

import (
	"fmt"
	"strings"

	"sentweave/transforms/tokens"
)

// BERTTokens returns the names in BERT's vocabularies.
func BERTTokens() tokens.SpecialTokens {
	return tokens.SpecialTokens{Padding: "[PAD]", Unknown: "[UNK]", Classify: "[CLS]", Separate: "[SEP]", Mask: "[MASK]"}
}

// TFTextTokens returns the names in vocabularies learned with TensorFlow Text.
func TFTextTokens() tokens.SpecialTokens {
	return tokens.SpecialTokens{Padding: "<pad>", Unknown: "<unk>", Classify: "<cls>", Separate: "<sep>", Mask: "<mask>"}
}

// MPNetTokens returns the names in MPNet's vocabularies, which hold most of BERT's pieces, too.
func MPNetTokens() tokens.SpecialTokens {
	return tokens.SpecialTokens{Padding: "<pad>", Unknown: "[UNK]", Classify: "<s>", Separate: "</s>", Mask: "<mask>"}
}

// detectSpecial returns the preset of which the vocabulary has the most names: MPNet's
// if it has all of them, BERT's if none leads.
func (v *Vocabulary) detectSpecial() tokens.SpecialTokens {
	count := func(s tokens.SpecialTokens) int {
		n := 0
		for _, name := range s.Names() {
			if _, ok := v.ID(name); ok {
				n++
			}
		}
		return n
	}
	roberta := MPNetTokens()
	roberta.Unknown = "<unk>" // as new encoders of its kind have it
	switch {
	case count(MPNetTokens()) == len(MPNetTokens().Names()):
		return MPNetTokens()
	case count(roberta) == len(roberta.Names()):
		return roberta
	case count(TFTextTokens()) > count(BERTTokens()):
		return TFTextTokens()
	}
	return BERTTokens()
}

// SpecialTokens returns the names of the special tokens: those of the preset of which the
// vocabulary has the most, unless WithSpecialTokens set others.
func (v *Vocabulary) SpecialTokens() tokens.SpecialTokens { return v.special }

// WithSpecialTokens returns the same vocabulary with other names for the special
// tokens. It shares everything with v.
func (v *Vocabulary) WithSpecialTokens(s tokens.SpecialTokens) *Vocabulary {
	renamed := *v
	renamed.special = s
	return &renamed
}

// require returns an error that names every one of names that the vocabulary
// lacks, or nil.
func (v *Vocabulary) require(names ...string) error {
	var missing []string
	for _, name := range names {
		if _, ok := v.ID(name); !ok {
			missing = append(missing, fmt.Sprintf("%q", name))
		}
	}
	if missing == nil {
		return nil
	}
	return fmt.Errorf("the vocabulary of %d pieces lacks %s: add a line for each at the end of its file",
		v.Size(), strings.Join(missing, ", "))
}

// Special returns the ids of all five special tokens, or the error of Require.
func (v *Vocabulary) Special() (tokens.Special, error) {
	s := v.special
	if err := v.require(s.Padding, s.Unknown, s.Classify, s.Separate, s.Mask); err != nil {
		return tokens.Special{}, err
	}
	id := func(name string) int32 {
		id, _ := v.ID(name)
		return id
	}
	return tokens.Special{
		Padding: id(s.Padding), Unknown: id(s.Unknown), Classify: id(s.Classify), Separate: id(s.Separate), Mask: id(s.Mask),
	}, nil
}
