package report

import (
	"bytes"
	"testing"

	"sentweave/stages/report/markup"
)

// written is the text of a page.
func written(t testing.TB, r markup.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := markup.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
