package senteval

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/transforms/testsets/benchmark"
)

// The numbers that SentEval's README prints, and CMLM's table of tasks has.
func TestPublishedCounts(t *testing.T) {
	want := map[string]int{
		"mr": 10662, "cr": 3775, "mpqa": 10606, "subj": 10000, "sst2": 67349 + 872 + 1821, "sst5": 11855, "trec": 5952, "mrpc": 5801,
		"sick": 9927, "stsb": 8628, "sts12": 3108, "sts13": 1500, "sts14": 3750, "sts15": 3000, "sts16": 1186, "snli": 549367 + 9842 + 9824,
	}
	for _, k := range Tasks() {
		if k.Rows() != want[k.Name] {
			t.Errorf("%s: %d rows, want %d", k.Name, k.Rows(), want[k.Name])
		}
		delete(want, k.Name)
	}
	if len(want) > 0 {
		t.Errorf("no task %v", want)
	}
}

// What is at hand of the real files has exactly these rows: Read fails otherwise.
func TestRealCounts(t *testing.T) {
	folder := realFolder(t)
	for _, k := range Tasks() {
		if k.Name == "mrpc" || k.Name == "sick" || k.Name == "snli" {
			continue
		}
		rows, gold := readAll(t, Source{Language: "eng"}, k, folder), 0
		labels := map[string]int{}
		for _, r := range rows {
			if !r.Skip {
				gold++
			}
			labels[r.Label]++
			// One text of STS12 has U+FFFD in its file.
			if k.Latin1 && strings.Contains(r.TextA+r.TextB, "\ufffd") {
				t.Errorf("%s row %d lost characters: %q", r.File, r.Row, r.TextA)
			}
		}
		if gold != k.Rows() {
			t.Errorf("%s: %d rows with gold, want %d", k.Name, gold, k.Rows())
		}
		if k.Name == "sts16" && len(rows) != 1572+1498+1271+3287+1555 {
			t.Errorf("sts16: %d rows with those without gold", len(rows))
		}
		if k.Name == "mr" && (labels["1"] != 5331 || labels["0"] != 5331) {
			t.Errorf("mr: labels %v", labels)
		}
	}
}

func record(k Task, file string, data ...string) ([]schemas.Benchmark, []benchmark.Record, error) {
	folder := fstest.MapFS{}
	for _, f := range k.Files {
		for i, name := range f.names() {
			folder[name] = &fstest.MapFile{}
			if f.Name == file && i < len(data) {
				folder[name].Data = []byte(data[i])
			}
		}
	}
	k.Files = slices.DeleteFunc(slices.Clone(k.Files), func(f File) bool { return f.Name != file })
	return benchmark.Rows(Source{Language: "eng", Partial: true}.Read(k, reader(folder)))
}

