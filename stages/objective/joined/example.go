// Package joined holds the datasets that objectives read beside their examples: the vectors of a teacher, hard negatives,
// and the vectors of tokens that a frozen encoder has given before. Each belongs to the examples by their ids or their
// tokens.
package joined

// Example is a checked row of schemas.Example, cut to length.
type Example struct {
	ID                   string
	LanguageA, LanguageB string
	// A and B are the ids of the sides; B is empty if there is only one text.
	A, B []int32
	// Positions and Targets are the masks of B that came with the row, if any.
	Positions, Targets []int32
	Label              *int32
	Target             *float32
	Group              *uint64
	// Joined is the vector that a Join has attached, and Negative the tokens of a hard
	// negative.
	Joined   []float32
	Negative []int32
	// Key identifies the first side before it was cut, and Most is the length to which
	// sides are cut, 0 for none: for a Join.
	Key  uint64
	Most int
}
