package bitext_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas/dataset"
)

// oddities are values that readers stumble over.
var oddities = []string{
	"a text", "ein Text", "", " ", "\u200b", "\u00a0", "a\rb", "\x00", "1", "x;y", "x,y", "\ufeff", "a \u2028 b", "\xff", "h\xe4", "日本",
	"<b>", "&amp;", "'", "{}", "\\u0041", "NaN",
}

// oddity is a value without what ends a line or a value of a table.
func oddity(r *rand.Rand) string { return oddities[r.IntN(len(oddities))] }

// counted is how many rows the read step took in, kept and dropped.
func counted(t *testing.T, m *dataset.Manifest) (in, out, dropped int64) {
	t.Helper()
	total := m.Funnel.Chains[0].Steps[0].Total()
	for _, n := range total.Dropped {
		dropped += n
	}
	if total.In != total.Out+dropped {
		t.Fatalf("in %d, out %d, dropped %d", total.In, total.Out, dropped)
	}
	var all int64
	for _, n := range pipelinetest.Dropped(m) {
		all += n
	}
	if total.In != m.Rows+all {
		t.Fatalf("in %d, %d rows, dropped %d in all steps", total.In, m.Rows, all)
	}
	return total.In, total.Out, dropped
}

// The funnel of each importer begins with the rows, lines or units of its input, as counted without
// our readers: none is lost without a reason.
func TestFunnelsBalance(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 4
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(uint64(round), 1))
		n := 1 + r.IntN(40)
		var de, en, tsv, csv, jsonl, tmx strings.Builder
		type row struct {
			DE *string `parquet:"de,optional"`
			EN *string `parquet:"en,optional"`
		}
		var table []row
		csv.WriteString("de,en\n")
		for i := range n {
			a, b := oddity(r), oddity(r)
			fmt.Fprintf(&de, "%s %d\n", a, i)
			fmt.Fprintf(&en, "%s\n", b)
			fmt.Fprintf(&tsv, "%s\t%s%s\n", a, b, []string{"", "", "\tmore"}[r.IntN(3)])
			// A stray quote costs its line; one before a value with a line end would join two rows.
			fmt.Fprintf(&csv, "%s\"%s %d\",%s\n", []string{"", "", "", `"`}[r.IntN(4)], strings.ReplaceAll(a, ",", "."), i,
				strings.ReplaceAll(b, ",", "."))
			text := func(s string) string {
				return strings.NewReplacer("\r", `\r`, "\x00", `\u0000`, `\u`, `\ud83d`).Replace(s)
			}
			fmt.Fprintf(&jsonl, "%s%s\n", []string{"", "", "{", "[]"}[r.IntN(4)],
				fmt.Sprintf(`{"score": NaN, "translation": {"de": "%s %d", "en": "%s"}}`, text(a), i, text(b)))
			escaped := func(s string) string {
				var b bytes.Buffer
				_ = xml.EscapeText(&b, []byte(s))
				return b.String()
			}
			fmt.Fprintf(&tmx, "<tu><tuv xml:lang='de'><seg>%s %d</seg></tuv><tuv xml:lang='en'><seg>%s</seg></tuv></tu>\n", escaped(a), i,
				escaped(b))
			table = append(table, row{&a, &b})
		}
		// What a file needs to be read at all.
		de.WriteString("gut\n")
		en.WriteString("good\n")
		tsv.WriteString("gut\tgood\n")
		csv.WriteString("gut,good\n")
		jsonl.WriteString("{\"translation\": {\"de\": \"gut\", \"en\": \"good\"}}\n")
		good, well := "gut", "good"
		table = append(table, row{&good, &well})
		n++
		var parquetFile bytes.Buffer
		w := parquet.NewGenericWriter[row](&parquetFile)
		if _, err := w.Write(table); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		memory := "<tmx><header srclang='de'/><body>" + tmx.String() +
			"<tu><tuv xml:lang='de'><seg>gut</seg></tuv><tuv xml:lang='en'><seg>good</seg></tuv></tu></body></tmx>\n"
		for name, c := range map[string]struct {
			files map[string]string
			args  []string
			rows  int
		}{
			"aligned": {map[string]string{"c.de-en.de": de.String(), "c.de-en.en": en.String()}, nil, strings.Count(de.String(), "\n")},
			"tsv":     {map[string]string{"c.tsv": tsv.String()}, []string{"--columns=de=1,en=2"}, strings.Count(tsv.String(), "\n")},
			"csv":     {map[string]string{"c.csv": csv.String()}, nil, strings.Count(csv.String(), "\n") - 1},
			"jsonl":   {map[string]string{"c.jsonl": jsonl.String()}, nil, strings.Count(jsonl.String(), "\n")},
			"tmx":     {map[string]string{"c.tmx": memory + memory}, nil, strings.Count(memory+memory, "</tu>")},
			"parquet": {map[string]string{"c.parquet": parquetFile.String()}, []string{"--columns=de,en"}, n},
		} {
			_, m := run(t, 1<<20, append(c.args, "--input="+folder(t, c.files))...)
			if in, _, _ := counted(t, m); in != int64(c.rows) {
				t.Errorf("round %d, %s: %d rows went into the funnel, the input has %d", round, name, in, c.rows)
			}
		}
	}
}
