package bitext_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/ulikunitz/xz"

	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/realdata"
	"sentweave/schemas/storage/storagetest"
	"sentweave/transforms/read/tmx"
)

// folder writes files and returns their folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	return storagetest.WriteFiles(t, t.TempDir(), files)
}

func config(t testing.TB, args ...string) pairs.Config {
	t.Helper()
	if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--kind") }) {
		args = append(args, "--kind=bitext")
	}
	return pipelinetest.Parse[pairs.Config](t, args...)
}

func run(t testing.TB, shardBytes int64, args ...string) ([]schemas.Pair, *dataset.Manifest) {
	t.Helper()
	out, m := pipelinetest.Run(t, config(t, args...), pipelinetest.Settings(shardBytes), pipelinetest.Plain(2))
	return pipelinetest.Rows[schemas.Pair](t, out), m
}

// told are rows as the tables below write them.
func told(rows []schemas.Pair) (list []string) {
	for _, p := range rows {
		text := fmt.Sprintf("%s %s:%s %s:%s", p.Origin, p.LanguageA, p.TextA, p.LanguageB, p.TextB)
		if p.Score != nil {
			text += fmt.Sprintf(" score %v", *p.Score)
		}
		if p.Target != nil {
			text += fmt.Sprintf(" target %v", *p.Target)
		}
		if p.Label != "" {
			text += " label " + p.Label
		}
		list = append(list, text)
	}
	return list
}