func TestParse(t *testing.T) {
	header := map[string]string{"mrpc": headers[kindMRPC] + "\n", "sick": headers[kindSICK] + "\n"}
	const mrpc, sick, stsb, sts = "MRPC/msr_paraphrase_train.txt", "SICK/SICK_train.txt", "STS/STSBenchmark/sts-dev.csv",
		"STS/STS16-en-test/STS.input.headlines.txt"
	for _, c := range []struct {
		task, file, line string
		more             []string
		want             string // a row, or the reason
	}{
		{"mr", "MR/rt-polarity.pos", "clich\xe9 \x85 \x96 good . ", nil, "1 |cliché … – good .|"},
		{"mr", "MR/rt-polarity.neg", "clichM-i M-^E bad", nil, "0 |cliché … bad|"},
		{"cr", "CR/custrev.pos", "", nil, ""}, // an empty file has no line
		{"cr", "CR/custrev.pos", "\n", nil, "1 ||"},
		{"cr", "CR/custrev.pos", "a\tb", nil, "1 |a\tb|"},
		{"sst2", "SST/binary/sentiment-dev", "so good \t1", nil, "1 |so good|"},
		{"sst2", "SST/binary/sentiment-dev", "so good 1", nil, "fields"},
		{"sst2", "SST/binary/sentiment-dev", "so\tgood\t1", nil, "fields"},
		{"sst2", "SST/binary/sentiment-dev", "so good\t2", nil, "label"},
		{"sst2", "SST/binary/sentiment-dev", "\t1", nil, "empty"},
		{"sst2", "SST/binary/sentiment-dev", "caf\xe9\t1", nil, "encoding"},
		{"sst5", "SST/fine/sentiment-dev", "4 a 3 star film", nil, "4 |a 3 star film|"},
		{"sst5", "SST/fine/sentiment-dev", "5 no", nil, "label"},
		{"sst5", "SST/fine/sentiment-dev", "4", nil, "fields"},
		{"trec", "TREC/TREC_10.label", "NUM:dist How far : is it ?", nil, "NUM:dist |How far : is it ?|"},
		{"trec", "TREC/TREC_10.label", "XXX:dist How ?", nil, "label"},
		{"trec", "TREC/TREC_10.label", "NUM How far ?", nil, "fields"},
		{"trec", "TREC/TREC_10.label", "NUM:dist", nil, "empty"},
		{"mrpc", mrpc, "1\t2\t3\tA \"b\tC", nil, "1 |A \"b|C"},
		{"mrpc", mrpc, "1\t2\t3\tA", nil, "fields"},
		{"mrpc", mrpc, "1\t2\t3\tA\t", nil, "empty"},
		{"sick", sick, "1\tA b\tC d\t4.5\tNEUTRAL", nil, "neutral 4.5|A b|C d"},
		{"sick", sick, "1\tA b\tC d\t5.5\tNEUTRAL", nil, "score"},
		{"sick", sick, "1\tA b\tC d\t4.5\tMAYBE", nil, "label"},
		{"stsb", stsb, "g\tf\ty\t0001\t2.500\tA\tB\tsource\tsource", nil, " 2.5|A|B"},
		{"stsb", stsb, "g\tf\ty\t0001\tNaN\tA\tB", nil, "score"},
		{"stsb", stsb, "g\tf\ty\t0001\t2.5\tA", nil, "fields"},
		{"sts16", sts, "A\tB", []string{"3"}, " 3|A|B"},
		{"sts16", sts, "A\tB", []string{"\n"}, " skip|A|B"},
		{"sts16", sts, "A\tB", []string{"x"}, "score"},
		{"sts16", sts, "A\tB\tC", []string{"3"}, "fields"},
		{"snli", "SNLI/s1.dev", "A", []string{"B", "neutral"}, "neutral |A|B"},
		{"snli", "SNLI/s1.dev", "A", []string{"B", "-"}, " skip|A|B"},
		{"snli", "SNLI/s1.dev", "A", []string{"B", "maybe"}, "label"},
	} {
		rows, malformed, err := record(task(t, c.task), c.file, append([]string{header[c.task] + c.line}, c.more...)...)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case len(malformed) == 1:
			got = malformed[0].Reason
		case len(rows) == 1:
			r := rows[0]
			got = r.Label + " "
			if r.Target != nil {
				got += number(*r.Target)
			}
			if r.Skip {
				got += "skip"
			}
			got += "|" + r.TextA + "|" + r.TextB
		}
		if got != c.want {
			t.Errorf("%s %q %q: got %q, want %q", c.task, c.line, c.more, got, c.want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	small := func(change func(fstest.MapFS)) fstest.MapFS {
		f := smallFolder()
		change(f)
		return f
	}
	for _, c := range []struct {
		name, task string
		source     Source
		folder     fs.FS
		want       []string
	}{
		{"missing", "trec", Source{Language: "eng"}, fstest.MapFS{},
			[]string{"read trec: files are missing: TREC/train_5500.label, TREC/TREC_10.label"}},
		{"count", "sick", Source{Language: "eng"}, smallFolder(),
			[]string{"read sick: SICK/SICK_train.txt ends at line 4 with 3 rows that have gold, SentEval's has 4500"}},
		{"parallel", "snli", Source{Language: "eng", Partial: true},
			small(func(f fstest.MapFS) { f["SNLI/labels.dev"].Data = []byte("neutral\n") }),
			[]string{"read snli: SNLI/labels.dev ends at line 1, SNLI/s1.dev at line 3: they must go line by line"}},
		{"header", "mrpc", Source{Language: "eng", Partial: true},
			small(func(f fstest.MapFS) { f["MRPC/msr_paraphrase_test.txt"].Data = []byte("1\t2\t3\ta\tb\n") }),
			[]string{"MRPC/msr_paraphrase_test.txt line 1 is not the header"}},
		{"utf-16", "mrpc", Source{Language: "eng", Partial: true},
			small(func(f fstest.MapFS) { f["MRPC/msr_paraphrase_train.txt"].Data = []byte("\xff\xfeQ\x00") }),
			[]string{"it is UTF-16"}},
		{"misuse", "mrpc", Source{Language: "english", Form: "x", Spacing: "y"}, smallFolder(),
			[]string{`language "english"`, `form "x"`, `spacing "y"`}},
	} {
		_, _, err := benchmark.Rows(c.source.Read(task(t, c.task), reader(c.folder)))
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", c.name, err, want)
			}
		}
		if c.name == "missing" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v is not fs.ErrNotExist", err)
		}
	}
	for range (Source{Language: "eng", Partial: true}).Read(task(t, "sick"), reader(smallFolder())) {
		break // the consumer may stop
	}
}

