// Package texts lists the texts of a row, whatever its kind.
//
//	document     each sentence
//	pair         text_a, then text_b
//	benchmark    text_a, then text_b, also of items without gold
//	translation  the translation, in the target language, unless it was rejected
//
// An empty text does not count. A text that occurs twice is listed twice, with an
// identity for each.
package texts

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
)

// Sides of a row of two texts.
const (
	SideA = "a"
	SideB = "b"
)

// Text is one text of a row.
type Text struct {
	// ID is derived from the row's identity and the text's place in it: equal for
	// the same row in any unit and any run, and unique in its dataset.
	ID       string
	Text     string
	Language string
	// Row is the identity of the row.
	Row string
	// Group is that of the row: equal for texts that mean the same; nil if unknown.
	Group *uint64
	// Document is the document that the text is in, or "", and Position its place
	// there: the sentence's for a document, what the row says for a pair.
	Document string
	Position *int32
	// Side is SideA or SideB in a row of two texts, else "".
	Side string
	// NoGold marks a text of a benchmark's row without gold, which no score reads.
	NoGold bool
	// Task and Split are those of a benchmark's row, else "".
	Task, Split string
}

// EmbeddingID returns the id of the text in a dataset of embeddings:
//
//	document   ID/POSITION
//	pair       ID/a, ID/b
//	benchmark  ID/LANGUAGE/a, ID/LANGUAGE/b, since an item has one id in all languages
func (t Text) EmbeddingID() string {
	id := t.Row
	if t.Task != "" {
		id += "/" + t.Language
	}
	if t.Side != "" {
		id += "/" + t.Side
	} else if t.Position != nil {
		id += "/" + strconv.Itoa(int(*t.Position))
	}
	return id
}

// OfDocument yields the sentences of a document.
func OfDocument(d schemas.Document) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		for _, sentence := range d.Sentences {
			position := sentence.Position
			if !yield(Text{
				ID: schemas.DerivedID("text", d.ID, strconv.Itoa(int(position))), Row: d.ID,
				Text: sentence.Text, Language: sentence.Language, Document: d.ID, Position: &position,
			}) {
				return
			}
		}
	}
}

// OfPair yields the sides of a pair.
func OfPair(p schemas.Pair) iter.Seq[Text] {
	return sides(
		Text{
			ID: schemas.DerivedID("text", p.ID, SideA), Row: p.ID, Text: p.TextA, Language: p.LanguageA, Group: p.Group,
			Document: p.DocumentA, Position: p.PositionA, Side: SideA,
		},
		Text{
			ID: schemas.DerivedID("text", p.ID, SideB), Row: p.ID, Text: p.TextB, Language: p.LanguageB, Group: p.Group,
			Document: p.DocumentB, Position: p.PositionB, Side: SideB,
		})
}

// OfBenchmark yields the sides of an item. Its versions, which have one id, are told
// apart by language.
func OfBenchmark(b schemas.Benchmark) iter.Seq[Text] {
	side := func(text, language, side string) Text {
		return Text{ID: schemas.DerivedID("text", b.ID, language, side), Row: b.ID, Text: text, Language: language, Side: side,
			NoGold: b.Skip, Task: b.Task, Split: b.Split}
	}
	return sides(side(b.TextA, b.LanguageA, SideA), side(b.TextB, b.LanguageB, SideB))
}

// EmptySentence stands for a sentence without words where an encoder must be given one, as
// in SentEval.
const EmptySentence = "."

// OfItem yields the sides of an item as an encoder is given them: OfBenchmark, with
// EmptySentence for an empty first text that has gold, as four rows of CR have.
func OfItem(b schemas.Benchmark) iter.Seq[Text] {
	if b.TextA == "" && !b.Skip {
		b.TextA = EmptySentence
	}
	return OfBenchmark(b)
}

// OfTranslation yields the translation.
func OfTranslation(t schemas.Translation) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		if t.Status == schemas.TranslationOK {
			yield(Text{ID: schemas.DerivedID("text", t.Key), Row: t.Key, Text: t.Translation, Language: t.TargetLanguage})
		}
	}
}

// sides yields those that are not empty.
func sides(a, b Text) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		if a.Text != "" && !yield(a) {
			return
		}
		if b.Text != "" {
			yield(b)
		}
	}
}

// Of says whether the text is of one of the splits, as any is of none.
func (t Text) Of(splits []string) bool { return len(splits) == 0 || slices.Contains(splits, t.Split) }

// Meaning returns the group of the text: that of its row, or, where that is unknown,
// one that equal texts of all datasets have, so that they are never negatives of each
// other.
func (t Text) Meaning() uint64 {
	if t.Group != nil {
		return *t.Group
	}
	return xxh3.HashString("text\x00" + strings.TrimSpace(t.Text))
}
