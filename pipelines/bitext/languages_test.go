package bitext_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/transforms/read/tmx"
)

// texts are those of a record in three languages; those that are nil are not in it.
type texts struct {
	De *string `parquet:"de,optional" json:"de,omitempty"`
	En *string `parquet:"en,optional" json:"en,omitempty"`
	Fr *string `parquet:"fr,optional" json:"fr,omitempty"`
}

// mixed makes n records in each of some pairs or triples of languages, such as "de fr".
func mixed(n int, blocks ...string) (list []texts) {
	for b, block := range blocks {
		for i := range n {
			var r texts
			for at, to := range map[string]**string{"de": &r.De, "en": &r.En, "fr": &r.Fr} {
				if strings.Contains(block, at) {
					text := fmt.Sprintf("%s %d %d", at, b, i)
					*to = &text
				}
			}
			list = append(list, r)
		}
	}
	return list
}

// twoOfOneName writes Parquet with the columns de, en and en, as no library here would.
func twoOfOneName(t testing.TB) map[string]string {
	t.Helper()
	type row struct {
		De  string `parquet:"de"`
		En  string `parquet:"en"`
		Too string `parquet:"xq"`
	}
	var table bytes.Buffer
	if err := parquet.Write(&table, []row{{"eins", "one", "two"}}); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"c.parquet": strings.ReplaceAll(table.String(), "xq", "en")}
}

