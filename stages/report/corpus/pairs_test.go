package corpus

import (
	"fmt"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/report/markup"
	"sentweave/stages/report/markup/markuptest"
	"sentweave/transforms/pairs/judged"
)

// scored are measured pairs of two directions and origins; every fifth would be dropped.
func scored(n int) (list []schemas.PairScore) {
	for i := range n {
		ratio, score := float32(1+i%4), float32(i)
		row := schemas.PairScore{ID: schemas.ID("pair", int64(i)), TextA: fmt.Sprintf("Satz %d", i), TextB: fmt.Sprintf("sentence %d", i),
			LanguageA: "deu", LanguageB: "eng", Origin: "mined", LengthRatio: &ratio}
		if i%5 == 0 {
			row.Reason = "html"
		}
		if i%3 == 0 { // the other way round
			row.TextA, row.TextB, row.LanguageA, row.LanguageB = row.TextB, row.TextA, "eng", "deu"
			row.Origin, row.Score = markuptest.Nasty, &score
		}
		list = append(list, row)
	}
	return list
}

func readBitext(t *testing.T, location string) *Bitext {
	t.Helper()
	folder, m, err := dataset.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ReadBitext(t.Context(), []Dataset{{"scores", folder, m}}, 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Pairs are counted by languages and origin, shown in one direction, and drawn for a sheet whatever their order.
func TestBitext(t *testing.T) {
	rows := scored(300)
	b := readBitext(t, datasettest.Write(t, nil, rows))
	table, err := b.CSV()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"size,,pairs,,deu-eng,mined,200", "would_drop,,pairs,,,html,60", "score,,pairs,1,deu-eng,",
		"measure,,length_ratio,,,1,4"} {
		if !strings.Contains(string(table), line) {
			t.Errorf("the table lacks %q: %s", line, table)
		}
	}
	page := markup.Report{Title: "Pairs", Facts: b.Facts(), Sections: b.Sections()}
	if err := page.Validate(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(b.Facts()); !strings.Contains(got, "Would be kept 80.0 %") {
		t.Errorf("facts %s", got)
	}
	shown := 0
	for _, block := range b.sampleBlocks() {
		for i, samples := range block.(markup.Folded).Blocks[0].(markup.SideBySide) {
			for _, row := range samples.(markup.Samples).Rows {
				german := strings.HasPrefix(row.Text, "Satz") == (samples.(markup.Samples).Source == "deu")
				if shown++; !german || (row.Verdict == "html") != (i == 1) {
					t.Errorf("%+v is shown among %+v", row, samples)
				}
			}
		}
	}
	if shown != 8 {
		t.Errorf("%d pairs are shown, want 4 that are kept and 4 that are not", shown)
	}
	reversed := make([]schemas.PairScore, len(rows))
	for i, row := range rows {
		reversed[len(rows)-1-i] = row
	}
	sheet := string(b.Sheet())
	again := string(readBitext(t, datasettest.Write(t, nil, reversed)).Sheet())
	if again != sheet || strings.Count(sheet, "\n") != mostJudged+1 {
		t.Errorf("the sheet has %d lines, and of the same pairs in another order it is\n%s", strings.Count(sheet, "\n"), again)
	}
	if verdicts, err := judged.Decode([]byte(strings.ReplaceAll(sheet, ",\n", ",bad\n"))); err != nil || len(verdicts) != mostJudged {
		t.Errorf("%d verdicts with error %v", len(verdicts), err)
	}
}

// Too many languages and origins are counted together.
func TestManyGroups(t *testing.T) {
	b := &pairCounts{groups: map[group]*histogram{}, without: map[group]int64{}, languages: map[string]int64{},
		measures: map[string]*histogram{}, kept: map[string][]sampledPair{}}
	for i := range mostGroups + 5 {
		b.add(schemas.PairScore{ID: fmt.Sprint(i), TextA: "a", TextB: "b", LanguageA: "deu", LanguageB: "eng", Origin: fmt.Sprint(i)}, 1, 1)
	}
	if rest := b.without[group{others, others}]; rest != 5 || len(b.groups) != mostGroups+1 || b.pairs != mostGroups+5 {
		t.Errorf("%d of %d pairs are counted together", rest, b.pairs)
	}
}
