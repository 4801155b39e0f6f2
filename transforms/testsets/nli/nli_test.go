package nli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/transforms/testsets/benchmark"
)

const (
	corpusHeader = "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\tsentence2_parse\tsentence1\tsentence2\tpromptID\tpairID\tgenre\tlabel1\tlabel2\tlabel3\tlabel4\tlabel5\n"
	xnliHeader   = "language\tgold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\tsentence2_parse\tsentence1\tsentence2\tpromptID\tpairID\tgenre\tlabel1\tlabel2\tlabel3\tlabel4\tlabel5\tsentence1_tokenized\tsentence2_tokenized\tmatch\n"
)

func corpusLine(gold, a, b string) string {
	return gold + "\t( x )\t( y )\t(ROOT x)\t(ROOT y)\t" + a + "\t" + b + "\t1\t1c\tfiction\t" + gold + "\n"
}

func xnliLine(code, gold, a, b, pair string) string {
	return code + "\t" + gold + "\t\t\t\t\t" + a + "\t" + b + "\t1\t" + pair +
		"\tfacetoface\tneutral\tneutral\tneutral\tneutral\tneutral\tA .\tB .\tTrue\n"
}

// show writes a record shortly.
func show(r benchmark.Record) string {
	if r.Reason != "" {
		return fmt.Sprintf("%d %s", r.Line, r.Reason)
	}
	skip := ""
	if r.Row.Skip {
		skip = " skip"
	}
	return fmt.Sprintf("%d %s %s|%s|%s%s", r.Row.Row, r.Row.LanguageA, r.Row.Label, r.Row.TextA, r.Row.TextB, skip)
}

