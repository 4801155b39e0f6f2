package similarity

import (
	"fmt"
	"testing"

	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/evaluate/evaluatetest"
	"sentweave/stages/evaluate/protocol"
)

// FuzzReaders reads any bytes as each kind of file: an error or whole pairs, and
// the same ones again.
func FuzzReaders(f *testing.F) {
	f.Add("1\ta\tb\n\tc\td\n", "x,y,2.5\n\"q, \"\"r\"\"\",s,1\n")
	f.Add("g\tf\ty\ti\t1\ta\tb\tsource\n", "a,b\n")
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, lines, table string) {
		storagetest.WriteFiles(t, root, map[string]string{
			"sts/2013/FNWN.test.tsv": lines, "sts/2013/headlines.test.tsv": lines, "sts/2013/OnWN.test.tsv": lines,
			"stsb/sts-test.csv": lines, "stsb_multi_mt/stsb-de-test.csv": table,
		})
		for _, task := range []protocol.Task{SemEval("13"), STSBenchmark, STSMultilingual} {
			read := func() ([]Pairs, error) {
				p, err := evaluatetest.Read(t, task, root, &protocol.Input{Split: "test", Languages: []string{"deu"}})
				if err != nil {
					return nil, err
				}
				return p.(*similarity).subtasks, nil
			}
			subtasks, err := read()
			again, errAgain := read()
			if fmt.Sprint(err) != fmt.Sprint(errAgain) {
				t.Fatalf("%s: %v, then %v", task.Name, err, errAgain)
			}
			for i, p := range subtasks {
				if len(p.a) != len(p.gold) || len(p.b) != len(p.gold) || len(p.gold) != len(again[i].gold) {
					t.Fatalf("%s: %d and %d texts, %d scores", task.Name, len(p.a), len(p.b), len(p.gold))
				}
				for _, g := range p.gold {
					if g-g != 0 {
						t.Fatalf("%s: gold %v", task.Name, g)
					}
				}
			}
		}
	})
}
