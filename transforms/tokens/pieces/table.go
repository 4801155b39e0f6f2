// Package pieces is the vocabulary of tokenizers that a tokenizer.json describes whole: pieces whose words begin with
// a mark, and special tokens by role.
package pieces

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"sentweave/transforms/tokens"
)

// Table holds the pieces of a tokenizer. Its fields are set while the file is read.
type Table struct {
	// List are the pieces in the order of their ids.
	List []string
	// Mark begins a piece that begins a word: it stands for the space before it.
	Mark string
	// Names are those of the special tokens by role, Added those of all.
	Names tokens.SpecialTokens
	Added []string
	// Matched are added tokens that are no special ones, and that the tokenizer finds within texts.
	Matched []Added
	// Hashed makes Content.
	Hashed func() string
	// File is what WriteTo writes, FileTitle its name, and Class that of its tokenizer in transformers where the file does not say;
	// empty are tokenizer.json and none.
	File             []byte
	FileTitle, Class string

	ids map[string]int32 // of special tokens
}

// Added is a token that a file adds to those of its model.
type Added struct {
	ID      int    `json:"id"`
	Content string `json:"content"`
	Special bool   `json:"special"`
	// Of a token that is found within texts: whether only as a word, with the spaces around it, and in what the normalizer gives.
	Word       bool `json:"single_word"`
	Left       bool `json:"lstrip"`
	Right      bool `json:"rstrip"`
	Normalized bool `json:"normalized"`
}

// Add takes the added tokens of a file, with ids that leave no gap behind those of the pieces; unless the tokenizer finds them within
// texts, they must be special ones. It gives the roles of padding and mask, and says which ids are special, or of added tokens. The ids
// of pieces are given and completed.
func (v *Table) Add(list []Added, ids map[string]int32, finds bool) (special []bool, err error) {
	slices.SortFunc(list, func(a, b Added) int { return cmp.Compare(a.ID, b.ID) })
	for _, added := range list {
		switch {
		case added.Special:
			v.Added = append(v.Added, added.Content)
		case finds && added.Content != "" && !added.Word && !added.Left && !added.Right:
			v.Matched = append(v.Matched, added)
		case finds:
			return nil, fmt.Errorf("the added token %q is empty, a single_word, or takes spaces beside it, which is not supported", added.Content)
		default:
			return nil, fmt.Errorf("the added token %q is not a special one: such a token is matched before text is normalized, which is not supported",
				added.Content)
		}
		id, ok := ids[added.Content]
		switch {
		case ok && int(id) != added.ID:
			return nil, fmt.Errorf("%q has the ids %d and %d", added.Content, id, added.ID)
		case !ok && added.ID != len(v.List):
			return nil, fmt.Errorf("%q has the id %d, though there are %d pieces: ids with gaps are not supported", added.Content, added.ID,
				len(v.List))
		case !ok:
			ids[added.Content] = int32(added.ID)
			v.List = append(v.List, added.Content)
		}
	}
	first := func(names ...string) string {
		for _, name := range names {
			if slices.Contains(v.Added, name) {
				return name
			}
		}
		return ""
	}
	v.Names.Padding, v.Names.Mask = first("<pad>", "[PAD]"), first("<mask>", "[MASK]")
	special = make([]bool, len(v.List))
	v.ids = map[string]int32{}
	names := append(v.Names.Names(), v.Added...)
	for _, added := range v.Matched {
		names = append(names, added.Content)
	}
	for _, name := range names {
		if id, ok := ids[name]; ok {
			v.ids[name], special[id] = id, true
		}
	}
	return special, nil
}

// Size returns the number of pieces; ids are 0 to Size-1.
func (v *Table) Size() int { return len(v.List) }

// Piece returns the piece of an id, "" for one outside the vocabulary.
func (v *Table) Piece(id int32) string {
	if uint(id) >= uint(len(v.List)) {
		return ""
	}
	return v.List[id]
}

// Pieces returns a new slice of the pieces in the order of their ids.
func (v *Table) Pieces() []string { return slices.Clone(v.List) }

// Continues says whether the piece of an id begins without the mark of a space.
func (v *Table) Continues(id int32) bool {
	piece := v.Piece(id)
	_, special := v.ids[piece]
	return piece != "" && !special && !strings.HasPrefix(piece, v.Mark)
}

// SpecialTokens returns the names of the special tokens.
func (v *Table) SpecialTokens() tokens.SpecialTokens { return v.Names }

// Special returns the ids of all five special tokens, or an error that names the missing ones.
func (v *Table) Special() (s tokens.Special, err error) {
	var missing []string
	for _, role := range []struct {
		id          *int32
		name, usage string
	}{{&s.Padding, v.Names.Padding, "one of padding, <pad> or [PAD]"}, {&s.Unknown, v.Names.Unknown, "an unknown one"},
		{&s.Classify, v.Names.Classify, "one before a text, of its post_processor"},
		{&s.Separate, v.Names.Separate, "one behind a text, of its post_processor"}, {&s.Mask, v.Names.Mask, "a mask, <mask> or [MASK]"}} {
		id, ok := v.ids[role.name]
		if !ok {
			missing = append(missing, role.usage)
		}
		*role.id = id
	}
	if missing != nil {
		return tokens.Special{}, fmt.Errorf("the tokenizer lacks special tokens: %s", strings.Join(missing, "; "))
	}
	return s, nil
}

// CheckCase returns an error if case is to be kept: whether it is, the file alone says.
func (v *Table) CheckCase(cased bool) error {
	if cased {
		return fmt.Errorf("its %s says what becomes of case: leave out --cased", v.FileName())
	}
	return nil
}

// Decode returns the pieces of ids as text, for inspection. It restores neither what was normalized nor
// unknown characters. An id outside the vocabulary is shown as "<id 7>".
func (v *Table) Decode(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		if piece := v.Piece(id); piece != "" {
			b.WriteString(strings.ReplaceAll(piece, v.Mark, " "))
		} else {
			fmt.Fprintf(&b, "<id %d>", id)
		}
	}
	return strings.TrimPrefix(b.String(), " ")
}

// Content returns the settings of a tokenizer, its pieces and their scores.
func (v *Table) Content() string { return v.Hashed() }

// FileName returns the name of the file that WriteTo writes.
func (v *Table) FileName() string { return cmp.Or(v.FileTitle, "tokenizer.json") }

// WriteTo writes the file as it was read.
func (v *Table) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(v.File)
	if err != nil {
		return int64(n), fmt.Errorf("write tokenizer of %d pieces: %w", v.Size(), err)
	}
	return int64(n), nil
}
