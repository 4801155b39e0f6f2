package objective

import (
	"slices"
	"testing"
)

func ptr[T any](x T) *T { return &x }

// entries are examples in their first epoch.
func entries(list ...Example) (all []Entry) {
	for i := range list {
		all = append(all, Entry{&list[i], 0})
	}
	return all
}

func TestFillPairs(t *testing.T) {
	list := entries(
		Example{A: []int32{1, 5, 2}, B: []int32{1, 6, 7, 2}, Label: ptr[int32](2), Target: ptr[float32](4.5)},
		Example{A: []int32{1, 8, 9, 2}, B: []int32{1, 2}, Label: ptr[int32](0), Target: ptr[float32](0)},
	)
	a, b := []int32{1, 5, 2, 0, 1, 8, 9, 2}, []int32{1, 6, 7, 2, 1, 2, 0, 0}
	for _, o := range []Objective{nli, cosine, contrastive, bsl} {
		filled, err := o.Fill(&Filler{}, list)
		if err != nil {
			t.Fatal(err)
		}
		var first, second Sequences
		switch batch := filled.(type) {
		case *NLIBatch:
			first, second = batch.A, batch.B
			if !slices.Equal(batch.Labels, []int32{2, 0}) {
				t.Errorf("labels %v", batch.Labels)
			}
		case *CosineBatch:
			first, second = batch.A, batch.B
			if !slices.Equal(batch.Targets, []float32{4.5, 0}) {
				t.Errorf("gold values %v", batch.Targets)
			}
		case *ContrastiveBatch:
			first, second = batch.A, batch.B
		case *BSLBatch:
			first, second = batch.A, batch.B
		}
		if !slices.Equal(first.IDs, a) || !slices.Equal(second.IDs, b) || !slices.Equal(second.Lengths, []int32{4, 2}) {
			t.Errorf("%s: %+v and %+v", o.Name, first, second)
		}
	}
}

// A text alone is both of its views.
func TestFillViewsOfOneText(t *testing.T) {
	filled, err := fillBSL(&Filler{}, entries(Example{A: []int32{1, 5, 2}}, Example{A: []int32{1, 6, 2}, B: []int32{1, 7, 2}}))
	if b := filled.(*BSLBatch); err != nil || !slices.Equal(b.B.IDs, []int32{1, 5, 2, 1, 7, 2}) {
		t.Errorf("%v, %v", b.B, err)
	}
}

// Views of one group or of one text are not negatives; a text's own views always are not.
func TestExcludedViews(t *testing.T) {
	one := uint64(1)
	filled, err := fillContrastive(&Filler{}, entries(
		Example{A: []int32{1, 5, 2}, B: []int32{1, 6, 2}, Group: &one},
		Example{A: []int32{1, 7, 2}, B: []int32{1, 8, 2}, Group: &one}, // the group of 0
		Example{A: []int32{1, 9, 2}, B: []int32{1, 5, 2}},              // its second view is the first of 0
		Example{A: []int32{1, 10, 2}},
	))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{ // A0 A1 A2 A3 B0 B1 B2 B3
		".x...xx.",
		"x...x...",
		"........",
		"........",
		".x...x..",
		"x...x...",
		"x.......",
		"........",
	}
	for i, line := range want {
		for j, c := range line {
			if got := filled.(*ContrastiveBatch).Excluded[i*8+j]; got != (c == 'x') {
				t.Errorf("excluded[%d, %d] is %t", i, j, got)
			}
		}
	}
}

