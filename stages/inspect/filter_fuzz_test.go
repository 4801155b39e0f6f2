package inspect

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzFilter(f *testing.F) {
	d := build(f, measured(12), 12)
	table, err := d.Table(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{
		`language == "spa" and length(url) > 10`, "not (sentences.text != 'x\\'y' or id matches `\\d`) and url contains \"\\\\\"",
		`offset<=-1e+5`, `((url==null))`,
		`kept == 1 and fineweb_short<.3 or blocks == null`,
		`url == "\`, `length(`, `url == 1 or`, "url == \"\xff\"", `date > "2024-01-31" && !swapped`, `a?.b ?? c[1:2] | map({#.x})`,
		`if a {1} else {2}; let x = 1; x in [1..2]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := table.Filter(t.Context(), text)
		if err != nil {
			var fault *Fault
			if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), "filter: ") || !utf8.ValidString(err.Error()) {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		for row, err := range table.Rows(t.Context(), filter.Selection) {
			if err != nil {
				t.Fatal(err)
			}
			filter.Holds(row)
		}
	})
}
