package encoder

import (
	"sentweave/transforms/read/texts"
)

// Text is what is encoded.
type Text struct {
	Text string
	// Language is its ISO 639-3 code; "" or "und" where nobody knows.
	Language string
	// ID, if set, is the id under which a dataset of embeddings may hold it.
	ID string
}

// Texts gives texts of one language.
func Texts(language string, texts ...string) []Text {
	list := make([]Text, len(texts))
	for i, t := range texts {
		list[i] = Text{Text: t, Language: language}
	}
	return list
}

// TextOf returns a text of a row with the id that it has in a dataset of embeddings.
func TextOf(x texts.Text) Text {
	return Text{Text: x.Text, Language: x.Language, ID: x.EmbeddingID()}
}
