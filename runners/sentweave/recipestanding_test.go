package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/runners/recipe"
	"sentweave/runners/recipe/record"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// stagesRecipe has pipelines and stages that need no libtorch.
const stagesRecipe = `
name: stages
about: A vocabulary of bitext, and how well its texts find their translations.
parameters:
  input: {help: folder of bitext}
  size: {help: pieces, default: 90}
  seeds: {help: seed of the choice, default: 0}
  title: {help: title, default: Figures}
steps:
  - {name: pairs, run: pairs, with: {kind: bitext, input: "${input}", seed: "${seeds}"}}
  - {name: counts, run: wordcounts, from: {pairs: pairs}}
  - {name: vocabulary, run: vocab, from: {wordcounts: counts}, with: {size: "${size}", min-count: 1, lower-threshold: 1}}
  - {name: some, run: sample, from: {pairs: pairs}, with: {rows: 30}}
  - {name: results, run: evaluate, from: {texts: some}, with: {tasks: retrieval, baseline: char3}}
  - {name: page, run: report, from: {results: results}, with: {title: "${title}"}}
`

// wholeRecipe runs the recipe in a new folder, and returns what copies that with its input, and how the recipe is called
// there with more arguments.
func wholeRecipe(t *testing.T) (copied func(t *testing.T) (out, input string, run func(args ...string) outcome)) {
	t.Helper()
	root := t.TempDir()
	for _, language := range []string{"eng", "deu"} {
		var lines strings.Builder
		for i := range 60 {
			fmt.Fprintf(&lines, "Sentence number %d of the language %s.\n", i, language)
		}
		place(t, filepath.Join(root, "input", "c."+language), []byte(lines.String()))
	}
	file := filepath.Join(root, "stages.yaml")
	place(t, file, []byte(stagesRecipe))
	in := func(t *testing.T, root string) func(args ...string) outcome {
		return func(args ...string) outcome {
			return sentweave(t, append([]string{"run", file, "--out", filepath.Join(root, "out"), "--set",
				"input=" + filepath.Join(root, "input")}, args...)...)
		}
	}
	in(t, root)().expect(t, 0, []string{"recipe stages took"}, anything)
	return func(t *testing.T) (out, input string, run func(args ...string) outcome) {
		t.Helper()
		own := t.TempDir()
		if err := os.CopyFS(own, os.DirFS(root)); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(own, "out"), filepath.Join(own, "input"), in(t, own)
	}
}

// fatesIn are the last columns of the table of a dry run, by step, without what is complete.
func fatesIn(stdout string) string {
	var list []string
	_, table, _ := strings.Cut(stdout, "output\n")
	table, _, _ = strings.Cut(table, "Of one core")
	for line := range strings.Lines(table) {
		columns := strings.Split(strings.TrimRight(line, "\n"), "  ")
		if is := strings.TrimSpace(columns[len(columns)-1]); is != "complete" {
			list = append(list, columns[0]+" "+is)
		}
	}
	return strings.Join(list, ", ")
}

