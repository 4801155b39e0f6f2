package schemas

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// Item is what a model made of one item of a test: a pair of texts, a text to classify, or a
// text whose translation is sought. Texts are in rows of Text, by their hashes.
type Item struct {
	// Model, Task, Subtask and Language are those of the figures that the item is part of.
	Model    string `parquet:"model,dict" json:"model"`
	Task     string `parquet:"task,dict" json:"task"`
	Subtask  string `parquet:"subtask,dict" json:"subtask"`
	Language string `parquet:"language,dict" json:"language"`
	// Position counts the items of a subtask in a language from 0 on, in the order of the data.
	Position int32 `parquet:"position" json:"position"`
	// Seed is that of the classifier, if one was trained.
	Seed *int64 `parquet:"seed,optional" json:"seed,omitempty"`
	// TextA and TextB are the texts of the item, by TextID. Where a translation is sought, TextB
	// is the right one.
	TextA uint64  `parquet:"text_a" json:"text_a"`
	TextB *uint64 `parquet:"text_b,optional" json:"text_b,omitempty"`
	// Found is the text that was found, where one is sought.
	Found *uint64 `parquet:"found,optional" json:"found,omitempty"`
	// Score is the similarity or the score that the model gives; without Gold it is 1 for a right
	// answer and 0 for a wrong one, or a measure between them.
	Score float64 `parquet:"score" json:"score"`
	// Gold is the score that people give.
	Gold *float64 `parquet:"gold,optional" json:"gold,omitempty"`
	// Label and Predicted are the right class and the one that was predicted.
	Label     string `parquet:"label,optional,dict" json:"label,omitempty"`
	Predicted string `parquet:"predicted,optional,dict" json:"predicted,omitempty"`
}

// Schema implements Row.
func (Item) Schema() Schema { return Schema{Name: "item", Version: 1, RowGroup: rowGroup} }

// Validate implements Row.
func (i Item) Validate() error {
	var f faults
	f.required("model", i.Model)
	f.required("task", i.Task)
	f.text("subtask", i.Subtask)
	f.text("language", i.Language)
	if i.Position < 0 {
		f.Addf("position %d is negative", i.Position)
	}
	f.finite("score", i.Score)
	if i.Gold != nil {
		f.finite("gold", *i.Gold)
	}
	f.text("label", i.Label)
	f.text("predicted", i.Predicted)
	f.Check((i.Label == "") == (i.Predicted == ""), "label and predicted go together")
	return f.Err()
}

// Text is a text that rows of Item name by its hash.
type Text struct {
	ID       uint64 `parquet:"id" json:"id"`
	Language string `parquet:"language,dict" json:"language"`
	Text     string `parquet:"text" json:"text"`
}

// Schema implements Row.
func (Text) Schema() Schema { return Schema{Name: "text", Version: 1, RowGroup: rowGroup} }

// Validate implements Row. The text may be empty, as test sets have such.
func (t Text) Validate() error {
	var f faults
	f.text("language", t.Language)
	f.text("text", t.Text)
	if f.Err() == nil && t.ID != TextID(t.Language, t.Text) {
		f.Addf("id %d is not the hash of language and text", t.ID)
	}
	return f.Err()
}

// TextID is the hash by which rows of Item name a text of a language: the xxh3-64 of the length
// of the language's code in bytes, as a little-endian 64-bit integer, the code, and the text. Among
// a million texts two share one with a probability of 3e-8.
func TextID(language, text string) uint64 {
	var h xxh3.Hasher
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(language)))
	h.Write(length[:])
	h.WriteString(language)
	h.WriteString(text)
	return h.Sum64()
}
