package benchmark

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/peertest"
)

func hubRows(t *testing.T) []schemas.Benchmark {
	rows := translated(t, source())
	for i, split := range []string{"surprise.OnWN", "deft-forum"} {
		x := 1.5
		rows = append(rows, schemas.Benchmark{ID: schemas.ID("x", int64(i)), Task: "sts12", Split: split, File: "STS/" + split,
			LanguageA: "rus", LanguageB: "rus",
			TextA: "Он сказал \"да\"\u2028<&>", TextB: "б", Target: &x})
	}
	for i := range rows {
		rows[i].Fold = nil
	}
	return append(rows, schemas.Benchmark{ID: schemas.ID("y", 0), Task: "mr", Split: "pool", File: "MR/rt-polarity.pos", LanguageA: "rus",
		TextA: "хорошо", OriginalA: "good", Label: "1"})
}

func TestHuggingFace(t *testing.T) {
	files, err := huggingFace(Card{Title: "XEVAL: Russian", License: "other", Text: "Made of a test's rows."}, "rus", hubRows(t))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	want := []string{"README.md", "data/sick/test.jsonl", "data/sts12/surprise.OnWN.jsonl", "data/sts12/deft_forum.jsonl",
		"data/mr/pool.jsonl"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q", names)
	}
	if got, want := string(files[4].Data), `{"id":"`+schemas.ID("y", 0)+
		`","file":"MR/rt-polarity.pos","row":0,"text_a":"хорошо","original_a":"good","label":"1","skip":false}`+"\n"; got != want {
		t.Errorf("got %s", got)
	}
	readme := string(files[0].Data)
	for _, part := range []string{"---\nlicense: \"other\"\nlanguage:\n- \"ru\"\npretty_name: \"XEVAL: Russian\"\n",
		"- config_name: \"sts12\"\n  data_files:\n  - split: surprise.OnWN\n    path: \"data/sts12/surprise.OnWN.jsonl\"\n  - split: deft_forum",
		"  - name: target\n    dtype: float64\n", "# XEVAL: Russian\n\nMade of a test's rows.\n", "| sick | test | 20 | 1 |"} {
		if !strings.Contains(readme, part) {
			t.Errorf("no %q in\n%s", part, readme)
		}
	}
}

// The folder loads in Hugging Face's datasets, with every column's type.
func TestHuggingFaceLoads(t *testing.T) {
	python := peertest.Python(t, "datasets")
	files, err := huggingFace(Card{Title: "XEVAL: \"Russian\" # 1", License: "other"}, "rus", hubRows(t))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, f := range files {
		name := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"HF_HOME": t.TempDir(), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"} {
		t.Setenv(name, value)
	}
	out := peertest.Output(t, nil, python, "-c", `
import sys, datasets
folder = sys.argv[1]
assert sorted(datasets.get_dataset_config_names(folder)) == ["mr", "sick", "sts12"], datasets.get_dataset_config_names(folder)
d = datasets.load_dataset(folder, "sick")
assert list(d) == ["test"] and d["test"].num_rows == 20, d
assert str(d["test"].features["target"].dtype) == "float64" and d["test"].features["row"].dtype == "int32"
assert d["test"][7]["label"] is None and d["test"][7]["skip"] and d["test"][7]["target"] is None
assert d["test"][3]["text_a"] == "Предложение 3" and d["test"][3]["original_a"] == "sentence 3" and d["test"][3]["row"] == 3
s = datasets.load_dataset(folder, "sts12")
assert list(s) == ["surprise.OnWN", "deft_forum"] and s["deft_forum"][0]["text_a"] == 'Он сказал "да"\u2028<&>', s["deft_forum"][0]
assert "label" not in s["deft_forum"].features and "text_b" not in datasets.load_dataset(folder, "mr")["pool"].features
print("ok")`, folder)
	if !strings.HasSuffix(strings.TrimSpace(string(out)), "ok") {
		t.Errorf("%s", out)
	}
}

func TestHuggingFaceErrors(t *testing.T) {
	card := Card{Title: "t", License: "other"}
	for want, f := range map[string]func() error{
		"title":             func() error { _, err := huggingFace(Card{License: "other"}, "rus", nil); return err },
		"license":           func() error { _, err := huggingFace(Card{Title: "t"}, "rus", nil); return err },
		"the folder in":     func() error { _, err := huggingFace(card, "deu", hubRows(t)); return err },
		"write card":        func() error { _, err := huggingFace(card, "nothing", nil); return err },
		"id \"\" is not 32": func() error { r := hubRows(t); r[0].ID = ""; _, err := huggingFace(card, "rus", r); return err },
		"have one name": func() error {
			r := hubRows(t)
			r[0].Split, r[1].Split = "a-b", "a_b"
			_, err := huggingFace(card, "rus", r)
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// huggingFace returns all files of the folder of some rows.
func huggingFace(c Card, languageCode string, rows []schemas.Benchmark) ([]File, error) {
	h, err := NewHub(c, languageCode)
	if err != nil {
		return nil, err
	}
	var tasks []string
	byTask := map[string][]schemas.Benchmark{}
	for _, r := range rows {
		if byTask[r.Task] == nil {
			tasks = append(tasks, r.Task)
		}
		byTask[r.Task] = append(byTask[r.Task], r)
	}
	var data []File
	for _, t := range tasks {
		files, err := h.Task(byTask[t])
		if err != nil {
			return nil, err
		}
		data = append(data, files...)
	}
	return append([]File{h.Card()}, data...), nil
}

func TestSizeCategory(t *testing.T) {
	for rows, want := range map[int64]string{0: "n<1K", 999: "n<1K", 1000: "1K<n<10K", 1_000_000: "1M<n<10M", 1 << 60: "n>1T"} {
		if got := SizeCategory(rows); got != want {
			t.Errorf("%d: %s, want %s", rows, got, want)
		}
	}
}
