package lookup

import (
	"bytes"
	"slices"
	"testing"
)

// Of what is told of a text the best sorts first, and all of it before who asks.
func TestRecordsSort(t *testing.T) {
	best := [][]byte{
		told{rank: 0, text: "b"}.append(nil), told{rank: 1, text: "a"}.append(nil), told{rejected: true, rank: 0, text: "a"}.append(nil),
		told{rejected: true, rank: 2}.append(nil),
		request{unit: 0, text: 1}.append(nil), request{unit: 1, text: 0}.append(nil),
	}
	if !slices.IsSortedFunc(best, bytes.Compare) {
		t.Errorf("%q", best)
	}
}

// Texts that differ in runs of white space have one key, others of their own.
func TestKey(t *testing.T) {
	key := func(pair int, text string) string { return string(appendKey(nil, pair, text)) }
	if key(1, "a  b") != key(1, " a\tb\u00a0") || key(1, "a b") == key(2, "a b") || key(1, "a b") == key(1, "ab") ||
		len(key(1, "")) != keySize {
		t.Error("keys are not those of texts and pairs")
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(told{rejected: true, rank: 7, text: "x"}.append(nil))
	f.Add(request{unit: 3, text: 4}.append(nil))
	f.Fuzz(func(t *testing.T, value []byte) {
		if x, err := parseTold(value); err == nil && !bytes.Equal(x.append(nil), value) {
			t.Errorf("%q is read as %+v", value, x)
		}
		if x, err := parseAsked(value); err == nil && !bytes.Equal(x.append(nil), value) {
			t.Errorf("%q is read as %+v", value, x)
		}
	})
}
