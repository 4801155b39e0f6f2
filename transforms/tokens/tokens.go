// Package tokens says what a tokenizer is, whatever its model: text in, ids of a vocabulary out.
//
// WordPiece is package wordpiece, Unigram unigram, byte-level BPE bpe; package formats reads the files of any. What makes examples, trains
// or encodes speaks to these interfaces.
package tokens

import "io"

// Tokenizer turns text into ids of a vocabulary. It is immutable and safe for concurrent use.
type Tokenizer interface {
	// Encode appends the ids of a text to dst, without special tokens around them. No text gives the id
	// of a special token but the unknown one. It allocates nothing but room in dst, and its cost is linear
	// in the text.
	Encode(dst []int32, text string) []int32
	Vocabulary() Vocabulary
}

// Span is the piece of an id in a text: it stands for the bytes [Start, End).
type Span struct {
	ID         int32
	Start, End int32
}

// Vocabulary is an ordered list of pieces; the id of a piece is its place, from 0. It is immutable and
// safe for concurrent use.
type Vocabulary interface {
	// Size returns the number of pieces; ids are 0 to Size-1.
	Size() int
	// Piece returns the piece of an id as the file has it, "" for an id outside the vocabulary.
	Piece(id int32) string
	// Pieces returns a new slice of all pieces in the order of their ids.
	Pieces() []string
	// Continues says whether the piece of an id goes on with the word before it.
	Continues(id int32) bool
	// SpecialTokens returns the names of the special tokens by role.
	SpecialTokens() SpecialTokens
	// Special returns the ids of the special tokens, or an error that names all that are missing.
	Special() (Special, error)
	// CheckCase returns an error if the vocabulary does not suit text whose case is kept, or is not.
	CheckCase(cased bool) error
	// Decode returns the pieces of ids as text, for inspection.
	Decode(ids []int32) string
	// Content is what fingerprints of the vocabulary are made of: equal contents give the same ids, at
	// the same case.
	Content() string
	// FileName is the usual name of the file that WriteTo writes.
	FileName() string
	WriteTo(w io.Writer) (int64, error)
}
