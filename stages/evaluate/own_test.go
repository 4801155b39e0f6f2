package evaluate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/metrics"
)

func ownFiles() map[string]string {
	table := func(n int) string {
		var b strings.Builder
		b.WriteString("claim\tside\tstance\n")
		for i := range n {
			fmt.Fprintf(&b, "x=%d row %d\tx=0 other %d\t%s\n", 2*(i%2), i, i, []string{"for", "against"}[i%2])
		}
		return b.String()
	}
	return map[string]string{
		"scores.yaml":    "name: mine\nmetric: correlation\nlanguage: eng\nlanguage_b: deu\nquoted: true\nfiles: {test: sub/scores.csv}\ncolumns: {text_a: one, text_b: two, score: gold}\n",
		"sub/scores.csv": "gold,one,two\n1,\"a, b\",\"a, c\"\n2,a b,a b\n0,a,b\n,not,scored\n",
		"claims.yaml":    "name: claims\nmetric: classes\nlanguage: eng\nfiles:\n  train: train.tsv\n  dev: dev.tsv\n  test: test.tsv\ncolumns: {text_a: claim, label: stance}\n",
		"pairs.yaml":     "name: stances\nmetric: pairs\nlanguage: eng\nfiles: {pool: train.tsv}\ncolumns: {text_a: claim, text_b: side, label: stance}\n",
		"found.yaml":     "name: found\nmetric: retrieval\nfiles: {eng: a.txt, deu: b.txt}\n",
		"train.tsv":      table(200),
		"dev.tsv":        table(60),
		"test.tsv":       table(60),
		"a.txt":          "x=0 a\nx=1 b\n", "b.txt": "x=0 c\nx=1 d\n",
	}
}

func TestOwnTasks(t *testing.T) {
	root := storagetest.WriteFiles(t, t.TempDir(), ownFiles())
	at := func(names ...string) (files []string) {
		for _, name := range names {
			files = append(files, root+"/"+name+".yaml")
		}
		return files
	}
	scores := run(t, "baseline:bow", Config{TaskFiles: at("scores"), Probe: classifiers.ProbeLiterature, Seeds: 1})
	// "a, b" and "a, c" share "a,": ½ 1 0 for 1 2 0.
	expect(t, scores, key{"mine", metrics.SubtaskAll, "deu-eng", metrics.Pearson}, "100.00", 3)
	rows := collect(t, told{}, Config{TaskFiles: at("claims", "pairs", "found"), Probe: classifiers.ProbePrototyping, Seeds: 1})
	expect(t, rows, key{"claims", "claims", "eng", metrics.Accuracy}, "100.00", 60)
	expect(t, rows, key{"stances", "stances", "eng", metrics.Accuracy}, "100.00", 200)
	expect(t, rows, key{"found", "deu-eng", "deu-eng", metrics.Accuracy}, "100.00", 2)
	// Beside other tasks, and with a hash of their own.
	storagetest.WriteFiles(t, root, sts13)
	c := Config{Data: root, Tasks: []string{"sts13"}, TaskFiles: at("scores"), Split: "test", Probe: classifiers.ProbeLiterature, Seeds: 1}
	list, notes, err := load(t.Context(), c)
	if want := "[mine: 1 of 4 rows of sub/scores.csv have no gold and do not count]"; fmt.Sprint(notes) != want {
		t.Errorf("%q, want %s", notes, want)
	}
	if err != nil || len(list) != 2 || list[1].Name != "mine" || list[0].Hash == list[1].Hash {
		t.Errorf("%v, %v", list, err)
	}
	storagetest.WriteFiles(t, root, map[string]string{"sub/scores.csv": "gold,one,two\n1,a,b\n2,a b,a b\n0,a,b\n"})
	if again, _, err := load(t.Context(), c); err != nil || again[1].Hash == list[1].Hash || again[0].Hash != list[0].Hash {
		t.Errorf("changed data: %v", err)
	}
}

