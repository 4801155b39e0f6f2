package objective

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/doctable"
)

// Each objective can be told from the others, and its default configuration is valid.
func TestAll(t *testing.T) {
	names := map[string]bool{}
	for _, o := range List() {
		if o.Name == "" || names[o.Name] || len(o.Kinds) == 0 || o.Weight <= 0 || o.Fill == nil {
			t.Errorf("%+v", o)
		}
		names[o.Name] = true
		for _, kind := range o.Kinds {
			if !slices.Contains(schemas.Kinds(), kind) {
				t.Errorf("%s takes %q, which is not a kind", o.Name, kind)
			}
		}
		if o.Config() == o.Config() {
			t.Errorf("%s: its default configurations are one", o.Name)
		}
	}
}

// TestDocsOfObjectives compares the table of objectives in the documentation with the list.
func TestDocsOfObjectives(t *testing.T) {
	shown, want := map[string]string{}, map[string]string{}
	for _, row := range doctable.Rows(t, "runners/docs/training.md", "| objective | examples |") {
		kinds := strings.FieldsFunc(row[1], func(r rune) bool { return r == ',' || r == ' ' })
		kinds = slices.DeleteFunc(kinds, func(word string) bool { return !slices.Contains(schemas.Kinds(), word) })
		slices.Sort(kinds)
		shown[row[0]] = strings.Join(kinds, " ")
	}
	for _, o := range List() {
		want[o.Name] = strings.Join(slices.Sorted(slices.Values(o.Kinds)), " ")
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("the objectives in runners/docs/training.md, and the kinds of their examples, differ from the list:\n%s", diff)
	}
}

func TestBatches(t *testing.T) {
	a, b := Sequences{Length: 4}, Sequences{Length: 3}
	a.Append([]int32{1, 2}, 0)
	a.Append([]int32{1, 2, 3, 4, 5}, 0)
	b.Append([]int32{1}, 0)
	b.Append([]int32{1, 2, 3}, 0)
	both := Sequences{Length: 5}
	for _, n := range []int{2, 4, 1, 3} {
		both.Append(make([]int32, n), 0)
	}
	var tested []string
	for _, test := range []struct {
		batch Batch
		name  string
		kinds []string
	}{
		{&CMLMBatch{A: a, B: b, Positions: []int32{1}, Targets: []int32{7}}, "cmlm", []string{schemas.KindConsecutive}},
		{&BitextBatch{A: a, B: b, Excluded: make([]bool, 4)}, "bitext", []string{schemas.KindBitext, schemas.KindView}},
		{&MLMBatch{Texts: both, Positions: []int32{1}, Targets: []int32{7}}, "mlm",
			[]string{schemas.KindConsecutive, schemas.KindSingle, schemas.KindBitext, schemas.KindView}},
		{&MSEBatch{Texts: both, Vectors: make([]float32, 4), Dimension: 1}, "mse",
			[]string{schemas.KindBitext, schemas.KindView, schemas.KindSingle}},
		{&NLIBatch{A: a, B: b, Labels: []int32{0, 2}}, "nli", []string{schemas.KindNLI}},
		{&CosineBatch{A: a, B: b, Targets: []float32{0, 2}}, "cosine", []string{schemas.KindSTS, schemas.KindQE}},
		{&ContrastiveBatch{A: a, B: b}, "contrastive", []string{schemas.KindView, schemas.KindBitext, schemas.KindSingle}},
		{&LensBatch{BitextBatch: BitextBatch{A: a, B: b}}, "lens", []string{schemas.KindNLI, schemas.KindBitext, schemas.KindView}},
		{&ClassifyBatch{Texts: both, Labels: []int32{0, 1, 0, 1}}, "classify", []string{schemas.KindSingle}},
		{&NSPBatch{Texts: both}, "nsp", []string{schemas.KindConsecutive}},
		{&QuickThoughtBatch{ContrastiveBatch{A: a, B: b}}, "quickthought", []string{schemas.KindConsecutive}},
		{&BSLBatch{A: a, B: b}, "bsl", []string{schemas.KindView, schemas.KindBitext, schemas.KindSingle}},
	} {
		tested = append(tested, test.name)
		if got := test.batch.Objective(); got != test.name {
			t.Errorf("%q, want %q", got, test.name)
		}
		if got := test.batch.Tokens(); got != 2+4+1+3 { // padding does not count
			t.Errorf("%s: %d tokens, want 10", test.name, got)
		}
		if o, ok := Find(test.name); !ok || !slices.Equal(o.Kinds, test.kinds) {
			t.Errorf("%s: kinds %q, want %q", test.name, o.Kinds, test.kinds)
		}
	}
	for _, name := range Names() {
		if !slices.Contains(tested, name) {
			t.Errorf("add a batch of %s to this test", name)
		}
	}
	if got := (&CMLMBatch{}).Tokens() + (&BitextBatch{}).Tokens(); got != 0 {
		t.Errorf("%d tokens in empty batches", got)
	}
	if o, ok := Find("none"); ok {
		t.Errorf("found %+v", o)
	}
}

// wantFault checks that an error is the one of a reason, or none.
func wantFault(t *testing.T, err error, reason string) {
	t.Helper()
	switch {
	case reason == "" && err != nil:
		t.Errorf("error %v, want none", err)
	case reason != "" && (err == nil || err.Error() != reason):
		t.Errorf("error %v, want %q", err, reason)
	}
}

// wantFaults checks that an error reports exactly the reasons.
func wantFaults(t *testing.T, err error, reasons ...string) {
	t.Helper()
	wantFault(t, err, strings.Join(reasons, "\n"))
}

// The defaults are those that the papers give and the fields document.
func TestDefaults(t *testing.T) {
	want := CMLM{Vectors: 15, Widths: []int{2, 2}, Pooled: Pooled{"mean"}, PrefixPositions: "none"}
	if diff := cmp.Diff(want, DefaultCMLM()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Bitext{Margin: .3, Scale: 20, Pooled: Pooled{"mean"}}, DefaultBitext()); diff != "" {
		t.Error(diff)
	}
	if got, want := DefaultOptimizer(), (Optimizer{Name: "lamb", Beta1: .9, Beta2: .999, Epsilon: 1e-6, Decay: .01, Clip: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
