package evaluate

import "slices"

// Variants of a model: what is done to its vectors, by --vectors, and how the texts of a pair are compared, by
// --similarity. But for raw and cosine, a + and the name of the variant stand after the model's in the results.
const (
	// raw leaves vectors as they are.
	raw = "raw"
	// withoutFirst takes the first principal component of each language off.
	withoutFirst = "pcr"
	// centred subtracts the mean of each language.
	centred = "centred"
	// whitenedVectors are whitened, all languages together.
	whitenedVectors = "whitened"
	// sparseCodes are those of lenses alone.
	sparseCodes = "codes"

	// byCosine compares vectors; the others are the scores of BERTScore, by which the vectors of tokens are matched.
	byCosine    = "cosine"
	byF1        = "bertscore-f1"
	byPrecision = "bertscore-precision"
	byRecall    = "bertscore-recall"
)

var (
	// treatmentNames are the names of what is done to vectors.
	treatmentNames = []string{raw, withoutFirst, centred, whitenedVectors, sparseCodes}
	// similarities are the names of ways to compare texts.
	similarities = []string{byCosine, byF1, byPrecision, byRecall}
)

// IsVariant says whether a name is that of a variant.
func IsVariant(name string) bool {
	return slices.Contains(treatmentNames, name) || slices.Contains(similarities, name)
}