func TestOwnTaskFaults(t *testing.T) {
	// Flags that are for other tasks, and a pool that is too small to be cut twice.
	few := storagetest.WriteFiles(t, t.TempDir(), map[string]string{
		"few.yaml": "name: few\nmetric: classes\nlanguage: eng\nfiles: {pool: few.tsv}\ncolumns: {text_a: text, label: label}\n",
		"few.tsv":  "text\tlabel\n" + strings.Repeat("a\tone\nb\ttwo\n", 11),
	}) + "/few.yaml"
	for want, c := range map[string]Config{
		"the tasks of --task-files are measured without their names": {Tasks: []string{"few"}, TaskFiles: []string{few}, Split: "test",
			Probe: classifiers.ProbeLiterature, Seeds: 1},
		"split has no effect on " + few: {TaskFiles: []string{few}, Split: "dev",
			Probe: classifiers.ProbeLiterature, Seeds: 1},
		"one inside of the other: the largest one has 11": {TaskFiles: []string{few}, Split: "test",
			Probe: classifiers.ProbeLiterature, Seeds: 1},
		"": {TaskFiles: []string{few}, Split: "test", Probe: classifiers.ProbePrototyping, Seeds: 1},
	} {
		if _, _, err := load(t.Context(), c); want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for want, change := range map[string][3]string{
		`read sub/scores.csv line 1: no column "points"`:             {"scores.yaml", "score: gold", "score: points"},
		"columns: score is not given, which metric":                  {"scores.yaml", ", score: gold", ""},
		"columns: label has no place in metric corr":                 {"scores.yaml", "score: gold", "score: gold, label: one"},
		`metric "accuracy": want one of classes, corr`:               {"scores.yaml", "correlation", "accuracy"},
		`name "stsb" is that of another task`:                        {"scores.yaml", "mine", "stsb"},
		`name "a b": want letters`:                                   {"scores.yaml", "mine", "a b"},
		`no key "columnz", did you mean columns?; it has`:            {"scores.yaml", "columns", "columnz"},
		`files: "dev": want test alone`:                              {"scores.yaml", "test:", "dev:"},
		"columns: text_a and text_b are the same column, one":        {"scores.yaml", "text_b: two", "text_b: one"},
		"files: test and train are the same file, ./test.tsv":        {"claims.yaml", "train: train.tsv", "train: ./test.tsv"},
		"files: deu and eng are the same file, b.txt":                {"found.yaml", "a.txt", "b.txt"},
		`language: language "english" is unknown`:                    {"scores.yaml", "eng\n", "english\n"},
		"missing: sub/none.csv":                                      {"scores.yaml", "scores.csv", "none.csv"},
		"files: want train and test, with dev":                       {"claims.yaml", "  test: test.tsv\n", ""},
		`has the label "abstain", which does not occur in train.tsv`: {"test.tsv", "against", "abstain"},
		"train.tsv has one row of the label maybe":                   {"train.tsv", "against\n", "maybe\n"},
		"a.txt has 3 lines and b.txt has 2":                          {"a.txt", "x=0 a", "x\nx=0 a"},
		"files: eng occurs there twice, once as eng":                 {"found.yaml", "eng:", "en: c.txt, eng:"},
		"language_b is given, and there is no column":                {"claims.yaml", "eng\n", "eng\nlanguage_b: deu\n"},
		`for each language: language "english" is unknown`:           {"found.yaml", "eng:", "english:"},
		"line 2: ": {"train.tsv", "x=0 row 0\t", ""},
		"sub/scores.csv line 3: 4 fields, the header has 3": {"sub/scores.csv", "2,a b,a b", "2,a b,a b,c"},
		"sub/scores.csv line 2":                             {"sub/scores.csv", "1,\"a", "one,\"a"},
		"all gold values of sub/scores.csv are 2": {"sub/scores.csv", "1,\"a, b\",\"a, c\"\n2,a b,a b\n0,",
			"2,\"a, b\",\"a, c\"\n2,a b,a b\n2,"},
		"files: test must be a path below the folder": {"scores.yaml", "sub/scores.csv", "/sub/scores.csv"},
		"line 2 of a.txt is blank":                    {"a.txt", "x=1 b", " "},
		"is not UTF-8":                                {"a.txt", "a", "\xff"},
	} {
		files := ownFiles()
		n := -1
		if change[0] == "train.tsv" {
			n = 1
		}
		before := files[change[0]]
		files[change[0]] = strings.Replace(before, change[1], change[2], n)
		if change[2] == "abstain" {
			files["test.tsv"] = strings.ReplaceAll(before, change[1], change[2])
		}
		if files[change[0]] == before {
			t.Fatalf("nothing was changed for %q", want)
		}
		root := storagetest.WriteFiles(t, t.TempDir(), files)
		// The retrieval reads deu first, alphabetically.
		want = strings.Replace(want, "a.txt has 3 lines and b.txt has 2", "b.txt has 2 lines and a.txt has 3", 1)
		c := Config{TaskFiles: []string{root + "/scores.yaml", root + "/claims.yaml", root + "/pairs.yaml", root + "/found.yaml"},
			Split: "test", Probe: classifiers.ProbeLiterature, Seeds: 1}
		if _, _, err := load(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// Languages have the names that users know.
	short := ownFiles()
	short["scores.yaml"] = strings.NewReplacer("eng\n", "en\n", "language_b: deu", "language_b: de_AT").Replace(short["scores.yaml"])
	short["found.yaml"] = strings.NewReplacer("eng:", "en:", "deu:", "de:").Replace(short["found.yaml"])
	lists := [2][]string{}
	for i, files := range []map[string]string{ownFiles(), short} {
		root := storagetest.WriteFiles(t, t.TempDir(), files)
		loaded, _, err := load(t.Context(), Config{TaskFiles: []string{root + "/scores.yaml", root + "/found.yaml"}, Split: "test",
			Probe: classifiers.ProbeLiterature, Seeds: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range loaded {
			for text := range l.Texts() {
				lists[i] = append(lists[i], text.Language+" "+text.Text)
			}
		}
	}
	if !slices.Equal(lists[0], lists[1]) {
		t.Errorf("%q, want %q", lists[1], lists[0])
	}
	// Of faults in two parts the first part's is told, whatever the order of a map.
	files := ownFiles()
	files["dev.tsv"], files["test.tsv"] = strings.ReplaceAll(files["dev.tsv"], "for", "maybe"),
		strings.ReplaceAll(files["test.tsv"], "for", "never")
	root := storagetest.WriteFiles(t, t.TempDir(), files)
	for range 20 {
		c := Config{TaskFiles: []string{root + "/claims.yaml"}, Split: "test", Probe: classifiers.ProbeLiterature, Seeds: 1}
		if _, _, err := load(t.Context(), c); err == nil || !strings.Contains(err.Error(), "dev.tsv has the label \"maybe\"") {
			t.Fatal(err)
		}
	}
	root = storagetest.WriteFiles(t, t.TempDir(), ownFiles())
	c := Config{TaskFiles: []string{root + "/scores.yaml", root + "/absent.yaml"}, Split: "test", Probe: classifiers.ProbeLiterature,
		Seeds: 1}
	if _, _, err := load(t.Context(), c); err == nil || !strings.Contains(err.Error(), "absent.yaml") {
		t.Errorf("%v", err)
	}
	// No file is read that a link puts into the folder, and none of its words are in a message.
	outside := storagetest.WriteFiles(t, t.TempDir(), map[string]string{"secret": "one,two,score\nkey,a,b\n", "folder/secret.csv": "key\n"})
	for name, target := range map[string]string{"sub/scores.csv": outside + "/secret", "sub": outside + "/folder",
		"a.txt": outside + "/absent"} {
		root := storagetest.WriteFiles(t, t.TempDir(), ownFiles())
		if err := errors.Join(os.RemoveAll(filepath.Join(root, name)), os.Symlink(target, filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
		c := Config{TaskFiles: []string{root + "/scores.yaml", root + "/found.yaml"}, Split: "test", Probe: classifiers.ProbeLiterature,
			Seeds: 1}
		if _, _, err := load(t.Context(), c); err == nil || !strings.Contains(err.Error(), "leads out of") ||
			strings.Contains(err.Error(), "key") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A link within the folder, and to the folder itself, is none that leads out.
	root = storagetest.WriteFiles(t, t.TempDir(), ownFiles())
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Rename(root+"/sub/scores.csv", root+"/moved.csv"), os.Symlink("../moved.csv", root+"/sub/scores.csv"),
		os.Symlink(root, link)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := load(t.Context(), Config{TaskFiles: []string{link + "/scores.yaml"}, Split: "test", Probe: classifiers.ProbeLiterature,
		Seeds: 1}); err != nil {
		t.Error(err)
	}
	root = storagetest.WriteFiles(t, t.TempDir(), ownFiles())
	// A folder is told, with the files in it.
	for folder, want := range map[string]string{root + "/": "it is a folder: give the files of the tasks in it, --task-files=" + root +
		"/claims.yaml," + root + "/found.yaml,", root + "/sub": "it is a folder without a YAML file: give the file"} {
		c.TaskFiles[1] = folder
		if _, _, err := load(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	c.TaskFiles[1] = c.TaskFiles[0]
	if _, _, err := load(t.Context(), c); err == nil || !strings.Contains(err.Error(), "occurs twice") {
		t.Errorf("%v", err)
	}
}

// A task whose aliases stand for gigabytes is a fault with its line.
func TestOwnTaskBounds(t *testing.T) {
	lists := "name: x\nmetric: correlation\nlanguage: eng\na0: &a0 [" + strings.Repeat("x,", 2_000) + "]\n"
	for i := range 30 {
		lists += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 9))
	}
	merges := "files: &b0 {test: x}\n"
	for i := range 30 {
		merges += fmt.Sprintf("columns: &b%d\n  <<: [%s]\n", i+1, strings.Repeat(fmt.Sprintf("*b%d,", i), 9))
	}
	for name, text := range map[string]string{
		"lists": lists + "language_b: *a30\n", "merges": strings.Replace(merges, "columns", "a", 29) + "name: x\n",
		"merged files": "a: &a {" + strings.Repeat("test: x, ", 500) + "}\nfiles:\n  <<: [" + strings.Repeat("*a,", 500) + "]\n",
		"brackets":     "files: " + strings.Repeat("[", 100_000), "circle": "files: &a {test: *a}\n",
	} {
		root := storagetest.WriteFiles(t, t.TempDir(), map[string]string{"task.yaml": text})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, _, err := readOwn(t.Context(), root+"/task.yaml")
		runtime.ReadMemStats(&after)
		if err == nil || len(err.Error()) > 50_000 || after.TotalAlloc-before.TotalAlloc > 256<<20 {
			t.Errorf("%s: %d bytes take %d MB: %.300v", name, len(text), (after.TotalAlloc-before.TotalAlloc)>>20, err)
		}
	}
}

// FuzzOwnTask reads any YAML: a task or an error.
func FuzzOwnTask(f *testing.F) {
	for name, text := range ownFiles() {
		if strings.HasSuffix(name, ".yaml") {
			f.Add(text)
		}
	}
	f.Add("files: &a {test: *a}\n")
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		storagetest.WriteFiles(t, root, map[string]string{"task.yaml": text})
		task, _, _, err := readOwn(t.Context(), root+"/task.yaml")
		if err == nil && (ownMetrics[task.Metric] == nil && task.Metric != "retrieval" || len(task.Files) == 0) {
			t.Fatalf("%+v", task)
		}
	})
}
