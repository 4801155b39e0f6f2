package filters

import "sentweave/transforms/filters/choice"

// Why a document of too little is dropped.
const (
	ReasonFewSentences  = "too_few_sentences"
	ReasonFewCharacters = "too_few_characters"
	reasonLanguageScore = "language_score"
)

// ccNet drops documents of too little text and those of whose language nobody is sure,
// as cc_net does (Wenzek et al. 2020). That has 300 characters, for text that is not yet
// cut into sentences.
var ccNet = Filter{
	Name: "cc-net", Default: true,
	Drops:   "documents of few sentences or characters, or in a language that is not sure",
	Source:  "Wenzek et al. 2020",
	Reasons: []string{ReasonFewSentences, ReasonFewCharacters, reasonLanguageScore},
	New: func() Rules {
		c := &ccNetConfig{MinSentences: 2, MinCharacters: 100}
		return Rules{
			Settings: []Setting{
				choice.Threshold("min-document-characters",
					"Least characters of all sentences of a document; scripts that say more with fewer need 40 % of it.", &c.MinCharacters),
				choice.Threshold("min-sentences", "Least sentences of a document.", &c.MinSentences),
			},
			Document: c.check,
		}
	},
}

// ccNetConfig holds the thresholds of cc-net.
type ccNetConfig struct {
	// MinSentences is the least number of sentences: a pair needs two.
	MinSentences int
	// MinCharacters is the least number of characters of all sentences. In scripts
	// where a character is a word or a syllable, two fifths of it are enough.
	MinCharacters int
}

func (c *ccNetConfig) check(d *Document, v *Verdict) {
	minimum := c.MinCharacters
	if d.Characters.IsDense() {
		minimum = minimum * 2 / 5
	}
	decided := v.least("cc_net_sentences", ReasonFewSentences, float64(len(d.Sentences)), float64(c.MinSentences)) ||
		v.least("cc_net_characters", ReasonFewCharacters, float64(d.Characters.Characters), float64(minimum))
	if !decided && !d.LanguageSure {
		v.drop(reasonLanguageScore, float64(d.LanguageScore)) // which is a column of documents
	}
}
