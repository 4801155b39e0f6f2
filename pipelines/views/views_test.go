package views_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/views"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
)

// configure reads the kind, which is synonym if the first argument names none, and its flags.
func configure(args ...string) (pipelinetest.Pipeline, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return pipelinetest.Configure[views.Kind[views.Synonym]](args...)
	}
	switch kind, args := args[0], args[1:]; kind {
	case "entailment":
		return pipelinetest.Configure[views.Kind[views.Entailment]](args...)
	case "back-translation":
		return pipelinetest.Configure[views.Kind[views.BackTranslation]](args...)
	default:
		return pipelinetest.Configure[views.Kind[views.Translation]](args...)
	}
}

func parse(t *testing.T, args ...string) pipelinetest.Pipeline {
	t.Helper()
	c, err := configure(args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return c
}

func run(t *testing.T, args ...string) ([]schemas.Pair, *dataset.Manifest, string) {
	t.Helper()
	c := parse(t, args...)
	out, m := pipelinetest.Run(t, c, pipelinetest.Settings(1), pipelinetest.Plain(2))
	return pipelinetest.Rows[schemas.Pair](t, out), m, out
}

// synsets writes a table of synsets.
func synsets(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	pipelinetest.File(t, root, "synsets.TSV", "1\tn\tx\terror|mistake\n2\ta\tx\tlarge|big\n")
	return filepath.Join(root, "synsets.TSV")
}

// lines shows pairs shortly.
func lines(rows []schemas.Pair) (list []string) {
	for _, p := range rows {
		list = append(list, p.TextA+" > "+p.TextB)
	}
	return list
}

// Every text in English gives a view, from rows of any kind; a copy is dropped.
func TestSynonym(t *testing.T) {
	documents := datasettest.Write(t, nil, []schemas.Document{
		pipelinetest.DocumentOf(1, "eng", "A large error.", "Nothing here.", "A large error."),
		pipelinetest.DocumentOf(2, "deu", "A large error."),
	})
	rows, m, out := run(t, "--texts", documents, "--wordnet", synsets(t), "--preset", "paper", "--share", "1")
	if diff := cmp.Diff([]string{"A large error. > A big mistake.", "A large error. > A big mistake."}, lines(rows)); diff != "" {
		t.Error(diff)
	}
	a, b := rows[0], rows[1]
	if a.ID == b.ID || *a.Group != *b.Group || a.Kind != schemas.KindView || a.Origin != "synonym" || a.LanguageA != "eng" ||
		a.LanguageB != "eng" ||
		a.DocumentA != a.DocumentB || a.DocumentA == "" || *a.PositionA != 0 || *b.PositionB != 2 {
		t.Errorf("%+v\n%+v", a, b)
	}
	if diff := cmp.Diff(map[string]int64{"texts language other_language": 1, "texts view copy": 1}, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
	samples := map[string]string{}
	for _, r := range pipelinetest.Rejects(t, out) {
		samples[r.Reason] = r.Language + " " + r.Sample
	}
	if diff := cmp.Diff(map[string]string{"other_language": "deu A large error.", "copy": "eng Nothing here."}, samples); diff != "" {
		t.Error(diff)
	}

	group := new(uint64(5))
	pairs := datasettest.Write(t, nil, []schemas.Pair{
		{ID: a.ID, Kind: schemas.KindBitext, TextA: "Ein Fehler.", TextB: "An error.", LanguageA: "deu", LanguageB: "eng", Origin: "x",
			Group: group},
		{ID: b.ID, Kind: schemas.KindConsecutive, TextA: "The error.", TextB: "A large one.", LanguageA: "eng", LanguageB: "eng",
			Origin: "x"},
	})
	rows, _, _ = run(t, "--texts", pairs, "--wordnet", synsets(t), "--preset", "paper", "--share", "1")
	if diff := cmp.Diff([]string{"An error. > A mistake.", "The error. > The mistake.", "A large one. > A big one."},
		lines(rows)); diff != "" {
		t.Error(diff)
	}
	if *rows[0].Group != 5 || *rows[1].Group == *rows[2].Group {
		t.Error("groups are not those of the texts")
	}
}

// The lexicon of Princeton's form, of a folder; a file of it that changes after the
// plan stops the work.
func TestPrinceton(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"data.noun": "", "index.noun": "", "data.verb": "", "index.verb": "", "data.adv": "", "index.adv": "",
		"data.adj":    "00000100 00 a 02 large 0 big 0 000 | x\n",
		"index.adj":   "large a 1 0 1 0 00000100\nbig a 1 0 1 0 00000100\n",
		"cntlist.rev": "large%3:00:00:: 1 9\nbig%3:00:00:: 1 9\n",
		"README":      "not read",
	} {
		pipelinetest.File(t, root, name, text)
	}
	documents := datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(1, "eng", "Larger is the BIGGEST.")})
	args := []string{"--texts", documents, "--wordnet", root, "--preset", "paper", "--share", "0.5"}
	rows, m, _ := run(t, args...)
	if diff := cmp.Diff([]string{"Larger is the BIGGEST. > Bigger is the BIGGEST."}, lines(rows)); diff != "" {
		t.Error(diff)
	}
	if len(m.Plan.Inputs) != 2 || m.Plan.Inputs[1].Role != "wordnet" || m.Plan.Inputs[1].Files != 9 {
		t.Errorf("inputs %+v", m.Plan.Inputs)
	}
	job, err := parse(t, args...).Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
	if err != nil || len(job.Notes) != 1 ||
		!strings.Contains(job.Notes[0], "has no noun.exc, verb.exc, adj.exc: irregular forms are missing") {
		t.Fatal(err, job.Notes)
	}
	pipelinetest.File(t, root, "data.adj", "00000100 00 a 02 large 0 big 0 000 | y\n")
	if _, err := pipelinetest.Plain(1)(t.Context(), job); err == nil || !strings.Contains(err.Error(), "data.adj has changed") {
		t.Errorf("%v", err)
	}
	if err := os.Remove(filepath.Join(root, "index.verb")); err != nil {
		t.Fatal(err)
	}
	err = pipelinetest.Fails(t, parse(t, args...), pipelinetest.Settings(1))
	if !strings.Contains(err.Error(), "holds no index.verb") || !strings.Contains(err.Error(), root) {
		t.Error(err)
	}
}

