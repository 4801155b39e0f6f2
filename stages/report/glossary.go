package report

import (
	"slices"
	"strings"
	"unicode"

	"sentweave/stages/report/markup"
)

// glossary explains words of the methods, in two lines each, by the words in small letters.
var glossary = []struct{ word, text string }{
	{"bag", "Bag of embeddings: an encoder without layers. The vector of a text is the mean of the learned vectors of its pieces of words, with little regard to order."},
	{"cmlm", "CMLM, conditional masked language modelling: masked words of a sentence are filled in, given vectors of the sentence before. CMLM needs no translations."},
	{"br", "BR, bitext retrieval: of all translations in a batch, that of a text must have the nearest vector to the text's, by a margin. BR needs pairs of translations."},
	{"views", "Views: pairs of a text and a rewording of it in the same language, as by translation there and back. BR learns from views as from translations."},
	{"pcr", "PCR, principal component removal: the direction along which a language's vectors vary most is taken off them, since it tells the language. PCR is no training."},
}

// glossaryOf explains the terms that are in names of models and of periods; nil if none does.
func glossaryOf(names []string) []markup.Block {
	var words []string
	for _, name := range names {
		words = append(words, strings.FieldsFunc(
			strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	}
	var items []string
	for _, t := range glossary {
		if slices.Contains(words, t.word) {
			items = append(items, "- "+t.text)
		}
	}
	if items == nil {
		return nil
	}
	return []markup.Block{markup.Text{Body: strings.Join(items, "\n")}}
}
