package evaluate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/doctable"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/evaluate/classifiers"
)

// A task is whole, its name its own, and the help tells it with its flags.
func TestTasks(t *testing.T) {
	help := strings.Join(strings.Fields(Config{}.Help()), " ")
	seen := map[string]bool{}
	for _, task := range tasks {
		given := Config{Data: "x", Texts: "x", Benchmarks: []string{"x"}}.given(task)
		if seen[task.Name] || task.Name == "" || task.Measures == "" || task.Read == nil || !given {
			t.Errorf("%+v", task)
		}
		seen[task.Name] = true
		if row := fmt.Sprintf(" %s %s (--%s", task.Name, task.Measures, task.From[0]); !strings.Contains(help, row) {
			t.Errorf("the help has no %q: %s", row, help)
		}
	}
	if row := " stsb_multi_mt_cross the same with first texts in English and second texts in another language (--data, --split, --languages) "; !strings.Contains(help,
		row) {
		t.Errorf("the help has no %q: %s", row, help)
	}
}

// TestDocsOfTasks compares the tables of tasks, and of the metrics of one's own tasks, in the documentation with the lists.
func TestDocsOfTasks(t *testing.T) {
	var shown, want []string
	for _, task := range tasks {
		want = append(want, task.Name)
	}
	for _, row := range doctable.Rows(t, "runners/docs/evaluation.md", "| task | source,") {
		first, last, isRange := strings.Cut(row[0], " … ")
		if !isRange {
			shown = append(shown, strings.Split(row[0], ", ")...)
			continue
		}
		shown = append(shown, want[slices.Index(want, first):slices.Index(want, last)+1]...)
	}
	slices.Sort(shown)
	slices.Sort(want)
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("the tasks in runners/docs/evaluation.md differ from the list:\n%s", diff)
	}
	columns := map[string][]string{}
	for _, row := range doctable.Rows(t, "runners/docs/evaluation.md", "| metric | columns |") {
		if columns[row[0]] = strings.Split(row[1], ", "); strings.HasPrefix(row[1], "none") {
			columns[row[0]] = nil
		}
	}
	if diff := cmp.Diff(ownMetrics, columns); diff != "" {
		t.Errorf("the metrics of one's own tasks in runners/docs/evaluation.md differ from the list:\n%s", diff)
	}
}

// A group takes the tasks whose data are there and says what it leaves out; a task that is
// named must be whole.
func TestGroups(t *testing.T) {
	root := storagetest.WriteFiles(t, t.TempDir(), sts13)
	storagetest.WriteFiles(t, root, map[string]string{
		"tatoeba/tatoeba.deu-eng.deu": "a\nb\n", "tatoeba/tatoeba.deu-eng.eng": "a\nb\n", "sts/2012/MSRpar.test.tsv": "1\ta\tb\n",
	})
	loadedNames := func(c Config) (names, notes string, err error) {
		if c.Split == "" {
			c.Split = "test"
		}
		c.Probe, c.Seeds = classifiers.ProbeLiterature, 1
		list, left, err := load(t.Context(), c)
		for _, l := range list {
			names += " " + l.Name
		}
		return names, strings.Join(left, "\n"), err
	}
	for _, test := range []struct{ tasks, want string }{{"all", " sts13 tatoeba"}, {"sts", " sts13"}, {"tatoeba,all", " tatoeba sts13"},
		{"sts13,all", " sts13 tatoeba"}} {
		names, notes, err := loadedNames(Config{Data: root, Tasks: strings.Split(test.tasks, ",")})
		if err != nil || names != test.want {
			t.Errorf("%s: %q, %v; want %q", test.tasks, names, err, test.want)
		}
		for _, part := range []string{"left out, for want of data: sts12 (sts/2012/MSRvid.test.tsv and 3 more); ",
			"; stsb (stsb/sts-test.csv); "} {
			if !strings.Contains(notes, part) {
				t.Errorf("%s: the notes lack %q:\n%s", test.tasks, part, notes)
			}
		}
	}
	for want, c := range map[string]Config{
		"sts12: 4 files are missing":              {Data: root, Tasks: []string{"sts12", "all"}},
		"there are data for none of the tasks":    {Data: t.TempDir(), Tasks: []string{"all"}},
		"tasks all: give --data, --texts or --be": {Tasks: []string{"all"}},
		"tasks xeval: give --benchmarks":          {Data: root, Tasks: []string{"xeval"}},
		"task sts needs datasets of benchmarks":   {Texts: "x", Tasks: []string{"sts"}},
		"task all occurs twice":                   {Data: root, Tasks: []string{"all", "all"}},
		"; stsb_multi_mt has no language":         {Data: t.TempDir(), Tasks: []string{"all"}, Languages: []string{"swe"}},
		"OnWN.test.tsv line 1 has 1 field, want 3": {
			Data: storagetest.WriteFiles(t, storagetest.WriteFiles(t, t.TempDir(), sts13),
				map[string]string{"sts/2013/OnWN.test.tsv": "x"}),
			Tasks: []string{"all"}},
	} {
		if _, _, err := loadedNames(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A flag that cuts SentEval's own files has no effect elsewhere.
func TestSplitlinesElsewhere(t *testing.T) {
	c := Config{Data: t.TempDir(), Tasks: []string{"stsb"}, Split: "test", Probe: classifiers.ProbePrototyping, Seeds: 1, Splitlines: true}
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "--splitlines applies only to senteval") {
		t.Errorf("%v", err)
	}
}