// The plan holds what counts, whichever flags have said so, and the preset gives what
// none says.
func TestPreset(t *testing.T) {
	documents := datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(1, "eng", "A large error.")})
	for args, want := range map[string]string{
		"": `"min_share":0.7,"min_uses":5,"share":0.3}`, "--preset strict": `"min_share":0.7,"min_uses":5,"share":0.3}`,
		"--preset paper":              `"min_share":0,"min_uses":0,"share":0.3}`,
		"--min-share 0 --min-uses 0":  `"min_share":0,"min_uses":0,"share":0.3}`,
		"--preset paper --min-uses 2": `"min_share":0,"min_uses":2,"share":0.3}`,
		"--share 0.5":                 `"min_share":0.7,"min_uses":5,"share":0.5}`,
	} {
		c := parse(t, append([]string{"--texts", documents, "--wordnet", synsets(t)}, strings.Fields(args)...)...)
		job, err := c.Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1))
		if err != nil || !strings.HasSuffix(string(job.Plan.Config), want) || strings.Contains(string(job.Plan.Config), "preset") {
			t.Errorf("%q: %v, %s, want %s", args, err, job.Plan.Config, want)
		}
	}
}

// A table without numbers of uses is told where they matter.
func TestNote(t *testing.T) {
	documents := datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(1, "eng", "A large error.")})
	for args, want := range map[string]int{"": 1, "--preset paper": 0, "--preset paper --min-share 0.7": 1, "--min-share 0 --min-uses 5": 1,
		"--min-share 0 --min-uses 0": 0} {
		c := parse(t, append([]string{"--texts", documents, "--wordnet", synsets(t)}, strings.Fields(args)...)...)
		job, err := c.Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1))
		if err != nil || len(job.Notes) != want || want > 0 && !strings.Contains(job.Notes[0], "does not tell how often") {
			t.Errorf("%s: %v, %v", args, err, job)
		}
	}
}

