package personal

import (
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// TestPlanted: of what phonenumbers, schwifty and faker make, at least .98 of each kind is masked, from end to end and nothing else. They
// are of the Python that SENTWEAVE_PERSONAL names.
func TestPlanted(t *testing.T) {
	python := realdata.Variable(t, "SENTWEAVE_PERSONAL")
	type item struct{ Kind, Region, Item, Text string }
	lines := peertest.Values[item](t, peertest.Output(t, nil, python, filepath.Join("testdata", "planted.py"), "12000"))
	masker, err := New(Kinds())
	if err != nil {
		t.Fatal(err)
	}
	planted, found := map[string]float64{}, map[string]float64{}
	for _, line := range lines {
		kind, _ := New([]string{line.Kind})
		placeholder := kind.Mask(line.Item, line.Region, new(Counts))
		got := masker.Mask(line.Text, line.Region, new(Counts))
		planted[line.Kind]++
		if placeholder != line.Item && got == strings.Replace(line.Text, line.Item, placeholder, 1) {
			found[line.Kind]++
		} else {
			t.Logf("%s %s: %q became %q", line.Region, line.Kind, line.Text, got)
		}
	}
	for _, kind := range Kinds() {
		recall := found[kind] / planted[kind]
		t.Logf("%s: %.4f of %v", kind, recall, planted[kind])
		if !(recall >= .98) {
			t.Errorf("%s: recall %.3f", kind, recall)
		}
	}
}
