package schemas

import "sentweave/schemas/excerpt"

// Kinds of pairs and examples: why the two texts stand together.
const (
	KindConsecutive = "consecutive" // text_b follows text_a in one document
	KindBitext      = "bitext"      // text_b translates text_a
	KindNLI         = "nli"         // premise and hypothesis with a label
	KindView        = "view"        // text_b says what text_a says in other words
	KindSTS         = "sts"         // two texts with a gold similarity
	KindQE          = "qe"          // source and translation with a gold quality
	KindSingle      = "single"      // one text, no text_b
)

// NoiseOrigin begins the origin of a pair that was made wrong by rules; the kind of noise follows.
const NoiseOrigin = "noise/"

// Kinds lists the kinds in a fixed order.
func Kinds() []string {
	return []string{KindConsecutive, KindBitext, KindNLI, KindView, KindSTS, KindQE, KindSingle}
}

func isKind(kind string) bool {
	switch kind {
	case KindConsecutive, KindBitext, KindNLI, KindView, KindSTS, KindQE, KindSingle:
		return true
	}
	return false
}

// Pair is two texts that a trainer or an evaluation reads together.
type Pair struct {
	ID        string `parquet:"id"`
	Kind      string `parquet:"kind,dict"`
	TextA     string `parquet:"text_a"`
	TextB     string `parquet:"text_b,optional"`
	LanguageA string `parquet:"language_a,dict"`
	LanguageB string `parquet:"language_b,optional,dict"`
	// Label is the class of an NLI pair.
	Label string `parquet:"label,optional,dict"`
	// Target is the gold value of an sts or qe pair.
	Target *float64 `parquet:"target,optional"`
	// Score is the measure by which the pair was made: the margin of mining, or the
	// confidence of an alignment.
	Score *float32 `parquet:"score,optional"`
	// DocumentA, DocumentB and the positions say where the texts come from. A
	// position is a block ordinal for bitext and a sentence position for consecutive.
	DocumentA string `parquet:"document_a,optional"`
	DocumentB string `parquet:"document_b,optional"`
	PositionA *int32 `parquet:"position_a,optional"`
	PositionB *int32 `parquet:"position_b,optional"`
	// Swapped says that the texts are in the reverse of their order in the document.
	Swapped bool   `parquet:"swapped"`
	Origin  string `parquet:"origin,dict"`
	// Group is equal for texts that mean the same: they are never negatives of each other.
	Group *uint64 `parquet:"group,optional"`
}

// LanguagePair is the language of a pair in a funnel: the codes in alphabetical order, or
// one of them if both are equal or the second is empty.
func LanguagePair(a, b string) string {
	switch {
	case a == b || b == "":
		return a
	case a > b:
		a, b = b, a
	}
	return a + "-" + b
}

// Reject returns what the sample of rejects tells of a pair that a step drops.
func (p Pair) Reject(step, reason string) Reject {
	r := Reject{ID: p.ID, Source: p.Origin, Step: step, Reason: reason, Language: LanguagePair(p.LanguageA, p.LanguageB),
		Sample: excerpt.Bytes(p.TextA, MaxSample/2-1) + "\n" + excerpt.Bytes(p.TextB, MaxSample/2-1)}
	if p.PositionA != nil {
		r.Offset = int64(*p.PositionA)
	}
	return r
}

// Schema implements Row.
func (Pair) Schema() Schema { return Schema{Name: "pair", Version: 1, RowGroup: rowGroup} }

// Validate implements Row.
func (p Pair) Validate() error {
	var f faults
	f.id("id", p.ID)
	if !isKind(p.Kind) {
		f.Addf("kind %q is not one of %v", clip(p.Kind), Kinds())
	}
	f.required("text_a", p.TextA)
	f.text("text_b", p.TextB)
	f.language("language_a", p.LanguageA)
	f.text("language_b", p.LanguageB)
	if (p.TextB == "") != (p.Kind == KindSingle) {
		f.Addf("a pair of kind %q with text_b %q", clip(p.Kind), clip(p.TextB))
	}
	f.Check((p.TextB == "") == (p.LanguageB == ""), "text_b and language_b go together")
	if (p.Label != "") != (p.Kind == KindNLI) {
		f.Addf("a pair of kind %q with label %q", clip(p.Kind), clip(p.Label))
	}
	if (p.Target != nil) != (p.Kind == KindSTS || p.Kind == KindQE) {
		f.Addf("a pair of kind %q: target set is %t", clip(p.Kind), p.Target != nil)
	}
	f.text("label", p.Label)
	if p.Target != nil {
		f.finite("target", *p.Target)
	}
	if p.Score != nil {
		f.finite("score", float64(*p.Score))
	}
	f.text("document_a", p.DocumentA)
	f.text("document_b", p.DocumentB)
	f.text("origin", p.Origin)
	return f.Err()
}