func TestUndoCatV(t *testing.T) {
	for in, want := range map[string]string{
		"clichM-i and naM-ove": "cliché and naïve", "hmmmM-^Emight": "hmmm…might", "M-^V a M-^W": "– a —", "brM- { lM-ie": "brûlée",
		"plain m-16": "plain m-16", "an M-16 for Him": "an M-16 for Him", "The M-i": "The M-i", "endM-": "endM-", "M-^": "Þ", "": "",
	} {
		if got := undoCatV(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	for b := 0x80; b <= 0xff; b++ {
		visible := catVisible([]byte{byte(b)})
		if got := undoCatV("x" + visible + "x"); b != 0xa0 && utf8.RuneCountInString(got) != 3 {
			t.Errorf("byte %02x as %q: got %q", b, visible, got)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	k := task(t, "sick")
	good := readAll(t, Source{Language: "eng", Partial: true}, k, smallFolder())
	w := Format{FormUTF8, SpacingText, true}
	for _, c := range []struct {
		name   string
		change func(rows []schemas.Benchmark) []schemas.Benchmark
		want   string
	}{
		{"good", func(r []schemas.Benchmark) []schemas.Benchmark { return r }, ""},
		{"any order", func(r []schemas.Benchmark) []schemas.Benchmark { slices.Reverse(r); return r }, ""},
		{"missing", func(r []schemas.Benchmark) []schemas.Benchmark { return slices.Delete(r, 1, 2) },
			"SICK/SICK_train.txt: row 1 is missing or occurs twice"},
		{"twice", func(r []schemas.Benchmark) []schemas.Benchmark { return append(r, r[1]) }, "row 1 is missing or occurs twice"},
		{"file", func(r []schemas.Benchmark) []schemas.Benchmark { return r[:6] }, "no row of SICK/SICK_test_annotated.txt"},
		{"task", func(r []schemas.Benchmark) []schemas.Benchmark { r[2].Task = "mr"; return r }, "is not of this task"},
		{"language", func(r []schemas.Benchmark) []schemas.Benchmark { r[2].LanguageA = "deu"; return r },
			`is in "deu" and "eng", others in "eng"`},
		{"empty", func(r []schemas.Benchmark) []schemas.Benchmark { r[2].TextA = " \u00a0"; return r }, "row 2: a text is empty"},
		{"label", func(r []schemas.Benchmark) []schemas.Benchmark { r[2].Label = "x"; return r }, `label "x" is not one of`},
		{"score", func(r []schemas.Benchmark) []schemas.Benchmark { r[2].Target = nil; return r }, "has no score"},
		{"skip", func(r []schemas.Benchmark) []schemas.Benchmark { r[2].Skip = true; return r }, "has no gold"},
		{"invalid", func(r []schemas.Benchmark) []schemas.Benchmark { r[2].TextA = "\xff"; return r }, "text_a is not UTF-8"},
	} {
		files, err := w.Write(k, c.change(slices.Clone(good)))
		if c.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		if err == nil && !strings.HasPrefix(
			string(files[0].Data), headers[kindSICK]+"\n1\tA man sits\tA man is n't standing\t4.5\tNEUTRAL\n") {
			t.Errorf("%s: got %q", c.name, files[0].Data)
		}
	}
	if _, err := (Format{FormUTF8, SpacingText, false}).Write(k, good); err == nil ||
		!strings.Contains(err.Error(), "SICK/SICK_train.txt has 3 rows with gold, SentEval's has 4500") {
		t.Errorf("got %v", err)
	}
	if _, err := (Format{}).Write(k, good); err == nil || !strings.Contains(err.Error(), "must be set") {
		t.Errorf("got %v", err)
	}
	lost := schemas.Benchmark{ID: schemas.ID("x", 1), Task: "cr", File: "CR/custrev.pos", LanguageA: "deu", OriginalA: "good", Label: "1"}
	if _, err := w.Write(task(t, "cr"), []schemas.Benchmark{lost}); err == nil || !strings.Contains(err.Error(), "a text is empty") {
		t.Errorf("a lost translation: %v", err)
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{"R&D &lt; х": "R&amp;D &amp;lt; &#1093;", "a": "a", "&#65;": "&amp;#65;", "😀": "&#128512;"} {
		if got := escape(in); got != want || unescape(got) != in || html.UnescapeString(got) != in {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// What is wrong with the bytes of a folder is found.
func TestCheckFiles(t *testing.T) {
	k := task(t, "cr")
	w := Format{FormUTF8, SpacingText, true}
	good := "хорошо\nплохо\n"
	for name, c := range map[string]struct {
		data []byte
		kind string
	}{
		"good":       {[]byte(good), ""},
		"latin-1":    {[]byte("cliché\n\xe9\n"), benchmark.FaultEncoding},
		"mark":       {[]byte("\ufeff" + good), benchmark.FaultEncoding},
		"cr":         {[]byte("a\r\nb\r\n"), benchmark.FaultCharacters},
		"truncated":  {[]byte(good[:len(good)-1]), benchmark.FaultFile},
		"empty":      {nil, benchmark.FaultFile},
		"nel":        {[]byte("a\u0085b\n"), benchmark.FaultFile},
		"separator":  {[]byte("a\u2028b\n"), benchmark.FaultFile},
		"form feed":  {[]byte("a\fb\n"), benchmark.FaultFile},
		"lone cr":    {[]byte("a\rb\n"), benchmark.FaultFile},
		"file separ": {[]byte("a\x1cb\n"), benchmark.FaultFile},
	} {
		folder := fstest.MapFS{"CR/custrev.pos": {Data: c.data}, "CR/custrev.neg": {Data: []byte(good)}}
		faults := w.checkFiles(k, "rus", reader(folder))
		if (c.kind == "") != (len(faults) == 0) {
			t.Errorf("%s: %v", name, faults)
		}
		if c.kind != "" && !slices.ContainsFunc(
			faults, func(f benchmark.Fault) bool { return f.Kind == c.kind && f.File == "CR/custrev.pos" }) {
			t.Errorf("%s: got %v, want %s", name, faults, c.kind)
		}
	}
	faults := w.checkFiles(k, "rus", reader(fstest.MapFS{}))
	if len(faults) != 2 {
		t.Errorf("an empty folder has faults %v", faults)
	}
	// The unshimmed loader, and a form that is not ASCII.
	folder := fstest.MapFS{"CR/custrev.pos": {Data: []byte("х\n")}, "CR/custrev.neg": {Data: []byte("y\n")}}
	faults = Format{FormReferences, SpacingText, true}.checkFiles(k, "rus", reader(folder))
	if fmt.Sprint(faults) != `[cr rus: CR/custrev.pos: encoding: it is not ASCII, as files with character references are cr rus: CR/custrev.pos: file: SentEval's loader sees 2 rows, there are 1]` {
		t.Errorf("got %v", faults)
	}
}

func TestGuide(t *testing.T) {
	for _, f := range []Format{{FormUTF8, SpacingText, true}, {FormReferences, SpacingCharacters, true}} {
		files, err := f.Guide("Russian")
		if err != nil || files[0].Name != "README.txt" || (len(files) == 2) != (f.Form == FormUTF8) {
			t.Errorf("%v: %v %v", f, files, err)
		}
	}
}

// Whatever is in a file, every line is a row or has a reason, ordinals have no
// gaps, rows are valid, and what is written is read back.
func FuzzRead(f *testing.F) {
	f.Add(uint8(0), []byte("clich\xe9 M-^E\n\n a \n"))
	f.Add(uint8(4), []byte("so good\t1\nbad\t0\n"))
	f.Add(uint8(5), []byte("4 a\n0 b"))
	f.Add(uint8(6), []byte("NUM:dist How ?\r\nABBR:exp x\u0085y\n"))
	f.Add(uint8(7), []byte("\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t2\t3\tA\tB\n"))
	f.Add(uint8(8), []byte("pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n1\tA\tB\t3\tNEUTRAL\n"))
	f.Add(uint8(9), []byte("g\tf\ty\t1\t2.5\tA\tB\n"))
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		k := Tasks()[int(n)%10]
		k.Files = k.Files[:1]
		folder := fstest.MapFS{k.Files[0].Name: {Data: data}}
		var rows []schemas.Benchmark
		next, clean := int32(0), true
		for r, err := range (Source{Language: "eng", Partial: true}).Read(k, reader(folder)) {
			if err != nil {
				return
			}
			if r.Row.Row != next || r.Line < 1 || r.Row.ID == "" {
				t.Fatalf("record %d is row %d of line %d", next, r.Row.Row, r.Line)
			}
			next++
			if r.Reason != "" {
				if !slices.Contains(benchmark.Reasons(), r.Reason) || r.Detail == "" {
					t.Fatalf("reason %q, %q", r.Reason, r.Detail)
				}
				clean = false
				continue
			}
			if err := r.Row.Validate(); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, r.Row)
		}
		if !clean || len(rows) == 0 {
			return
		}
		for _, w := range []Format{{FormUTF8, SpacingText, true}, {FormReferences, SpacingText, true},
			{FormReferences, SpacingCharacters, true}} {
			files, err := w.Write(k, rows)
			if err != nil {
				continue // white space alone, or a label with some
			}
			back := readAll(t, Source{Language: "eng", Form: w.Form, Spacing: w.Spacing, Partial: true}, k, folderOf(files))
			if len(back) != len(rows) {
				t.Fatalf("%d rows, %d read back", len(rows), len(back))
			}
			for i := range back {
				want := benchmark.Clean(rows[i].TextA)
				if w.Spacing == SpacingCharacters {
					want = strings.ReplaceAll(want, "▁", "_")
				}
				if back[i].TextA != want || back[i].Label != rows[i].Label || back[i].ID != rows[i].ID {
					t.Fatalf("%+v was read back as %+v", rows[i], back[i])
				}
			}
			if faults := w.checkFiles(k, "eng", reader(folderOf(files))); len(faults) > 0 {
				t.Fatalf("%v", faults)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	folder, k := realFolder(b), task(b, "sst2")
	size := 0
	for _, f := range k.Files {
		size += len(folder[f.Name].Data)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range (Source{Language: "eng"}).Read(k, reader(folder)) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
