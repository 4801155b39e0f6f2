package report

import (
	"fmt"

	"sentweave/stages/evaluate"
)

// Notes says what the figures of the demo's models mean, and why two of them are
// likely not as one would expect; where they are, it says so instead. Each note has the figures that it speaks of, and is
// left out where they are absent.
func (r Retrieval) Notes() []Text {
	accuracy := func(key string) float64 { return r.mean(key, evaluate.MetricAccuracy) }
	untrained, bag, cmlm, both := accuracy("untrained"), accuracy("bag"), accuracy("cmlm"), accuracy("cmlm_br")
	trained, evaluated := accuracy("cmlm_br_pcr"), accuracy("cmlm_br_pcr_evaluated")
	var notes []Text
	add := func(heading, body string, values ...any) {
		notes = append(notes, Text{heading, fmt.Sprintf(body, values...)})
	}
	switch {
	case !finite(cmlm) || !finite(untrained):
	case cmlm < untrained:
		add("Why CMLM alone is below the untrained encoder", `CMLM alone finds %s %% of the translations, the same encoder before training %s %%.

The likely reason: the paragraphs are technical, and names of programs, commands, paths and numbers are the same in all languages. The mean of an encoder with random weights is close to a random projection of the counts of word pieces, so those shared pieces alone bring translations together.

CMLM has seen no translation. Its vector is trained to tell what the next sentence of the same page, in the same language, is about. Words of the own language and the style of the page serve that; after minutes of training they fill the vector, and the shared pieces weigh less. What CMLM learns shows in its own loss, with the effect of the prefix below, and in what the second stage makes of it.`, percent(cmlm), percent(untrained))
	default:
		add("CMLM alone and the untrained encoder", `CMLM alone finds %s %% of the translations, the same encoder before training %s %%. The untrained encoder is no zero to start from: names of programs, commands, paths and numbers are the same in all languages, and its mean is close to a random projection of the counts of word pieces. CMLM has seen no translation.`, percent(cmlm), percent(untrained))
	}
	switch {
	case !finite(bag) || !finite(both):
	case bag > both:
		add("Why the bag of embeddings is above the encoder", `The bag finds %s %%, the encoder that was trained on CMLM and bitext retrieval %s %%.

The likely reason: which paragraph translates which is decided here by words, technical terms that stand in both, and words whose translations occur together in the training pairs. That is all a bag can learn, and it has nothing else to learn: no positions, no attention. A few hundred steps suffice. The encoder has to find the same through layers that start at random, in as few minutes. Word order and context, which a bag cannot see, hardly matter for whole paragraphs; they matter for single sentences that share words and differ in meaning, and for the longer training of the papers.

So the bag is the figure to compare with on this measure, not a better sentence encoder.`, percent(bag), percent(both))
	default:
		add("The bag of embeddings and the encoder", `The bag finds %s %%, the encoder that was trained on CMLM and bitext retrieval %s %%. Shared technical terms and translated words decide most of this measure, which a bag of embeddings learns in a few hundred steps; it is the figure to compare with.`, percent(bag), percent(both))
	}
	if finite(trained) || finite(evaluated) {
		body := "PCR takes off each language's first principal component, which tells the language."
		if finite(trained) {
			body += fmt.Sprintf(" Fitted on training text, which is what one has in use, it gives %s %%.", percent(trained))
		}
		if finite(evaluated) {
			body += fmt.Sprintf(" Fitted on the evaluated texts themselves, without their pairing, as the paper does, it gives %s %%.", percent(evaluated))
		}
		if finite(both) {
			body += fmt.Sprintf(" Without PCR it is %s %%.", percent(both))
		}
		add("On which texts PCR is fitted", "%s", body)
	}
	return notes
}