// written writes records as TMX, JSON and Parquet, by the names of the files.
func written(t testing.TB, list []texts) map[string]string {
	t.Helper()
	type row struct {
		Translation texts `parquet:"translation" json:"translation"`
	}
	var memory, table bytes.Buffer
	var lines strings.Builder
	w, err := tmx.NewWriter(&memory, tmx.Header{CreationTool: "test", CreationToolVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for i, r := range list {
		var u tmx.Unit
		for _, v := range []struct {
			code string
			text *string
		}{{"deu", r.De}, {"eng", r.En}, {"fra", r.Fr}} {
			if v.text != nil {
				u.Variants = append(u.Variants, tmx.Variant{Language: v.code, Text: *v.text})
			}
		}
		if err := w.Write(u); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row{r})
		line, err := json.Marshal(rows[i])
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 { // null is as good as absent
			line = bytes.Replace(line, []byte(`{"translation":{`), []byte(`{"translation":{"ja":null,`), 1)
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := parquet.Write(&table, rows); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"c.tmx": memory.String(), "c.jsonl": lines.String(), "c.parquet": table.String()}
}

// Each record makes the pairs of the languages that it is in, wherever it is in its file,
// and in whatever format.
func TestLanguagesOfRecords(t *testing.T) {
	for name, c := range map[string]struct {
		list    []texts
		args    []string
		want    int
		dropped map[string]int64
	}{
		"another pair later": {mixed(150, "de en", "en fr"), nil, 300, nil},
		"that pair alone": {mixed(150, "de en", "en fr"), []string{"--languages=en,fr"}, 150,
			map[string]int64{"other_languages": 150}},
		"its language is the pivot":    {mixed(150, "de en", "en fr"), []string{"--pivot=fr"}, 300, nil},
		"two of three languages":       {mixed(150, "de en fr", "de en"), nil, 450, nil},
		"without the pivot":            {mixed(150, "de en fr", "de fr"), nil, 450, nil},
		"without the pivot, all pairs": {mixed(150, "de en fr", "de fr"), []string{"--combinations"}, 600, nil},
		"three languages behind two":   {mixed(150, "de en", "de en fr"), nil, 450, nil},
		"in units, and another language": {mixed(5000, "de en", "de fr"), []string{"--languages=de,fr"}, 5000,
			map[string]int64{"other_languages": 5000}},
	} {
		t.Run(strings.ReplaceAll(name, ",", ""), func(t *testing.T) {
			hash := ""
			for file, content := range written(t, c.list) {
				rows, m := run(t, 100_000, append(c.args, "--origin=c", "--input="+folder(t, map[string]string{file: content}))...)
				if len(rows) != c.want {
					t.Errorf("%s gives %d pairs, want %d", file, len(rows), c.want)
				}
				if diff := cmp.Diff(c.dropped, reasons(m)); diff != "" && len(c.dropped)+len(reasons(m)) > 0 {
					t.Errorf("%s: %s", file, diff)
				}
				if hash == "" {
					hash = m.ContentXXH3
				}
				if m.ContentXXH3 != hash {
					t.Errorf("%s gives other pairs than the other files", file)
				}
			}
		})
	}
}

// The group of a unit without the pivot's language is that of a unit with it, also in one file.
func TestGroupsWithinFile(t *testing.T) {
	list := mixed(200, "de en", "de fr")
	for i := range 200 {
		list[200+i].De = list[i].De
	}
	for file, content := range written(t, list) {
		rows, _ := run(t, 1<<20, "--pivot=en", "--input="+folder(t, map[string]string{file: content}))
		groups := map[string]uint64{}
		for _, p := range rows {
			if other, ok := groups[p.TextA]; ok && other != *p.Group {
				t.Fatalf("%s: %q is in two groups", file, p.TextA)
			}
			groups[p.TextA] = *p.Group
		}
		if len(rows) != 400 || len(groups) != 200 {
			t.Errorf("%s: %d pairs of %d texts", file, len(rows), len(groups))
		}
	}
}

// The pivot is the language with the most records, in whatever format they are.
func TestCommonest(t *testing.T) {
	few := append(mixed(5, "de en fr"), mixed(200, "de fr")...)
	mostFrench := append(mixed(20, "en fr"), few...)
	tables := map[string]string{"t.de-fr.tsv.gz": compress(t, ".gz", strings.Repeat("a\tb\n", 300)),
		"u.en-fr.csv": strings.Repeat(strings.Repeat("long ", 200)+",b\n", 100)}
	for name, c := range map[string]struct {
		files      map[string]string
		args, want string
	}{
		"few in English":        {written(t, few), "", "deu"},
		"French with all":       {written(t, mostFrench), "", "fra"},
		"wanted ones alone":     {written(t, mostFrench), "--languages=de,en", "deu"},
		"English of equal ones": {written(t, mixed(100, "de en fr")), "", "eng"},
		"equal, and not wanted": {written(t, mixed(100, "de en fr")), "--languages=de,fr", "deu"},
		"by lines, not bytes":   {tables, "", "fra"},
		"fields that are named": {map[string]string{"c.jsonl.gz": compress(t, ".gz", strings.Repeat("{\"a\":\"x\",\"b\":\"y\"}\n", 50)),
			"d.jsonl": "{\"a\":\"z\",\"b\":\"y\"}\n"}, "--columns=fr=a,es=b", "fra"},
	} {
		inputs := []map[string]string{c.files}
		for file, content := range c.files {
			if strings.HasPrefix(file, "c.") { // a format that is tested by itself, too
				inputs = append(inputs, map[string]string{file: content})
			}
		}
		for _, files := range inputs {
			args := []string{"--input=" + folder(t, files)}
			if c.args != "" {
				args = append(args, c.args)
			}
			job, err := config(t, args...).Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.ContainsFunc(job.Notes, func(note string) bool { return strings.HasPrefix(note, "the pivot is "+c.want+", ") }) {
				t.Errorf("%s: %q, want %s", name, job.Notes, c.want)
			}
		}
	}
}

// What a memory has beside the first text in a language is counted.
func TestFurtherVariants(t *testing.T) {
	unit := func(pairs ...string) string {
		var b strings.Builder
		for i := 0; i < len(pairs); i += 2 {
			fmt.Fprintf(&b, `<tuv xml:lang="%s"><seg>%s</seg></tuv>`, pairs[i], pairs[i+1])
		}
		return "<tu>" + b.String() + "</tu>"
	}
	file := `<tmx version="1.4"><header/><body>` + unit("de", "eins", "en-GB", "one", "de-AT", "ans", "en-US", "One") +
		unit("de", "zwei", "de-CH", "zwo") + unit("de", "drei", "en", "three", "fr", "trois", "fr-CA", "troyes") + "</body></tmx>"
	for name, c := range map[string]struct {
		args, want, rejects []string
	}{
		"all languages": {nil, []string{"c.tmx deu:eins eng:one", "c.tmx deu:drei eng:three", "c.tmx eng:three fra:trois"},
			[]string{"0 deu-eng further_variant de-AT: ans|one", "0 deu-eng further_variant en-US: eins|One",
				"1 und no_translation : zwei|zwo",
				"2 eng-fra further_variant fr-CA: three|troyes"}},
		"two of three": {[]string{"--languages=de,en"}, []string{"c.tmx deu:eins eng:one", "c.tmx deu:drei eng:three"},
			[]string{"0 deu-eng further_variant de-AT: ans|one", "0 deu-eng further_variant en-US: eins|One",
				"1 und no_translation : zwei|zwo"}},
	} {
		made := config(t, append(c.args, "--pivot=en", "--input="+folder(t, map[string]string{"c.tmx": file}))...)
		out, m := pipelinetest.Run(t, made, pipelinetest.Settings(1<<20), pipelinetest.Plain(2))
		if diff := cmp.Diff(c.want, told(pipelinetest.Rows[schemas.Pair](t, out))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(c.rejects, rejected(t, out)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if want := map[string]int64{"further_variant": int64(len(c.rejects) - 1), "no_translation": 1}; !cmp.Equal(want, reasons(m)) {
			t.Errorf("%s: %v, want %v", name, reasons(m), want)
		}
		if err := m.Funnel.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Texts that cannot be used count, where their unit makes pairs by others.
func TestVariantsWithoutUse(t *testing.T) {
	segment := func(language, text string) string { return "<tuv " + language + "><seg>" + text + "</seg></tuv>" }
	good := segment(`xml:lang="de"`, "eins") + segment(`xml:lang="en"`, "one")
	for name, c := range map[string]struct {
		unit, args string
		rejects    []string
	}{
		"no language":              {good + segment("", "un"), "", []string{"0 und no_language : un"}},
		"empty language":           {good + segment(`xml:lang=""`, "un"), "--languages=de,en", []string{"0 und no_language : un"}},
		"unknown language":         {segment(`xml:lang="klingon"`, "wa'") + good, "", []string{"0 und unknown_language klingon: wa'"}},
		"a language left open":     {segment(`xml:lang="und"`, "un") + good, "", []string{"0 und unknown_language und: un"}},
		"no segment":               {good + `<tuv xml:lang="fr"/>`, "", []string{"0 und no_segment fr: "}},
		"no segment, and it again": {`<tuv xml:lang="de-AT"/>` + good, "", []string{"0 und no_segment de-AT: "}},
		"no segment, not wanted":   {good + `<tuv xml:lang="fr"/>`, "--languages=de,en", nil},
		"two, and a further one": {good + segment("", "un") + segment("", "uno") + segment(`xml:lang="en-GB"`, "One"), "",
			[]string{"0 deu-eng further_variant en-GB: eins|One", "0 und no_language : un", "0 und no_language : uno"}},
	} {
		args := []string{"--input=" + folder(
			t, map[string]string{"c.tmx": `<tmx version="1.4"><header/><body><tu>` + c.unit + "</tu><tu>" + good + "</tu></body></tmx>"})}
		if c.args != "" {
			args = append(args, c.args)
		}
		out, m := pipelinetest.Run(t, config(t, append(args, "--repeated")...), pipelinetest.Settings(1<<20), pipelinetest.Plain(2))
		if want := []string{"c.tmx deu:eins eng:one", "c.tmx deu:eins eng:one"}; !cmp.Equal(
			want, told(pipelinetest.Rows[schemas.Pair](t, out))) {
			t.Errorf("%s: %v", name, told(pipelinetest.Rows[schemas.Pair](t, out)))
		}
		if diff := cmp.Diff(c.rejects, rejected(t, out)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if err := m.Funnel.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Records that cannot be read are shown as they are in the file, and units without a pair with what is wrong with their texts.
func TestSamples(t *testing.T) {
	tuv := func(language, text string) string {
		return fmt.Sprintf(`<tuv xml:lang="%s"><seg>%s</seg></tuv>`, language, text)
	}
	for file, c := range map[string]struct {
		content string
		rejects []string
	}{
		"c.de-en.tsv": {"eins\tone\nzwei\ntrei\xff\tthree\n",
			[]string{"1 deu-eng wrong_columns 1, not 2: zwei", "2 deu-eng invalid_utf8 text 1: trei\ufffd|three"}},
		"c.de-en.csv": {"eins,one\n\"zw\"ei,two\ndrei,three\n\"vier,four\nfünf\n",
			[]string{`1 deu-eng damaged_quotes something follows a quoted value: "zw"ei,two`,
				`3 deu-eng damaged_quotes a quote that the line does not close, and what follows is not a record with it: "vier,four`,
				"4 deu-eng wrong_columns 1, not 2: fünf"}},
		"c.jsonl": {`{"translation":{"de":"eins","en":"one"}}` + "\nnone\n" + `{"translation":{"de":2,"en":"two"}}`,
			[]string{"1 deu-eng damaged_json no JSON at byte 0 of the line: none",
				`2 deu-eng no_field translation.de: {"translation":{"de":2,"en":"two"}}`}},
		"c.tmx": {"<tmx><body><tu>" + tuv("de", "eins") + tuv("en", "one") + "</tu><tu>" + tuv("de", "zwei") +
			tuv("English", "two") + "</tu><tu>" + tuv("de", "drei") + tuv("en", "&three;") + "</tu></body></tmx>",
			[]string{"1 und no_translation unknown_language English: zwei|two",
				`2 und malformed_xml the entity "three" is not known: drei`}},
	} {
		made := config(t, "--input="+folder(t, map[string]string{file: c.content}))
		out, _ := pipelinetest.Run(t, made, pipelinetest.Settings(1<<20), pipelinetest.Plain(2))
		if diff := cmp.Diff(c.rejects, rejected(t, out)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

// Fields of JSON and Parquet in one language are read as the texts of a unit of TMX are.
func TestFurtherFields(t *testing.T) {
	type row struct {
		Translation struct {
			De   *string `parquet:"de,optional" json:"de,omitempty"`
			En   *string `parquet:"en,optional" json:"en,omitempty"`
			DeAT *string `parquet:"de_AT,optional" json:"de_AT,omitempty"`
			FrCA *string `parquet:"fr_CA,optional" json:"fr_CA,omitempty"`
			Fr   *string `parquet:"fr,optional" json:"fr,omitempty"`
		} `parquet:"translation" json:"translation"`
	}
	var table bytes.Buffer
	var lines strings.Builder
	var rows []row
	const fourth = `{"translation":{"de":"vier","de_AT":"fia"}}`
	for _, line := range []string{
		`{"translation":{"de":"eins","en":"one","de_AT":"ans"}}`,
		`{"translation":{"en":"two","de_AT":"zwo"}}`,
		`{"translation":{"de":"drei","en":"three","fr_CA":"troyes","fr":"trois"}}`,
		fourth,
		`{"translation":{"de":null,"en":"five","de_AT":"finf","fr":null}}`,
	} {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
		fmt.Fprintln(&lines, line)
	}
	if err := parquet.Write(&table, rows); err != nil {
		t.Fatal(err)
	}
	pairs := []string{"c deu:eins eng:one", "c deu:zwo eng:two", "c deu:drei eng:three", "c eng:three fra:troyes", "c deu:finf eng:five"}
	further := []string{"0 deu-eng further_variant de_AT: ans|one", "2 eng-fra further_variant fr: three|trois"}
	for file, c := range map[string]struct {
		content       string
		args          []string
		want, rejects []string
	}{
		"c.jsonl": {lines.String(), nil, pairs,
			append(further, "3 deu-eng no_field translation.en: "+fourth, "3 eng-fra no_field translation.en: "+fourth)},
		"d.jsonl": {lines.String(), []string{"--languages=de,en"}, []string{pairs[0], pairs[1], pairs[2], pairs[4]},
			append(further[:1:1], "3 deu-eng no_field translation.en: "+fourth)},
		"c.parquet": {table.String(), nil, pairs,
			append(further, "3 deu-eng empty : vier", "3 deu-eng further_variant de_AT: fia", "3 eng-fra empty : ")},
	} {
		made := config(t, append(c.args, "--origin=c", "--pivot=en", "--input="+folder(t, map[string]string{file: c.content}))...)
		out, m := pipelinetest.Run(t, made, pipelinetest.Settings(1<<20), pipelinetest.Plain(2))
		if diff := cmp.Diff(c.want, told(pipelinetest.Rows[schemas.Pair](t, out))); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		if diff := cmp.Diff(c.rejects, rejected(t, out)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		if err := m.Funnel.Check(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// rejected are the samples of what was dropped, as the tables above write them.
func rejected(t testing.TB, out string) (list []string) {
	for _, r := range pipelinetest.Rejects(t, out) {
		list = append(list, fmt.Sprintf("%d %s %s %s: %s", r.Offset, r.Language, r.Reason, r.Detail,
			strings.ReplaceAll(r.Sample, "\n", "|")))
	}
	slices.Sort(list)
	return list
}

// Files without a record in two of the languages are told, and a look at their first records
// alone refuses nothing.
func TestLanguagesThatAreNotThere(t *testing.T) {
	files := written(t, mixed(150, "en", "de en", "de fr"))
	for file, content := range files {
		if file == "c.parquet" { // whose columns tell all languages at once
			continue
		}
		root := folder(t, map[string]string{file: content})
		for _, c := range []struct{ args, want string }{
			{"--languages=en,fr", "no input is in two of the languages eng, fra; " + file +
				" is left out: it is in eng, deu, fra, and none of its records is in two languages that are taken"},
			{"--languages=es,fr", file + " is left out: it is in eng, deu, fra"},
			{"--pivot=es", "--pivot names spa, and no text that is taken is in it: the languages are deu, eng, fra"},
		} {
			made := config(t, "--input="+root, c.args)
			if err := pipelinetest.Fails(t, made, pipelinetest.Settings(1<<20)); !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %s: %v, want %s", file, c.args, err, c.want)
			}
		}
		for _, c := range []string{"--languages=de,fr", "--pivot=fr", "--languages=en,fr"} {
			if err := config(t, "--input="+root, c).Look(t.Context(), t.TempDir()); err != nil {
				t.Errorf("%s %s: a look says %v", file, c, err)
			}
		}
	}
}

// Blank lines of JSON are not records, and a position stays the number of its line, however the
// file is cut.
func TestBlankLines(t *testing.T) {
	var lines strings.Builder
	lines.WriteString("\n")
	for i := range 12_000 {
		fmt.Fprintf(&lines, "{\"translation\":{\"de\":\"Text %d\",\"en\":\"text %d\"}}\n%s", i, i, strings.Repeat(" \r\n", i%2))
	}
	for _, shard := range []int64{1 << 30, 50_000} {
		rows, m := run(t, shard, "--input="+folder(t, map[string]string{"c.jsonl": lines.String()}))
		if len(rows) != 12_000 || len(reasons(m)) != 0 {
			t.Errorf("%d pairs, %v", len(rows), reasons(m))
		}
		for i, p := range rows {
			if want := int32(1 + i + i/2); *p.PositionA != want || p.TextA != fmt.Sprint("Text ", i) {
				t.Fatalf("pair %d is %q of line %d, want %d", i, p.TextA, *p.PositionA, want)
			}
		}
	}
}
