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

func (c *ccNetConfig) check(d *Document) (string, float64) {
	if n := len(d.Sentences); n < c.MinSentences {
		return ReasonFewSentences, float64(n)
	}
	minimum := c.MinCharacters
	if d.Characters.IsDense() {
		minimum = minimum * 2 / 5
	}
	if n := d.Characters.Characters; n < minimum {
		return ReasonFewCharacters, float64(n)
	}
	if !d.LanguageSure {
		return reasonLanguageScore, float64(d.LanguageScore)
	}
	return "", 0
}
