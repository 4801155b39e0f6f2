package doctable

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRows(t *testing.T) {
	page := "# A\n\n| a | b |\n|---|:-:|\n| `x` | u \\| v |\n| y ||\n\ntext | a | b |\n| z | none |\n\n| a | b | c |\n|---|---|---|\n| last | | . |\n"
	want := [][]string{{"x", "u | v"}, {"y", ""}, {"last", "", "."}}
	if diff := cmp.Diff(want, rowsOf(page, "| a | b |")); diff != "" {
		t.Error(diff)
	}
	if rows := rowsOf(page, "| b |"); rows != nil {
		t.Errorf("rows of a table that is not there: %q", rows)
	}
}
