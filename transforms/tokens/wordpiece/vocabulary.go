package wordpiece

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/tokens"
)

// FileName is the usual name of the file of a vocabulary.
const FileName = "vocab.txt"

// Joiner begins a piece that continues a word. The piece "##" itself does not.
const Joiner = "##"

const (
	// maxPieces is the largest number of pieces of a vocabulary.
	maxPieces = 1 << 22
	// maxPieceBytes is the longest piece.
	maxPieceBytes = 1 << 10
	// maxContent keeps offsets within 32 bits.
	maxContent = 1 << 30
)

// Vocabulary is an ordered list of pieces; the id of a piece is its place,
// from 0. It is immutable and safe for concurrent use, and carries the automaton
// that all its tokenizers share. 500,000 pieces take 60 MB and load in .5 s.
type Vocabulary struct {
	content   string   // every piece and a line feed
	ends      []uint32 // of the pieces in content, without the line feed
	continues []uint64 // one bit an id
	automaton *automaton
	special   tokens.SpecialTokens
	hash      string
	// options are those of the tokenizer.json that the vocabulary is of, nil if it is of none.
	options *Options
}

// ReadVocabulary reads a vocabulary file: one piece a line, whose number from 0
// is the id, without white space behind it. Lines may end with CR LF. An empty file, an empty or repeated piece, a
// piece that is not UTF-8 or longer than maxPieceBytes, a byte order mark, and
// more than maxPieces pieces are errors that name the line.
func ReadVocabulary(r io.Reader) (*Vocabulary, error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxPieceBytes+len("\r\n"))
	var c collector
	for scanner.Scan() {
		piece := scanner.Text()
		if trimmed := strings.TrimRightFunc(piece, unicode.IsSpace); trimmed != "" { // as Hugging Face reads it
			piece = trimmed
		}
		if err := c.add(piece); err != nil {
			return nil, fmt.Errorf("read vocabulary: %w", err)
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("read vocabulary: line %d is longer than %d bytes: is this a vocabulary, one piece a line?", len(c.ends)+1,
			maxPieceBytes)
	} else if err != nil {
		return nil, fmt.Errorf("read vocabulary: line %d: %w", len(c.ends)+1, err)
	}
	v, err := c.vocabulary()
	if err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", err)
	}
	return v, nil
}

// NewVocabulary makes a vocabulary of pieces in the order of their ids. Its errors
// are those of ReadVocabulary; a line feed in a piece is one more.
func NewVocabulary(pieces []string) (*Vocabulary, error) {
	var c collector
	for _, piece := range pieces {
		if err := c.add(piece); err != nil {
			return nil, fmt.Errorf("make vocabulary: %w", err)
		}
	}
	v, err := c.vocabulary()
	if err != nil {
		return nil, fmt.Errorf("make vocabulary: %w", err)
	}
	return v, nil
}

// collector takes the pieces of a vocabulary one by one.
type collector struct {
	content strings.Builder
	ends    []uint32
}

func (c *collector) add(piece string) error {
	line := len(c.ends) + 1
	switch {
	case line > maxPieces:
		return fmt.Errorf("more than %d pieces", maxPieces)
	case piece == "":
		return fmt.Errorf("line %d is empty: every line is a piece, delete it", line)
	case len(piece) > maxPieceBytes:
		return fmt.Errorf("line %d is longer than %d bytes", line, maxPieceBytes)
	case !utf8.ValidString(piece):
		return fmt.Errorf("line %d is not UTF-8: %q", line, piece)
	case line == 1 && strings.HasPrefix(piece, "\ufeff"):
		return errors.New("line 1 begins with a byte order mark: store the file without it")
	case strings.ContainsAny(piece, "\n\r"):
		return fmt.Errorf("line %d: the piece %q holds an end of line", line, piece)
	case c.content.Len()+len(piece)+1 > maxContent:
		return fmt.Errorf("line %d: more than %d bytes of pieces", line, maxContent)
	}
	c.content.WriteString(piece)
	c.ends = append(c.ends, uint32(c.content.Len()))
	c.content.WriteByte('\n')
	return nil
}

