package parallel

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Choose returns one page for each language, in the order of the languages, and the
// other pages, which repeat a language: "pt" and "pt_BR" are one language, and a
// folder "images" may hold pages in English. Of several pages the most translated one
// stays. A page whose language the caller knows goes before one whose language was
// only identified; then the one with the most characters in its language, then the one
// with the smallest document id. Pages are not changed.
func (j *Joiner) Choose(pages []Page) (chosen, repeated []Page) {
	chosen = slices.Clone(pages)
	slices.SortFunc(chosen, func(a, b Page) int {
		if c := cmp.Compare(a.Language, b.Language); c != 0 {
			return c
		}
		if a.Identified != b.Identified {
			if a.Identified {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(j.translated(b), j.translated(a)), cmp.Compare(a.Document.ID, b.Document.ID))
	})
	n := 0
	for i, p := range chosen {
		if i > 0 && p.Language == chosen[n-1].Language {
			repeated = append(repeated, p)
			continue
		}
		chosen[n] = p
		n++
	}
	return chosen[:n], repeated
}

// translated returns the number of characters of a page in its language.
func (j *Joiner) translated(p Page) (characters int) {
	for i := range p.Document.Sentences {
		if s := &p.Document.Sentences[i]; j.same(s.Language, p.Language) {
			characters += utf8.RuneCountInString(s.Text)
		}
	}
	return characters
}
