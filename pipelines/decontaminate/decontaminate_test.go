package decontaminate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/decontaminate"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
)

const (
	heron = "Several migratory herons gathered silently beside frozen canals yesterday."
	ferry = "The old ferry carries bicycles across the narrow strait."
)

// tests writes benchmarks and pairs below a folder, and returns it.
func tests(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	item := func(i int, language, text string) schemas.Benchmark {
		return schemas.Benchmark{ID: schemas.ID("items", int64(i)), Task: "birds", File: "birds.tsv", Row: int32(i), LanguageA: language,
			TextA: text, Label: "1"}
	}
	for name, location := range map[string]string{
		"en/birds": datasettest.Write(t, nil, []schemas.Benchmark{item(0, "eng", heron), item(1, "eng", "Thank you."),
			item(2, "zho", "委员会将于星期四讨论新的预算方案。")}),
		"tatoeba": datasettest.Write(t, nil, []schemas.Pair{{ID: schemas.ID("tatoeba", 0), Kind: schemas.KindBitext, Origin: "tatoeba",
			TextA: "Danke.", LanguageA: "deu", TextB: ferry, LanguageB: "eng"}}),
		"pages": datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(9, "eng", "Held out.")}),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(location, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func documents(t *testing.T) string {
	t.Helper()
	return datasettest.Write(t, nil, []schemas.Document{
		pipelinetest.DocumentOf(1, "eng", "Thank you.", "All is well here."),
		pipelinetest.DocumentOf(2, "eng", "He says:", "SEVERAL migratory herons — gathered silently beside frozen canals, yesterday!"),
		pipelinetest.DocumentOf(3, "zho", "记者说，委员会将于星期四讨论新的预算方案，然后投票。"),
	}, []schemas.Document{pipelinetest.DocumentOf(4, "eng", "The old ferry carries bicycles", "across the narrow strait.", "It is late.")})
}

func pair(i int, a, b string) schemas.Pair {
	return schemas.Pair{ID: schemas.ID("pairs", int64(i)), Kind: schemas.KindBitext, Origin: "test", TextA: a, TextB: b, LanguageA: "eng",
		LanguageB: "deu"}
}

func run(t *testing.T, args ...string) (string, *dataset.Manifest) {
	t.Helper()
	return pipelinetest.Run(t, pipelinetest.Parse[decontaminate.Config](t, args...), pipelinetest.Settings(1), pipelinetest.Plain(2))
}

// Documents go in which a text of a test is, and the funnel, the rejects and the inputs say of which; a common phrase is
// counted, and is no evidence.
func TestDocuments(t *testing.T) {
	against := tests(t)
	location, m := run(t, "--documents", documents(t), "--against", against)
	if rows := pipelinetest.Rows[schemas.Document](t, location); len(rows) != 1 || rows[0].Sentences[0].Text != "Thank you." {
		t.Errorf("%d documents are left: %+v", len(rows), rows)
	}
	want := map[string]int64{"documents contamination birds eng": 1, "documents contamination birds zho": 1,
		"documents contamination tatoeba eng": 1, "tests evidence common_phrase": 2}
	if diff := cmp.Diff(want, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
	for _, r := range pipelinetest.Rejects(t, location) {
		if r.Reason == "birds eng" && (r.Sample != "SEVERAL migratory herons — gathered silently beside frozen canals, yesterday!" ||
			r.Detail != "1.00 of item "+schemas.ID("items", 0)+": "+heron) {
			t.Errorf("%+v", r)
		}
	}
	birds := datasetAt(t, filepath.Join(against, "en/birds"))
	if input := m.Plan.Inputs[1]; len(m.Plan.Inputs) != 3 || input != birds.Input("against 0") {
		t.Errorf("inputs %+v", m.Plan.Inputs)
	}
}

func datasetAt(t *testing.T, location string) *dataset.Manifest {
	t.Helper()
	_, m, err := dataset.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A pair goes for either side, also for a common phrase, unless it is told not to.
func TestPairs(t *testing.T) {
	pairs := datasettest.Write(t, nil, []schemas.Pair{pair(0, "Thank you!", "Vielen Dank"), pair(1, "It is late.", "DANKE"),
		pair(2, ferry, "Die Fähre"), pair(3, "It is late.", "Es ist spät.")})
	for bits, left := range map[string]int{"0": 1, "36": 3} {
		location, _ := run(t, "--pairs", pairs, "--against", tests(t), "--whole-bits", bits)
		if rows := pipelinetest.Rows[schemas.Pair](t, location); len(rows) != left || rows[left-1].ID != schemas.ID("pairs", 3) {
			t.Errorf("%s bits: %+v are left", bits, rows)
		}
	}
	_, m := run(t, "--pairs", pairs, "--against", tests(t))
	if !strings.Contains(string(m.Plan.Config), `"whole_bits":0`) {
		t.Errorf("the plan has %s", m.Plan.Config)
	}
}

// Hits drop nothing, and have both texts.
func TestHits(t *testing.T) {
	location, m := run(t, "--documents", documents(t), "--against", tests(t), "--hits")
	rows := pipelinetest.Rows[schemas.Contamination](t, location)
	if len(rows) != 3 || m.Funnel.Out("contaminations")["eng"] != 2 || pipelinetest.Dropped(m)["documents contamination birds eng"] != 1 {
		t.Fatalf("%+v", rows)
	}
	if r := rows[2]; r.Test != "tatoeba" || r.Item != schemas.ID("tatoeba", 0) || r.TestText != ferry || *r.Position != 0 || r.Share != 1 ||
		r.Text != "The old ferry carries bicycles across the narrow strait." || r.Side != "" {
		t.Errorf("%+v", r)
	}
}

func TestMisuse(t *testing.T) {
	root, unfinished := tests(t), tests(t)
	if err := os.Remove(filepath.Join(unfinished, "en", "birds", dataset.ManifestName)); err != nil {
		t.Fatal(err)
	}
	empty := datasettest.Write(t, nil, []schemas.Pair{})
	for args, want := range map[string]string{
		"--share 0":                    "share is 0, it must be above 0",
		"--whole-bits=-1":              "whole-bits is -1",
		"--against " + root + "/pages": "holds neither benchmarks nor pairs",
		"--against " + t.TempDir():     "holds no dataset of benchmarks or pairs, nor do folders up to 2 levels below",
		"--against " + root + "/nope":  "nope",
		"--whole-bits inf":             "whole-bits is +Inf",
		"--against " + unfinished:      "dataset is not complete",
		"--against " + empty:           "has no rows",
		"--pairs " + root + "/tatoeba": "is the dataset that is to be cleaned",
		"--out " + root + "/clean":     "whose datasets are those of the tests",
	} {
		args, output, _ := strings.Cut(args, "--out ")

		if !strings.Contains(args, "--against") {
			args += " --against " + root
		}
		if !strings.Contains(args, "--pairs") {
			args += " --documents " + root + "/pages"
		}
		c, err := pipelinetest.Configure[decontaminate.Config](strings.Fields(args)...)
		if output == "" {
			output = t.TempDir()
		}
		if err == nil {
			_, err = c.Plan(t.Context(), output, pipelinetest.Settings(1))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
