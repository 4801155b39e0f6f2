package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/transforms/engines/apertium"
)

// apertiumIsThere skips a test where Apertium, as SENTWEAVE_APERTIUM names it or on
// the PATH, is absent.
func apertiumIsThere(t *testing.T) {
	t.Helper()
	config := apertium.DefaultConfig()
	config.Program = os.Getenv("SENTWEAVE_APERTIUM")
	e, err := apertium.Open(t.Context(), config)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	e.Close()
}

// slicesOf copies a folder, of each file its first lines: files of one test set stay
// parallel.
func slicesOf(t *testing.T, from string, lines int) string {
	t.Helper()
	root := t.TempDir()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		place(t, filepath.Join(root, name), bytes.Join(bytes.SplitAfterN(data, []byte("\n"), lines+1)[:min(lines, bytes.Count(data, []byte("\n")))], nil))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Real text of SentEval becomes test sets in Spanish and Catalan by one command, which
// proves them equal to their source; SentEval's own loaders read the folders.
func TestXEVAL(t *testing.T) {
	apertiumIsThere(t)
	lines := 60
	if testing.Short() {
		lines = 6
	}
	input, out := slicesOf(t, sentEvalFolder(t), lines), filepath.Join(t.TempDir(), "xeval")
	args := []string{"run", "xeval", "--out", out, "--set", "input=" + input, "--set", "languages=spa,cat", "--set", "engine=apertium", "--set", "partial=true"}
	sentweave(t, append(args, "--estimate")...).expect(t, 0, []string{"eng-cat", "eng-spa", "apertium", "0.0 %", "!── xeval", "!recipe xeval took"}, anything)
	sentweave(t, args...).expect(t, 0, []string{"no faults", "validation.json", "report.html", "2 languages"}, anything)
	for _, name := range []string{"benchmarks", "translations", "xeval"} { // Apertium leaves some texts as they are: the second has rejected rows
		sentweave(t, "verify", filepath.Join(out, name)).expect(t, 0, []string{"is whole"}, nil)
	}
	tasks := []string{"mr", "cr", "mpqa", "subj", "sst2", "sst5", "trec", "stsb", "sts12", "sts13", "sts14", "sts15", "sts16"}
	rows := map[string][]schemas.Benchmark{}
	for _, r := range benchmarkRows(t, filepath.Join(out, "xeval")) {
		rows[r.LanguageA] = append(rows[r.LanguageA], r)
	}
	source := benchmarkRows(t, filepath.Join(out, "benchmarks"))
	for _, language := range []string{"spa", "cat"} {
		if len(rows[language]) != len(source) {
			t.Errorf("%s has %d rows, the source %d", language, len(rows[language]), len(source))
		}
		changed, gold := 0, 0
		for i, r := range rows[language] {
			if !r.Skip {
				gold++
			}
			if !r.Skip && r.TextA != source[i].TextA {
				changed++
			}
			if r.OriginalA != source[i].OriginalA && r.OriginalA != source[i].TextA || r.CasingA != source[i].CasingA {
				t.Errorf("%+v is not of %+v", r, source[i])
			}
		}
		if gold == len(source) || changed < gold*9/10 {
			t.Errorf("%s: %d of %d texts with gold are other ones, of %d rows", language, changed, gold, len(source))
		}
	}
	for _, language := range []string{"spa", "cat"} {
		t.Run(language, func(t *testing.T) {
			same := func(s string) string { return s }
			equalRows(t, loaders(t, filepath.Join(out, "senteval", language), "shim", tasks), asLoaded(t, rows[language], same))
		})
	}
	// A second run finds all done; another language asks for that one alone.
	sentweave(t, args...).expect(t, 0, []string{"no faults"}, []string{"translations: " + filepath.Join(out, "translations") + " is complete, nothing to do"})
	more := filepath.Join(t.TempDir(), "more")
	args[3], args[7] = more, "languages=cat"
	o := sentweave(t, append(args, "--set", "memory="+filepath.Join(out, "translations"), "--estimate")...)
	o.expect(t, 0, []string{"100.0 %"}, anything)
	if strings.Contains(o.stdout, "eng-spa") {
		t.Error(o.stdout)
	}
}
