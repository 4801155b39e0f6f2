package objective

import (
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/objective/joined"
)

// Hard negatives are found by the first side before it was cut; those of several labels are
// contradictions, and the first of several counts.
func TestNegatives(t *testing.T) {
	row := func(id string, a, b []int32, label *int32) schemas.Example {
		return schemas.Example{ID: schemas.DerivedID("x", id), Kind: schemas.KindNLI, LanguageA: "eng", LanguageB: "eng", TokensA: a,
			TokensB: b, LengthA: int32(len(a)), LengthB: int32(len(b)), Label: label}
	}
	a, other := []int32{1, 5, 6, 7, 2}, []int32{1, 9, 2}
	path := datasettest.Write(t, nil, []schemas.Example{
		row("entailment", a, []int32{1, 10, 2}, ptr[int32](0)), row("first", a, []int32{1, 11, 12, 13, 2}, ptr[int32](2)),
		row("second", a, []int32{1, 14, 2}, ptr[int32](2)),
	}, []schemas.Example{row("no label", other, []int32{1, 15, 2}, nil)})
	c := DefaultBitext()
	c.Negatives = path
	if err := c.Prepare(t.Context(), Facts{Pooling: "mean"}); err != nil {
		t.Fatal(err)
	}
	join := bitext.Join(&c)
	if got := join.Input("s/bitext").Role; got != "s/bitext/negatives" {
		t.Errorf("role %q", got)
	}
	list := []Example{
		{A: []int32{1, 5, 2}, B: []int32{1, 15, 2}, Key: joined.TextKey(a), Most: 3}, // cut
		{A: other, B: []int32{1, 16, 2}, Key: joined.TextKey(other)},
		{A: []int32{1, 8, 2}, B: []int32{1, 17, 2}, Key: joined.TextKey([]int32{1, 8, 2})},
	}
	if err := join.Attach(t.Context(), []*Example{&list[0], &list[1], &list[2]}); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int32{{1, 11, 2}, {1, 15, 2}, nil} {
		if !slices.Equal(list[i].Negative, want) {
			t.Errorf("%d has %v, want %v", i, list[i].Negative, want)
		}
	}
	filled, err := fillBitext(&Filler{}, entries(list...))
	if err != nil {
		t.Fatal(err)
	}
	// The second negative is the right side of the first pair.
	b := filled.(*BitextBatch)
	if b.Negatives.Count != 2 || !slices.Equal(b.ExcludedNegatives, []bool{false, true, false, false, false, false}) ||
		b.Tokens() != 6*3+2*3 {
		t.Errorf("%+v", b)
	}
	if bitext.Join(&Bitext{}) != nil {
		t.Error("negatives without a dataset")
	}
}

// Negatives that are right in the training are left out and told; a training is not its own negatives.
func TestNegativesThatAreRight(t *testing.T) {
	row := func(id string, a, b int32) schemas.Example {
		return schemas.Example{ID: schemas.DerivedID("x", id), Kind: schemas.KindBitext, LanguageA: "eng", LanguageB: "deu",
			TokensA: []int32{1, a, 2}, TokensB: []int32{1, b, 2}, LengthA: 3, LengthB: 3}
	}
	trained := datasettest.Write(t, nil, []schemas.Example{row("1", 5, 15), row("2", 6, 16)},
		[]schemas.Example{row("3", 6, 26), row("4", 7, 17)})
	c := DefaultBitext()
	c.Negatives = trained
	err := c.Prepare(t.Context(), Facts{Pooling: "mean", Examples: []string{trained, trained}})
	if err == nil || !strings.Contains(err.Error(), "none is a hard negative") {
		t.Error(err)
	}
	c.Negatives = datasettest.Write(t, nil, []schemas.Example{row("1", 50, 15)})
	if err := c.Prepare(t.Context(), Facts{Pooling: "mean", Examples: []string{trained}}); err == nil ||
		!strings.Contains(err.Error(), "no text of the training has a hard negative") {
		t.Errorf("of other texts: %v", err)
	}
	// The first is right, the second by another pair of the same text; the others are not.
	c.Negatives = datasettest.Write(t, nil, []schemas.Example{row("1", 5, 15), row("2", 6, 26), row("3", 7, 15), row("4", 8, 17)})
	var notes []string
	if err := c.Prepare(t.Context(),
		Facts{Pooling: "mean", Examples: []string{trained}, Note: func(text string) { notes = append(notes, text) }}); err != nil {
		t.Fatal(err)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "2 of 4 hard negatives in ") {
		t.Errorf("%q", notes)
	}
	for first, want := range map[int32][]int32{5: nil, 6: nil, 7: {1, 15, 2}, 8: {1, 17, 2}} {
		e := Example{Key: joined.TextKey([]int32{1, first, 2})}
		if err := bitext.Join(&c).Attach(t.Context(), []*Example{&e}); err != nil || !slices.Equal(e.Negative, want) {
			t.Errorf("%d has %v, want %v: %v", first, e.Negative, want, err)
		}
	}
}