// A dry run and the look before work say of each step what becomes of it when something has changed
// since the last run, and a run that would not go to its end does not begin.
func TestRecipeStanding(t *testing.T) {
	remove := func(names ...string) func(t *testing.T, out, input string) {
		return func(t *testing.T, out, _ string) {
			for _, name := range names {
				if err := os.RemoveAll(filepath.Join(out, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	older := func(t *testing.T, out, _ string) { // a version that did not record the settings
		path := filepath.Join(out, recipe.RunName)
		data, err := os.ReadFile(path)
		var notes record.Record
		if err == nil {
			err = json.Unmarshal(data, &notes)
		}
		for i := range notes.Steps {
			notes.Steps[i].Settings = nil
		}
		if err == nil {
			err = notes.Write(t.Context(), out)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const again = "page written again"
	copied := wholeRecipe(t)
	tests := []struct {
		name   string
		change func(t *testing.T, out, input string)
		args   []string
		fates  string
		says   []string // of a refusal; none where the run goes to its end
	}{
		{"nothing", nil, nil, again, nil},
		{"a title", nil, []string{"--set", "title=Other"}, again, nil},
		{"a setting of a stage", nil, []string{"--set", "size=100"}, "vocabulary refused, " + again,
			[]string{"step vocabulary: another plan is in ", "config size is 90 there and 100 here\n",
				"add --overwrite to the same command, which deletes what step vocabulary made and makes it anew, and deletes nothing else"}},
		{"a flag of the last stage", nil, []string{"--set", "results.baseline=bow"}, "results refused, " + again,
			[]string{"step results: another plan is in "}},
		{"the seed of the first step", nil, []string{"--set", "seeds=5"},
			"pairs refused, counts refused if its input changes, vocabulary refused if its input changes, some refused if its input changes, results refused if its input changes, " + again,
			[]string{"step pairs: another plan is in ", "seed is 0 there and 5 here\n",
				"steps counts and some: what is there was made of what step pairs had made, and is kept if that comes out as before\n",
				"which deletes what step pairs made and makes it anew, and makes anew what steps counts, vocabulary, some and results made if that is of something else then, and deletes nothing else"}},
		{"another input", func(t *testing.T, _, input string) {
			place(t, filepath.Join(input, "c.eng"), otherSentences())
		}, nil, "pairs refused, counts refused if its input changes, vocabulary refused if its input changes, some refused if its input changes, results refused if its input changes, " + again,
			[]string{"step pairs: another plan", `the input "bitext" has `}},
		{"another input that one step is asked for", func(t *testing.T, _, input string) {
			place(t, filepath.Join(input, "c.eng"), otherSentences())
		}, []string{"--only", "results"}, "", nil},
		{"an intermediate step deleted", remove("counts"), nil, "counts new, " + again, nil},
		{"one deleted and another setting of it", remove("some"), []string{"--set", "some.rows=20"},
			"some new, results refused if its input changes, " + again,
			[]string{"step results: what is there was made of what step some had made",
				"add --overwrite to the same command, which makes anew what step results made if that is of something else then"}},
		{"one deleted and another setting behind it", remove("counts"), []string{"--set", "size=100"}, "counts new, vocabulary refused, " +
			again, []string{"step vocabulary: made with other settings, and what it was made of is gone"}},
		{"one deleted that an older version made",
			func(t *testing.T, out, input string) { older(t, out, input); remove("counts")(t, out, input) }, nil, "counts new, " + again,
			nil},
		{"an older version and another setting", older, []string{"--set", "size=100"}, "vocabulary refused, " + again,
			[]string{"step vocabulary: another plan"}},
		{"half of a run", remove("vocabulary", "results", "page"), nil, "vocabulary new, results new, page new", nil},
		{"half of a run and another setting", remove("results"), []string{"--set", "some.rows=20"}, "some refused, results new, " + again,
			[]string{"step some: another plan", "config rows is 30 there and 20 here"}},
		{"what does not run stays behind", nil, []string{"--only", "some", "--set", "some.rows=20", "--overwrite"}, "some made anew", nil},
		{"from a step on", nil, []string{"--from", "results", "--set", "results.baseline=bow"}, "results refused, " + again,
			[]string{"step results: another plan"}},
		{"a file of others", func(t *testing.T, out, input string) {
			remove("vocabulary")(t, out, input)
			place(t, filepath.Join(out, "vocabulary", "notes.txt"), nil)
		}, nil, "vocabulary new, " + again, []string{`step vocabulary: `, `holds "notes.txt", but no vocabulary`}},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && i%4 > 1 {
				t.Skip("skipped: -short")
			}
			out, input, run := copied(t)
			if test.change != nil {
				test.change(t, out, input)
			}
			code, wouldNot := 0, []string{"!would not begin"}
			if test.says != nil {
				code, wouldNot = 1, append([]string{"the run would not begin: ", "nothing was begun"}, test.says...)
			}
			before := digests(t, out)
			dry := run(append(test.args, "--dry-run")...)
			dry.expect(t, code, anything, wouldNot)
			if got := fatesIn(dry.stdout); got != test.fates {
				t.Errorf("got  %s\nwant %s", got, test.fates)
			}
			run(test.args...).expect(t, code, anything, append([]string{""}, test.says...))
			if code == 0 || strings.Contains(test.name, "others") {
				return
			}
			if after := digests(t, out); !equalMaps(before, after) {
				t.Error("a run that was refused has changed something")
			}
			// The way out that it names leads to the end, and deletes nothing else.
			run(append(test.args, "--overwrite", "--dry-run")...).expect(t, 0, []string{"note: step", ": made anew"}, nil)
			run(append(test.args, "--overwrite")...).expect(t, 0, []string{"recipe stages took"}, []string{"note: step", "made anew"})
			if rerun := run(append(test.args, "--dry-run")...); rerun.code != 0 || strings.Trim(fatesIn(rerun.stdout), " ") != again {
				t.Errorf("afterwards: %s%s", fatesIn(rerun.stdout), rerun.stderr)
			}
		})
	}
}

func otherSentences() []byte {
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, "This is another text, of number %d.\n", i)
	}
	return []byte(lines.String())
}

func equalMaps(a, b map[string]string) bool {
	return slices.Equal(sortedPairs(a), sortedPairs(b))
}

func sortedPairs(m map[string]string) (list []string) {
	for k, v := range m {
		list = append(list, k+"="+v)
	}
	slices.Sort(list)
	return list
}

// The steps that are not run and are of something that has changed are named, with the command that makes them anew.
func TestRecipeBehind(t *testing.T) {
	_, _, run := wholeRecipe(t)(t)
	run("--only", "some", "--set", "some.rows=20", "--overwrite").expect(t, 0, anything, []string{
		"note: what is in the folders of steps results and page was made of what this run changes: `--only results,page --overwrite` makes it anew afterwards"})
	run("--set", "some.rows=20").expect(t, 1, nil, []string{"step results: another plan is in "})
}

// A setting that no step of the run reads is a note, unless the steps that read it were made so.
func TestRecipeIdleSettings(t *testing.T) {
	_, _, run := wholeRecipe(t)(t)
	const note = "note: --set size has no effect: only step vocabulary, which does not run, reads it"
	run("--only", "results", "--set", "size=100").expect(t, 0, anything, []string{note})
	run("--from", "some", "--set", "size=100", "--dry-run").expect(t, 0, []string{note}, nil)
	run("--only", "results", "--set", "size=90").expect(t, 0, anything, []string{"!has no effect"})
	run("--only", "vocabulary", "--set", "size=100", "--overwrite").expect(t, 0, anything, []string{"!has no effect"})
	run("--only", "results", "--set", "size=100").expect(t, 0, anything, []string{"!has no effect"}) // as the vocabulary was made
	run("--only", "results", "--set", "vocabulary.size=110").expect(
		t, 0, anything, []string{"note: --set vocabulary.size has no effect: only step vocabulary"})
}

// The way out of a run whose inputs are missing is one command that runs all of them.
func TestRecipeLacking(t *testing.T) {
	out, _, run := wholeRecipe(t)(t)
	for _, name := range []string{"pairs", "some", "results", "page"} {
		if err := os.RemoveAll(filepath.Join(out, name)); err != nil {
			t.Fatal(err)
		}
	}
	run("--only", "page").expect(t, 1, nil, []string{"step page: results: " + out + "/results is not there; step results makes it\n",
		"give `--only pairs,some,results,page`, which has all that is missing in its order, or leave --only out", "nothing was begun"})
	run("--from", "results").expect(
		t, 1, nil, []string{"step results: texts: " + out + "/some is not there", "give `--only pairs,some,results,page`",
			"or leave --from out"})
	run("--only", "pairs,some,results,page").expect(t, 0, []string{"recipe stages took"}, anything)
}

// What was paid for is not deleted by --overwrite, which is said before any work.
func TestRecipeKeepsThePaid(t *testing.T) {
	out, _, run := wholeRecipe(t)(t)
	place(t, filepath.Join(out, "some", dataset.SpentFolder, "1"), []byte("{}"))
	run("--set", "seeds=3", "--overwrite").expect(t, 1, nil, []string{"step some: ", "holds what was paid for", "nothing was begun"})
	if _, err := dataset.Load(t.Context(), storage.NewLocal(filepath.Join(out, "pairs"))); err != nil {
		t.Error(err)
	}
}
