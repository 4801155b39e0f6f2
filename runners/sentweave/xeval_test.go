package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/runners/libtorch"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/realdata"
	"sentweave/schemas/storage/cache"
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
		place(t, filepath.Join(root, name),
			bytes.Join(bytes.SplitAfterN(data, []byte("\n"), lines+1)[:min(lines, bytes.Count(data, []byte("\n")))], nil))
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
		lines = 20 // a classifier needs that many
	}
	input, out := slicesOf(t, sentEvalFolder(t), lines), filepath.Join(t.TempDir(), "xeval")
	args := []string{"run", "xeval", "--out", out, "--set", "input=" + input, "--set", "languages=spa,cat", "--set", "engine=apertium",
		"--set", "partial=true"}
	sentweave(t, append(args, "--estimate")...).expect(
		t, 0, []string{"eng-cat", "eng-spa", "apertium", "0.0 %", "!── xeval", "!recipe xeval took"}, anything)
	sentweave(t, args...).expect(t, 0, []string{"no faults", "validation.json", "report.html", "2 languages", "zero-shot/mr"}, anything)
	for _, name := range []string{"benchmarks", "translations",
		"xeval"} { // Apertium leaves some texts as they are: the second has rejected rows
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
	sentweave(t, args...).expect(t, 0, []string{"no faults"},
		[]string{"translations: " + filepath.Join(out, "translations") + " is complete, nothing to do"})
	more := filepath.Join(t.TempDir(), "more")
	args[3], args[7] = more, "languages=cat"
	o := sentweave(t, append(args, "--set", "memory="+filepath.Join(out, "translations"), "--estimate")...)
	o.expect(t, 0, []string{"100.0 %"}, anything)
	if strings.Contains(o.stdout, "eng-spa") {
		t.Error(o.stdout)
	}
}

// An encoder measured on XEVAL: the English column is the figure of SentEval's own folder,
// and labels that moved by one row are found by validate, and leave nothing but chance.
func TestXEVALMeasured(t *testing.T) {
	apertiumIsThere(t)
	miniLM := os.Getenv("SENTWEAVE_MINILM")
	if miniLM == "" || os.Getenv(libtorch.Variable) == "" {
		t.Skipf("skipped: SENTWEAVE_MINILM, the folder of all-MiniLM-L6-v2, or %s, the program with libtorch, is not set",
			libtorch.Variable)
	}
	t.Setenv(cache.Variable, t.TempDir())
	const lines = 300
	input, root := t.TempDir(), t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	for _, name := range []string{"rt-polarity.pos", "rt-polarity.neg"} {
		data, err := os.ReadFile(filepath.Join(realdata.Folder(t, "senteval"), "senteval", "raw", name))
		if err != nil {
			t.Fatal(err)
		}
		// Of a folder that is not whole, evaluate reads lines as SentEval's code does, to which
		// other characters are bytes.
		ascii := slices.DeleteFunc(bytes.SplitAfter(data, []byte("\n")), func(line []byte) bool {
			return bytes.ContainsFunc(line, func(r rune) bool { return r > '~' })
		})
		place(t, filepath.Join(input, "MR", name), bytes.Join(ascii[:lines], nil))
	}
	model := "minilm=" + miniLM
	sentweave(t, "run", "xeval", "--out", at("xeval"), "--set", "input="+input, "--set", "languages=spa,cat", "--set", "engine=apertium",
		"--set", "partial=true",
		"--set", "benchmarks.no-detokenize=true", "--set", "model="+model).expect(t, 0, []string{"no faults", "minilm", "report.html"},
		anything)
	figures := func(location string) map[string]float64 {
		rows, err := readResults(t.Context(), location)
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]float64{}
		for _, r := range rows {
			values[r.Subtask+" "+r.Language] = r.Value
		}
		return values
	}
	// measured has the figures of what flags name, by the classifiers of the recipe.
	measured := func(name string, flags ...string) map[string]float64 {
		sentweave(t, append(append([]string{"evaluate"}, flags...), "--model", model, "--probe", "prototyping", "--out",
			at(name))...).expect(t, 0, anything, anything)
		return figures(at(name))
	}
	got := figures(at("xeval/results"))
	t.Log(got)
	if folder := measured("folder", "--data", input, "--splitlines", "--tasks", "senteval")["mr eng"]; folder == 0 ||
		got["mr eng"] != folder {
		t.Errorf("English has %v, its folder %v", got["mr eng"], folder)
	}
	// MiniLM knows English, and some words of Spanish.
	if got["mr eng"] < .68 || got["mr spa"] < .53 || got["mr cat"] == 0 || got["mr spa"] >= got["mr eng"] {
		t.Errorf("figures %v", got)
	}
	shifted := map[string]string{}
	for _, step := range []string{"benchmarks", "xeval"} {
		rows := benchmarkRows(t, at("xeval/"+step))
		byText := map[string][]int{}
		for i, r := range rows {
			byText[r.LanguageA] = append(byText[r.LanguageA], i)
		}
		for _, places := range byText {
			slices.SortFunc(places, func(i, j int) int { return strings.Compare(rows[i].TextA, rows[j].TextA) })
			first := rows[places[0]].Label
			for k, i := range places[:len(places)-1] {
				rows[i].Label = rows[places[k+1]].Label
			}
			rows[places[len(places)-1]].Label = first
		}
		shifted[step] = datasettest.Write(t, nil, rows)
	}
	sentweave(t, "validate", "--source", at("xeval/benchmarks"), "--translated", shifted["xeval"]).expect(
		t, 1, []string{"mr spa: MR/rt-polarity.", ": label: "}, nil)
	for figure, value := range measured("shifted", "--benchmarks", shifted["benchmarks"]+","+shifted["xeval"], "--tasks", "xeval") {
		if value < .43 || value > .57 { // chance is .5, the deviation of a share of 600 .02
			t.Errorf("%s: %v of labels that are not the texts'", figure, value)
		}
	}
}
