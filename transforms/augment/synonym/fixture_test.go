package synonym

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/realdata"
)

// table of a small lexicon, all of whose words have one sense or mean the same in all.
const synsets = `1-n	n	noun.x	helper|supporter
2-v	v	verb.x	permit|allow
3-v	v	verb.x	choose|select|Select
4-a	a	adj.x	large|big
5-s	s	adj.x	reliable|trusty
6-r	r	adv.x	usually|normally
7-n	n	noun.x	error|mistake
8-n	n	noun.x	hour|unit
9-v	v	verb.x	begin|start
10-n	n	noun.x	hard helper
11-v	v	verb.x	help out|assist
12-n	n	noun.x	Turkey
13-n	n	noun.x	turkey|jester
14-v	v	verb.x	repair|mend|fix
15-n	n	noun.x	box|case
16-v	v	verb.x	box|spar
17-n	n	noun.x	shelf|ledge
18-n	n	noun.x	guess|conjecture
19-v	v	verb.x	guess|suppose
20-a	a	adj.x	quick|rapid
21-n	n	noun.x	colour|color
22-n	n	noun.x	device|equipment
23-v	v	verb.x	study|learn
24-v	v	verb.x	plan|scheme
25-n	n	noun.x	street|road
`

func small(t testing.TB) *Lexicon {
	t.Helper()
	l, err := ReadSynsets(strings.NewReader(synsets))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// every replaces all that can be replaced.
func every() Config { return Config{Share: 1, MinShare: 0.65, MinUses: 0} }

func replacer(t testing.TB, l *Lexicon, c Config) *Replacer {
	t.Helper()
	r, err := New(l, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// files opens Princeton's files that are given as text.
func files(texts map[string]string) func(string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		text, ok := texts[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

// princeton are the files of Princeton's WordNet, in the folder that SENTWEAVE_WORDNET
// names, such as that of Debian's package wordnet-base.
func princeton(t testing.TB) *Lexicon {
	t.Helper()
	folder := realdata.Variable(t, "SENTWEAVE_WORDNET")
	l, err := ReadPrinceton(func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(folder, name)) })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// derived is the table of Open English WordNet in shared/data.
func derived(t testing.TB) *Lexicon {
	t.Helper()
	file, err := os.Open(filepath.Join(realdata.Folder(t, "wordnet"), "wordnet", "synsets.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	l, err := ReadSynsets(file)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
