package spill

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestLayoutValidate(t *testing.T) {
	b := func(s ...string) (keys [][]byte) {
		for _, k := range s {
			keys = append(keys, []byte(k))
		}
		return keys
	}
	faults := map[string]struct {
		layout Layout
		want   []string
	}{
		"all at once":    {Layout{Fingerprint: strings.Repeat("x", 256)}, []string{`order ""`, "0 buckets", "256 bytes"}},
		"splits by hash": {Layout{Order: ByHash, Buckets: 2, Splits: b("a")}, []string{"splits need order"}},
		"too few splits": {Layout{Order: ByKey, Buckets: 4, Splits: b("a")}, []string{"1 splits for 4 buckets, there must be 3"}},
		"unsorted":       {Layout{Order: ByKey, Buckets: 3, Splits: b("b", "a")}, []string{"ascending"}},
		"many buckets":   {Layout{Order: ByKey, Buckets: maxBuckets + 1}, []string{"1048577 buckets"}},
	}
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		err := faults[name].layout.Validate()
		for _, want := range faults[name].want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", name, err, want)
			}
		}
		if _, e := NewWriter(io.Discard, faults[name].layout, Options{}); e == nil {
			t.Errorf("%s: NewWriter takes the layout", name)
		}
		if _, e := NewReader(bytes.NewReader(nil), 0, faults[name].layout); e == nil {
			t.Errorf("%s: NewReader takes the layout", name)
		}
	}
	if err := (Options{Memory: 1}).Validate(); err == nil {
		t.Error("a memory of 1 byte is taken")
	}
}

func TestSplitPoints(t *testing.T) {
	keys := [][]byte{[]byte("d"), []byte("b"), []byte("c"), []byte("a")}
	if got := fmt.Sprintf("%s", splitPoints(keys, 2)); got != "[c]" {
		t.Errorf("two buckets of a, b, c, d are split at %s, want [c]", got)
	}
	if got := fmt.Sprintf("%s", splitPoints(keys, 4)); got != "[b c d]" {
		t.Errorf("four buckets of a, b, c, d are split at %s, want [b c d]", got)
	}
	if string(keys[0]) != "d" {
		t.Error("the sample was sorted in place")
	}
	layout := Layout{Order: ByKey, Buckets: 3, Splits: splitPoints(nil, 3)}
	if err := layout.Validate(); err != nil || layout.Bucket([]byte("x")) != 2 {
		t.Errorf("no sample: %v, bucket %d", err, layout.Bucket([]byte("x")))
	}
}

// splitPoints returns the splits that cut a sample of keys into buckets of equal
// counts, for Layout.Splits. The sample's order does not matter; it is left as it
// is. A sample without keys gives empty splits: then all keys are in the last bucket.
func splitPoints(sample [][]byte, buckets int) [][]byte {
	sorted := slices.SortedFunc(slices.Values(sample), bytes.Compare)
	splits := make([][]byte, max(buckets-1, 0))
	for i := range splits {
		if len(sorted) > 0 {
			splits[i] = bytes.Clone(sorted[(i+1)*len(sorted)/buckets])
		}
	}
	return splits
}
