package pipelinetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSets writes a folder as SentEval's data/downstream, with a part of four tasks, MR,
// CR, SST2 and TREC, and returns it. Every seventh line of SST2 and TREC has a label
// that there is not.
func TestSets(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	write := func(name string, first, n int, line func(text string, i int) string) {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(strings.ToLower(Sentence("eng", 17*(first+i))), i))
			b.WriteByte('\n')
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plain := func(text string, _ int) string { return "it is n't so : " + text + " ." }
	write("MR/rt-polarity.pos", 0, 40, plain)
	write("MR/rt-polarity.neg", 40, 30, plain)
	write("CR/custrev.pos", 70, 20, plain)
	write("CR/custrev.neg", 90, 25, plain)
	for i, split := range []string{"train", "dev", "test"} {
		write("SST/binary/sentiment-"+split, 120+20*i, 20, func(text string, i int) string { return fmt.Sprintf("%s\t%d", text, i%7%3) })
	}
	for i, name := range []string{"train_5500", "TREC_10"} {
		write("TREC/"+name+".label", 180+20*i, 20, func(text string, i int) string {
			return []string{"DESC:manner", "HUM:ind", "NUM:date", "LOC:city", "ENTY:animal", "ABBR:exp", "WHAT:ever"}[i%7] + " " + text +
				" ?"
		})
	}
	return root
}
