package unigram

import (
	"cmp"
	"fmt"
	"slices"

	"sentweave/schemas/jsonfile"
)

// Class is a class of tokenizers of transformers 5, which takes of a tokenizer.json the pieces, and of its normalizer the map alone.
type Class struct {
	// Name is XLMRClass or CamembertClass.
	Name string
	// Prefix says whether words begin with a mark.
	Prefix bool
	// Begin and End are put around a text.
	Begin, End string
}

// OfClass returns the tokenizer as a class makes it of its file: words end at white space, and nothing but the map normalizes them. A file
// with other special tokens than the class puts around a text, or with what its model cannot have, is an error.
func (s *Serialized) OfClass(c Class) (*Serialized, error) {
	var parts struct {
		Normalizer   *normalizerJSON   `json:"normalizer"`
		PreTokenizer *preTokenizerJSON `json:"pre_tokenizer"`
	}
	if err := jsonfile.Unmarshal(s.tokenizer.File, &parts); err != nil {
		return nil, err
	}
	t, unknown := s.tokenizer, 3
	if c.Name == CamembertClass {
		unknown = max(0, slices.Index(t.List, "<unk>"))
	}
	switch {
	case t.Names.Classify != c.Begin || t.Names.Separate != c.End:
		return nil, fmt.Errorf("its post_processor puts %s and %s around a text, but its tokenizer_class %s puts %s and %s there", t.Names.Classify,
			t.Names.Separate, c.Name, c.Begin, c.End)
	case t.bytes != nil || int(t.unknownID) != unknown:
		return nil, fmt.Errorf("its model has byte_fallback or the unk_id %d, but its tokenizer_class %s has no bytes and %d", t.unknownID, c.Name,
			unknown)
	}
	scheme := never
	if c.Prefix {
		scheme = always
	}
	words := preTokenizerJSON{Type: "Sequence", List: []preTokenizerJSON{{Type: "WhitespaceSplit"},
		{Type: "Metaspace", Replacement: mark, Scheme: string(scheme)}}}
	list, charsmap := parts.Normalizer.list(), (*normalizerJSON)(nil)
	if i := slices.IndexFunc(list, func(n normalizerJSON) bool { return n.Type == "Precompiled" }); i >= 0 {
		charsmap = &list[i]
	}
	if inert(list) && parts.PreTokenizer.same(words) {
		return s, nil
	}
	data, err := jsonfile.WithFields(t.File, map[string]any{"normalizer": charsmap, "pre_tokenizer": words})
	if err != nil {
		return nil, err
	}
	return ReadSerialized(data)
}

// list returns the parts of a normalizer.
func (n *normalizerJSON) list() []normalizerJSON {
	switch {
	case n == nil:
		return nil
	case n.Type == "Sequence":
		return n.List
	}
	return []normalizerJSON{*n}
}

// same says whether two pre-tokenizers cut texts alike, of which the second has no settings that are the usual ones.
func (p *preTokenizerJSON) same(other preTokenizerJSON) bool {
	return p != nil && p.Type == other.Type && p.Replacement == other.Replacement && (p.Split == nil || *p.Split) &&
		(p.Type != "Metaspace" || cmp.Or(p.Scheme, string(always)) == other.Scheme) &&
		slices.EqualFunc(p.List, other.List, func(a, b preTokenizerJSON) bool { return a.same(b) })
}

// inert says whether the parts of a normalizer but for a map change nothing where words end at white space: they drop spaces.
func inert(list []normalizerJSON) bool {
	maps := 0
	return !slices.ContainsFunc(list, func(n normalizerJSON) bool {
		switch n.Type {
		case "Precompiled":
			maps++
			return maps > 1
		case "Strip":
			return false
		case "Replace":
			return n.Pattern == nil || n.Pattern.Regex == nil || *n.Pattern.Regex != " {2,}" || n.Replacement != " "
		}
		return true
	})
}
