package evaluate

import (
	"fmt"
	"testing"
)

// FuzzReaders reads any bytes as each kind of file: an error or whole pairs, and
// the same ones again.
func FuzzReaders(f *testing.F) {
	f.Add("1\ta\tb\n\tc\td\n", "x,y,2.5\n\"q, \"\"r\"\"\",s,1\n")
	f.Add("g\tf\ty\ti\t1\ta\tb\tsource\n", "a,b\n")
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, lines, table string) {
		write(t, root, map[string]string{
			"sts/2013/FNWN.test.tsv": lines, "sts/2013/headlines.test.tsv": lines, "sts/2013/OnWN.test.tsv": lines,
			"stsb/sts-test.csv": lines, "stsb_multi_mt/stsb-de-test.csv": table,
			"tatoeba/tatoeba.deu-eng.deu": lines, "tatoeba/tatoeba.deu-eng.eng": lines,
		})
		for _, name := range []string{"sts13", "stsb", "stsb_multi_mt", "tatoeba"} {
			c := Config{Data: root, Tasks: []string{name}, Split: "test"}
			if chosen, _ := find(name); chosen.languages {
				c.Languages = []string{"deu"}
			}
			tasks, _, err := load(t.Context(), c)
			again, _, errAgain := load(t.Context(), c)
			if fmt.Sprint(err) != fmt.Sprint(errAgain) {
				t.Fatalf("%s: %v, then %v", name, err, errAgain)
			}
			if err != nil {
				continue
			}
			if s, ok := tasks[0].protocol.(*similarity); ok {
				for i, p := range s.subtasks {
					if len(p.a) != len(p.gold) || len(p.b) != len(p.gold) || len(p.gold) != len(again[0].protocol.(*similarity).subtasks[i].gold) {
						t.Fatalf("%s: %d and %d texts, %d scores", name, len(p.a), len(p.b), len(p.gold))
					}
					for _, g := range p.gold {
						if g-g != 0 {
							t.Fatalf("%s: gold %v", name, g)
						}
					}
				}
			}
		}
	})
}