func TestTables(t *testing.T) {
	for _, c := range []struct {
		name  string
		table benchmark.Table
		data  string
		want  []string
	}{
		{"multinli", Corpus("multinli", "dev_matched", "f", 2),
			corpusHeader + corpusLine("neutral", `He said "no.`, "He spoke.") + corpusLine("-", "A", "B") + corpusLine(
				"contradiction", "A", "B") + corpusLine("maybe", "A", "B") + "neutral\tx\n" + corpusLine("neutral", "", "B"),
			[]string{`0 eng neutral|He said "no.|He spoke.`, "1 eng |A|B skip", "2 eng contradiction|A|B", "5 label", "6 fields",
				"7 empty"}},
		{"xnli", XNLI("dev", "xnli.dev.tsv", 1), "\ufeff" + xnliHeader + xnliLine("ar", "neutral", "أ", "ب", "1") + xnliLine(
			"sw", "entailment", "A", "B", "1") + xnliLine("xx-no", "neutral", "A", "B", "1") + xnliLine("zh", "contradiction", "甲", "乙",
			"1"),
			[]string{"0 ara neutral|أ|ب", "1 swa entailment|A|B", "4 language", "3 zho contradiction|甲|乙"}},
		{"xnli-mt", XNLITranslated("deu", "train", "multinli.train.de.tsv", 2),
			"premise\thypo\tlabel\r\nA .\tB .\tcontradictory\r\nC .\tD .\tentailment\r\n",
			[]string{"0 deu contradiction|A .|B .", "1 deu entailment|C .|D ."}},
		{"paws-x", PAWSX("jpn", "test", "test_2k.tsv", 1),
			"id\tsentence1\tsentence2\tlabel\n1\tA\tB\t1\n2\tNS\tB\t0\n3\t\tB\t0\n4\tA\tB\t2\n",
			[]string{"0 jpn 1|A|B", "1 jpn 0|NS|B skip", "2 jpn 0||B skip", "5 label"}},
	} {
		var got []string
		for r, err := range c.table.Read(strings.NewReader(c.data)) {
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if err := r.Row.Validate(); r.Reason == "" && err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			got = append(got, show(r))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestTableErrors(t *testing.T) {
	for _, c := range []struct {
		table benchmark.Table
		data  string
		want  string
	}{
		{Corpus("multinli", "dev", "dev.txt", RowsMultiNLIMatched), corpusHeader + corpusLine("neutral", "A", "B"),
			"read dev.txt: it ends at line 2 with 1 rows of eng that have gold, want 9815"},
		{Corpus("multinli", "dev", "dev.txt", 0), "a\tb\n", `read dev.txt line 1: no column "sentence1"`},
		{XNLI("dev", "x", 2), xnliHeader + xnliLine("ar", "neutral", "A", "B", "1") + xnliLine("ar", "neutral", "A", "B", "2") + xnliLine(
			"bg", "neutral", "A", "B", "1"), "1 rows of bul"},
		{XNLITranslated("de", "train", "x", 0), "", `give deu for "de": codes are those of ISO 639-3`},
	} {
		_, _, err := benchmark.Rows(c.table.Read(strings.NewReader(c.data)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// Versions of an item have one id, other items another.
func TestIdentity(t *testing.T) {
	rows := func(table benchmark.Table, data string) []schemas.Benchmark {
		list, malformed, err := benchmark.Rows(table.Read(strings.NewReader(data)))
		if err != nil || len(malformed) > 0 {
			t.Fatal(malformed, err)
		}
		return list
	}
	x := rows(XNLI("dev", "x", 0), xnliHeader+xnliLine("ar", "neutral", "A", "B", "1")+xnliLine("ar", "neutral", "A", "B", "2")+xnliLine(
		"bg", "neutral", "A", "B", "1"))
	if x[0].ID != x[2].ID || x[0].ID == x[1].ID {
		t.Errorf("xnli: %s %s %s", x[0].ID, x[1].ID, x[2].ID)
	}
	const data = "premise\thypo\tlabel\nA\tB\tneutral\nC\tD\tneutral\n"
	a, b := rows(XNLITranslated("deu", "train", "a", 0), data), rows(XNLITranslated("fra", "train", "b", 0), data)
	if a[0].ID != b[0].ID || a[1].ID != b[1].ID || a[0].ID == a[1].ID {
		t.Error("xnli-mt: ids do not go by the row")
	}
}

func TestReadJSONL(t *testing.T) {
	const data = `{"gold_label":"neutral","sentence1":"A \"b\"","sentence2":"ça","pairID":"1"}
{"gold_label":"-","sentence1":"A","sentence2":"B"}
{"gold_label":"x","sentence1":"A","sentence2":"B"}
{"sentence1":"A","sentence2":"B"}
{"gold_label":"neutral","sentence1":"","sentence2":"B"}
[]

{"gold_label":"entailment","sentence1":"A","sentence2":"B"}
{"gold_label":"neutral","sentence1":"A \ud83d","sentence2":"B"}
{"gold_label":"neutral","sentence1":"A","sentence1":"C","sentence2":"B"}`
	var got []string
	for r, err := range ReadJSONL(strings.NewReader(data), "snli", "dev", "snli_1.0_dev.jsonl", 2) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, show(r))
	}
	want := []string{`0 eng neutral|A "b"|ça`, "1 eng |A|B skip", "3 label", "4 fields", "5 empty", "6 fields", "7 fields",
		"7 eng entailment|A|B", "9 encoding", "10 fields"}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	_, _, err := benchmark.Rows(ReadJSONL(strings.NewReader(data), "snli", "dev", "f", 3))
	if err == nil || err.Error() != "read f: it ends at line 10 with 2 rows that have gold, want 3" {
		t.Errorf("got %v", err)
	}
}

func items(n int) []Item {
	list := make([]Item, n)
	for i := range list {
		list[i] = Item{ID: schemas.ID("nli", int64(i)), Label: []string{Entailment, Neutral, Contradiction}[i*7%3]}
	}
	return list
}

// Any two ordered pairs of languages have the same number of items but for one, over
// all and within each label, whatever the number of items.
func TestCrossBalance(t *testing.T) {
	for _, n := range []int{0, 1, 13, 209, 210, 211, 420, 1000, 9999} {
		list := items(n)
		drawn, err := Cross(7, languages(), list)
		if err != nil || len(drawn) != n {
			t.Fatal(len(drawn), err)
		}
		counts := map[string]map[LanguagePair]int{"": {}}
		for i, p := range drawn {
			if p.Premise == p.Hypothesis {
				t.Fatalf("item %d is in %s alone", i, p.Premise)
			}
			if counts[list[i].Label] == nil {
				counts[list[i].Label] = map[LanguagePair]int{}
			}
			counts[""][p]++
			counts[list[i].Label][p]++
		}
		for label, c := range counts {
			least, most := n, 0
			for _, a := range languages() {
				for _, b := range languages() {
					if a != b {
						least, most = min(least, c[LanguagePair{a, b}]), max(most, c[LanguagePair{a, b}])
					}
				}
			}
			if n > 0 && most-least > 1 {
				t.Errorf("n = %d, label %q: from %d to %d items a pair", n, label, least, most)
			}
		}
	}
}

// Neither the order of items nor that of languages matters, and the seed does.
func TestCrossDeterminism(t *testing.T) {
	list := items(500)
	first, err := Cross(1, languages(), list)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]LanguagePair{}
	for i, p := range first {
		byID[list[i].ID] = p
	}
	slices.Reverse(list)
	codes := languages()
	slices.Reverse(codes)
	again, _ := Cross(1, codes, list)
	other, _ := Cross(2, codes, list)
	same := 0
	for i, p := range again {
		if p != byID[list[i].ID] {
			t.Fatalf("item %d: %v, in the other order %v", i, p, byID[list[i].ID])
		}
		if other[i] == p {
			same++
		}
	}
	if same > 20 { // 1 in 210 by chance
		t.Errorf("another seed leaves %d of %d", same, len(list))
	}
	if list := []string{"eng", "deu"}; true {
		drawn, _ := Cross(1, list, items(3))
		if drawn[0] == drawn[1] && drawn[1] == drawn[2] {
			t.Errorf("got %v", drawn)
		}
	}
}

func TestCrossErrors(t *testing.T) {
	for _, c := range []struct {
		languages []string
		items     []Item
		want      []string
	}{
		{[]string{"eng"}, nil, []string{"1 languages, want at least two"}},
		{[]string{"eng", "eng", "xx"}, nil, []string{`"eng" occurs twice`, `language "xx" is unknown`}},
		{[]string{"eng", "deu"}, []Item{{"a", ""}, {"a", ""}}, []string{"item a occurs twice"}},
	} {
		_, err := Cross(1, c.languages, c.items)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v, want %q", c.languages, err, want)
			}
		}
	}
}

func TestJoin(t *testing.T) {
	premise := schemas.Benchmark{ID: schemas.ID("x", 1), Task: "multinli", File: "f", LanguageA: "deu", LanguageB: "deu", TextA: "Ein Hund",
		TextB: "Ein Tier", Label: Entailment}
	hypothesis := premise
	hypothesis.LanguageA, hypothesis.LanguageB, hypothesis.TextA, hypothesis.TextB = "fra", "fra", "Un chien", "Un animal"
	got, err := Join(premise, hypothesis)
	if err != nil || got.Validate() != nil || got.TextA != "Ein Hund" || got.TextB != "Un animal" || got.LanguageA != "deu" ||
		got.LanguageB != "fra" || got.Label != Entailment {
		t.Errorf("got %+v, %v", got, err)
	}
	for want, change := range map[string]func(*schemas.Benchmark){
		"are not one":     func(b *schemas.Benchmark) { b.ID = schemas.ID("x", 2) },
		"the label is":    func(b *schemas.Benchmark) { b.Label = Neutral },
		"has no gold":     func(b *schemas.Benchmark) { b.Skip = true },
		"a text is empty": func(b *schemas.Benchmark) { b.TextB = "" },
	} {
		b := hypothesis
		change(&b)
		if _, err := Join(premise, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Every line is a record, in order, and rows are valid.
func FuzzReaders(f *testing.F) {
	f.Add(corpusHeader+corpusLine("neutral", "A", "B")+"x\n\xff\t", uint8(0))
	f.Add(xnliHeader+xnliLine("ar", "neutral", "A", "B", "1"), uint8(1))
	f.Add("premise\thypo\tlabel\nA\tB\tcontradictory\n", uint8(2))
	f.Add("id\tsentence1\tsentence2\tlabel\n1\tNS\tB\t0", uint8(3))
	f.Add(`{"gold_label":"neutral","sentence1":"A","sentence2":"B"}`+"\n\n{", uint8(4))
	f.Fuzz(func(t *testing.T, data string, n uint8) {
		tables := []benchmark.Table{Corpus("a", "b", "c", 0), XNLI("b", "c", 0), XNLITranslated("deu", "b", "c", 0),
			PAWSX("deu", "b", "c", 0)}
		records := ReadJSONL(strings.NewReader(data), "a", "b", "c", 0)
		if int(n)%5 < len(tables) {
			records = tables[int(n)%5].Read(strings.NewReader(data))
		}
		next, line := int32(0), 0
		for r, err := range records {
			if err != nil {
				return
			}
			if r.Row.Row != next || r.Line <= line {
				t.Fatalf("record %d is row %d of line %d", next, r.Row.Row, r.Line)
			}
			next, line = next+1, r.Line
			if r.Reason != "" && !slices.Contains(benchmark.Reasons(), r.Reason) {
				t.Fatalf("reason %q", r.Reason)
			}
			if err := r.Row.Validate(); r.Reason == "" && err != nil {
				t.Fatal(err)
			}
		}
	})
}

func BenchmarkCorpus(b *testing.B) {
	data := corpusHeader + strings.Repeat(corpusLine("neutral", "The men who walked there had been seen before.", "Men walked there."),
		1000)
	table := Corpus("multinli", "train", "f", 1000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range table.Read(strings.NewReader(data)) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkCross(b *testing.B) {
	list := items(10_000)
	for b.Loop() {
		if _, err := Cross(1, languages(), list); err != nil {
			b.Fatal(err)
		}
	}
}

// languages are the fifteen of XNLI, English among them, by ISO 639-3: those of X-NLI
// and XEVAL too.
func languages() []string {
	return []string{"ara", "bul", "deu", "ell", "eng", "spa", "fra", "hin", "rus", "swa", "tha", "tur", "urd", "vie", "zho"}
}
