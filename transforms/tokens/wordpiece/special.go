package wordpiece

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// SpecialTokens names the pieces that mean something to a model. An empty name
// is a token that the vocabulary has no use for.
type SpecialTokens struct {
	Padding  string `json:"padding"`
	Unknown  string `json:"unknown"`  // a word that cannot be split
	Classify string `json:"classify"` // begins a sequence
	Separate string `json:"separate"` // ends a sequence
	Mask     string `json:"mask"`
}

// BERTTokens returns the names in BERT's vocabularies.
func BERTTokens() SpecialTokens {
	return SpecialTokens{Padding: "[PAD]", Unknown: "[UNK]", Classify: "[CLS]", Separate: "[SEP]", Mask: "[MASK]"}
}

// TFTextTokens returns the names in vocabularies learned with TensorFlow Text.
func TFTextTokens() SpecialTokens {
	return SpecialTokens{Padding: "<pad>", Unknown: "<unk>", Classify: "<cls>", Separate: "<sep>", Mask: "<mask>"}
}

// MPNetTokens returns the names in MPNet's vocabularies, which hold most of BERT's pieces, too.
func MPNetTokens() SpecialTokens {
	return SpecialTokens{Padding: "<pad>", Unknown: "[UNK]", Classify: "<s>", Separate: "</s>", Mask: "<mask>"}
}

// Or returns the names, and in the place of empty ones those of others.
func (s SpecialTokens) Or(others SpecialTokens) SpecialTokens {
	return SpecialTokens{
		Padding: cmp.Or(s.Padding, others.Padding), Unknown: cmp.Or(s.Unknown, others.Unknown),
		Classify: cmp.Or(s.Classify, others.Classify), Separate: cmp.Or(s.Separate, others.Separate), Mask: cmp.Or(s.Mask, others.Mask),
	}
}

// Names returns the names that are not empty, in the order of the fields.
func (s SpecialTokens) Names() []string {
	names := []string{s.Padding, s.Unknown, s.Classify, s.Separate, s.Mask}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// Special holds the ids of SpecialTokens.
type Special struct {
	Padding, Unknown, Classify, Separate, Mask int32
}

// detectSpecial returns the preset of which the vocabulary has the most names: MPNet's
// if it has all of them, BERT's if none leads.
func (v *Vocabulary) detectSpecial() SpecialTokens {
	count := func(s SpecialTokens) int {
		n := 0
		for _, name := range s.Names() {
			if _, ok := v.ID(name); ok {
				n++
			}
		}
		return n
	}
	switch {
	case count(MPNetTokens()) == len(MPNetTokens().Names()):
		return MPNetTokens()
	case count(TFTextTokens()) > count(BERTTokens()):
		return TFTextTokens()
	}
	return BERTTokens()
}

// SpecialTokens returns the names of the special tokens: those of the preset of which the
// vocabulary has the most, unless WithSpecialTokens set others.
func (v *Vocabulary) SpecialTokens() SpecialTokens { return v.special }

// WithSpecialTokens returns the same vocabulary with other names for the special
// tokens. It shares everything with v.
func (v *Vocabulary) WithSpecialTokens(s SpecialTokens) *Vocabulary {
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
func (v *Vocabulary) Special() (Special, error) {
	s := v.special
	if err := v.require(s.Padding, s.Unknown, s.Classify, s.Separate, s.Mask); err != nil {
		return Special{}, err
	}
	id := func(name string) int32 {
		id, _ := v.ID(name)
		return id
	}
	return Special{id(s.Padding), id(s.Unknown), id(s.Classify), id(s.Separate), id(s.Mask)}, nil
}
