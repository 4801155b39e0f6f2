package vocab

import (
	"bytes"
	"context"
	"encoding/csv"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/formats"
	"sentweave/transforms/tokens/wordpiece"
)

// Coverage is how well a vocabulary serves one language. All shares are in [0, 1].
type Coverage struct {
	// Words are the occurrences of all words; Unknown the share of them that has none, or an unknown character; PiecesPerWord and
	// CharactersPerPiece are means over the others.
	Words              int64   `json:"words"`
	Unknown            float64 `json:"unknown"`
	PiecesPerWord      float64 `json:"pieces_per_word"`
	CharactersPerPiece float64 `json:"characters_per_piece"`
	// DifferentWords are the words, each counted once, and OnePiece is the share of them that are one piece; KnownCharacters is the share
	// of all occurrences of characters that the vocabulary has. Records of earlier programs lack the three.
	DifferentWords  int64   `json:"different_words"`
	OnePiece        float64 `json:"one_piece"`
	KnownCharacters float64 `json:"known_characters"`
}

// coverage tokenizes all counted words. Memory is that of the vocabulary and of the different characters.
func coverage(ctx context.Context, input storage.Folder, m *dataset.Manifest, v tokens.Vocabulary) (map[string]Coverage, error) {
	t, err := formats.NewTokenizer(v, wordpiece.Cased) // the words are folded already
	if err != nil {
		return nil, nil // without special tokens nothing can be tokenized: no figures
	}
	special, err := v.Special()
	if err != nil {
		return nil, err
	}
	type sums struct{ different, one, words, unknown, pieces, characters, all, known int64 }
	totals := map[string]*sums{}
	characters := map[rune]bool{} // of words with an unknown one, whether they are known
	var ids []int32
	for row, err := range dataset.Rows[schemas.WordCount](ctx, input, m) {
		if err != nil {
			return nil, err
		}
		ids = t.Encode(ids[:0], row.Word)
		s := totals[row.Language]
		if s == nil {
			s = new(sums)
			totals[row.Language] = s
		}
		s.different++
		s.words += row.Count
		length := int64(utf8.RuneCountInString(row.Word))
		s.all += row.Count * length
		if !slices.Contains(ids, special.Unknown) {
			s.pieces += row.Count * int64(len(ids))
			s.characters += row.Count * length
			s.known += row.Count * length
			if len(ids) == 1 {
				s.one++
			}
			continue
		}
		s.unknown += row.Count
		for _, x := range row.Word {
			known, ok := characters[x]
			if !ok {
				known = !slices.Contains(t.Encode(nil, string(x)), special.Unknown)
				characters[x] = known
			}
			if known {
				s.known += row.Count
			}
		}
	}
	languages := map[string]Coverage{}
	for l, s := range totals {
		share := func(part, whole int64) float64 { return float64(part) / float64(max(1, whole)) }
		languages[l] = Coverage{
			Words: s.words, Unknown: share(s.unknown, s.words), PiecesPerWord: share(s.pieces, s.words-s.unknown),
			CharactersPerPiece: share(s.characters, s.pieces), DifferentWords: s.different, OnePiece: share(s.one, s.different),
			KnownCharacters: share(s.known, s.all),
		}
	}
	return languages, nil
}

// table is the coverage of all languages as CSV.
func (r *Record) table() ([]byte, error) {
	var buffer bytes.Buffer
	w := csv.NewWriter(&buffer)
	// The writer keeps its first error, which Error returns.
	w.Write([]string{"language", "different_words", "words", "pieces_per_word", "characters_per_piece", "one_piece", "unknown",
		"known_characters"})
	for _, l := range slices.Sorted(maps.Keys(r.Languages)) {
		c := r.Languages[l]
		line := []string{l, strconv.FormatInt(c.DifferentWords, 10), strconv.FormatInt(c.Words, 10)}
		for _, x := range []float64{c.PiecesPerWord, c.CharactersPerPiece, c.OnePiece, c.Unknown, c.KnownCharacters} {
			line = append(line, strconv.FormatFloat(x, 'f', -1, 64))
		}
		w.Write(line)
	}
	w.Flush()
	return buffer.Bytes(), w.Error()
}
