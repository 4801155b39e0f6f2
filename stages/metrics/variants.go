package metrics

import "slices"

// Variants of a model: what is done to its vectors, by --vectors, and how the texts of a pair are compared, by
// --similarity. But for raw and cosine, a + and the name of the variant come after the model's in the results.
const (
	// VectorsRaw leaves vectors as they are.
	VectorsRaw = "raw"
	// VectorsPCR takes the first principal component of each language off.
	VectorsPCR = "pcr"
	// VectorsCentred subtracts the mean of each language.
	VectorsCentred = "centred"
	// VectorsWhitened are whitened, all languages together.
	VectorsWhitened = "whitened"
	// VectorsCodes are those of lenses alone.
	VectorsCodes = "codes"

	// SimilarityCosine compares vectors; the others are the scores of BERTScore, by which the vectors of tokens are matched.
	SimilarityCosine    = "cosine"
	SimilarityF1        = "bertscore-f1"
	SimilarityPrecision = "bertscore-precision"
	SimilarityRecall    = "bertscore-recall"
)

var (
	// Vectors are the names of what is done to vectors.
	Vectors = []string{VectorsRaw, VectorsPCR, VectorsCentred, VectorsWhitened, VectorsCodes}
	// Similarities are the names of ways to compare texts.
	Similarities = []string{SimilarityCosine, SimilarityF1, SimilarityPrecision, SimilarityRecall}
)

// IsVariant says whether a name is that of a variant.
func IsVariant(name string) bool {
	return slices.Contains(Vectors, name) || slices.Contains(Similarities, name)
}
