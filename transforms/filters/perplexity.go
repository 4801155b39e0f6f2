package filters

import (
	"sentweave/schemas/language"
	"sentweave/transforms/filters/choice"
)

// PerplexityName is the name of the filter that asks language models.
const PerplexityName = "perplexity"

const reasonPerplexity = "high_perplexity"

// perplexity drops documents that the model of their language finds improbable. CCNet sorts documents by this measure and drops none; the
// default threshold is the one of ROOTS for languages without their own. The chain has the models. A document in a language without a
// model has no measure.
var perplexity = Filter{
	Name:    PerplexityName,
	Drops:   "documents that the n-gram model of their language, of --perplexity-model, finds improbable",
	Source:  "Wenzek et al. 2020; Laurençon et al. 2022, ROOTS",
	Reasons: []string{reasonPerplexity},
	New: func() Rules {
		most := choice.Limits{Shares: choice.Shares{All: 10_000}}
		return Rules{
			Settings: []Setting{
				choice.Threshold("max-perplexity",
					"Greatest perplexity of a document, for all languages or some, as in 1500,deu=900; it depends on the models.", &most),
			},
			Document: func(d *Document, v *Verdict) {
				if measure, ok := d.Perplexity(); ok || v.listing {
					v.most("perplexity", reasonPerplexity, measure, most.Of(d.Language))
				}
			},
		}
	},
}

// LanguageModel is a model of the texts of a language, such as those of package languagemodel. It is safe for concurrent use.
type LanguageModel interface {
	// Perplexity returns that of the sentences of a document. It keeps none of them.
	Perplexity(sentences []string) float64
}

// models are language models with scratch memory.
type models struct {
	byLanguage map[string]LanguageModel
	sentences  []string
}

func newModels(byLanguage map[string]LanguageModel) *models {
	if len(byLanguage) == 0 {
		return nil
	}
	return &models{byLanguage: byLanguage}
}

// Perplexity returns that of a document by the model of its language, or of its base. It reports false without such a model or without
// text.
func (d *Document) Perplexity() (float64, bool) {
	if d.models == nil || len(d.Sentences) == 0 {
		return 0, false
	}
	m, ok := d.models.byLanguage[d.Language]
	if !ok {
		if m, ok = d.models.byLanguage[language.Base(d.Language)]; !ok {
			return 0, false
		}
	}
	list := d.models.sentences[:0]
	for i := range d.Sentences {
		list = append(list, d.Sentences[i].Text)
	}
	measure := m.Perplexity(list)
	clear(list)
	d.models.sentences = list
	return measure, true
}
