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
	if err := errors.Join(os.Mkdir(filepath.Join(data, "stsb"), 0o777), os.WriteFile(filepath.Join(data, "stsb/sts-test.csv"), []byte(pairs), 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := evaluate.Make(t.Context(), out, evaluate.Config{Data: data, Tasks: []string{"stsb"}, Split: "test"}, evaluate.Models{Model: models}, evaluate.Options{}); err != nil {
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

// Models are compared over the same items, whichever folders they stand in.
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
	if _, err := Make(t.Context(), out, Config{Title: "t", Groups: 1, Draws: 1000, Results: []string{one}}, Cost{}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(out, PageName))
	if want := "Models in " + filepath.Base(one) + " are not compared: there are no items"; err != nil || !strings.Contains(string(page), want) {
		t.Errorf("%v: the page does not say %q", err, want)
	}
}

func TestDifferences(t *testing.T) {
	pairs := scoredPairs()
	one, two := evaluated(t, "one", pairs, "words=baseline:bow", "noise=baseline:random"), evaluated(t, "two", pairs, "again=baseline:bow")
	c := Config{Title: "t", Groups: 1, Draws: 2000, Results: []string{one, two}}
	out := t.TempDir()
	if _, err := Make(t.Context(), out, c, Cost{}); err != nil {
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
	f := bootstrap.Figure{Terms: []bootstrap.Term{{Metric: bootstrap.Spearman, Weight: 1, Scores: [][][]float64{{scores["words"]}, {scores["noise"]}}, Gold: gold}}}
	want, err := bootstrap.Compare(t.Context(), []bootstrap.Figure{f}, [][]bootstrap.Pair{{{A: 0, B: 1}}}, c.Draws)
	if err != nil {
		t.Fatal(err)
	}
	d := want[0][0]
	for _, line := range []string{
		fmt.Sprintf("| stsb all eng spearman | words | noise | %s (%s to %s) | %s |", signed(100*d.Value, 2), signed(100*d.Low, 2), signed(100*d.High, 2), probability(d.P)),
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
		"no draws":   {Title: "t", Groups: 1, Results: []string{one, two}},
		"other data": {Title: "t", Groups: 1, Draws: 100, Results: []string{evaluated(t, "a", pairs, "words=baseline:bow"), evaluated(t, "b", pairs+"g\tf\ty\ti\t1\ta\tb\n", "other=baseline:bow")}},
	} {
		e, err := c.experiment(t.Context())
		if err != nil || len(e.Comparisons.order) > 0 {
			t.Errorf("%s: %d comparisons, %v", name, len(e.Comparisons.order), err)
		}
	}
	for draws, valid := range map[int]bool{-1: false, 0: true, 1: false, 2: false, 999: false, 1000: true, 100_000: true, 100_001: false} {
		err := Config{Results: []string{"r"}, Groups: 1, Draws: draws}.Validate()
		if want := fmt.Sprintf("draws is %d, it must be 1000 to 100000, or 0", draws); valid != (err == nil) || !valid && !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", draws, err)
		}
	}
}
