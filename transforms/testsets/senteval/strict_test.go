package senteval

import (
	"strings"
	"testing"
	"testing/fstest"

	"sentweave/transforms/testsets/benchmark"
)

// Strict refuses a line exactly where SentEval's own loaders stop.
func TestStrictAsSentEval(t *testing.T) {
	sick := func(line string) map[string]string {
		return map[string]string{"SICK/SICK_train.txt": headers[kindSICK] + "\n" + line + "\n"}
	}
	stsb := func(line string) map[string]string {
		return map[string]string{"STS/STSBenchmark/sts-train.csv": line + "\n"}
	}
	score := func(line string) map[string]string {
		return map[string]string{"STS/STS16-en-test/STS.gs.headlines.txt": line + "\n2\n"}
	}
	for _, c := range []struct {
		task, loader string
		files        map[string]string
		stops        string // the error of Python, "" for a row
	}{
		{"sick", "sick-e", sick("1\tA\tB\t3\tNEUTRAL"), ""},
		{"sick", "sick-e", sick("1\tA\tB\t3\tNEUTRAL \u00a0"), ""},
		{"sick", "sick-e", sick("1\tA\tB\t3\tneutral"), "KeyError"},
		{"sick", "sick-e", sick("1\tA\tB\t3\t NEUTRAL"), "KeyError"},
		{"sick", "sick-r", sick("\tA\tB\t3\tNEUTRAL"), "ValueError"},
		{"sick", "sick-r", sick("1\tA\tB\t 3.50 \tNEUTRAL"), ""},
		{"sick", "sick-r", sick("1\tA\tB\t35e-1\tNEUTRAL"), ""},
		{"sick", "sick-r", sick("1\tA\tB\t0x3p0\tNEUTRAL"), "ValueError"},
		{"stsb", "stsb", stsb("g\tf\ty\t1\t+2.5\tA\tB"), ""},
		{"stsb", "stsb", stsb("\tf\ty\t1\t2.5\tA\tB"), "IndexError"},
		{"stsb", "stsb", stsb("g\tf\ty\t1\t0X1P0\tA\tB"), "ValueError"},
		{"sts16", "sts16", score(""), ""},
		{"sts16", "sts16", score("1.50 "), ""},
		{"sts16", "sts16", score(" "), "ValueError"},
		{"sts16", "sts16", score("0x1p0"), "ValueError"},
	} {
		folder, disk := smallFolder(), t.TempDir()
		for _, split := range []string{"train", "dev", "test"} {
			folder["STS/STSBenchmark/sts-"+split+".csv"] = &fstest.MapFile{Data: []byte("g\tf\ty\t1\t2.5\tA\tB\n")}
		}
		for _, f := range task(t, "sts16").Files {
			folder[f.Name] = &fstest.MapFile{Data: []byte("A b\tB\nC\tD e\n")}
			folder[f.gold] = &fstest.MapFile{Data: []byte("1\n2\n")}
		}
		for name, data := range c.files {
			folder[name] = &fstest.MapFile{Data: []byte(data)}
		}
		place(t, disk, filesOf(folder))
		k := task(t, c.task)
		_, malformed, err := benchmark.Rows(Source{Language: "rus", Partial: true, Strict: true}.Read(k, reader(folder)))
		if err != nil || (len(malformed) > 0) != (c.stops != "") {
			t.Errorf("%q: %v %v, want %q", c.files, malformed, err, c.stops)
		}
		if lenient, bad, err := benchmark.Rows(Source{Language: "rus", Partial: true}.Read(k, reader(folder))); err != nil ||
			len(bad) > 0 || len(lenient) == 0 {
			t.Errorf("%q: %v %v: Read takes what means the same", c.files, bad, err)
		}
		rows := loaded(t, disk, "plain", c.loader)[c.loader]
		if got := rows[len(rows)-1]; got[1] == "error" != (c.stops != "") || c.stops != "" && got[2] != c.stops {
			t.Errorf("%q: SentEval gives %q, want %q", c.files, got, c.stops)
		}
	}
}

// The shim reads each line as Read does, whatever the lines beside it are.
func TestShimLineByLine(t *testing.T) {
	folder, disk := fstest.MapFS{ShimName: {Data: shim}}, t.TempDir()
	for name, data := range map[string]string{
		"TREC/train_5500.label": "HUM:ind clich\xe9 \x85 a\x81b \x96\nHUM:ind cliché х Р\r\nHUM:ind Who ?",
		"TREC/TREC_10.label":    "HUM:ind Who ?\n",
		"CR/custrev.pos":        "clich\xe9 \x85 \x8d\ncliché х Р\n\nokay\r\nno\n",
		"CR/custrev.neg":        "\x85\n\x85\n",
	} {
		folder[name] = &fstest.MapFile{Data: []byte(data)}
	}
	place(t, disk, filesOf(folder))
	for _, name := range []string{"trec", "cr"} {
		k, lines := task(t, name), 0
		want := readAll(t, Source{Language: "eng", Partial: true}, k, folder)
		for _, f := range k.Files {
			n, err := loaderRows(k, f.Name, folder[f.Name].Data, true)
			if err != nil {
				t.Fatal(err)
			}
			lines += n
		}
		if lines != len(want) {
			t.Errorf("%s: LoaderRows sees %d rows, there are %d", name, lines, len(want))
		}
		got := loaded(t, disk, "shim", name)[name]
		same(t, name, false, got, asLoaded(t, k, name, want))
		if all := strings.Join(got[0], " "); !strings.Contains(all, "cliché …") {
			t.Errorf("%s: %q", name, all)
		}
	}
}