func TestEntailment(t *testing.T) {
	item := func(n int, language, premise, hypothesis, label string) schemas.Benchmark {
		b := schemas.Benchmark{
			ID: schemas.DerivedID("item", string(rune('a'+n))), Task: "x", Split: "train", File: "f", LanguageA: language,
			LanguageB: language,
			TextA:     premise, TextB: hypothesis, Label: label, Skip: label == "",
		}
		if hypothesis == "" {
			b.LanguageB = ""
		}
		return b
	}
	items := datasettest.Write(t, nil, []schemas.Benchmark{
		item(0, "deu", "A man sleeps.", "He rests.", "entailment"), item(1, "deu", "A man sleeps.", "Somebody rests.", "entailment"),
		item(2, "deu", "A", "B", "neutral"), item(3, "deu", "A", "B", "contradiction"), item(4, "deu", "A", "B", ""),
		item(5, "deu", "A", "B", "1"),
		item(6, "deu", "A ", "A", "entailment"), item(7, "deu", "A", "", "entailment"), item(0, "eng", "A", "B", "entailment"),
	})
	rows, m, out := run(t, "entailment", "--texts", items, "--language", "de")
	if diff := cmp.Diff([]string{"A man sleeps. > He rests.", "A man sleeps. > Somebody rests."}, lines(rows)); diff != "" {
		t.Error(diff)
	}
	if rows[0].ID == rows[1].ID || *rows[0].Group != *rows[1].Group || rows[0].Kind != schemas.KindView || rows[0].Origin != "x/train" ||
		rows[0].Label != "" {
		t.Errorf("%+v", rows)
	}
	want := map[string]int64{
		"texts language other_language": 1, "texts label neutral": 1, "texts label contradiction": 1, "texts label no_gold": 1,
		"texts label unknown_label": 1,
		"texts view copy":           1, "texts view empty": 1,
	}
	if diff := cmp.Diff(want, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(string(m.Plan.Config), "share") || strings.Contains(string(m.Plan.Config), "splits") {
		t.Errorf("config %s", m.Plan.Config)
	}
	for _, r := range pipelinetest.Rejects(t, out) {
		if r.Step == "split" {
			t.Errorf("%+v", r)
		}
	}
}

// Splits are kept apart: those that are not wanted are dropped, others told by origin.
func TestEntailmentSplits(t *testing.T) {
	var items []schemas.Benchmark
	for i, split := range []string{"train", "dev_matched", "dev_mismatched", "train", ""} {
		items = append(items, schemas.Benchmark{
			ID: schemas.ID("item", int64(i)), Task: "multinli", Split: split, File: "f", LanguageA: "eng", LanguageB: "eng",
			TextA: "A man sleeps.", TextB: "He rests.", Label: "entailment",
		})
	}
	location := datasettest.Write(t, nil, items)
	origins := func(rows []schemas.Pair) (list []string) {
		for _, p := range rows {
			list = append(list, p.Origin)
		}
		return list
	}
	all, _, _ := run(t, "entailment", "--texts", location)
	if diff := cmp.Diff([]string{"multinli/train", "multinli/dev_matched", "multinli/dev_mismatched", "multinli/train", "multinli"},
		origins(all)); diff != "" {
		t.Error(diff)
	}
	rows, m, out := run(t, "entailment", "--texts", location, "--splits", "train,dev_matched,train")
	if diff := cmp.Diff([]string{"multinli/train", "multinli/dev_matched", "multinli/train"}, origins(rows)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{"texts split other_split": 2}, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(m.Plan.Config), `"splits":["dev_matched","train"]`) || rows[0].ID != all[0].ID {
		t.Errorf("config %s, id %s", m.Plan.Config, rows[0].ID)
	}
	for _, r := range pipelinetest.Rejects(t, out) {
		if !strings.HasPrefix(r.Sample, `split "dev_mismatched": A man`) && !strings.HasPrefix(r.Sample, `split "": A man`) {
			t.Errorf("%+v", r)
		}
	}
}

// Views of benchmarks say of which split they are, and splits can be taken.
func TestSplits(t *testing.T) {
	item := func(n int, split string) schemas.Benchmark {
		return schemas.Benchmark{ID: schemas.DerivedID("test", fmt.Sprint(n)), Task: "mr", Split: split, Row: int32(n), File: "f",
			LanguageA: "eng", TextA: "a large error", Label: "1"}
	}
	location := datasettest.Write(t, nil, []schemas.Benchmark{item(0, "train"), item(1, "dev"), item(2, "")})
	args := []string{"--texts", location, "--wordnet", synsets(t), "--preset", "paper", "--share", "1"}
	all, _, _ := run(t, args...)
	var origins []string
	for _, p := range all {
		origins = append(origins, p.Origin)
	}
	if diff := cmp.Diff([]string{"synonym mr/train", "synonym mr/dev", "synonym mr"}, origins); diff != "" {
		t.Error(diff)
	}
	some, m, _ := run(t, append(args, "--splits", "train")...)
	if len(some) != 1 || some[0].Origin != "synonym mr/train" || pipelinetest.Dropped(m)["texts split other_split"] != 2 {
		t.Errorf("%+v, dropped %v", some, pipelinetest.Dropped(m))
	}
	documents := datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(1, "eng", "One.")})
	c := parse(t, "--texts", documents, "--wordnet", synsets(t), "--splits", "train")
	if err := pipelinetest.Fails(t, c, pipelinetest.Settings(1)); !strings.Contains(err.Error(), "splits are of benchmarks") {
		t.Errorf("got %v", err)
	}
}

func TestMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"--wordnet w --language deu":            "synonyms are for English",
		"":                                      "wordnet is empty",
		"entailment --wordnet w":                "unknown flag --wordnet",
		"entailment --share 0.2":                "unknown flag --share",
		"translation --there d":                 "targets is empty",
		"translation --there d --targets en":    "en is the language of the texts",
		"translation --targets de --through es": "unknown flag --through",
		"back-translation --through es":         "back is empty",
		"back-translation --there d --back d --through es,fr,de":          "or two",
		"back-translation --there d --back d --through es --min-chrf 101": "want 0 to 100",
		"--wordnet w --preset loose":                                      "--preset must be one of",
		"entailment --language klingon":                                   "language: ",
		"entailment --splits a,,b":                                        "splits has an empty name",
		"--wordnet w --share 2":                                           "share 2",
		"--wordnet w --language en":                                       "",
		"entailment --language de":                                        "",
	} {
		_, err := configure(append(strings.Fields(args), "--texts", "x")...)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	documents := datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(1, "eng", "A large error.")})
	err := pipelinetest.Fails(t, parse(t, "entailment", "--texts", documents), pipelinetest.Settings(1))
	if !strings.Contains(err.Error(), "this step reads benchmark") {
		t.Error(err)
	}
}
