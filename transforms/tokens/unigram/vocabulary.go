package unigram

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sentweave/transforms/tokens"
)

// Mark begins a piece that begins a word: it stands for the space before it.
const Mark = "▁"

// vocabulary are the pieces of a tokenizer.
type vocabulary struct {
	pieces []string
	names  tokens.SpecialTokens
	ids    map[string]int32 // of special tokens
	// content begins with the settings, then come pieces and scores.
	content func() string
	file    []byte
}

// Size returns the number of pieces; ids are 0 to Size-1.
func (v *vocabulary) Size() int { return len(v.pieces) }

// Piece returns the piece of an id, "" for one outside the vocabulary.
func (v *vocabulary) Piece(id int32) string {
	if uint(id) >= uint(len(v.pieces)) {
		return ""
	}
	return v.pieces[id]
}

// Pieces returns a new slice of the pieces in the order of their ids.
func (v *vocabulary) Pieces() []string { return slices.Clone(v.pieces) }

// Continues says whether the piece of an id begins without the mark of a space.
func (v *vocabulary) Continues(id int32) bool {
	piece := v.Piece(id)
	_, special := v.ids[piece]
	return piece != "" && !special && !strings.HasPrefix(piece, Mark)
}

// SpecialTokens returns the names of the special tokens.
func (v *vocabulary) SpecialTokens() tokens.SpecialTokens { return v.names }

// Special returns the ids of all five special tokens, or an error that names the missing ones.
func (v *vocabulary) Special() (s tokens.Special, err error) {
	var missing []string
	for _, role := range []struct {
		id          *int32
		name, usage string
	}{{&s.Padding, v.names.Padding, "one of padding, <pad> or [PAD]"}, {&s.Unknown, v.names.Unknown, "the unknown one, unk_id"},
		{&s.Classify, v.names.Classify, "one before a text, of its post_processor"},
		{&s.Separate, v.names.Separate, "one behind a text, of its post_processor"}, {&s.Mask, v.names.Mask, "a mask, <mask> or [MASK]"}} {
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
func (v *vocabulary) CheckCase(cased bool) error {
	if cased {
		return errors.New("its tokenizer.json says what becomes of case: leave out --cased")
	}
	return nil
}

// Decode returns the pieces of ids as text, for inspection. It restores neither what was normalized nor
// unknown characters. An id outside the vocabulary is shown as "<id 7>".
func (v *vocabulary) Decode(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		if piece := v.Piece(id); piece != "" {
			b.WriteString(strings.ReplaceAll(piece, Mark, " "))
		} else {
			fmt.Fprintf(&b, "<id %d>", id)
		}
	}
	return strings.TrimPrefix(b.String(), " ")
}

// Content returns the settings of a tokenizer, its pieces and their scores.
func (v *vocabulary) Content() string { return v.content() }

// contentOf writes Content: the settings as JSON, then a line for each piece. What a file says in other
// words, and what does not change ids, as its truncation, changes no content.
func contentOf(settings any, pieces []string, scores []float64) string {
	var b strings.Builder
	_ = json.NewEncoder(&b).Encode(settings) // which are what a file had
	var number []byte
	for id, piece := range pieces {
		b.WriteString(piece)
		b.WriteByte('\t')
		number = strconv.AppendFloat(number[:0], scores[id], 'g', -1, 64)
		b.Write(append(number, '\n'))
	}
	return b.String()
}

// FileName returns the name of the file that WriteTo writes.
func (v *vocabulary) FileName() string { return "tokenizer.json" }

// WriteTo writes the file as it was read.
func (v *vocabulary) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(v.file)
	if err != nil {
		return int64(n), fmt.Errorf("write tokenizer of %d pieces: %w", v.Size(), err)
	}
	return int64(n), nil
}
