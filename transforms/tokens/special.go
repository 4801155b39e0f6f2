package tokens

import (
	"cmp"
	"slices"
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

// Own are the ids that no text gives: all but the unknown one.
func (s Special) Own() []int32 { return []int32{s.Padding, s.Classify, s.Separate, s.Mask} }
