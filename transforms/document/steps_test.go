package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/dataset"
	"sentweave/schemas/doctable"
)

// TestSteps: the chains of the funnel, which plans and manifests hold, follow from the list of steps.
func TestSteps(t *testing.T) {
	chain := func(items string, steps ...string) dataset.Chain { return dataset.NewChain(items, steps...) }
	want := []dataset.Chain{
		chain("documents", "read", "parse", "rights", "main_content", "language", "quality"),
		chain("blocks", "main_content"),
		chain("sentences", "language", "quality", "document"),
		chain("declared", "language"),
		chain("personal", "mask"),
	}
	if diff := cmp.Diff(want, Chains(true, true)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[:3], Chains(false, false)); diff != "" {
		t.Error(diff)
	}
}

// TestStopsAtFirstReason: the step that drops a document is the last that runs.
func TestStopsAtFirstReason(t *testing.T) {
	o := builder(t, nil).Build(Record{Source: "a.txt", Text: english + another, Reason: "damaged_gzip", Detail: "unexpected EOF"})
	if o.Verdict != (Verdict{StepRead, "damaged_gzip", "unexpected EOF"}) || o.Blocks != nil || o.Sentences != nil {
		t.Errorf("a record with a fault has the verdict %+v and %d blocks", o.Verdict, len(o.Blocks))
	}
}

// TestTourOfSteps compares the tour of the code with the list.
func TestTourOfSteps(t *testing.T) {
	var shown, want []string
	for _, row := range doctable.Rows(t, "runners/docs/tour.md", "| step | function |") {
		shown = append(shown, row[0])
	}
	for _, s := range steps {
		want = append(want, s.does)
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("the table of steps in the tour differs from the list:\n%s", diff)
	}
}
