package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/evaluate"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/report/markup"
	"sentweave/transforms/measure/bootstrap"
)

// scoredPairs are texts whose shared words say their score, and some whose do not.
func scoredPairs() string {
	var lines strings.Builder
	for i := range 120 {
		shared := i % 6
		if i%10 == 9 {
			shared = 3
		}
		same := strings.Repeat(fmt.Sprintf("w%d ", i), shared)
		fmt.Fprintf(&lines, "g\tf\ty\ti\t%d\t%sa%d\t%sb%d c%d\n", i%6, same, i, same, i, i)
	}
	return lines.String()
}

// evaluated are results of models on data of ours, in a folder.
func evaluated(t *testing.T, name, pairs string, models ...string) string {
	t.Helper()
	data, out := t.TempDir(), filepath.Join(t.TempDir(), name)
	if err := errors.Join(os.Mkdir(filepath.Join(data, "stsb"), 0o777),
		os.WriteFile(filepath.Join(data, "stsb/sts-test.csv"), []byte(pairs), 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := evaluate.Run(t.Context(), out, evaluate.Config{Data: data, Tasks: []string{"stsb"}, Split: "test"},
		evaluate.Options{Models: encoders.Models{Model: models}}); err != nil {
		t.Fatal(err)
	}
	return out
}

// Encoders of two seeds may agree in a figure, of which there are two results all the same. A folder that is
// named twice is read once.
func TestEqualFiguresOfTwoEncoders(t *testing.T) {
	vectors := func(scale int) string {
		var lines strings.Builder
		for i := range 120 {
			for at, letter := range "wabc" {
				fmt.Fprintf(&lines, "%c%d %d %d\n", letter, i, scale*(i*(at+3)%17), scale*(1+i%7))
			}
		}
		name := filepath.Join(t.TempDir(), "vectors.txt")
		if err := os.WriteFile(name, []byte(lines.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return "m=baseline:vectors=" + name
	}
	one, two := evaluated(t, "one", scoredPairs(), vectors(1)), evaluated(t, "two", scoredPairs(), vectors(2)) // of equal cosines
	for _, test := range []struct {
		locations []string
		over      string
	}{{[]string{one, two}, "2 results"}, {[]string{one, one}, ""}} {
		e, err := Config{Results: test.locations, Groups: 1}.experiment(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		figures, err := collect(e.Results, nil)
		if err != nil || len(figures.figures) == 0 {
			t.Fatal(len(figures.figures), err)
		}
		for at, f := range figures.figures {
			if f.over != test.over || f.deviation > 0 {
				t.Errorf("%d locations, %v: over %q, deviation %v; want over %q", len(test.locations), at, f.over, f.deviation, test.over)
			}
		}
	}
}

// Models are compared over the same items, whichever folders they are in.
// Items of a folder that is named twice count once among those of several seeds.
func TestItemsOfAFolderNamedTwice(t *testing.T) {
	pairs := scoredPairs()
	one, two := evaluated(t, "one", pairs, "m=baseline:bow", "other=baseline:char3"), evaluated(t, "two", pairs, "m=baseline:random")
	var all [2]comparisons
	for i, locations := range [][]string{{one, two}, {one, two, one}} {
		e, err := Config{Results: locations, Groups: 1, Draws: 1000}.experiment(t.Context())
		if err != nil || len(e.Comparisons.order) == 0 {
			t.Fatal(len(e.Comparisons.order), err)
		}
		all[i] = e.Comparisons
	}
	if !reflect.DeepEqual(all[0], all[1]) {
		t.Errorf("%+v\nand %+v", all[0], all[1])
	}
}

// TestItemsGone: the page says whose models it cannot compare.
func TestItemsGone(t *testing.T) {
	one := evaluated(t, "one", scoredPairs(), "words=baseline:bow", "noise=baseline:random")
	if err := os.RemoveAll(filepath.Join(one, dataset.ItemsFolder)); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if _, _, err := Run(t.Context(), out, Config{Title: "t", Groups: 1, Draws: 1000, Results: []string{one}}, Options{}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(out, PageName))
	if want := "Models in " + filepath.Base(one) + " are not compared: there are no items"; err != nil ||
		!strings.Contains(string(page), want) {
		t.Errorf("%v: the page does not say %q", err, want)
	}
}

// A figure that is under three names, a part and its plain and weighted mean, is one comparison of the correction.
func TestFigureOfSeveralNames(t *testing.T) {
	data, out := t.TempDir(), t.TempDir()
	var lines strings.Builder
	lines.WriteString("original\ttranslation\tz_mean\n")
	for i, line := range strings.Split(strings.TrimSpace(scoredPairs()), "\n") {
		fields := strings.Split(line, "\t")
		fmt.Fprintf(&lines, "%s\t%s\t%v\n", fields[5], fields[6], float64(i%6)+float64(i)/1000)
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(data, "mlqe/en-de"), 0o777),
		os.WriteFile(filepath.Join(data, "mlqe/en-de/test20.ende.df.short.tsv"), []byte(lines.String()), 0o666)); err != nil {
		t.Fatal(err)
	}
	models := encoders.Models{Model: []string{"words=baseline:bow", "letters=baseline:char3", "noise=baseline:random"}}
	if _, _, err := evaluate.Run(t.Context(), out, evaluate.Config{Data: data, Tasks: []string{"mlqe"}, Split: "test"},
		evaluate.Options{Models: models}); err != nil {
		t.Fatal(err)
	}
	e, err := Config{Results: []string{out}, Groups: 1, Draws: 1000}.experiment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := e.Comparisons
	if len(all.order) != 12 || all.distinct != 4 {
		t.Fatalf("%d comparisons, %d of them different; want two of each metric under three names", len(all.order), all.distinct)
	}
	least := 1.
	for _, c := range all.by {
		least = min(least, c.P)
	}
	for at, c := range all.by {
		same := at
		same.subtask, same.language = "eng-deu", "deu-eng"
		if part := all.by[same]; c.P != part.P || c.corrected != part.corrected {
			t.Errorf("%v has p %v, %v after correction; its part %v, %v", at, c.P, c.corrected, part.P, part.corrected)
		}
		if c.P == least && c.corrected != 4*least {
			t.Errorf("%v: the least p, %v, is %v after the correction for four comparisons", at, least, c.corrected)
		}
	}
	if text := fmt.Sprint(all.blocks(func(m string) string { return m })[0]); !strings.Contains(text, "for all 4 comparisons") ||
		!strings.Contains(text, "Of the 12 lines in the table") {
		t.Error(text)
	}
}

func TestDifferences(t *testing.T) {
	pairs := scoredPairs()
	one, two := evaluated(t, "one", pairs, "words=baseline:bow", "noise=baseline:random"), evaluated(t, "two", pairs, "again=baseline:bow")
	c := Config{Title: "t", Groups: 1, Draws: 2000, Results: []string{one, two}}
	out := t.TempDir()
	if _, _, err := Run(t.Context(), out, c, Options{}); err != nil {
		t.Fatal(err)
	}
	tables, err := os.ReadFile(filepath.Join(out, markdownName))
	if err != nil {
		t.Fatal(err)
	}
	// By the draws alone.
	scores := map[string][]float64{}
	var gold []float64
	for _, location := range c.Results {
		items, err := dataset.ReadAll[schemas.Item](t.Context(), storage.NewLocal(filepath.Join(location, dataset.ItemsFolder)))
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range items {
			if scores[i.Model] = append(scores[i.Model], i.Score); i.Model == "words" {
				gold = append(gold, *i.Gold)
			}
		}
	}
	f := bootstrap.Figure{Terms: []bootstrap.Term{
		{Metric: bootstrap.Spearman, Weight: 1, Scores: [][][]float64{{scores["words"]}, {scores["noise"]}}, Gold: gold}}}
	want, err := bootstrap.Compare(t.Context(), []bootstrap.Figure{f}, [][]bootstrap.Pair{{{A: 0, B: 1}}}, c.Draws)
	if err != nil {
		t.Fatal(err)
	}
	d := want[0][0]
	for _, line := range []string{
		fmt.Sprintf("| stsb all eng spearman | words | noise | %s (%s to %s) | %s |", markup.Signed(100*d.Value, 2),
			markup.Signed(100*d.Low, 2), markup.Signed(100*d.High, 2), probability(d.P)),
		"| stsb all eng spearman | words | again | 0.00 (0.00 to 0.00) | 1.0000 | 1.0000 | no |",
	} {
		if line = strings.ReplaceAll(line, "<", "&lt;"); !strings.Contains(string(tables), line) {
			t.Errorf("no line %s in\n%s", line, tables)
		}
	}
	if !strings.Contains(string(tables), "**yes** |\n") {
		t.Errorf("%s", tables)
	}
	for name, c := range map[string]Config{
		"no draws": {Title: "t", Groups: 1, Results: []string{one, two}},
		"other data": {Title: "t", Groups: 1, Draws: 100,
			Results: []string{evaluated(t, "a", pairs, "words=baseline:bow"),
				evaluated(t, "b", pairs+"g\tf\ty\ti\t1\ta\tb\n", "other=baseline:bow")}},
	} {
		e, err := c.experiment(t.Context())
		if err != nil || len(e.Comparisons.order) > 0 {
			t.Errorf("%s: %d comparisons, %v", name, len(e.Comparisons.order), err)
		}
	}
	for draws, valid := range map[int]bool{-1: false, 0: true, 1: false, 2: false, 999: false, 1000: true, 100_000: true, 100_001: false} {
		err := Config{Results: []string{"r"}, Groups: 1, Draws: draws}.Validate()
		if want := fmt.Sprintf("--draws is %d; it must be 1000 to 100000, or 0", draws); valid != (err == nil) || !valid &&
			!strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", draws, err)
		}
	}
}
