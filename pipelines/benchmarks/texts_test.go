package benchmarks

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
)

// A file of texts is a test set without gold: of a table, or of lines, in which tabs and
// quotes are text. The others keep their places where --partial leaves empty ones out.
func TestTextsAlone(t *testing.T) {
	root := folder(t, map[string]string{
		"a.tsv": "id\ttext\nx1\tOne \"text.\nx2\tAnother.\n", "b.csv": "text,other\n\"One, two\",1\n\"a \"\"b\"\"\",2\n",
		"c.txt": "One text.\n\nA \"tab\there, and more.\nlast", "d.tsv": "One.\tEins.\nTwo.\tZwei.\n",
	})
	for _, tt := range []struct {
		args, want []string
	}{
		{[]string{"--files", "a.tsv", "--columns", "text_a=text"},
			[]string{`x|a|a.tsv|0|eng|One "text.|||skip`, "x|a|a.tsv|1|eng|Another.|||skip"}},
		{[]string{"--files", "a.tsv", "--columns", "text_a=text,key=id"},
			[]string{`x|a|a.tsv|0|eng|One "text.|||skip`, "x|a|a.tsv|1|eng|Another.|||skip"}},
		{[]string{"--files", "b.csv", "--columns", "text_a=text"},
			[]string{"x|b|b.csv|0|eng|One, two|||skip", `x|b|b.csv|1|eng|a "b"|||skip`}},
		{[]string{"--files", "c.txt", "--partial"},
			[]string{"x|c|c.txt|0|eng|One text.|||skip", "x|c|c.txt|2|eng|A \"tab\there, and more.|||skip",
				"x|c|c.txt|3|eng|last|||skip"}},
		{[]string{"--files", "d.tsv", "--separator", "none"},
			[]string{"x|d|d.tsv|0|eng|One.\tEins.|||skip", "x|d|d.tsv|1|eng|Two.\tZwei.|||skip"}},
		{[]string{"--files", "d.tsv", "--no-header", "--columns", "text_a=1,text_b=2"},
			[]string{"x|d|d.tsv|0|eng|One.|Eins.||skip", "x|d|d.tsv|1|eng|Two.|Zwei.||skip"}},
	} {
		got, m, _ := rows(t, append([]string{"table", "--task", "x", "--input", root}, tt.args...)...)
		empty := 0
		if slices.Contains(tt.args, "--partial") {
			empty = 1
		}
		if diff := cmp.Diff(tt.want, shown(got)); diff != "" || len(pipelinetest.Dropped(m)) != empty {
			t.Errorf("%v: %s, dropped %v", tt.args, diff, pipelinetest.Dropped(m))
		}
		if tt.args[len(tt.args)-1] == "text_a=text,key=id" && (got[0].KeyA != "x1" || got[1].KeyA != "x2") {
			t.Errorf("keys of %+v", got)
		}
	}
}
