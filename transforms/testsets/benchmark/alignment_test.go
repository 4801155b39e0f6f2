package benchmark

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/realdata"
)

// stsb reads a real translation as rows that are versions of one file.
func stsb(t *testing.T, tag, code string) []schemas.Benchmark {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(realdata.Folder(t, "stsb_multi_mt"), "stsb_multi_mt", "stsb-"+tag+"-test.csv"))
	if err != nil {
		t.Fatal(err)
	}
	table := Table{Task: "stsb", Split: "test", File: "stsb", LanguageA: code, Quoted: ',', TextA: "1", TextB: "2", Target: "3", High: 5,
		Parallel: true}
	rows, _, err := Rows(table.Read(strings.NewReader(string(data))))
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rows[i].TextA, rows[i].TextB = Clean(rows[i].TextA), Clean(rows[i].TextB)
	}
	return rows
}

// move puts the texts of other rows into rows: text i comes from row from(i).
func move(rows []schemas.Benchmark, from func(i int) int) []schemas.Benchmark {
	out := slices.Clone(rows)
	for i := range out {
		j := from(i)
		out[i].TextA, out[i].TextB = rows[j].TextA, rows[j].TextB
	}
	return out
}

// withoutGold takes the gold of every other row, and gives it a text that says nothing of
// its length.
func withoutGold(rows []schemas.Benchmark) []schemas.Benchmark {
	rows = slices.Clone(rows)
	for i := range rows {
		if i%2 == 0 {
			rows[i].Skip, rows[i].Target, rows[i].TextA = true, nil,
				strings.Repeat("ж", 1+(i*len(rows[i].LanguageA)*37+int(rows[i].LanguageA[0]))%97)
		}
	}
	return rows
}

// Real translations pass, in every language, and texts in another order do not, even
// where nothing but the texts was moved.
func TestAlignment(t *testing.T) {
	c, err := NewChecker(DefaultCheckConfig(), stsb(t, "en", "eng"))
	if err != nil {
		t.Fatal(err)
	}
	for tag, code := range map[string]string{"de": "deu", "es": "spa", "fr": "fra", "it": "ita", "ja": "jpn", "nl": "nld", "pl": "pol",
		"pt": "por", "ru": "rus", "zh": "zho"} {
		rows := stsb(t, tag, code)
		n := len(rows)
		if code == "nld" { // one text was published as UTF-8 that was read as Windows-1252
			if report := c.Check(code, rows); len(report.Faults) != 1 || report.Faults[0].Kind != FaultEncoding ||
				report.Faults[0].Row != 973 {
				t.Errorf("%s: %v", code, report.Faults)
			}
			rows[973].TextB = "De advocaat van Ebbers zei dat hij vertrouwen heeft."
		}
		if report := c.Check(code, rows); len(report.Faults) > 0 {
			t.Errorf("%s: %v", code, report.Faults)
		}
		gold, err := NewChecker(DefaultCheckConfig(), withoutGold(stsb(t, "en", "eng")))
		if err != nil {
			t.Fatal(err)
		}
		if report := gold.Check(code, withoutGold(rows)); len(report.Faults) > 0 {
			t.Errorf("%s, half of it without gold: %v", code, report.Faults)
		}
		for name, from := range map[string]func(int) int{
			"reversed":      func(i int) int { return n - 1 - i },
			"by one":        func(i int) int { return (i + 1) % n },
			"back by one":   func(i int) int { return (i + n - 1) % n },
			"half is moved": func(i int) int { return min(n-1, i+i/700) }, // a text is lost at row 700, one repeated at the end
		} {
			report := c.Check(code, move(rows, from))
			if len(report.Faults) != 1 || report.Faults[0].Kind != FaultAlignment {
				t.Errorf("%s %s: %v", code, name, report.Faults)
			}
		}
	}
}

func TestCorrelation(t *testing.T) {
	x := make([]float64, 60)
	for i := range x {
		x[i] = float64(i * i % 17)
	}
	if r, ok := correlation(x, x, 0); !ok || r < 1-1e-12 {
		t.Errorf("got %v, %v", r, ok)
	}
	if r, ok := correlation(x[:50], x[2:], -2); ok { // 48 rows are left
		t.Errorf("got %v of too few rows", r)
	}
	if r, ok := correlation(x[3:], x, 3); !ok || r < 1-1e-12 {
		t.Errorf("shifted: got %v, %v", r, ok)
	}
	if _, ok := correlation(make([]float64, 60), x, 0); ok {
		t.Error("texts of one length correlate")
	}
}
