package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/realdata"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate"
	"sentweave/stages/report/markup"
)

// The averages that the papers print follow from the other columns, which a slip would change.
func TestPublished(t *testing.T) {
	tables, standard, err := readPublished()
	if err != nil {
		t.Fatal(err)
	}
	// By how much the columns of CMLM's paper average more than it says itself.
	slips := map[string]float64{
		"1 English BERT base (CC)": .24, "3 CMLM": -.09, "4 LASER": .07, "5 mBERT": .25, "5 XLM-R": .41, "5 LASER": .2, "5 CMLM+BR": -.08,
		"7 1 projection": .09, "7 10 projections": .16, "8 mBERT + PCR": .16, "10 60 masks of 256 tokens": -.16,
	}
	averages := 0
	published := map[string]bool{}
	for _, p := range tables {
		if p.Items != nil && len(p.Items) != len(p.Columns) {
			t.Errorf("%s, table %s: %d items for %d columns", p.Paper, p.Table, len(p.Items), len(p.Columns))
		}
		for _, column := range p.Columns {
			if n := len(strings.Fields(column)); n != 4 {
				t.Errorf("column %q has %d words", column, n)
			}
			published[column[:strings.LastIndexByte(column, ' ')]] = true
		}
		for _, line := range p.Lines {
			if len(line.Values) != len(p.Columns) {
				t.Fatalf("%s: %d values for %d columns", line.Name, len(line.Values), len(p.Columns))
			}
			values, said := line.Values, line.Average
			if last := figureOfColumn(p.Columns[len(p.Columns)-1]); said == nil && len(p.Columns) > 1 &&
				(strings.HasPrefix(last.subtask, "avg-9") || last.subtask == "mean") && last.task != "afs" {
				values, said = values[:len(values)-1], values[len(values)-1]
			}
			if said == nil || values[0] == nil {
				continue
			}
			sum, n := 0.0, 0.0
			for _, v := range values {
				if v != nil {
					sum, n = sum+*v, n+1
				}
			}
			averages++
			own := 0.0
			if strings.Contains(p.Paper, "(CMLM)") {
				own = slips[p.Table+" "+line.Name]
			}
			if math.Abs(sum/n-*said-own) > .07 { // one is cut, not rounded
				t.Errorf("%s, table %s, %s: the columns average %.3f, the paper says %v", p.Paper, p.Table, line.Name, sum/n, *said)
			}
		}
	}
	for column, hashes := range standard {
		if !published[column] || len(hashes) == 0 {
			t.Errorf("no table has the column %q, or there is no hash of it", column)
		}
	}
	if averages != 103 {
		t.Errorf("%d averages were checked, want 103", averages)
	}
}

