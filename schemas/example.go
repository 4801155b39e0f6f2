package schemas

// Example is a training example: token ids of one or two sides, with the masks of the
// second side. The ids include [CLS] and [SEP] and no padding.
//
// Lists are stored delta-packed (DELTA_BINARY_PACKED): on token ids from a Zipf
// distribution this writes five times as fast as plain integers, which are slow to
// compress with zstd, and files differ by 4 % in size.
type Example struct {
	ID        string  `parquet:"id"`
	Kind      string  `parquet:"kind,dict"`
	LanguageA string  `parquet:"language_a,dict"`
	LanguageB string  `parquet:"language_b,optional,dict"`
	TokensA   []int32 `parquet:"tokens_a,list" parquet-element:",delta"`
	// TokensB are the ids after masking. If the mask lists are empty, they are not
	// masked, because the trainer masks by hash of id and epoch.
	TokensB []int32 `parquet:"tokens_b,list" parquet-element:",delta"`
	// MaskPositions are ascending indices into TokensB; MaskTokens are the original
	// ids there.
	MaskPositions []int32 `parquet:"mask_positions,list" parquet-element:",delta"`
	MaskTokens    []int32 `parquet:"mask_tokens,list" parquet-element:",delta"`
	LengthA       int32   `parquet:"length_a"`
	LengthB       int32   `parquet:"length_b"`
	// Label is the class as an index of Labels, if the kind has one.
	Label *int32 `parquet:"label,optional"`
	// Target is the gold value, if the kind has one.
	Target *float32 `parquet:"target,optional"`
	// Copy counts the maskings of one pair of sequences from 0.
	Copy  int32   `parquet:"copy"`
	Group *uint64 `parquet:"group,optional"`
}

// Labels returns the classes of inference. Pair.Label is one of them, and
// Example.Label is the index of one.
func Labels() []string { return []string{"entailment", "neutral", "contradiction"} }

// Schema implements Row.
func (Example) Schema() Schema { return Schema{Name: "example", Version: 1, RowGroup: rowGroup} }

// Validate implements Row.
func (e Example) Validate() error {
	var f faults
	f.id("id", e.ID)
	if !isKind(e.Kind) {
		f.Addf("kind %q is not one of %v", clip(e.Kind), Kinds())
	}
	f.language("language_a", e.LanguageA)
	f.text("language_b", e.LanguageB)
	f.Check(len(e.TokensA) > 0, "tokens_a is empty")
	if int(e.LengthA) != len(e.TokensA) {
		f.Addf("length_a is %d, tokens_a has %d", e.LengthA, len(e.TokensA))
	}
	if int(e.LengthB) != len(e.TokensB) {
		f.Addf("length_b is %d, tokens_b has %d", e.LengthB, len(e.TokensB))
	}
	if (len(e.TokensB) == 0) != (e.Kind == KindSingle) {
		f.Addf("an example of kind %q with %d tokens_b", clip(e.Kind), len(e.TokensB))
	}
	f.Check((len(e.TokensB) == 0) == (e.LanguageB == ""), "tokens_b and language_b go together")
	if e.Copy < 0 {
		f.Addf("copy %d is negative", e.Copy)
	}
	if len(e.MaskPositions) != len(e.MaskTokens) {
		f.Addf("%d mask_positions and %d mask_tokens", len(e.MaskPositions), len(e.MaskTokens))
	}
	last := int32(-1)
	for _, p := range e.MaskPositions {
		if p <= last || int(p) >= len(e.TokensB) {
			f.Addf("mask position %d is out of order or outside tokens_b (%d)", p, len(e.TokensB))
		}
		last = p
	}
	f.tokens("tokens_a", e.TokensA)
	f.tokens("tokens_b", e.TokensB)
	f.tokens("mask_tokens", e.MaskTokens)
	if e.Target != nil {
		f.finite("target", float64(*e.Target))
	}
	return f.Err()
}

// tokens names the first negative id.
func (f *faults) tokens(column string, ids []int32) {
	for i, id := range ids {
		if id < 0 {
			f.Addf("%s[%d] is %d, and ids are not negative", column, i, id)
			return
		}
	}
}

// Unmask puts the original tokens back in the places of masks. What Validate refuses of a row, such as a mask beyond
// its tokens, is passed over.
func (e *Example) Unmask() {
	for i, p := range e.MaskPositions {
		if p >= 0 && int(p) < len(e.TokensB) && i < len(e.MaskTokens) {
			e.TokensB[p] = e.MaskTokens[i]
		}
	}
	e.MaskPositions, e.MaskTokens = nil, nil
}
