package bitext_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sentweave/pipelines/units"
	"sentweave/schemas/language"
)

// codes returns so many codes of languages with scripts.
func codes(n int) (list []string) {
	for _, script := range []string{"", "_Cyrl", "_Arab", "_Grek", "_Deva"} {
		for a := 'a'; a <= 'z'; a++ {
			for b := 'a'; b <= 'z'; b++ {
				code := fmt.Sprintf("d%c%c", a, b) + script
				if len(list) < n && language.Valid(code) && !slices.Contains(list, code) {
					list = append(list, code)
				}
			}
		}
	}
	return list
}

// A record in more languages than are joined is dropped for that and nothing else of its
// file; all pairs of one in 113 languages are made, with as many counts. Tables are
// refused before any work.
func TestMostTogether(t *testing.T) {
	list := codes(language.MostTogether + 1)
	if len(list) <= language.MostTogether {
		t.Fatalf("%d codes", len(list))
	}
	unit := func(codes []string) string {
		var b strings.Builder
		b.WriteString("<tu>")
		for _, code := range codes {
			fmt.Fprintf(&b, "<tuv xml:lang=%q><seg>text in %s</seg></tuv>", strings.ReplaceAll(code, "_", "-"), code)
		}
		return b.String() + "</tu>"
	}
	tmx := `<?xml version="1.0"?><tmx version="1.4"><header srclang="eng"/><body>` + unit(list) + unit(list[:113]) + "</body></tmx>"
	rows, m := run(t, 1<<20, "--input", folder(t, map[string]string{"all.tmx": tmx}), "--combinations", "--max-ratio", "9")
	if want := 113 * 112 / 2; len(rows) != want {
		t.Errorf("%d pairs, want %d", len(rows), want)
	}
	for reason, n := range reasons(m) {
		if reason != language.ReasonTooMany || n != 1 {
			t.Errorf("%d dropped for %s", n, reason)
		}
	}
	if n := len(m.Funnel.Out("pairs")); n != 1001 || m.Counts == nil || m.Counts.Rows != int64(113*112/2)+1 {
		t.Errorf("the manifest tells %d pairs of languages, the file %+v", n, m.Counts)
	}

	var fields []string
	for _, code := range list {
		fields = append(fields, fmt.Sprintf("%q: %q", code, "text in "+code))
	}
	json := `{"translation": {` + strings.Join(fields, ", ") + "}}\n"
	for name, content := range map[string]string{"all.jsonl": json, "all.tsv": strings.Join(list, "\t") + "\n"} {
		args := []string{"--input", folder(t, map[string]string{name: content}), "--combinations"}
		if name == "all.tsv" {
			args = append(args, "--columns", strings.Join(list, ","))
		}
		c := config(t, args...)
		if _, err := c.Plan(t.Context(), t.TempDir(), units.Settings{}); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprint("more than ", language.MostTogether, " languages")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