func (c *collector) vocabulary() (*Vocabulary, error) {
	if len(c.ends) == 0 {
		return nil, errors.New("it is empty: expected one piece a line")
	}
	v := &Vocabulary{content: c.content.String(), ends: c.ends, continues: make([]uint64, (len(c.ends)+63)/64)}
	for id := range c.ends {
		if _, ok := continuation(v.Piece(int32(id))); ok {
			v.continues[id/64] |= 1 << (id % 64)
		}
	}
	order := v.sorted()
	if first, second, ok := v.repeated(order); ok {
		return nil, fmt.Errorf("line %d repeats %q of line %d: ids would be ambiguous", second+1, v.Piece(second), first+1)
	}
	var err error
	if v.automaton, err = newAutomaton(v, order); err != nil {
		return nil, err
	}
	sum := xxh3.HashString128(v.content).Bytes()
	v.hash = hex.EncodeToString(sum[:])
	v.special = v.detectSpecial()
	return v, nil
}

// continuation returns a piece without its joiner, if it continues a word.
func continuation(piece string) (string, bool) {
	if len(piece) > len(Joiner) && strings.HasPrefix(piece, Joiner) {
		return piece[len(Joiner):], true
	}
	return piece, false
}

// Size returns the number of pieces; ids are 0 to Size-1.
func (v *Vocabulary) Size() int { return len(v.ends) }

// Piece returns the piece of an id, "" for one outside the vocabulary. It does not
// allocate.
func (v *Vocabulary) Piece(id int32) string {
	if uint(id) >= uint(len(v.ends)) {
		return ""
	}
	start := uint32(0)
	if id > 0 {
		start = v.ends[id-1] + 1
	}
	return v.content[start:v.ends[id]]
}

// ID returns the id of a piece, written as in the file: "##ing". It costs one walk
// through the trie.
func (v *Vocabulary) ID(piece string) (int32, bool) {
	text, continues := continuation(piece)
	root := wordStart
	if continues {
		root = wordInside
	}
	return v.automaton.find(root, text)
}

// Continues says whether the piece of an id continues a word; no id outside the
// vocabulary does.
func (v *Vocabulary) Continues(id int32) bool {
	word := uint32(id) / 64
	return int(word) < len(v.continues) && v.continues[word]>>(uint32(id)%64)&1 != 0
}

// Hash returns the XXH3-128 of the content, for manifests: 32 hexadecimal digits.
// The content is every piece and a line feed, so CR LF or a missing end of the last
// line does not change it; for other files it is what the program xxh128sum prints.
func (v *Vocabulary) Hash() string { return v.hash }

// Pieces returns a new slice of the pieces in the order of their ids.
func (v *Vocabulary) Pieces() []string {
	pieces := make([]string, v.Size())
	for id := range pieces {
		pieces[id] = v.Piece(int32(id))
	}
	return pieces
}

// Content returns every piece and a line feed: what Hash is the hash of, and
// WriteTo writes.
func (v *Vocabulary) Content() string { return v.content }

// FileName returns the constant.
func (v *Vocabulary) FileName() string { return FileName }

// WriteTo writes the vocabulary in the form that ReadVocabulary reads, lines
// ending with LF.
func (v *Vocabulary) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, v.content)
	if err != nil {
		return int64(n), fmt.Errorf("write vocabulary of %d pieces: %w", v.Size(), err)
	}
	return int64(n), nil
}

// Decode returns the pieces of ids as text, for inspection: words are separated by
// spaces, pieces that continue a word are joined to it. It does not restore case,
// accents or spacing. An id outside the vocabulary is shown as "<id 7>".
func (v *Vocabulary) Decode(ids []int32) string {
	var b strings.Builder
	for i, id := range ids {
		text, continues := continuation(v.Piece(id))
		if i > 0 && !continues {
			b.WriteByte(' ')
		}
		if text == "" {
			fmt.Fprintf(&b, "<id %d>", id)
			continue
		}
		b.WriteString(text)
	}
	return b.String()
}
