package units

import (
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

// Names are splits of any of the datasets; those that are none are told with those that are.
func TestCheckSplits(t *testing.T) {
	open := func(splits ...string) *Dataset {
		var rows []schemas.Benchmark
		for i, s := range splits {
			rows = append(rows, schemas.Benchmark{ID: schemas.DerivedID("b", s), Task: "MR", Split: s, Row: int32(i), File: "f",
				LanguageA: "eng", TextA: "rain", Label: "1"})
		}
		d, err := OpenDataset[schemas.Benchmark](t.Context(), datasettest.Write(t, nil, rows))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	one, other := open("train", "dev"), open("test")
	for _, test := range []struct{ names, want string }{
		{"", ""}, {"test", ""}, {"dev,test,train", ""}, {"trian", "has the split trian; there are dev, test, train"},
		{"test,b,a", "has the split a, b; there are dev, test, train"},
	} {
		names := strings.FieldsFunc(test.names, func(r rune) bool { return r == ',' })
		if err := CheckSplits(t.Context(), names, one, other); (err == nil) != (test.want == "") || err != nil &&
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.names, err, test.want)
		}
	}
}
