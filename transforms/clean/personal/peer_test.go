package personal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlanted: of what phonenumbers, schwifty and faker make, at least .98 of each kind is masked, from end to end and nothing else. They
// are of the Python that SENTWEAVE_PERSONAL names.
func TestPlanted(t *testing.T) {
	python := os.Getenv("SENTWEAVE_PERSONAL")
	if python == "" {
		t.Skip("skipped: SENTWEAVE_PERSONAL names no Python with phonenumbers, schwifty and faker")
	}
	out, err := exec.Command(python, filepath.Join("testdata", "planted.py"), "12000").Output()
	if err != nil {
		t.Fatal(err)
	}
	masker, err := New(Kinds())
	if err != nil {
		t.Fatal(err)
	}
	planted, found := map[string]float64{}, map[string]float64{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var line struct{ Kind, Region, Item, Text string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
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
