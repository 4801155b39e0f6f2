package filters

import "sentweave/transforms/filters/choice"

const (
	// WordsName is the name of the filter that looks for listed words.
	WordsName = "words"
	// ReasonListedWords is why the filter drops a document.
	ReasonListedWords = "listed_words"
)

// listedWords drops documents with words of a list for their language. By default one is enough, as in C4, and a share may be allowed, as
// in ROOTS. The lists are those of the chain; without one for the language of a document there is no measure.
var listedWords = Filter{
	Name:    WordsName,
	Drops:   "documents with words of the lists of --words",
	Source:  "Raffel et al. 2020, section 2.2; Laurençon et al. 2022, ROOTS",
	Reasons: []string{ReasonListedWords},
	New: func() Rules {
		most := 0.
		return Rules{
			Settings: []Setting{
				choice.Threshold("max-listed-words",
					"Largest share of the words of a document that may be listed ones; with 0 one is too many.", &most),
			},
			Document: func(d *Document, v *Verdict) {
				share, judged := d.listedShare()
				if judged || v.listing {
					v.most("words_listed", ReasonListedWords, share, most)
				}
			},
		}
	},
}

// listedShare returns the number of listed words and phrases by that of all words, at most 1. Judged says whether there is a list.
func (d *Document) listedShare() (share float64, judged bool) {
	if d.words == nil || !d.words.Reset(d.Language) {
		return 0, false
	}
	for i := range d.Sentences {
		d.words.Add(d.Sentences[i].Text)
	}
	return ratio(d.words.Listed, d.words.Words), true
}

// Listed returns the first listed word or phrase of the document that the filter words judged last, as it is compared; "" if there is none.
func (p *Page) Listed() string {
	if p.document.words == nil {
		return ""
	}
	return p.document.words.First()
}
