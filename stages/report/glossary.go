package report

import (
	"slices"
	"strings"
	"unicode"
)

// glossary explains words of the methods, in two lines each, by the words in small letters.
var glossary = []struct{ word, text string }{
	{"bag", "Bag of embeddings: an encoder without layers. The vector of a text is the mean of the learned vectors of its pieces of words, with little regard to their order."},
	{"cmlm", "CMLM, conditional masked language modelling (Yang et al. 2021): the encoder fills in masked words of a sentence, given vectors of the sentence before it. CMLM learns from texts in each language, and needs no translations."},
	{"br", "BR, bitext retrieval (Yang et al. 2019): the vector of a text must be nearer to that of its translation, by a margin, than to those of all other translations in the batch. BR needs pairs of translations."},
	{"views", "Views: pairs of a text and a rewording of it in the same language, such as its translation there and back. BR learns from views as from translations."},
	{"pcr", "PCR, principal component removal (Yang et al. 2021): the direction along which the vectors of a language vary most is taken off them, since it tells the language rather than the meaning. PCR comes after training, and changes no weight."},
}

// glossaryOf explains the terms that stand in names of models and of periods; nil if none does.
func glossaryOf(names []string) []Block {
	var words []string
	for _, name := range names {
		words = append(words, strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
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
	return []Block{Text{Body: strings.Join(items, "\n")}}
}