func TestFitPairs(t *testing.T) {
	regression := DefaultCosine()
	regression.Loss = CosineRegression
	cosent := DefaultCosine()
	for _, test := range []struct {
		o      Objective
		c      Config
		e      Example
		reason string
	}{
		{nli, nil, Example{Label: ptr[int32](1)}, ""},
		{nli, nil, Example{}, "it has no label"},
		{nli, nil, Example{Label: ptr[int32](3)}, "its label is 3, there are the classes 0 to 2"},
		{nli, nil, Example{Label: ptr[int32](-1)}, "its label is -1, there are the classes 0 to 2"},
		{lens, &Lens{Head: LensClassifier}, Example{Label: ptr[int32](3)}, "its label is 3, there are the classes 0 to 2"},
		{classify, &Classify{Classes: 5}, Example{Label: ptr[int32](4)}, ""},
		{classify, &Classify{Classes: 5}, Example{Label: ptr[int32](5)}, "its label is 5, there are the classes 0 to 4"},
		{classify, &Classify{Classes: 5}, Example{}, "it has no label"},
		{cosine, &cosent, Example{Target: ptr[float32](70)}, ""},
		{cosine, &cosent, Example{}, "it has no gold value"},
		{cosine, &regression, Example{Target: ptr[float32](5)}, ""},
		{cosine, &regression, Example{Target: ptr[float32](70)},
			"its gold value is 70, outside 0 to 5: set --cosine-lowest and --cosine-highest"},
		{lens, &Lens{Head: LensClassifier}, Example{Label: ptr[int32](1)}, ""},
		{lens, &Lens{Head: LensClassifier}, Example{},
			"it has no label, which the classifier of the lens learns: --lens-head ranker takes pairs of translations"},
		{lens, &Lens{Head: LensRanker}, Example{}, ""},
		{lens, &Lens{Head: LensRanker}, Example{Label: ptr[int32](1)},
			"it has a label: train pairs of inference by the classifier of the lens"},
	} {
		wantFault(t, test.o.Fit(test.c, &test.e, nil), test.reason)
	}
}

func TestCheckPairs(t *testing.T) {
	wantFaults(t, (&NLI{Pooled: Pooled{"mean"}}).Check(), "nli: features is empty: give some of u, v, difference, product")
	wantFaults(t, (&NLI{Features: []string{"u", "u", "w"}, Pooled: Pooled{"sum"}}).Check(),
		`nli: feature "u" is named twice`, `nli: feature "w" is not one of u, v, difference, product`,
		`nli: pooling "sum" is not one of mean, max, cls`)
	wantFaults(t, (&Cosine{Loss: "x", Lowest: 2, Highest: 1, Pooled: Pooled{"cls"}}).Check(),
		`cosine: loss "x" is not one of cosent, regression`, "cosine: scale is 0, it must be above 0 and at most 1000",
		"cosine: lowest is 2 and highest 1: the first must be less")
	wantFaults(t, (&Classify{Classes: 1}).Check(), "classify: classes is 1, it must be from 2 to 65536",
		`classify: pooling "" is not one of mean, max, cls`)
	wantFaults(t, (&Contrastive{Pooled: Pooled{"max"}}).Check(), "contrastive: temperature is 0, it must be from .001 to 100")
	wantFaults(t, (&Lens{Head: "x", Margin: -1, Dropout: 1}).Check(), "lens: size is 0, it must be from 1 to 65536",
		`lens: head "x" is not one of classifier, ranker`,
		"lens: hidden is 0, it must be from 1 to 65536", "lens: margin is -1, it must be in [0, 2)",
		"lens: dropout is 1, it must be in [0, 1)")
	simple := DefaultLens()
	simple.Layers = 2
	wantFaults(t, simple.Check(),
		"lens: gate is 0, which is the Simple encoder, and layers, width and skip are of the GatedConv encoder: set gate above 0, or leave them out")
	wantFaults(t, (&Lens{Size: 1, Head: "ranker", Hidden: 1, Gate: 4, Width: 2, Skip: "x"}).Check(),
		"lens: layers is 0, it must be from 1 to 16",
		"lens: width is 2, it must be an odd number from 1 to 31", `lens: skip "x" is not one of g0, h0`)
	wantFaults(t, (&BSL{Momentum: 1.5, Pooled: Pooled{"mean"}}).Check(),
		`bsl: predictor "" is not one of paper, release, none`, "bsl: width is 0, it must be from 1 to 64",
		"bsl: momentum is 1.5, it must be from 0 to 1")
}