// The hashes of the usual test sets are those of the data that are at hand.
func TestStandardTestSets(t *testing.T) {
	_, standard, err := readPublished()
	if err != nil {
		t.Fatal(err)
	}
	e, err := encoder.Open(t.Context(), "baseline:random", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := evaluate.Config{Data: realdata.Folder(t, "sts", "stsb", "mlqe"), Tasks: []string{"sts"}, Split: "test", Seeds: 1}
	if !testing.Short() { // which train classifiers, and look for thousands of sentences
		c.Data, c.Tasks, c.Probe = realdata.Folder(t, "sts", "stsb", "mlqe", "senteval", "tatoeba"),
			[]string{"sts", "senteval", "tatoeba36"}, "prototyping"
	}
	seen := map[string]bool{}
	for r, err := range evaluate.Measure(t.Context(), c, e) {
		if err != nil {
			t.Fatal(err)
		}
		column := r.Task + " " + r.Subtask + " " + cmp.Or(r.Language, "-")
		if known := standard[column]; known != nil && !slices.Contains(known, r.DataXXH3) {
			t.Errorf("%s has the hash %s, want one of %v", column, r.DataXXH3, known)
		}
		seen[column] = true
	}
	for column := range standard {
		if similarity := strings.HasPrefix(column, "sts") || strings.HasPrefix(column, "mlqe"); !seen[column] &&
			!strings.HasPrefix(column, "tatoeba ") && (similarity || !testing.Short()) {
			t.Errorf("%s was not measured", column)
		}
	}
}

func TestBesidePublished(t *testing.T) {
	_, standard, err := readPublished()
	if err != nil {
		t.Fatal(err)
	}
	row := func(model, task, subtask, language, metric string, n int64, settings string) schemas.Result {
		r := schemas.Result{Model: model, Task: task, Subtask: subtask, Language: language, Metric: metric, Value: .5, N: n,
			Settings: settings}
		if known := standard[task+" "+subtask+" "+cmp.Or(language, "-")]; known != nil && model != "i" {
			r.DataXXH3 = known[len(known)-1]
		}
		return r
	}
	const sts, qe = `{"similarity":"cosine","split":"test"}`, `{"gold":"z_mean","similarity":"cosine","split":"test20"}`
	rows := []schemas.Result{
		row("a", "stsb", "all", "eng", "spearman", 1379, sts),
		row("b", "stsb", "all", "eng", "spearman", 1500, `{"similarity":"cosine","split":"dev"}`),
		row("c", "stsb", "all", "eng", "spearman", 1379, `{"similarity":"cosine","split":"test","vectors":"whitened"}`),
		row("a", "mlqe", "eng-deu", "deu-eng", "pearson", 1000, qe), row("d", "mlqe", "eng-deu", "deu-eng", "pearson", 1000, "{}"),
		row("m", "mlqe", "eng-deu", "deu-eng", "pearson", 1000, `{"gold":"z_mean","similarity":"bertscore-f1","split":"test20"}`),
		row("n", "mlqe", "eng-deu", "deu-eng", "pearson", 1000, `{"gold":"z_mean","similarity":"bertscore-recall","split":"test20"}`),
		// Table 8 publishes pcr, and its mean is over eleven languages.
		row("e", "tatoeba", "fra", "fra", "accuracy", 1000,
			`{"similarity":"cosine","vectors":"the first principal component of each language removed"}`),
		row("f", "tatoeba", "fra", "fra", "accuracy", 1000, `{"similarity":"cosine","vectors":"whitened, all languages together"}`),
		row("g", "tatoeba", "mean", "", "accuracy", 2000, `{"similarity":"cosine","languages":2}`),
		row("h", "tatoeba", "mean", "", "accuracy", 11000, `{"similarity":"cosine","languages":11}`),
		row("g", "senteval", "avg-9/mean", "", "mean", 90, `{"probe":"literature","languages":"eng fra"}`),
		row("h", "senteval", "avg-9/mean", "", "mean", 90,
			`{"probe":"literature","languages":"ara bul deu ell eng spa fra hin rus swa tha tur urd vie zho"}`),
		row("a", "stsb", "all", "eng", "unheard-of", 1379, sts),
		// MRPC is not known, and its average with MR follows from them.
		row("j", "senteval", "mr", "eng", "accuracy", 10662, `{"probe":"literature"}`),
		row("j", "senteval", "mrpc", "eng", "accuracy", 1725, `{"probe":"literature"}`),
		row("j", "senteval", "avg-9", "eng", "mean", 10662, `{"probe":"literature"}`),
		row("k", "senteval", "mrpc", "eng", "accuracy", 1700, `{"probe":"literature"}`),
		row("j", "senteval", "avg-9", "ara", "mean", 10662, `{"probe":"literature"}`),
		row("l", "senteval", "mr", "eng", "accuracy", 10662, `{"probe":"literature"}`),
		// As many pairs, and others.
		row("i", "stsb", "all", "eng", "spearman", 1379, sts), row("i", "mlqe", "eng-deu", "deu-eng", "pearson", 1000, qe),
	}
	_, sections, err := taskSections(rows, nil, comparisons{})
	if err != nil {
		t.Fatal(err)
	}
	got, notes := map[string]string{}, map[string]string{}
	for caption, table := range tablesOf(markup.Report{Sections: sections}) {
		notes[caption] = table.Note
		for _, r := range table.Rows {
			got[caption+": "+r[0].Text] = fmt.Sprint(len(r), " ", r[len(r)-1].Text, " ", r[1].Text)
		}
	}
	const beside = "Beside published figures: "
	for what, want := range map[string]string{
		beside + "Yang et al. 2021 (CMLM), table 1, × 100: l":                                   "5 – yes",
		beside + "Zhang et al. 2021 (BSL), table 1, × 100: BSL-BERT":                            "4 72.03 published",
		beside + "Zhang et al. 2021 (BSL), table 1, × 100: a":                                   "4 – yes",
		beside + "Zhang et al. 2021 (BSL), table 1, × 100: b":                                   "4 – no",
		beside + "Zhang et al. 2021 (BSL), table 1, × 100: c":                                   "4 – no",
		beside + "Tiyajamorn et al. 2021 (meaning embeddings), table 2, × 100: a":               "3 50.00 yes",
		beside + "Tiyajamorn et al. 2021 (meaning embeddings), table 2, × 100: m":               "3 50.00 yes",
		beside + "Tiyajamorn et al. 2021 (meaning embeddings), table 2, × 100: n":               "3 50.00 no",
		beside + "Zhang et al. 2021 (BSL), table 1, × 100: i":                                   "4 – no",
		beside + "Tiyajamorn et al. 2021 (meaning embeddings), table 2, × 100: XLM-R (Meaning)": "3 9.3 published",
	} {
		if got[what] != want {
			t.Errorf("%s: %q, want %q", what, got[what], want)
		}
	}
	for _, test := range [][2]string{
		{"Zhang et al. 2021 (BSL), table 1",
			"b: no, because its split is dev, not test; stsb has 1,500 items, not 1,379. c: no, because its vectors were treated: whitened. i: no, because its data of stsb are not those of the usual test set."},
		{"Yang et al. 2021 (CMLM), table 2", "a: not known, because the paper does not say which correlation"},
		{"Yang et al. 2021 (CMLM), table 8", "e, h: not known, because the paper does not say whether English"},
		{"Yang et al. 2021 (CMLM), table 8",
			"f: no, because its vectors were treated: whitened, all languages together. g: no, because its mean is over 2 languages, not 11."},
		{"Yang et al. 2021 (CMLM), table 3", "g: no, because its mean is over 2 languages, not 15."},
		{"Yang et al. 2021 (CMLM), table 3", "h: not known, because the usual data of senteval avg-9/mean are not known here."},
		{"Yang et al. 2021 (CMLM), table 3", "j: not known, because the usual data of senteval avg-9 are not known here."},
		{"Yang et al. 2021 (CMLM), table 1", "j: not known, because the usual data of senteval mrpc are not known here."},
		{"Yang et al. 2021 (CMLM), table 8", "Columns of which nothing was measured are left out: 10 of 12."},
		{"Yang et al. 2021 (CMLM), table 1", "k: no, because senteval mrpc has 1,700 items, not 1,725."},
		{"Tiyajamorn et al. 2021 (meaning embeddings), table 2",
			"d: no, because the result does not say its gold, which is z_mean there; "},
		{"Tiyajamorn et al. 2021 (meaning embeddings), table 2", "i: no, because its data of mlqe eng-deu are not"},
	} {
		if note := notes[beside+test[0]+", × 100"]; !strings.Contains(note, test[1]) {
			t.Errorf("table %s: %q, want %q", test[0], note, test[1])
		}
	}
}

// A model has an average beside a table that gives averages where all of its columns were measured.
func TestPublishedAverages(t *testing.T) {
	var rows []schemas.Result
	for i, task := range []string{"sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sick-r-cos"} {
		for _, model := range []string{"whole", "part"} {
			if model == "whole" || task != "sts14" {
				rows = append(rows, schemas.Result{Model: model, Task: task, Subtask: "all", Language: "eng", Metric: "spearman",
					Value: float64(i) / 10, N: 100, Settings: `{}`})
			}
		}
	}
	_, sections, err := taskSections(rows, nil, comparisons{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for caption, table := range tablesOf(markup.Report{Sections: sections}) {
		for _, r := range table.Rows {
			got[caption+": "+r[0].Text] = table.Columns[len(r)-1].Name + " " + r[len(r)-1].Text
		}
		if alone := "part: no, because the table has averages alone"; strings.Contains(caption, "(BSL), table 7") &&
			(!strings.Contains(table.Note, alone) || strings.Contains(table.Note, "whole, "+alone)) {
			t.Error(table.Note)
		}
	}
	const table7 = "Beside published figures: Zhang et al. 2021 (BSL), table 7, × 100: "
	for line, want := range map[string]string{"BSL, batches of 64": "72.02", "whole": "30.00", "part": markup.Absent} {
		if got[table7+line] != "average of 7 "+want {
			t.Errorf("%s: %q, want %q", line, got[table7+line], "average of 7 "+want)
		}
	}
}

func TestNamesOf(t *testing.T) {
	if got := namesOf([]string{"a one", "b", "c 1", "c 2", "c 3", "a two", "c 4"}); got != "a one, b, c, a two" {
		t.Error(got)
	}
}