func zipped(t testing.TB, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// bzip2Streams are what `bzip2` makes of texts, in hexadecimal: there is no writer in Go.
var bzip2Streams = map[string]string{
	"2\tdeu\tHallo.\n5\tdeu\tHallo.\n11\tdeu\t\xff\n": "425a6839314159265359dd9a72ba000006dd808030000132000040260482000000a0003100000648d3d4d1a7a9e092ca70c4d1a1c106cd860333f177245385090dd9a72ba0",
	"eins\nzwei\n": "425a68393141592653599ee26b24000001c1800010022108902000310c010d3693711984f28bb9229c28484f71359200",
	"one\ntwo\n":   "425a6839314159265359a7142b77000002c180001002018480200021800c0238f51b8bb9229c2848538a15bb80",
}

func compress(t testing.TB, extension, content string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	var err error
	switch extension {
	case ".xz":
		w, err = xz.NewWriter(&b)
	case ".zst":
		w, err = zstd.NewWriter(&b)
	case ".bz2":
		stream, err := hex.DecodeString(bzip2Streams[content])
		if err != nil || len(stream) == 0 {
			t.Fatalf("no stream of bzip2 for %q: %v", content, err)
		}
		return string(stream)
	}
	if err == nil {
		_, err = io.WriteString(w, content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What each kind of file gives.
// flat is a row of Parquet with a text in each of two columns.
type flat struct {
	ID int64  `parquet:"id"`
	De string `parquet:"de"`
	En string `parquet:"en"`
}

type split struct {
	ID string `parquet:"id"`
	De string `parquet:"de"`
	En string `parquet:"en"`
}

type scored struct {
	De    string   `parquet:"de"`
	En    string   `parquet:"en"`
	Score *float64 `parquet:"score,optional"`
}

func parquetOf[T any](t testing.TB, rows []T) string {
	t.Helper()
	var content bytes.Buffer
	if err := parquet.Write(&content, rows); err != nil {
		t.Fatal(err)
	}
	return content.String()
}

// What is not read of Parquet for the name of its column, or for its type, is told, once for files that are alike.
func TestUnreadColumns(t *testing.T) {
	type similar struct {
		De         string  `parquet:"de"`
		En         string  `parquet:"en"`
		Similarity float32 `parquet:"similarity"`
		Score      bool    `parquet:"score"`
	}
	content := parquetOf(t, []similar{{"eins", "one", .5, true}})
	root := folder(t, map[string]string{"a.parquet": content, "b.parquet": content,
		"c.parquet": parquetOf(t, []scored{{"zwei", "two", new(.5)}})})
	const object, scored = `{"id": "x", "de": "eins zwei", "en": "one two", "similarity": 0.5, "score": "0,5"}`, `{"de": "drei vier", "en": "three four", "score": 1}`
	for content, told := range map[string]bool{object: true, scored: false} {
		root := folder(t, map[string]string{"d.jsonl": content + "\n"})
		job, err := config(t, "--input="+root, "--languages=de,en").Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
		if err != nil {
			t.Fatal(err)
		}
		const want = "d.jsonl has no field of numbers that is named score, and is read without score, similarity: --columns=score=NAME, and the f"
		notes := strings.Join(job.Notes, "\n")
		if strings.Contains(notes, want) != told || strings.Contains(notes, "named score") != told {
			t.Errorf("%s: %q", content, job.Notes)
		}
	}
	type worded struct {
		De    string `parquet:"de"`
		En    string `parquet:"en"`
		Score string `parquet:"score"`
	}
	type several struct {
		De    string    `parquet:"de"`
		En    string    `parquet:"en"`
		Score []float64 `parquet:"score,list"`
	}
	for name, content := range map[string]string{"score": parquetOf(t, []worded{{"eins", "one", "0,5"}}),
		"score.list.element": parquetOf(t, []several{{"eins", "one", []float64{1, 2}}})} {
		root := folder(t, map[string]string{"e.parquet": content})
		job, err := config(t, "--input="+root).Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
		want := "e.parquet has no column of numbers that is named score, and is read without " + name
		if err != nil || !strings.Contains(strings.Join(job.Notes, "\n"), want) {
			t.Errorf("%s: %v, %q", name, err, job.Notes)
		}
	}
	const want = "a.parquet has no column of numbers that is named score, and is read without similarity, score: "
	for args, told := range map[string]int{"--languages=de,en": 1, "--columns=de,en": 0} {
		job, err := config(t, "--input="+root, args).Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
		n := strings.Count(strings.Join(job.Notes, "\n"), "has no column of numbers")
		if err != nil || n != told || told > 0 && !strings.Contains(strings.Join(job.Notes, "\n"), want) {
			t.Errorf("%s: %v, %q", args, err, job.Notes)
		}
	}
}

func TestFormats(t *testing.T) {
	const a, b = "eins\nzwei\n", "one\ntwo\n"
	two := []string{"c.de-en deu:eins eng:one", "c.de-en deu:zwei eng:two"}
	for name, c := range map[string]struct {
		files map[string]string
		args  []string
		want  []string
	}{
		"Moses, with what OPUS puts beside": {
			map[string]string{"c.de-en.de": a, "c.de-en.en": b, "c.de-en.ids": "x\ny\n", "README": "", "LICENSE": ""}, nil, two},
		"the order of the pair's name": {map[string]string{"c.en-de.de": a, "c.en-de.en": b}, nil,
			[]string{"c.en-de eng:one deu:eins", "c.en-de eng:two deu:zwei"}},
		"codes of three letters, regions": {map[string]string{"c.pt_BR-eng.pt_BR": "um\n", "c.pt_BR-eng.eng": "one\n"}, nil,
			[]string{"c.pt_BR-eng por:um eng:one"}},
		"gz": {
			map[string]string{"c.de-en.de.gz": compress(t, ".gz", a), "c.de-en.en.gz": compress(t, ".gz", b)}, nil, two},
		"xz beside zst": {
			map[string]string{"c.de-en.de.xz": compress(t, ".xz", a), "c.de-en.en.zst": compress(t, ".zst", b)}, nil, two},
		"bz2": {
			map[string]string{"c.de-en.de.bz2": compress(t, ".bz2", a), "c.de-en.en.txt.bz2": compress(t, ".bz2", b)}, nil, two},
		"an archive": {
			map[string]string{"z.zip": zipped(
				t, map[string]string{"c.de-en.de": a, "c.de-en.en": b, "c.de-en.xml": "<x/>", "__MACOSX/._c.de-en.de": "x",
					"__MACOSX/._c.de-en.en": "y\n\n"})}, nil, []string{"z.zip/c.de-en deu:eins eng:one", "z.zip/c.de-en deu:zwei eng:two"}},
		"files in folders, .txt": {map[string]string{"x/news.de.txt": a, "x/news.en.txt": b, "notes.txt": "z\n"}, nil,
			[]string{"x/news deu:eins eng:one", "x/news deu:zwei eng:two"}},
		"three languages": {
			map[string]string{"n.de": a, "n.en": b, "n.fr": "un\ndeux\n", "m.en": "x\n", "m.es": "y\n"}, nil,
			[]string{"m eng:x spa:y", "n deu:eins eng:one", "n eng:one fra:un", "n deu:zwei eng:two", "n eng:two fra:deux"}},
		"three languages, another pivot": {map[string]string{"n.de": "eins\n", "n.en": "one\n", "n.fr": "un\n"},
			[]string{"--pivot=fr"}, []string{"n deu:eins fra:un", "n eng:one fra:un"}},
		"three languages, all pairs": {map[string]string{"n.de": "eins\n", "n.en": "one\n", "n.fr": "un\n"},
			[]string{"--combinations"}, []string{"n deu:eins eng:one", "n deu:eins fra:un", "n eng:one fra:un"}},
		"two of three languages": {map[string]string{"n.de": "eins\n", "n.en": "one\n", "n.fr": "un\n"},
			[]string{"--languages=de,fra"}, []string{"n deu:eins fra:un"}},
		"ends that are not languages": {map[string]string{"n.de": "eins\n", "n.en": "one\n", "n.old": "x\ny\n", "n.new": "z\n"},
			nil, []string{"n deu:eins eng:one"}},
		"such an end, wanted": {map[string]string{"n.de": "eins\n", "n.en": "one\n", "n.new": "z\n"},
			[]string{"--languages=new,de"}, []string{"n deu:eins new:z"}},
		"such an end in a pair": {map[string]string{"n.en-new.en": "one\n", "n.en-new.new": "z\n"}, nil,
			[]string{"n.en-new eng:one new:z"}},
		"other languages do not count": {
			map[string]string{"n.de": a, "n.en": b, "n.fi": "x\n", "n.fin": "y\n", "m.fi-sv.fi": "x\n", "o.fi-sv.fi": "x\n",
				"o.fi-sv.sv": "x\ny\n"}, []string{"--languages=de,en"}, []string{"n deu:eins eng:one", "n deu:zwei eng:two"}},
		"the shorter side": {map[string]string{"c.de-en.de": a, "c.de-en.en": b + "three\n"}, []string{"--shorter"},
			two},
		"CRLF on one side, U+2028 and U+0085": {
			map[string]string{"c.de-en.de": "eins\u2028!\r\nzwei\u0085!\r\n", "c.de-en.en": "one\ntwo\n"}, nil,
			[]string{"c.de-en deu:eins\u2028! eng:one", "c.de-en deu:zwei\u0085! eng:two"}},
		"TSV by its name": {map[string]string{"c.de-en.tsv": "eins\tone\nzwei\ttwo\n"}, nil,
			[]string{"c.de-en.tsv deu:eins eng:one", "c.de-en.tsv deu:zwei eng:two"}},
		"a score first": {
			map[string]string{"c.de-en.tsv.gz": compress(t, ".gz", "1.5\teins\tone\n1.25\tzwei\ttwo\n")}, nil,
			[]string{"c.de-en.tsv deu:eins eng:one score 1.5", "c.de-en.tsv deu:zwei eng:two score 1.25"}},
		"a score last": {map[string]string{"c.de-en.tsv": "eins\tone\t1\n"}, nil,
			[]string{"c.de-en.tsv deu:eins eng:one score 1"}},
		"columns by place": {map[string]string{"c.tsv": "7\tone\tx\teins\n"}, []string{"--columns=score,en,-,de"},
			[]string{"c.tsv eng:one deu:eins score 7"}},
		"columns by number": {map[string]string{"c.tsv": "7\tone\tx\teins\n"}, []string{"--columns=de=4,en=2"},
			[]string{"c.tsv deu:eins eng:one"}},
		"columns by number of rows of any length": {
			map[string]string{"c.csv": "x\teins\tone\nx\tthe \"z\"wei\ttwo\thttp://y\tz\nx\tdrei\n"}, []string{"--columns=de=2,en=3"},
			[]string{"c.csv deu:eins eng:one", "c.csv deu:the \"z\"wei eng:two"}},
		"columns by number that most rows lack": {
			map[string]string{"c.tsv": "x\ty\nx\teins\tone\nx\ty\nx\ty\n"}, []string{"--columns=de=2,en=3"},
			[]string{"c.tsv deu:eins eng:one"}},
		"an index without a name": {map[string]string{"c.csv": ",de,en\n0,eins,one\n1,zwei,two\n", "d.de-en.csv": ",en,de\n7,a,b\n"}, nil,
			[]string{"c.csv deu:eins eng:one", "c.csv deu:zwei eng:two", "d.de-en.csv eng:a deu:b"}},
		"names of rows that the header has none for": {
			map[string]string{"c.tsv": "de\ten\tscore\n1\teins\tone\t.5\n2\tzwei\ttwo\t2\n"}, nil,
			[]string{"c.tsv deu:eins eng:one score 0.5", "c.tsv deu:zwei eng:two score 2"}},
		"quotes around all values, and a decimal comma in quotes": {
			map[string]string{"c.tsv": "\"de\"\t\"en\"\n\"eins\"\t\"one\"\n",
				"d.csv": "de,en,score\nzwei,two,\"0,5\"\ndrei,three,1.5\n"}, nil,
			[]string{"c.tsv deu:eins eng:one", "d.csv deu:zwei eng:two score 0.5", "d.csv deu:drei eng:three score 1.5"}},
		"commas between thousands": {
			map[string]string{"c.tsv": "de\ten\tScore\neins\tone\t1,234\nzwei\ttwo\t12,345.5\ndrei\tthree\t7\n"}, nil,
			[]string{"c.tsv deu:zwei eng:two score 12345.5", "c.tsv deu:drei eng:three score 7"}},
		"commas that may part thousands": {
			map[string]string{"c.tsv": "de\ten\tscore\neins\tone\t1,234\nzwei\ttwo\t567\ndrei\tthree\t-10,500\n",
				"d.tsv": "de\ten\tscore\nvier\tfour\t1,234\nsechs\tsix\t0,567\n"}, nil,
			[]string{"c.tsv deu:zwei eng:two score 567", "d.tsv deu:vier eng:four score 1.234", "d.tsv deu:sechs eng:six score 0.567"}},
		"backslashes before quotes": {map[string]string{"c.csv": "de,en\n\"eins, \\\"so\\\"\",one\nzwei,two\n"}, nil,
			[]string{"c.csv deu:eins, \"so\" eng:one", "c.csv deu:zwei eng:two"}},
		"separators at the end": {map[string]string{"c.csv": "de,en,\neins,one\nzwei,two,\n", "d.tsv": "de\ten\neins\tone\t\n"}, nil,
			[]string{"c.csv deu:eins eng:one", "c.csv deu:zwei eng:two"}},
		"names of rows in a column that is called by a language": {
			map[string]string{"c.tsv": "as\tde\ten\n" + strings.Repeat("Books\tein alter Mann\tan old man\nNews\t\t\n", 2) +
				"dev\tja, gewiss doch\tyes, of course\ntest\tein Haus am See\ta house at a lake\n" +
				"Books\tder Weg ins Dorf\tthe way to the village\n"}, []string{"--repeated"},
			[]string{"c.tsv deu:ein alter Mann eng:an old man", "c.tsv deu:ein alter Mann eng:an old man",
				"c.tsv deu:ja, gewiss doch eng:yes, of course", "c.tsv deu:ein Haus am See eng:a house at a lake",
				"c.tsv deu:der Weg ins Dorf eng:the way to the village"}},
		"single words in each of three languages": {
			map[string]string{"c.tsv": "de\ten\tid\nHaus\thouse\trumah\nHund\tdog\tanjing\nKatze\tcat\tkucing\n" +
				"Baum\ttree\tpohon\nSee\tlake\tdanau\n"}, []string{"--languages=de,id"},
			[]string{"c.tsv deu:Haus ind:rumah", "c.tsv deu:Hund ind:anjing", "c.tsv deu:Katze ind:kucing", "c.tsv deu:Baum ind:pohon",
				"c.tsv deu:See ind:danau"}},
		"names of rows, Parquet": {map[string]string{"c.parquet": parquetOf(t, []split{{"train", "ein alter Mann", "an old man"},
			{"dev", "ja, gewiss doch", "yes, of course"}, {"test", "ein Haus am See", "a house at a lake"},
			{"train", "der Weg ins Dorf", "the way to the village"}, {"dev", "ein langer Tag", "a long day"}})}, nil,
			[]string{"c.parquet deu:ein alter Mann eng:an old man", "c.parquet deu:ja, gewiss doch eng:yes, of course",
				"c.parquet deu:ein Haus am See eng:a house at a lake", "c.parquet deu:der Weg ins Dorf eng:the way to the village",
				"c.parquet deu:ein langer Tag eng:a long day"}},
		"fields of languages, JSON": {
			map[string]string{"c.jsonl": `{"id": "a", "de": "Nummer eins", "en": "number one", "url": "http://x"}` + "\n" +
				`{"cat": "news", "en": "number two", "de": "zwei"}`}, nil,
			[]string{"c.jsonl deu:Nummer eins eng:number one", "c.jsonl deu:zwei eng:number two"}},
		"an array, and objects of several lines": {
			map[string]string{"c.jsonl": "[{\"translation\":{\"de\":\"a\",\"en\":\"b\"}},\n{\"translation\":{\"de\":\"c\",\"en\":\"d\"}}]\n",
				"d.json": "{\n\"translation\":\n{\"de\":\"e\",\"en\":\"f\"}}\n", "info.json": "{\"en\": 1}",
				"e.json": "{\"translation\":{\"de\":\"g\",\"en\":\"h\"}}\n",
				"f.json": "[{\"translation\":{\"de\":\"i\",\"en\":\"j\"}}]\n"}, nil,
			[]string{"c.jsonl deu:a eng:b", "c.jsonl deu:c eng:d", "d.json deu:e eng:f", "e.json deu:g eng:h", "f.json deu:i eng:j"}},
		"an array, columns by name": {
			map[string]string{"c.json.gz": compress(t, ".gz", "[\n {\n \"a\": \"eins\",\n \"b\": \"one\"\n }\n]")},
			[]string{"--columns=de=a,en=b"}, []string{"c.json deu:eins eng:one"}},
		"columns of languages, Parquet": {map[string]string{"c.parquet": parquetOf(t, []flat{{1, "eins", "one"}, {2, "zwei", "two"}})}, nil,
			[]string{"c.parquet deu:eins eng:one", "c.parquet deu:zwei eng:two"}},
		"a score of Parquet that some rows lack": {
			map[string]string{"c.parquet": parquetOf(t, []scored{{"eins", "one", new(.5)}, {"zwei", "two", nil},
				{"drei", "three", new(math.NaN())}})}, nil,
			[]string{"c.parquet deu:eins eng:one score 0.5", "c.parquet deu:zwei eng:two", "c.parquet deu:drei eng:three"}},
		"a column score without numbers, Parquet": {
			map[string]string{"c.parquet": parquetOf(t, []struct {
				De    string `parquet:"de"`
				En    string `parquet:"en"`
				Score bool   `parquet:"score"`
			}{{"eins", "one", true}})}, nil, []string{"c.parquet deu:eins eng:one"}},
		"a score of JSON that some lines lack": {
			map[string]string{"c.jsonl": `{"score": null, "translation": {"de": "eins", "en": "one"}}
				{"score": 0.5, "translation": {"de": "zwei", "en": "two"}}
				{"score": "1.5", "translation": {"de": "drei", "en": "three"}}
				{"translation": {"de": "vier", "en": "four"}}`,
				"d.jsonl": `{"score": {"a": 1}, "translation": {"de": "acht", "en": "eight"}}`}, nil,
			[]string{"c.jsonl deu:eins eng:one", "c.jsonl deu:zwei eng:two score 0.5", "c.jsonl deu:drei eng:three score 1.5",
				"c.jsonl deu:vier eng:four", "d.jsonl deu:acht eng:eight"}},
		"CSV of a spreadsheet": {map[string]string{"c.csv": "\xef\xbb\xbfde;en;score\r\n\"eins; zwei\";one, two;2\r\n"},
			[]string{"--columns=de,en,score", "--header"}, []string{"c.csv deu:eins; zwei eng:one, two score 2"}},
		"columns by the header, CSV": {map[string]string{"c.csv": "source,\"the target\"\n\"eins, zwei\",one\n"},
			[]string{"--columns=de=source,en=the target"}, []string{"c.csv deu:eins, zwei eng:one"}},
		"a header, and columns by place": {map[string]string{"c.tsv": "A\tB\neins\tone\n"}, []string{"--columns=de,en", "--header"},
			[]string{"c.tsv deu:eins eng:one"}},
		"a header that is wrong": {map[string]string{"c.tsv": "en\tGerman\neins\tone\n"}, []string{"--columns=de=1,en=2", "--header"},
			[]string{"c.tsv deu:eins eng:one"}},
		"a row of names in a glossary": {map[string]string{"c.tsv": "Deutsch\tGerman\nEnglisch\tEnglish\n"}, []string{"--columns=de,en"},
			[]string{"c.tsv deu:Deutsch eng:German", "c.tsv deu:Englisch eng:English"}},
		"a header of languages": {map[string]string{"c.tsv": "score\ten\tde_AT\n1\tone\teins\n"}, nil,
			[]string{"c.tsv eng:one deu:eins score 1"}},
		"such a header, and a name": {map[string]string{"c.de-en.csv": "en,de\none,eins\n"}, nil,
			[]string{"c.de-en.csv eng:one deu:eins"}},
		"a header of a score alone": {map[string]string{"c.en-pl.tsv": "english\tpolish\tquality\none\tjeden\t1\n"}, nil,
			[]string{"c.en-pl.tsv eng:one pol:jeden score 1"}},
		"a column without values": {map[string]string{"c.en-pl.tsv": "english\tpolish\tnotes\none\tjeden\t\ntwo\tdwa\t-\n"}, nil,
			[]string{"c.en-pl.tsv eng:one pol:jeden", "c.en-pl.tsv eng:two pol:dwa"}},
		"names of languages, in the other order": {map[string]string{"c.en-de.csv": "German,English\neins,one\n"}, nil,
			[]string{"c.en-de.csv deu:eins eng:one"}},
		"such names in German": {map[string]string{"c.en-de.csv": "Deutsch,Englisch\neins,one\n"}, nil,
			[]string{"c.en-de.csv deu:eins eng:one"}},
		"such names with others beside": {
			map[string]string{"c.en-de.tsv": "id\tdomain\ttext_de\tsource (en)\tquality\nx1\tnews\teins\tone\t1.5\n"}, nil,
			[]string{"c.en-de.tsv deu:eins eng:one score 1.5"}},
		"a language that ends names": {
			map[string]string{"c.en-so.tsv": "so\ten\nkow\tone\n", "d.csv": "en,so,de\ntwo,laba,zwei\n"}, []string{"--languages=so,en"},
			[]string{"c.en-so.tsv som:kow eng:one", "d.csv eng:two som:laba"}},
		"one language twice": {map[string]string{"c.en-de.tsv": "Deutsch\tGerman\n"}, nil,
			[]string{"c.en-de.tsv eng:Deutsch deu:German"}},
		"TSV with the quotes of CSV": {
			map[string]string{"c.de-en.tsv": "\"er sagt \"\"nein\"\"\"\tone\nzwei\t\"two\nlines\"\n"}, nil,
			[]string{"c.de-en.tsv deu:er sagt \"nein\" eng:one", "c.de-en.tsv deu:zwei eng:two\nlines"}},
		"TSV with quotes of texts": {map[string]string{"c.de-en.tsv": "\"ja\"\t\"yes\"\n\"nein\", sagt er\t\"no\"\n"}, nil,
			[]string{"c.de-en.tsv deu:\"ja\" eng:\"yes\"", "c.de-en.tsv deu:\"nein\", sagt er eng:\"no\""}},
		"a first row of other languages": {map[string]string{"c.de-en.tsv": "da\tno\n"}, nil,
			[]string{"c.de-en.tsv deu:da eng:no"}},
		"JSON lines of Hugging Face": {map[string]string{"c.jsonl": "{\"translation\":{\"de\":\"eins\",\"en\":\"one\"}}\n"},
			nil, []string{"c.jsonl deu:eins eng:one"}},
		"fields of JSON": {map[string]string{"c.jsonl": "{\"a\":\"eins\",\"b\":{\"c\":\"one\"},\"score\":0.5}\n"},
			[]string{"--columns=de=a,en=b.c,score"}, []string{"c.jsonl deu:eins eng:one score 0.5"}},
		"TMX": {map[string]string{"c.tmx": memory(t, [][2]string{{"eins", "one"}})}, nil,
			[]string{"c.tmx deu:eins eng:one"}},
		"two inputs of the same pairs, twice": {
			map[string]string{"a.de-en.de": "eins\n", "a.de-en.en": "one\n", "b.en-de.de": "eins\nzwei\n", "b.en-de.en": "one\ntwo\n"}, nil,
			[]string{"a.de-en deu:eins eng:one", "b.en-de eng:two deu:zwei"}},
		"the same pairs stay": {map[string]string{"a.de-en.de": "eins\neins\n", "a.de-en.en": "one\none\n"},
			[]string{"--repeated"}, []string{"a.de-en deu:eins eng:one", "a.de-en deu:eins eng:one"}},
		"similarity": {map[string]string{"s.csv": "\"a, b\",c,4.5\na,a,5\n"},
			[]string{"--kind=sts", "--columns=en,en,target"}, []string{"s.csv eng:a, b eng:c target 4.5", "s.csv eng:a eng:a target 5"}},
		"quality": {
			map[string]string{"q.tsv": "index\toriginal\ttranslation\tz_mean\n0\tone\teins\t-0.25\n"},
			[]string{"--kind=qe", "--columns=en=original,de=translation,target=z_mean"}, []string{"q.tsv eng:one deu:eins target -0.25"}},
		"inference": {map[string]string{"i.jsonl": "{\"p\":\"x\",\"h\":\"y\",\"label\":\"neutral\"}\n"},
			[]string{"--kind=nli", "--columns=en=p,en=h,label"}, []string{"i.jsonl eng:x eng:y label neutral"}},
	} {
		t.Run(strings.ReplaceAll(name, ",", ""), func(t *testing.T) {
			rows, _ := run(t, 1<<20, append(c.args, "--input="+folder(t, c.files))...)
			if diff := cmp.Diff(c.want, told(rows)); diff != "" {
				t.Error(diff)
			}
			for _, p := range rows {
				if err := p.Validate(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// reasons counts what was dropped for which reason.
func reasons(m *dataset.Manifest) map[string]int64 {
	counts := map[string]int64{}
	for name, n := range pipelinetest.Dropped(m) {
		counts[name[strings.LastIndexByte(name, ' ')+1:]] += n
	}
	return counts
}

// Why a pair is dropped.
func TestReasons(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		args  []string
		want  map[string]int64
	}{
		"an empty side": {map[string]string{"c.de-en.de": "a\n \n\n", "c.de-en.en": "b\nc\n\n"}, nil,
			map[string]int64{"empty": 2}},
		"equal sides": {map[string]string{"c.de-en.de": "a\nsame\n", "c.de-en.en": "b\n same \n"}, nil,
			map[string]int64{"equal": 1}},
		"a side twice as long": {map[string]string{"c.de-en.de": "a\n" + strings.Repeat("x", 46) + "\n",
			"c.de-en.en": "b\n" + strings.Repeat("y", 15) + "\n"}, nil, map[string]int64{"length_ratio": 1}},
		"the same pair": {map[string]string{"c.de-en.de": "a\na\n", "c.de-en.en": "b\nb\n", "d.en-de.de": "a\na\n",
			"d.en-de.en": "b\nc\n"}, nil, map[string]int64{"duplicate": 2}},
		"the same pair, equal sides, with letters and accents": {map[string]string{"c.de-fr.de": "für\nfu\u0308r\ncafe\u0301\n",
			"c.de-fr.fr": "pre\u0301\npré\ncafé\n"}, nil, map[string]int64{"duplicate": 1, "equal": 1}},
		"bytes that are not text": {map[string]string{"c.de-en.de": "a\n\xff\n", "c.de-en.en": "b\nc\n"}, nil,
			map[string]int64{"invalid_utf8": 1}},
		"a line too long": {map[string]string{"c.de-en.de": "a\n" + strings.Repeat("x", 1<<20+1) + "\n", "c.de-en.en": "b\nc\n"},
			nil, map[string]int64{"line_too_long": 1}},
		"five fields, no score": {map[string]string{"c.de-en.tsv": "1\ta\tb\n1\ta\tb\tc\td\nNaN\ta\td\n"},
			[]string{"--columns=score,de,en"}, map[string]int64{"wrong_columns": 1, "no_number": 1}},
		"scores that are none, by the place of the others": {
			map[string]string{"c.de-en.tsv": "a\tb\tN/A\nc\td\t1\ne\tf\tgood\ng\th\t.5\n", "d.de-en.tsv": "-\ti\tj\n2\tk\tl\n"}, nil,
			map[string]int64{"no_number": 3}},
		"a score of JSON or Parquet that is none": {
			map[string]string{"c.jsonl": "{\"de\":\"a b\",\"en\":\"b c\",\"score\":1}\n{\"de\":\"c d\",\"en\":\"d e\",\"score\":\"high\"}\n",
				"c.parquet": parquetOf(t, []struct {
					De    string `parquet:"de"`
					En    string `parquet:"en"`
					Score string `parquet:"score"`
				}{{"eins", "one", "N/A"}, {"zwei", "two", "1"}})}, nil,
			map[string]int64{"no_number": 2}},
		"a field is missing": {map[string]string{
			"c.jsonl": "{\"translation\":{\"de\":\"a\",\"en\":\"b\"}}\n{\"translation\":{\"de\":\"a\"}}\n{\n"}, nil,
			map[string]int64{"no_field": 1, "damaged_json": 1}},
		"names of columns again": {map[string]string{"c.csv": "de,en\neins,one\nde,en\nzwei,two\n\"de\",en\n"}, nil,
			map[string]int64{"repeated_header": 2}},
		"an open quote": {map[string]string{"c.de-en.csv": "a,b\n\"c,d\n"}, nil, map[string]int64{"damaged_quotes": 1}},
		"no label": {map[string]string{"c.tsv": "a\tb\tneutral\nc\td\t\n"}, []string{"--kind=nli", "--columns=en,en,label"},
			map[string]int64{"empty": 1}},
		"a unit in one language": {map[string]string{
			"c.tmx": strings.Replace(memory(t, [][2]string{{"a", "b"}, {"c", "d"}}), "<seg>c</seg>", "", 1)}, nil,
			map[string]int64{"no_translation": 1}},
	} {
		t.Run(strings.ReplaceAll(name, ",", ""), func(t *testing.T) {
			rows, m := run(t, 1<<20, append(c.args, "--input="+folder(t, c.files))...)
			if diff := cmp.Diff(c.want, reasons(m)); diff != "" {
				t.Errorf("%s\n%v", diff, told(rows))
			}
			if len(rows) == 0 {
				t.Error("no pair is left")
			}
		})
	}
}

// What is not an input, or no configuration, is told before any work.
func TestFaults(t *testing.T) {
	damaged := written(t, mixed(3, "de en"))["c.parquet"]
	damaged = damaged[:4] + strings.Repeat("\xff", 40) + damaged[44:]
	pair := map[string]string{"c.de-en.de": "a\n", "c.de-en.en": "b\n"}
	for name, c := range map[string]struct {
		files map[string]string
		args  []string
		want  []string
	}{
		"different lines": {
			map[string]string{"c.de-en.de": "a\nb\n", "c.de-en.en": "c\nd\ne", "d.de-en.de": "a\n",
				"d.de-en.en.gz": compress(t, ".gz", "")}, nil,
			[]string{"c.de-en.de has 2 lines, c.de-en.en has 3 lines", "d.de-en.de has 1 line, d.de-en.en.gz has 0 lines",
				"or --shorter to end with the shortest"}},
		"one line of two": {map[string]string{"c.de-en.de": "a\n", "c.de-en.en": "b\nc\n"}, nil,
			[]string{"c.de-en.de has 1 line, c.de-en.en has 2 lines: line n", "or --shorter to end with the shortest"}},
		"one side": {map[string]string{"c.de-en.de": "a\n"}, nil,
			[]string{"c.de-en.de has no other side", "c.de-en.en"}},
		"src and tgt": {map[string]string{"t.src": "a\n", "t.tgt": "b\n"}, nil,
			[]string{"2 of 2 files are left out, such as t.src",
				"src names no language: rename t.src and its other side by their languages, as in t.eng"}},
		"source.txt": {map[string]string{"t/source.txt": "a\n", "t/target.txt": "b\n"}, nil,
			[]string{"source names no language: rename t/source.txt", "as in t/eng"}},
		"src-tgt": {map[string]string{"t.src-tgt.tsv": "a\tb\n"}, nil,
			[]string{"t.src-tgt.tsv: its columns are not known: --columns names them"}},
		"an archive with one side": {map[string]string{"z.zip": zipped(t, map[string]string{"c.de-en.en": "a\n"})}, nil,
			[]string{"z.zip/c.de-en.en has no other side", "c.de-en.de"}},
		"a path out of an archive": {
			map[string]string{"z.zip": zipped(t, map[string]string{"../c.de-en.en": "a\n", "../c.de-en.de": "a\n"})}, nil,
			[]string{"z.zip", "leads out of the archive"}},
		"a bomb": {
			map[string]string{"z.zip": zipped(t, map[string]string{"c.de-en.en": strings.Repeat("\n", 80<<20), "c.de-en.de": "a\n"})}, nil,
			[]string{"z.zip/c.de-en.en", "bomb"}},
		"no archive": {map[string]string{"z.zip": "text"}, nil,
			[]string{"z.zip", "not a valid zip file; --unreadable=skip leaves out"}},
		"damaged compression": {map[string]string{"c.de-en.de.gz": compress(t, ".gz", "a\n")[:12], "c.de-en.en": "b\n"}, nil,
			[]string{"c.de-en.de.gz", "unexpected EOF; --unreadable=skip"}},
		"damaged bzip2": {map[string]string{"c.de-en.de.bz2": compress(t, ".bz2", "eins\nzwei\n")[:40], "c.de-en.en": "b\n"},
			nil, []string{"c.de-en.de.bz2", "unexpected EOF; --unreadable=skip"}},
		"a side without lines": {
			map[string]string{"c.de-en.de": "a\n", "c.de-en.en": "", "d.de-en.de": "a\n", "d.de-en.en": "a\nb\n"}, nil,
			[]string{"c.de-en.en has 0 lines: line n of one must translate line n of the others; give the right files",
				"the right files\nd.de-en.de has"}},
		"sides without lines": {
			map[string]string{"c.de-en.de": "", "c.de-en.en.gz": compress(t, ".gz", ""), "d.de-en.tsv": "a\tb\n"}, nil,
			[]string{"c.de-en.de has 0 lines, c.de-en.en.gz has 0 lines: there is no pair to read; give the right files, or leave these out by --paths"}},
		"an empty side, --shorter": {map[string]string{"c.de-en.de": "a\n", "c.de-en.en": ""}, []string{"--shorter"},
			[]string{"c.de-en.de has 1 line, c.de-en.en has 0 lines: there is no pair to read"}},
		"JSON without lines": {map[string]string{"c.jsonl": ""}, []string{"--columns=de,en"},
			[]string{"c.jsonl has 0 lines: there is no pair to read"}},
		"Tatoeba without lines": {map[string]string{"sentences.csv": "1\teng\ta\n", "links.csv": ""}, nil,
			[]string{"links.csv has 0 lines: there is no pair to read"}},
		"both sides twice": {
			map[string]string{"c.de-en.de": "a\n", "c.de-en.en": "b\n", "c.de-en.en.gz": compress(t, ".gz", "b\n")}, nil,
			[]string{"c.de-en.en and c.de-en.en.gz are both in eng"}},
		"nothing that goes together": {map[string]string{"a.html": "<p>", "b.de": "x\n"}, nil,
			[]string{"no files that go together", "2 of 2 files are left out, such as a.html"}},
		"an empty folder": {nil, nil, []string{"does not exist, or holds no file"}},
		"other languages": {pair, []string{"--languages=fr,es"},
			[]string{"no input is in two of the languages fra, spa", "c.de-en.de, c.de-en.en is left out: it is in deu, eng"}},
		"one language": {pair, []string{"--languages=fr"}, []string{"a pair has two languages"}},
		"no language": {pair, []string{"--languages=xx,de", "--pivot=yy"},
			[]string{"languages: language \"xx\"", "pivot: language \"yy\""}},
		"a script that is not told from others": {pair, []string{"--languages=sun_Sund,de"},
			[]string{"languages: sun_Sund: texts in the script Sund are not told from those in others: give the language without its script"}},
		"columns of nothing": {map[string]string{"c.tsv": "a\tb\n"}, nil, []string{"c.tsv", "--columns"}},
		"texts or scores":    {map[string]string{"c.de-en.tsv": "1\t2\t3\n"}, nil, []string{"not clear which of them are the texts"}},
		"no score": {map[string]string{"c.de-en.tsv": "a\tb\t\nc\td\t-\n"}, nil,
			[]string{"not clear which of them are the texts"}},
		"a column that is not there": {map[string]string{"c.tsv": "a\tb\n"}, []string{"--columns=de=A,en"},
			[]string{"its header has no column \"A\"; it has a, b"}},
		"UTF-16": {map[string]string{"c.de-en.de": "a\n", "c.de-en.en": "\xff\xfeb\x00\n\x00"}, nil,
			[]string{"read c.de-en.en: it begins as UTF-16 does", "iconv"}},
		"UTF-16 CSV": {map[string]string{"c.de-en.csv": "\xff\xfea\x00,\x00b\x00\n\x00"}, []string{"--unreadable=skip"},
			[]string{"c.de-en.csv: it begins as UTF-16 does", "iconv"}},
		"UTF-16 TSV, compressed": {map[string]string{"c.de-en.tsv.gz": compress(t, ".gz", "\xfe\xff\x00a\x00\t")}, nil,
			[]string{"c.de-en.tsv.gz: it begins as UTF-16 does"}},
		"nothing that can be read": {map[string]string{"c.de-en.tsv.gz": "x", "c.tmx": "<html/>"}, []string{"--unreadable=skip"},
			[]string{"no input can be read; 2 of 2 files are left out, such as c.de-en.tsv.gz: cannot be read"}},
		"no side that can be read": {map[string]string{"c.de-en.de.gz": "x", "c.de-en.en": "a\n"}, []string{"--unreadable=skip"},
			[]string{"no input can be read; 1 of 2 files is left out, c.de-en.de.gz: cannot be read; 1 that goes with them"}},
		"links that cannot be read": {map[string]string{"sentences.csv": "1\teng\ta\n", "links.csv.gz": "x"}, nil,
			[]string{"read links.csv.gz", "; --unreadable=skip leaves out"}},
		"names that are not UTF-8": {
			map[string]string{"c.zip": zipped(t, map[string]string{"Gr\x94e.de-en.de": "a\n", "Gr\x94e.de-en.en": "b\n"})}, nil,
			[]string{`the name "c.zip/Gr\x94e.de-en.de" is not UTF-8: rename the file, unpacked if it is in an archive; --unreadable=skip`}},
		"UTF-16 without a mark": {map[string]string{"c.de-en.de": "a\x00\n\x00", "c.de-en.en": "b\n"}, nil,
			[]string{"read c.de-en.de: it begins as UTF-16 does", "iconv -f UTF-16"}},
		"a table in UTF-16, as well": {map[string]string{"c.de-en.tsv.gz": compress(t, ".gz", "\x00a\x00\t\x00b")}, nil,
			[]string{"c.de-en.tsv.gz: it begins as UTF-16 does"}},
		"no lines of JSON": {
			map[string]string{"c.jsonl": "\n"}, nil, []string{"c.jsonl: it has no line that is a JSON object"}},
		"a header alone": {map[string]string{"c.csv": "de,en\n", "d.tsv": "a\tb\n"}, []string{"--columns=de,en", "--header"},
			[]string{"c.csv: it has only the names of columns and no row"}},
		"two columns of one name": {twoOfOneName(t), []string{"--columns=de=de,en=en"}, []string{`it has 2 columns "en"`}},
		"CSV without commas": {map[string]string{"c.de-en.csv": "a:b\n", "d.de-en.csv": "a\"\tb\n"}, nil,
			[]string{"c.de-en.csv: its first row has one column (a:b): tabs part the values of .tsv, and commas, semicolons, tabs or bars those of .csv",
				"d.de-en.csv: it has no row that can be read; the first has the fault damaged_quotes, a quote that the line does not close"}},
		"spaces before quotes": {map[string]string{"c.csv": "de, en\n\"eins\", \"one\"\n\"zwei\", \"two\"\n"}, nil,
			[]string{"c.csv: no row behind the names of its columns can be read; the first has the fault damaged_quotes, a space is before the quote"}},
		"a table without a byte": {map[string]string{"c.de-en.tsv": ""}, nil, []string{"c.de-en.tsv: it has no row that can be read"}},
		"a table of no languages": {map[string]string{"c.csv": "German;English\n"}, nil,
			[]string{"c.csv: its columns are not known: --columns names them", "its first row is German, English"}},
		"columns of other names": {written(t, mixed(3, "de en")), []string{"--columns=de=x,en=translation.en"},
			[]string{`it has no column "x" that holds one value a row; it has `, "translation.de, translation.en"}},
		"no such field": {map[string]string{"a.jsonl": `{"a":"A house.","b":"Ein Haus.","n":1}`}, []string{"--columns=eng=a,deu=c"},
			[]string{`a.jsonl: none of its records has the field "c"; it has a, b, n`}},
		"fields within a field": {map[string]string{"a.jsonl": `{"a":"A house.","b":"Ein Haus."}`, "b.jsonl": `{"n":{"a":"A house."}}`},
			[]string{"--columns=eng=a,deu=b"}, []string{`b.jsonl: none of its records has the field "a"`}},
		"no value": {map[string]string{"a.jsonl": `{"a":"A house.","b":null}`}, []string{"--columns=eng=a,deu=b"},
			[]string{`a.jsonl: none of its records has the field "b"; it has a`}},
		"no such score": {map[string]string{"a.jsonl": `{"a":"A house.","b":"Ein Haus.","n":1}`}, []string{"--columns=eng=a,deu=b,score=m"},
			[]string{`none of its records has the field "m"; it has a, b, n`}},
		"an archive of tar": {map[string]string{"de-en.tar.gz": "", "x.7z": ""}, nil,
			[]string{"no input",
				"de-en.tar.gz: by name of no format, and of no language with another file to go with; unpack it: of archives only .zip is read, and not one within another"}},
		"a catalogue": {map[string]string{"de.po": "msgid \"\"\n"}, nil,
			[]string{"de.po: by name of no format", "po2tmx of translate-toolkit makes .tmx of it"}},
		"an archive in an archive": {map[string]string{"z.zip": zipped(t, map[string]string{"y.zip": zipped(t, pair)})}, nil,
			[]string{"no input", "z.zip/y.zip: by name of no format", "unpack it"}},
		"fields of languages among others": {
			map[string]string{"c.jsonl": "{\"text\":\"a b\",\"en\":\"c d\",\"de\":\"e f\"}\n",
				"d.jsonl": "{\"ln\":\"en\",\"id\":\"x\"}\n"}, nil,
			[]string{`c.jsonl: it has no field "translation"`, "it has text, en, de", `d.jsonl: it has no field "translation"`}},
		"fields of other names": {map[string]string{"c.jsonl": "{\"n\":1,\"source\":\"a\",\"target\":\"b\"}\n"}, nil,
			[]string{`c.jsonl: it has no field "translation"`, "it has source, target"}},
		"a table that is not one": {map[string]string{"c.tsv": "\x1f\x8b\b\x00"}, []string{"--columns=de,en"},
			[]string{"c.tsv: it is compressed, as what ends in .gz is, and its name does not say so: rename or unpack it"}},
		"a page of Parquet": {map[string]string{"c.parquet": damaged}, []string{"--unreadable=skip"},
			[]string{"read c.parquet: row 0: ", "; mend the file, or leave it out by --paths, and give --overwrite"}},
		"a header of scores": {map[string]string{"c.csv": "sentence1,sentence2,score\na,b,1.5\n"},
			[]string{"--kind=sts", "--columns=en,en,target"},
			[]string{"c.csv: its first line (sentence1, sentence2, score) has no number in column 3", "give --header"}},
		"languages are not columns": {map[string]string{"c.tsv": "a\tb\n"}, []string{"--languages=en,de"},
			[]string{"c.tsv: its columns are not known: --columns names them"}},
		"a column name": {map[string]string{"c.tsv": "name\ten\tde\nx y\ta\tb\n"}, nil,
			[]string{"c.tsv: its columns are not known: --columns names them", "its first row is name, en, de"}},
		"a column src": {map[string]string{"c.tsv": "src\ttgt\na\tb\n"}, nil,
			[]string{"c.tsv: its columns are not known", "its first row is src, tgt"}},
		"a language and a score": {map[string]string{"c.tsv": "en\tscore\na\t1\n"}, nil, []string{"c.tsv: its columns are not known"}},
		"a column too many": {map[string]string{"c.tsv": "a\tb\n"}, []string{"--columns=de,en,score"},
			[]string{"its first row has 2 columns (a, b), and --columns names 3"}},
		"columns in another order": {map[string]string{"c.tsv": "score\ten\tGerman\n1\tone\teins\n"},
			[]string{"--columns=score,de,en", "--header"},
			[]string{"c.tsv: its first row names the languages eng, deu in this order, and --columns names deu, eng", "as in deu=2"}},
		"columns in another order, no header": {map[string]string{"c.csv": "eng,deu\none,eins\n"}, []string{"--columns=de,en"},
			[]string{"names the languages eng, deu in this order"}},
		"a column by its number": {map[string]string{"c.tsv": "a\tb\n"}, []string{"--columns=de=1,en=3"},
			[]string{"its first rows have at most 2 columns, and --columns names column 3"}},
		"columns too few": {map[string]string{"c.csv": "id,source,target\n1,a,b\n"}, []string{"--columns=en,es"},
			[]string{"c.csv: its first row has 3 columns (id, source, target), and --columns names 2", "with - for one to leave out"}},
		"columns too few, a header": {map[string]string{"c.tsv": "en\tes\tscore\na\tb\t1\n"}, []string{"--columns=en,es", "--header"},
			[]string{"has 3 columns (en, es, score), and --columns names 2"}},
		"a pivot of no text": {pair, []string{"--pivot=fr"},
			[]string{"--pivot names fra, and no text that is taken is in it: the languages are deu, eng"}},
		"a pivot that is not taken": {map[string]string{"n.de": "a\n", "n.en": "b\n", "n.fr": "c\n"},
			[]string{"--pivot=fr", "--languages=de,en"}, []string{"--pivot names fra", "the languages are deu, eng"}},
		"a pivot, of Tatoeba": {map[string]string{"sentences.csv": "1\teng\ta\n", "links.csv": "1\t2\n"},
			[]string{"--pivot=fr", "--languages=de,en"}, []string{"--pivot names fra", "the languages are deu, eng"}},
		"a TMX that is cut": {map[string]string{"c.tmx": strings.SplitAfter(memory(t, [][2]string{{"a", "b"}}), "<seg>")[0]}, nil,
			[]string{"c.tmx: it is cut: it ends in or behind unit 1; --unreadable=skip leaves out"}},
		"a TMX that is cut later": {
			map[string]string{"c.tmx": strings.TrimSuffix(memory(t, [][2]string{{"a", "b"}}), "</body>\n</tmx>\n")}, nil,
			[]string{"c.tmx: it is cut: it ends in or behind unit 2"}},
		"a TMX of one language": {
			map[string]string{"c.tmx": strings.Replace(memory(t, [][2]string{{"a", "b"}}), "<seg>b</seg>", "", 1)}, nil,
			[]string{"c.tmx: its texts are only in deu"}},
		"one text":               {pair, []string{"--columns=de,score"}, []string{"bitext needs the columns of two languages"}},
		"no role":                {pair, []string{"--columns=source,target"}, []string{"\"source\" is neither score, target, label"}},
		"JSON without languages": {map[string]string{"c.jsonl": "{\"a\":1}\n"}, nil, []string{"--columns=eng=FIELD,deu=FIELD"}},
		"no TMX": {map[string]string{"c.tmx": "<html/>", "d.tmx": ""}, nil,
			[]string{"c.tmx: it is not a TMX file that can be read: not_tmx, it does not begin", "d.tmx: it is not a TMX file that can be read: not_tmx;"}},
		"no Parquet": {map[string]string{"c.parquet": "text text text"}, nil, []string{"c.parquet", "Parquet"}},
		"scores without a target": {map[string]string{"c.tsv": "a\tb\t1\n"}, []string{"--kind=sts", "--columns=en,en,score"},
			[]string{"pairs of kind sts need a column target"}},
		"aligned files with targets": {pair, []string{"--kind=sts", "--columns=en,en,target"},
			[]string{"pairs of kind sts are read from tables"}},
		"links alone": {map[string]string{"t/links.csv": "1\t2\n"}, nil,
			[]string{"t/links.csv", "sentences.csv beside them"}},
		"links beside other files": {
			map[string]string{"links.csv": "1\t2\n", "sentences.csv": "1\teng\ta\n", "c.de-en.de": "a\n", "c.de-en.en": "b\n"}, nil,
			[]string{"sentences.csv and c.de-en.de, c.de-en.en: Tatoeba's sentences are imported alone"}},
		"links of one language": {map[string]string{"deu-eng_links.tsv": "1\t2\n", "deu_sentences.tsv": "1\tdeu\ta\n"}, nil,
			[]string{"deu-eng_links.tsv: the links of Tatoeba need its deu_sentences.tsv and eng_sentences.tsv beside them"}},
		"sentences twice": {
			map[string]string{"deu-eng_links.tsv": "1\t2\n", "deu_sentences.tsv": "1\tdeu\ta\n",
				"deu_sentences_detailed.tsv": "1\tdeu\ta\n", "eng_sentences.tsv": "2\teng\tb\n"}, nil,
			[]string{"deu_sentences.tsv and deu_sentences_detailed.tsv both have Tatoeba's sentences in deu: keep one of them"}},
		"all and by language": {
			map[string]string{"deu-eng_links.tsv": "1\t2\n", "deu_sentences.tsv": "1\tdeu\ta\n", "eng_sentences.tsv": "2\teng\tb\n",
				"sentences.csv": "1\tdeu\ta\n", "links.csv": "1\t2\n"}, nil,
			[]string{"sentences.csv and deu_sentences.tsv are both of Tatoeba: keep the files of all languages or those by language"}},
		"a list of two folders": {pair, []string{"--input=b", "--paths=x"}, []string{"paths needs one input"}},
		"nothing held out": {pair, []string{"--part=heldout"},
			[]string{"heldout-share is 0, it must be a share of the groups between 0 and 1"}},
		"a share of zero":    {pair, []string{"--heldout-share=0", "--part=training"}, []string{"heldout-share is 0, it must"}},
		"all held out":       {pair, []string{"--heldout-share=1", "--part=heldout"}, []string{"heldout-share is 1, it must"}},
		"no number":          {pair, []string{"--heldout-share=NaN", "--part=heldout"}, []string{"heldout-share is NaN, it must"}},
		"a share of nothing": {pair, []string{"--heldout-share=.1"}, []string{"heldout-share needs part"}},
		"a share of scored pairs": {map[string]string{"c.tsv": "a\tb\t1\n"},
			[]string{"--kind=sts", "--columns=en,en,target", "--heldout-share=.1", "--part=training"},
			[]string{"pairs of kind sts have no groups"}},
		"documents": {pair, []string{"--documents=x"},
			[]string{"documents is for pairs of the kinds consecutive and parallel"}},
		"a margin without identifier": {pair, []string{"--langid=none", "--langid-margin=.2"},
			[]string{"langid-margin has no effect without langid"}},
		"settings of documents": {pair, []string{"--sliding", "--keep-gaps"},
			[]string{"sliding and swap are for", "keep-gaps are for"}},
	} {
		t.Run(strings.ReplaceAll(name, ",", ""), func(t *testing.T) {
			made, err := pipelinetest.Configure[pairs.Config](
				append([]string{"--kind=bitext", "--input=" + folder(t, c.files)}, c.args...)...)
			if err == nil {
				err = pipelinetest.Fails(t, made, pipelinetest.Settings(1<<20))
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %q", err, want)
				}
			}
		})
	}
	for _, flag := range []string{"--input=y", "--langid-margin=.2"} {
		if _, err := pipelinetest.Configure[pairs.Config]("--documents=x", flag); err == nil ||
			!strings.Contains(err.Error(), "has no effect on consecutive ones") {
			t.Errorf("%s of documents: %v", flag, err)
		}
	}
}

// Languages of the files that the identifier never answers are named before work, unless --languages leaves them out.
func TestLanguagesOfIdentifier(t *testing.T) {
	root := folder(t, map[string]string{"c.bs-en.bs": "jedan\n", "c.bs-en.en": "one\n", "c.de-en.de": "eins\n", "c.de-en.en": "one\n"})
	for languages, want := range map[string]bool{"bs,en": true, "de,en": false, "": true} {
		args := []string{"--input=" + root, "--langid=embedded"}
		if languages != "" {
			args = append(args, "--languages="+languages)
		}
		job, err := config(t, args...).Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(job.Notes, "\n"), "never answers bos (rather hrv or srp): it checks no text"); got != want {
			t.Errorf("%q: notes %q", languages, job.Notes)
		}
	}
}

// Files of a folder that are given one by one are joined as those of the folder are, and
// make the same dataset.
func TestFilesOneByOne(t *testing.T) {
	root := folder(t, map[string]string{"c.de-en.de": "eins\n", "c.de-en.en": "one\n", "c.de-en.ids": "x\ty\t1\t1\n"})
	rows, want := run(t, 1<<20, "--input="+root)
	if diff := cmp.Diff([]string{"c.de-en deu:eins eng:one"}, told(rows)); diff != "" {
		t.Fatal(diff)
	}
	packed := folder(t, map[string]string{"c.de-en.de.bz2": "", "c.de-en.en": "one\n"})
	for root, other := range map[string]string{root: "c.de-en.de", packed: "c.de-en.de.bz2"} {
		err := pipelinetest.Fails(t, config(t, "--input="+filepath.Join(root, "c.de-en.en")), pipelinetest.Settings(1<<20))
		if want := "c.de-en.en has no other side: " + other +
			" is beside it and is not given: give both, or their folder"; !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	at := func(name string) string { return filepath.Join(root, name) }
	de, en, ids := at("c.de-en.de"), at("c.de-en.en"), at("c.de-en.ids")
	for name, input := range map[string][]string{
		"in order":                {de, en, ids},
		"the other order":         {ids, en, de},
		"a file and its folder":   {de, root},
		"the folder and its file": {root, en},
	} {
		t.Run(name, func(t *testing.T) {
			_, m := run(t, 1<<20, "--input="+strings.Join(input, ","))
			if m.ContentXXH3 != want.ContentXXH3 {
				t.Errorf("content is %s, and %s with the folder", m.ContentXXH3, want.ContentXXH3)
			}
		})
	}
}

// memory writes German and English texts as TMX.
func memory(t testing.TB, texts [][2]string) string {
	t.Helper()
	var b strings.Builder
	w, err := tmx.NewWriter(&b, tmx.Header{CreationTool: "test", CreationToolVersion: "1", SourceLanguage: "deu"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range texts {
		if err := w.Write(tmx.Unit{Variants: []tmx.Variant{{Language: "deu", Text: p[0]}, {Language: "eng", Text: p[1]}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// line makes one line of a text, of characters that XML can hold.
func line(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// stsb returns the texts of STS-B in a language, twice as many as its rows.
func stsb(t testing.TB, language, split string) (texts []string, scores []float64) {
	t.Helper()
	file, err := os.Open(filepath.Join(realdata.Folder(t, "stsb_multi_mt"), "stsb_multi_mt", "stsb-"+language+"-"+split+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		score, err := strconv.ParseFloat(r[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, score)
		for _, text := range r[:2] {
			texts = append(texts, line(text))
		}
	}
	return texts, scores
}

// The same texts give the same pairs whatever file they lie in, and however it is cut.
func TestSamePairs(t *testing.T) {
	german, _ := stsb(t, "de", "train")
	english, _ := stsb(t, "en", "train")
	var texts [][2]string
	var table, quoted, lines strings.Builder
	quote := strings.NewReplacer(`"`, `""`)
	type row struct {
		Translation struct {
			De string `parquet:"de,optional"`
			En string `parquet:"en,optional"`
		} `parquet:"translation,optional"`
	}
	var rows []row
	for i := range german {
		texts = append(texts, [2]string{german[i], english[i]})
		fmt.Fprintf(&table, "%s\t%s\n", german[i], english[i])
		fmt.Fprintf(&quoted, "\"%s\n\"\t\"%s\"\n", quote.Replace(german[i]), quote.Replace(english[i]))
		data, err := json.Marshal(map[string]any{"translation": map[string]string{"de": german[i], "en": english[i]}})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(data, '\n'))
		r := row{}
		r.Translation.De, r.Translation.En = german[i], english[i]
		rows = append(rows, r)
	}
	var file bytes.Buffer
	if err := parquet.Write(&file, rows, parquet.MaxRowsPerRowGroup(3000)); err != nil {
		t.Fatal(err)
	}
	a, b := strings.Join(german, "\n")+"\n", strings.Join(english, "\n")+"\n"
	hash := ""
	for _, c := range []struct {
		name  string
		files map[string]string
		shard int64
	}{
		{"Moses", map[string]string{"stsb.de-en.de": a, "stsb.de-en.en": b}, 1 << 30},
		{"Moses in many units", map[string]string{"stsb.de-en.de": a, "stsb.de-en.en": b}, 200_000},
		{"Moses, CRLF", map[string]string{"stsb.de-en.de": strings.ReplaceAll(a, "\n", "\r\n"), "stsb.de-en.en": b}, 200_000},
		{".zip", map[string]string{"de-en.txt.zip": zipped(t, map[string]string{"stsb.de-en.de": a, "stsb.de-en.en": b, "README": "x"})},
			1 << 20},
		{".xz", map[string]string{"stsb.de-en.de.xz": compress(t, ".xz", a), "stsb.de-en.en.xz": compress(t, ".xz", b)}, 1 << 20},
		{"TSV", map[string]string{"stsb.de-en.tsv": table.String()}, 200_000},
		{"TSV with quotes around lines", map[string]string{"stsb.de-en.tsv": quoted.String()}, 200_000},
		{"JSON", map[string]string{"stsb.jsonl": lines.String()}, 200_000},
		{"TMX", map[string]string{"stsb.tmx": memory(t, texts)}, 200_000},
		{"Parquet", map[string]string{"stsb.parquet": file.String()}, 200_000},
	} {
		rows, m := run(t, c.shard, "--input="+folder(t, c.files), "--origin=stsb")
		if hash == "" {
			hash = m.ContentXXH3
		}
		if m.ContentXXH3 != hash || m.Rows != int64(len(rows)) || len(rows) < 10_000 {
			t.Errorf("%s gives %d pairs of %s, want %s", c.name, len(rows), m.ContentXXH3, hash)
		}
		// Groups are those of the English texts.
		groups := map[string]uint64{}
		for _, p := range rows {
			if other, ok := groups[p.TextB]; ok && other != *p.Group {
				t.Fatalf("%s: %q is in two groups", c.name, p.TextB)
			}
			groups[p.TextB] = *p.Group
			if p.TextA != german[*p.PositionA] || p.TextB != english[*p.PositionA] {
				t.Fatalf("%s: line %d is %q, %q", c.name, *p.PositionA, p.TextA, p.TextB)
			}
		}
	}
}

// Tatoeba's sentences and links are joined, each link once, however the files are cut or
// compressed.
func TestJoin(t *testing.T) {
	const sentences = "1\teng\tHello.\n2\tdeu\tHallo.\n3\tfra\tSalut !\n4\teng\tHello.\n5\tdeu\tHallo.\n7\t\\N\t?\n8\teng\tBye.\n9\tcmn\t再见。\nbad\n10\teng\t\n11\tdeu\t\xff\n12\teng\tHi.\n"
	const links = "1\t2\n2\t1\n1\t3\n3\t1\n2\t3\n4\t5\n5\t4\n1\t4\n1\t6\n6\t8\n7\t8\n9\t8\n10\t2\nx\t1\n13\t14\n12\t9\n"
	want := []string{"tatoeba cmn:再见。 eng:Bye.", "tatoeba cmn:再见。 eng:Hi.", "tatoeba deu:Hallo. eng:Hello.",
		"tatoeba deu:Hallo. fra:Salut !", "tatoeba eng:Hello. fra:Salut !"}
	dropped := map[string]int64{"no_sentence": 3, "other_languages": 2, "no_number": 1, "duplicate": 1, "empty": 1}
	// The same by language. Links are there in both directions.
	var reversed strings.Builder
	for line := range strings.Lines(links) {
		a, b, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		fmt.Fprintf(&reversed, "%s\t%s\n", b, a)
	}
	of := map[string]string{"deu-eng_links.tsv": links, "eng-deu_links.tsv": reversed.String()}
	for line := range strings.Lines(sentences) {
		code := "eng"
		if fields := strings.Split(line, "\t"); len(fields) == 3 && fields[1] != "\\N" {
			code = fields[1]
		}
		of[code+"_sentences.tsv"] += line
	}
	byLanguage := map[string]int64{"no_sentence": 3, "other_languages": 2, "no_number": 2, "duplicate": 1, "empty": 1}
	detailed, some := maps.Clone(of), maps.Clone(of)
	delete(detailed, "deu_sentences.tsv")
	detailed["deu_sentences.tsv.bz2"] = compress(t, ".bz2", of["deu_sentences.tsv"])
	detailed["eng_sentences_detailed.tsv"] = strings.ReplaceAll(of["eng_sentences.tsv"], ".\n", ".\tsomebody\t\\N\t2020-01-01 00:00:00\n")
	delete(detailed, "eng_sentences.tsv")
	delete(some, "fra_sentences.tsv")
	for name, c := range map[string]struct {
		files   map[string]string
		shard   int64
		args    []string
		want    []string
		dropped map[string]int64
	}{
		"plain":    {map[string]string{"sentences.csv": sentences, "links.csv": links, "README": "x"}, 1 << 20, nil, want, dropped},
		"in units": {map[string]string{"t/sentences.csv": sentences, "t/links.csv": links}, 1, nil, want, dropped},
		"gz and xz": {map[string]string{
			"sentences_detailed.csv.gz": compress(t, ".gz", strings.ReplaceAll(sentences, ".\n", ".\tsomebody\t\\N\t\\N\n")),
			"links.csv.xz":              compress(t, ".xz", links)}, 1 << 20, nil, want, dropped},
		"by language":   {of, 1 << 20, nil, want, byLanguage},
		"bz2, detailed": {detailed, 1, nil, want, byLanguage},
		"no French": {some, 1 << 20, nil, want[:3],
			map[string]int64{"no_sentence": 5, "other_languages": 2, "no_number": 2, "duplicate": 1, "empty": 1}},
		"two languages": {map[string]string{"sentences.csv": sentences, "links.csv": links}, 1 << 20, []string{"--languages=de,en"},
			want[2:3], map[string]int64{"no_sentence": 3, "other_languages": 6, "no_number": 1, "duplicate": 1, "empty": 1}},
		"duplicates": {map[string]string{"sentences.csv": sentences, "links.csv": links}, 1 << 20,
			[]string{"--languages=de,en", "--repeated"}, []string{want[2], want[2]},
			map[string]int64{"no_sentence": 3, "other_languages": 6, "no_number": 1, "empty": 1}},
	} {
		rows, m := run(t, c.shard, append(c.args, "--input="+folder(t, c.files))...)
		got := told(rows)
		slices.Sort(got)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if err := m.Funnel.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		counts := map[string]int64{}
		for reason, n := range pipelinetest.Dropped(m) {
			if !strings.HasPrefix(reason, "sentences ") {
				counts[reason[strings.LastIndexByte(reason, ' ')+1:]] += n
			}
		}
		if diff := cmp.Diff(c.dropped, counts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, p := range rows {
			if p.TextA == "Hallo." && p.TextB == "Hello." && !slices.Contains([]string{"2 1", "5 4"}, p.DocumentA+" "+p.DocumentB) {
				t.Errorf("%s: the pair is of the sentences %s and %s", name, p.DocumentA, p.DocumentB)
			}
		}
	}
}

// OPUS tells the documents of both texts of each line in a file beside them.
func TestDocumentIDs(t *testing.T) {
	const ids = "de/a.xml.gz\ten/a.xml.gz\t1\t1\nde/b.xml.gz\ten/c.xml.gz\t1 2\t7\n"
	files := map[string]string{"c.de-en.de": "eins\nzwei\n", "c.de-en.en": "one\ntwo\n", "c.de-en.ids": ids}
	for name, files := range map[string]map[string]string{"loose": files, "zip": {"z.zip": zipped(t, files)},
		"gz": {"c.de-en.de": files["c.de-en.de"], "c.de-en.en": files["c.de-en.en"], "c.de-en.ids.gz": compress(t, ".gz", ids)}} {
		rows, _ := run(t, 1<<20, "--input="+folder(t, files))
		var got []string
		for _, p := range rows {
			got = append(got, p.TextA+" "+p.DocumentA+" "+p.TextB+" "+p.DocumentB)
		}
		if diff := cmp.Diff([]string{"eins de/a.xml.gz one en/a.xml.gz", "zwei de/b.xml.gz two en/c.xml.gz"}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The pairs of OPUS's CCMatrix and NLLB have scores in a file beside them.
func TestScoresBeside(t *testing.T) {
	const ids, scores = "a\tb\t1\t1\nc\td\t2\t2\n", "1.25\n1.5\n"
	with := func(extra ...string) map[string]string {
		files := map[string]string{"c.de-en.de": "eins\nzwei\n", "c.de-en.en": "one\ntwo\n"}
		for i := 0; i < len(extra); i += 2 {
			files[extra[i]] = extra[i+1]
		}
		return files
	}
	scored := []string{"c.de-en deu:eins eng:one score 1.25", "c.de-en deu:zwei eng:two score 1.5"}
	for name, c := range map[string]struct {
		files   map[string]string
		want    []string
		reasons map[string]int64
	}{
		"loose":          {with("c.de-en.scores", scores), scored, map[string]int64{}},
		"with the .ids":  {with("c.de-en.scores.gz", compress(t, ".gz", scores), "c.de-en.ids", ids), scored, map[string]int64{}},
		"CRLF":           {with("c.de-en.scores", "\xef\xbb\xbf1.25\r\n1.5\r\n"), scored, map[string]int64{}},
		"one is damaged": {with("c.de-en.scores", "1.25\n1.x\n"), scored[:1], map[string]int64{"no_number": 1}},
		"they are others": {with("c.de-en.scores", "src 1\n"), []string{"c.de-en deu:eins eng:one", "c.de-en deu:zwei eng:two"},
			map[string]int64{}},
		"of another pair": {with("c.de-fr.scores", scores), []string{"c.de-en deu:eins eng:one", "c.de-en deu:zwei eng:two"},
			map[string]int64{}},
	} {
		rows, m := run(t, 1<<20, "--input="+folder(t, c.files))
		if diff := cmp.Diff(c.want, told(rows)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(c.reasons, reasons(m)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	zip := map[string]string{"z.zip": zipped(t, with("c.de-en.scores", scores))}
	if rows, _ := run(t, 1<<20, "--input="+folder(t, zip)); len(rows) != 2 || rows[1].Score == nil || *rows[1].Score != 1.5 {
		t.Errorf("in an archive: %v", told(rows))
	}
	job, err := config(t, "--input="+folder(t, with("c.de-en.scores", "src 1\n"))).Plan(t.Context(), t.TempDir(),
		pipelinetest.Settings(1<<20))
	if err != nil || !slices.Contains(job.Notes, "c.de-en.scores is left out: its first line, src 1, is not a number") {
		t.Errorf("notes are %q, error %v", job.Notes, err)
	}
	err = pipelinetest.Fails(t, config(t, "--input="+folder(t, with("c.de-en.scores", "1\n"))), pipelinetest.Settings(1<<20))
	if want := "c.de-en.de has 2 lines, c.de-en.en has 2 lines, c.de-en.scores has 1 line"; !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// An estimate counts the bytes of files as they are decompressed.
func TestContent(t *testing.T) {
	files := map[string]string{"c.de-en.de": strings.Repeat("eins\n", 1000), "c.de-en.en": strings.Repeat("one\n", 1000)}
	for name, files := range map[string]map[string]string{"loose": files, "zip": {"z.zip": zipped(t, files)},
		"gz": {"c.de-en.de.gz": compress(t, ".gz", files["c.de-en.de"]), "c.de-en.en": files["c.de-en.en"]},
		"JSON": {"c.jsonl.gz": compress(
			t, ".gz", strings.Repeat("{\"translation\": {\"de\": \"eins\", \"en\": \"one\"}}\n", 200))}} { // 45 bytes each
		job, err := config(t, "--input="+folder(t, files)).Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
		format := "aligned"
		if name == "JSON" {
			format = "jsonl"
		}
		if err != nil || !maps.Equal(job.Content, map[string]int64{format: 9000}) {
			t.Errorf("%s: %v bytes, want 9000; error %v", name, job.Content, err)
		}
	}
}

// A list names the files that are read.
func TestPaths(t *testing.T) {
	files := map[string]string{"a/c.de-en.de": "eins\n", "a/c.de-en.en": "one\n", "d.de-en.de": "zwei\n", "d.de-en.en": "two\n",
		"list": "\xef\xbb\xbfd.de-en.de\r\n\n d.de-en.en\n", "other": "d.de-en.de\na/c.de-en.fr\n", "half": "a/c.de-en.de\n", "none": "\n"}
	root := folder(t, files)
	rows, _ := run(t, 1<<20, "--input="+root, "--paths="+filepath.Join(root, "list"))
	if diff := cmp.Diff([]string{"d.de-en deu:zwei eng:two"}, told(rows)); diff != "" {
		t.Error(diff)
	}
	for list, want := range map[string]string{"other": `holds no file "a/c.de-en.fr" (1 of the names is missing)`,
		"half": "a/c.de-en.de has no other side: a/c.de-en.en is beside it and is not given: --paths must name both",
		"none": "names no file", "absent": "no such file"} {
		err := pipelinetest.Fails(t, config(t, "--input="+root, "--paths="+filepath.Join(root, list)), pipelinetest.Settings(1<<20))
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", list, err, want)
		}
	}
}

// What OPUS puts beside texts is not noted as left out, and what is beside none is.
func TestAlignmentBeside(t *testing.T) {
	files := map[string]string{"B.de-en.de": "a\n", "B.de-en.en": "b\n", "B.de-en.xml": "<cesAlign/>"}
	others := map[string]string{"B.de-en.de": "a\n", "B.de-en.en": "b\n", "C.de-en.xml": "<cesAlign/>"}
	for input, noted := range map[string]string{
		folder(t, files): "",
		folder(t, map[string]string{"de-en.txt.zip": zipped(t, files)}): "",
		folder(t, others): "C.de-en.xml: by name of no format",
	} {
		job, err := config(t, "--input="+input).Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
		notes := ""
		if err == nil {
			notes = strings.Join(job.Notes, "\n")
		}
		if err != nil || !strings.Contains(notes, noted) || noted == "" && strings.Contains(notes, "left out") {
			t.Errorf("%v, %q, want %q", err, notes, noted)
		}
	}
}

// The languages of --columns count, and a name that tells others is noted.
func TestColumnsBesideName(t *testing.T) {
	const want = "the name of c.zh-en.tsv tells the languages zho, eng, and --columns names "
	for columns, noted := range map[string]bool{"zh,en": false, "en,zh": false, "zho_Hans,en": false, "eng=2,zho=1": false, "fr,en": true,
		"fra=1,deu=2": true} {
		root := folder(t, map[string]string{"c.zh-en.tsv": "a\tb\n"})
		job, err := config(t, "--input="+root, "--columns="+columns).Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
		if err != nil || strings.Contains(strings.Join(job.Notes, "\n"), want) != noted {
			t.Errorf("%s: %v, %q", columns, err, job.Notes)
		}
	}
}

// Links that lead nowhere, and pipes, are left out with those that go with them, and counted; --unreadable=skip changes nothing in that.
func TestUnreadable(t *testing.T) {
	root := folder(t, map[string]string{"c.de-en.de": "eins\n", "c.de-en.en": "one\n", "d.de-en.de": "zwei\n"})
	for _, name := range []string{"d.de-en.en", "e.zip", "notes.html"} {
		if err := os.Symlink("gone", filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.de-en.tsv"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--input=" + root}, {"--input=" + root, "--unreadable=skip"}} {
		c := config(t, args...)
		out, _ := pipelinetest.Run(t, c, pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
		if diff := cmp.Diff([]string{"c.de-en deu:eins eng:one"}, told(pipelinetest.Rows[schemas.Pair](t, out))); diff != "" {
			t.Errorf("%v: %s", args, diff)
		}
		job, err := c.Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
		if err != nil {
			t.Fatal(err)
		}
		const want = "4 of 7 files are left out, such as d.de-en.en: cannot be opened; 1 that goes with them is left out, too"
		if !slices.Contains(job.Notes, want) {
			t.Errorf("%v: notes are %q, want %q", args, job.Notes, want)
		}
	}
	only := filepath.Join(root, "d.de-en.en")
	if err := pipelinetest.Fails(t, config(t, "--input="+only), pipelinetest.Settings(1<<20)); !strings.Contains(
		err.Error(), "d.de-en.en") {
		t.Error(err)
	}
}

// So are those that can be opened and not be read, as far as that is found before any work.
func TestDamaged(t *testing.T) {
	files := map[string]string{
		"c.de-en.de": "eins\n", "c.de-en.en": "one\n",
		"d.de-en.de.gz": compress(t, ".gz", "zwei\n")[:12], "d.de-en.en": "two\n",
		"e.zip": "text", "f.parquet": "PAR1", "g.tmx": "", "h.de-en.tsv.gz": "text",
		// A method that is not read, in the list of its files.
		"i.zip": strings.ReplaceAll(zipped(t, map[string]string{"i.de-en.tsv": "drei\tthree\n"}), "\x08\x00\x08\x00", "\x08\x00\x0e\x00"),
	}
	skip := config(t, "--unreadable=skip", "--input="+folder(t, files))
	out, _ := pipelinetest.Run(t, skip, pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
	if diff := cmp.Diff([]string{"c.de-en deu:eins eng:one"}, told(pipelinetest.Rows[schemas.Pair](t, out))); diff != "" {
		t.Error(diff)
	}
	job, err := skip.Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 of 9 files is left out, e.zip: cannot be opened",
		"5 of 9 files are left out, such as d.de-en.de.gz: cannot be read; 1 that goes with them is left out, too"} {
		if !slices.Contains(job.Notes, want) {
			t.Errorf("notes are %q, want %q", job.Notes, want)
		}
	}
}

// Damage behind the first records of a compressed file is found before any work, too.
func TestDamagedLater(t *testing.T) {
	var table, commas, objects, memory strings.Builder
	for i := range 20_000 {
		word := strconv.FormatUint(uint64(i)*0x9e3779b97f4a7c15, 36) // which compresses little
		fmt.Fprintf(&table, "Wort %s\tword %s\n", word, word)
		fmt.Fprintf(&commas, "Wort %s,word %s\n", word, word)
		fmt.Fprintf(&objects, "{\"translation\":{\"de\":\"Wort %s\",\"en\":\"word %s\"},\"de\":\"a %s\",\"en\":\"b\"}\n", word, word, word)
		fmt.Fprintf(&memory, `<tu><tuv xml:lang="de"><seg>Wort %s</seg></tuv><tuv xml:lang="en"><seg>word %s</seg></tuv></tu>`, word, word)
	}
	cut := func(extension, content string) string {
		whole := compress(t, extension, content)
		return whole[:len(whole)*3/4]
	}
	archive := []byte(zipped(t, map[string]string{"g.de-en.tsv": table.String()}))
	archive[len(archive)*3/4] ^= 1
	for name, c := range map[string]struct{ content, args string }{
		"a.de-en.tsv.gz":   {cut(".gz", table.String()), "--repeated"},
		"b.de-en.tsv.xz":   {cut(".xz", table.String()), "--repeated"},
		"c.de-en.csv.zst":  {cut(".zst", commas.String()), "--repeated"},
		"d.jsonl.gz":       {cut(".gz", objects.String()), "--repeated"},
		"e.jsonl.gz":       {cut(".gz", objects.String()), "--columns=de,en"},
		"f.tmx.gz":         {cut(".gz", "<tmx><body>"+memory.String()+"</body></tmx>"), "--repeated"},
		"g.zip":            {string(archive), "--repeated"},
		"h.de-en.en.gz":    {cut(".gz", objects.String()), "--repeated"},
		"sentences.csv.gz": {cut(".gz", strings.ReplaceAll(table.String(), "Wort ", "1\tdeu\t")), "--repeated"},
	} {
		files := map[string]string{name: c.content}
		switch name {
		case "sentences.csv.gz":
			files["links.csv"] = "1\t2\n"
		case "e.jsonl.gz":
			files["x.jsonl"] = "{\"de\":\"eins\",\"en\":\"one\"}\n"
		default:
			files["h.de-en.de"], files["x.de-en.tsv"] = "eins\n", "eins\tone\n"
		}
		if name != "h.de-en.en.gz" {
			delete(files, "h.de-en.de")
		}
		root := "--input=" + folder(t, files)
		if err := pipelinetest.Fails(t, config(t, root, c.args), pipelinetest.Settings(1<<20)); !strings.Contains(
			err.Error(), strings.TrimSuffix(name, ".zip")) ||
			!strings.Contains(err.Error(), "; --unreadable=skip leaves out files that cannot be read") {
			t.Errorf("%s: %v", name, err)
		}
		skip := config(t, root, c.args, "--unreadable=skip")
		if name == "sentences.csv.gz" {
			if err := pipelinetest.Fails(t, skip, pipelinetest.Settings(1<<20)); !strings.Contains(
				err.Error(), "no input can be read; 1 of 2 files is left out, sentences.csv.gz: cannot be read; 1 that goes with") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		out, _ := pipelinetest.Run(t, skip, pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
		if rows := pipelinetest.Rows[schemas.Pair](t, out); len(rows) != 1 || rows[0].TextA != "eins" {
			t.Errorf("%s: %d rows of the other file", name, len(rows))
		}
	}
}

// Scored pairs of STS-B are read row for row.
func TestSTSB(t *testing.T) {
	texts, scores := stsb(t, "de", "dev")
	data := realdata.Folder(t, "stsb_multi_mt")
	rows, _ := run(t, 1<<20, "--kind=sts", "--repeated", "--columns=de,de,target",
		"--input="+filepath.Join(data, "stsb_multi_mt", "stsb-de-dev.csv"))
	if len(rows) != len(scores) {
		t.Fatalf("%d rows, want %d", len(rows), len(scores))
	}
	for i, p := range rows {
		if line(p.TextA) != texts[2*i] || line(p.TextB) != texts[2*i+1] || *p.Target != scores[i] {
			t.Errorf("row %d: %q, %q, %v", i, p.TextA, p.TextB, *p.Target)
		}
	}
}

// The 112 files of LASER's Tatoeba are read row for row.
func TestTatoeba(t *testing.T) {
	data := filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba")
	english, err := filepath.Glob(filepath.Join(data, "*.eng"))
	if err != nil || len(english) == 0 {
		t.Skip("skipped: no files of Tatoeba")
	}
	lines := 0
	for _, name := range english {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(content, []byte("\n"))
	}
	_, m := run(t, 1<<20, "--repeated", "--input="+data)
	dropped := int64(0)
	for _, n := range pipelinetest.Dropped(m) {
		dropped += n
	}
	if m.Rows+dropped != int64(lines) || dropped > 40 {
		t.Errorf("%d rows and %d dropped, of %d lines", m.Rows, dropped, lines)
	}
}

// The part of a pair depends on its group and the seed: it is the same beside other files,
// in units of other sizes and in other formats, and all translations of a text are in one.
func TestParts(t *testing.T) {
	var sides [4]strings.Builder // English, German, Spanish; and English again
	for i := range 2000 {
		fmt.Fprintf(&sides[0], "text %d\n", i)
		fmt.Fprintf(&sides[1], "Text %d\n", i)
		fmt.Fprintf(&sides[2], "texto %d\n", i)
		fmt.Fprintf(&sides[3], "text %d\n", 1999-i)
	}
	both := folder(t, map[string]string{"c.de-en.de": sides[1].String(), "c.de-en.en": sides[0].String(), "d.en-es.es": sides[2].String(),
		"d.en-es.en": sides[0].String(), "e.en-fr.en": sides[3].String(),
		"e.en-fr.fr": strings.ReplaceAll(sides[2].String(), "texto", "texte")})
	german := folder(t, map[string]string{"c.de-en.tsv": func() string {
		var b strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&b, "Text %d\ttext %d\n", i, i)
		}
		return b.String()
	}()})
	parts := func(t *testing.T, shardBytes int64, part string, args ...string) map[string]string {
		rows, m := run(t, shardBytes, append(args, "--heldout-share=.1", "--part="+part)...)
		got := map[string]string{}
		for _, p := range rows {
			got[p.TextA+" "+p.TextB] = part
		}
		if n := reasons(m)["other_part"] + m.Rows; m.Rows == 0 || n != 2000 && n != 6000 {
			t.Errorf("%d rows of %s, %v", m.Rows, part, reasons(m))
		}
		return got
	}
	heldout, training := parts(t, 1<<20, "heldout", "--input="+both), parts(t, 1<<20, "training", "--input="+both)
	if len(heldout)+len(training) != 6000 || len(heldout) < 450 || len(heldout) > 750 {
		t.Errorf("%d of 6000 pairs are held out, %d are not", len(heldout), len(training))
	}
	for i := range 2000 {
		held := heldout[fmt.Sprintf("Text %d text %d", i, i)] != ""
		for _, other := range []string{fmt.Sprintf("text %d texto %d", i, i), fmt.Sprintf("text %d texte %d", i, 1999-i)} {
			if got := heldout[other] != ""; got != held {
				t.Fatalf("%q and other translations of it are in different parts", other)
			}
		}
	}
	for name, args := range map[string][]string{"alone, as a table": {"--input=" + german, "--pivot=en"},
		"in two languages": {"--input=" + both, "--languages=de,en"}} {
		for text := range parts(t, 4<<10, "heldout", args...) {
			if heldout[text] == "" {
				t.Errorf("%s: %q is held out", name, text)
			}
		}
	}
	made := config(t, "--input="+both, "--heldout-share=.1", "--part=heldout")
	settings := pipelinetest.Settings(1 << 20)
	settings.Seed++
	out, _ := pipelinetest.Run(t, made, settings, pipelinetest.Plain(2))
	same := 0
	for _, p := range pipelinetest.Rows[schemas.Pair](t, out) {
		if heldout[p.TextA+" "+p.TextB] != "" {
			same++
		}
	}
	if same > 150 {
		t.Errorf("another seed holds %d of the same pairs out", same)
	}
}

// Pairs without a text in the pivot's language have the group of one that translates a text
// of theirs, from whatever corpus; so all pairs of a text are in one part.
func TestJoinedGroups(t *testing.T) {
	lines := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.String()
	}
	files := folder(t, map[string]string{
		"c.de-en.de": lines("Text %d", 900) + "Ja\nJa\n", "c.de-en.en": lines("text %d", 900) + "yes\nyeah\n",
		"d.en-es.en": lines("text %d", 1000), "d.en-es.es": lines("texto %d", 1000),
		// Before the others by its name; its last lines have no English text anywhere.
		"b.de-es.de": lines("Text %d", 1100) + "Ja\n\n", "b.de-es.es": lines("texto %d", 1100) + "sí\nleer\n",
		"e.fr-it.fr": lines("texte %d", 10), "e.fr-it.it": lines("testo %d", 10),
	})
	for _, extra := range []string{"", "--repeated"} {
		args := []string{"--input=" + files, "--pivot=en"}
		if extra != "" {
			args = append(args, extra)
		}
		rows, _ := run(t, 4<<10, args...)
		groups := map[string]uint64{}
		for _, p := range rows {
			groups[p.TextA+"|"+p.TextB] = *p.Group
		}
		if len(rows) != 902+1000+1101+10 {
			t.Fatalf("%d pairs", len(rows))
		}
		for i := range 1000 {
			english := groups[fmt.Sprintf("text %d|texto %d", i, i)]
			if got := groups[fmt.Sprintf("Text %d|texto %d", i, i)]; got != english {
				t.Fatalf("pair %d of German and Spanish has group %x, its English text %x", i, got, english)
			}
		}
		if got, want := groups["Ja|sí"], min(groups["Ja|yes"], groups["Ja|yeah"]); got != want {
			t.Errorf("the pair of a text with two groups has %x, want the least, %x", got, want)
		}
		alone := map[uint64]bool{}
		for i := 1000; i < 1100; i++ {
			alone[groups[fmt.Sprintf("Text %d|texto %d", i, i)]] = true
		}
		for i := range 10 {
			alone[groups[fmt.Sprintf("texte %d|testo %d", i, i)]] = true
		}
		if len(alone) != 110 {
			t.Errorf("110 pairs that no English text translates have %d groups", len(alone))
		}
		for _, part := range []string{"training", "heldout"} {
			parts, m := run(t, 1<<20, append(slices.Clone(args), "--heldout-share=.1", "--part="+part)...)
			for _, p := range parts {
				if *p.Group != groups[p.TextA+"|"+p.TextB] {
					t.Fatalf("%s: %q has another group", part, p.TextA)
				}
			}
			if part == "heldout" && (len(parts) < 200 || len(parts) > 400) {
				t.Errorf("%d pairs are held out", len(parts))
			}
			if n := reasons(m)["other_part"] + reasons(m)["empty"] + m.Rows; n != 3014 {
				t.Errorf("%s: %d of 3014 pairs are accounted for, %v", part, n, reasons(m))
			}
		}
	}
}

// A text in another language than its file says is dropped, by the model's margin.
func TestLanguages(t *testing.T) {
	model := realdata.Variable(t, "SENTWEAVE_LID176")
	files := folder(t, map[string]string{
		"c.de-en.de": "Der Hund liegt unter dem Tisch und schläft.\nThe weather was very nice yesterday in the city.\nOk\n",
		"c.de-en.en": "The dog lies under the table and sleeps.\nThe weather was fine yesterday in this city.\nFine\n",
	})
	rows, m := run(t, 1<<20, "--input="+files, "--langid="+model)
	if diff := cmp.Diff(map[string]int64{"wrong_language": 1}, reasons(m)); diff != "" {
		t.Errorf("%s\n%v", diff, told(rows))
	}
}

// A script of --languages is that of the texts, whatever files say.
func TestScripts(t *testing.T) {
	files := folder(t, map[string]string{
		"c.en-sr.en": "The house is old.\nThe river is deep.\nThe bridge is new.\n",
		"c.en-sr.sr": "Kuća je stara.\nРека је дубока.\nМост (the long bridge) је нов.\n",
	})
	for languages, want := range map[string]struct {
		dropped int64
		texts   string
	}{
		"eng,srp":      {0, "Kuća je stara. Река је дубока. Мост (the long bridge) је нов."},
		"eng,srp_Latn": {1, "Kuća je stara. Мост (the long bridge) је нов."},
		"eng,srp_Cyrl": {2, "Река је дубока."},
		"eng_Cyrl,srp": {3, ""},
	} {
		rows, m := run(t, 1<<20, "--input="+files, "--languages="+languages)
		var texts []string
		for _, row := range rows {
			texts = append(texts, row.TextB)
		}
		if got := reasons(m)["wrong_script"]; got != want.dropped || strings.Join(texts, " ") != want.texts {
			t.Errorf("%s: %d dropped, and left %q", languages, got, texts)
		}
	}
}
