package crosslingual

import (
	"bytes"
	"testing"
)

// Records read as they were written, and not at all when they are cut short.
func TestRecords(t *testing.T) {
	for _, v := range []version{
		{}, {language: "eng", label: "neutral", premise: true, unit: 1 << 20, row: 1 << 31},
		{language: "zho_Hant", hypothesis: true, skip: true, row: 255},
	} {
		value := v.append(nil)
		if got, err := parseVersion(value); got != v || err != nil {
			t.Errorf("%+v reads as %+v, %v", v, got, err)
		}
		for i := range value {
			if got, err := parseVersion(value[:i]); err == nil {
				t.Errorf("%x is read as %+v", value[:i], got)
			}
		}
	}
	for _, s := range []side{{role: flagPremise}, {flagHypothesis, "eng", "neutral", "xnli", "dev", "A text\nof two lines."}} {
		value := s.append(nil)
		if got, err := parseSide(value); got != s || err != nil {
			t.Errorf("%+v reads as %+v, %v", s, got, err)
		}
		for i := range value {
			if got, err := parseSide(value[:i]); err == nil {
				t.Errorf("%x is read as %+v", value[:i], got)
			}
		}
	}
	var last []byte
	for _, place := range [][2]uint32{{0, 0}, {0, 1}, {0, 256}, {1, 0}, {256, 1 << 31}} {
		key := appendWanted(nil, place[0], place[1])
		row, flags, err := parseWanted(key, []byte{flagPremise})
		if bytes.Compare(last, key) >= 0 || row != place[1] || flags != flagPremise || err != nil {
			t.Errorf("%v has the key %x after %x, and reads as %d, %d, %v", place, key, last, row, flags, err)
		}
		last = key
	}
	if _, _, err := parseWanted(last[:7], []byte{1}); err == nil {
		t.Error("a key that is cut short is read")
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(version{language: "eng", label: "x", row: 7}.append(nil))
	f.Add(side{flagPremise, "eng", "neutral", "xnli", "dev", "A"}.append(nil))
	f.Fuzz(func(t *testing.T, value []byte) {
		if v, err := parseVersion(value); err == nil {
			if again, err := parseVersion(v.append(nil)); again != v || err != nil {
				t.Fatalf("%x: %+v, then %+v, %v", value, v, again, err)
			}
		}
		if s, err := parseSide(value); err == nil {
			if again, err := parseSide(s.append(nil)); again != s || err != nil {
				t.Fatalf("%x: %+v, then %+v, %v", value, s, again, err)
			}
		}
	})
}
