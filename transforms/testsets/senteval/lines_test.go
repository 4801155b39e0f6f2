package senteval

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"sentweave/schemas"
	"sentweave/transforms/testsets/benchmark"
)

// faultsOf checks a folder of a task that is spoilt by change, alone and beside the rows
// that it was made of.
func faultsOf(t *testing.T, w Format, k Task, english fstest.MapFS,
	change func(folder fstest.MapFS, rows []schemas.Benchmark) []schemas.Benchmark) (alone, beside benchmark.Report) {
	t.Helper()
	source := readAll(t, Source{Language: "eng", Partial: true, KeepEmpty: true}, k, english)
	rows := translate(t, source, SpacingText)
	files, err := w.Write(k, rows)
	if err != nil {
		t.Fatal(err)
	}
	folder := folderOf(files)
	rows = change(folder, rows)
	for i := range source {
		source[i] = k.InFolder(source[i])
	}
	checker, err := benchmark.NewChecker(benchmark.CheckConfig{MaxUntranslated: 1}, source)
	if err != nil {
		t.Fatal(err)
	}
	if alone, err = w.Check(checker, k, "rus", reader(folder)); err != nil {
		t.Fatal(err)
	}
	if beside, err = w.Check(checker, k, "rus", reader(folder), w.CheckLines(k, "rus", reader(folder), rows)...); err != nil {
		t.Fatal(err)
	}
	return alone, beside
}

// What SentEval's loaders stop at, cut, or read otherwise is a fault of the folder alone;
// every byte that differs is one beside the dataset.
func TestSpoiltLines(t *testing.T) {
	english := smallFolder()
	for name, data := range map[string]string{
		"STS/STSBenchmark/sts-train.csv": "g\tf\ty\t1\t2.5\tA\tB\ng\tf\ty\t2\t1\tC\tD\n",
		"STS/STSBenchmark/sts-dev.csv":   "g\tf\ty\t1\t2.5\tA\tB\n", "STS/STSBenchmark/sts-test.csv": "g\tf\ty\t1\t2.5\tA\tB\n",
	} {
		english[name] = &fstest.MapFile{Data: []byte(data)}
	}
	for _, year := range stsYears {
		for _, s := range year.subtasks {
			folder := "STS/STS" + year.year + "-en-test/STS."
			english[folder+"input."+s.name+".txt"] = &fstest.MapFile{Data: []byte("A\tB\nC\tD\nE\tF\n")}
			english[folder+"gs."+s.name+".txt"] = &fstest.MapFile{Data: []byte("1.5\n\n4\n")}
		}
	}
	const sick, stsb, mrpc = "SICK/SICK_train.txt", "STS/STSBenchmark/sts-train.csv", "MRPC/msr_paraphrase_train.txt"
	const scores, labels, second = "STS/STS16-en-test/STS.gs.headlines.txt", "SNLI/labels.test", "SNLI/s2.test"
	for _, c := range []struct {
		name, task, file, old, new string
		alone                      string // kind, "" where SentEval reads the same
		beside                     string // fault of the line
	}{
		{"nothing", "sick", sick, "", "", "", ""},
		{"nothing", "sts16", scores, "", "", "", ""},
		{"nothing", "snli", labels, "", "", "", ""},
		{"label in lower case", "sick", sick, "NEUTRAL", "neutral", benchmark.FaultLabel, "row 0: line: line 2 of " + sick},
		{"label after a space", "sick", sick, "NEUTRAL", " NEUTRAL", benchmark.FaultLabel, "row 0: line: line 2 of " + sick},
		{"space after the label", "sick", sick, "NEUTRAL", "NEUTRAL ", "", "row 0: line: line 2 of " + sick},
		{"hexadecimal score", "sick", sick, "\t3\t", "\t0x3p0\t", benchmark.FaultTarget, "row 2: line: line 4 of " + sick},
		{"score with underscores", "sick", sick, "\t3\t", "\t0x_3p0\t", benchmark.FaultTarget, "row 2: line: "},
		{"infinite score", "sick", sick, "\t3\t", "\tinf\t", benchmark.FaultTarget, "row 2: line: "},
		{"score that is not one", "stsb", stsb, "\t2.5\t", "\tnan\t", benchmark.FaultTarget, "row 0: line: "},
		{"score with zeros", "stsb", stsb, "\t2.5\t", "\t2.500\t", "", "row 0: line: "},
		{"no genre", "stsb", stsb, "stsb\ttrain\trus\t0001", "\ttrain\trus\t0001", benchmark.FaultFile, "row 1: line: line 2 of " + stsb},
		{"another id", "mrpc", mrpc, "1\t702876\t", "1\t702877\t", benchmark.FaultID, "row 0: line: line 2 of " + mrpc},
		{"another header", "mrpc", mrpc, "#1 ID", "id", "", "row -1: line: line 1 of " + mrpc},
		{"space for an empty score", "sts16", scores, "\n\n", "\n \n", benchmark.FaultTarget, "row 1: line: line 2 of " + scores},
		{"hexadecimal score", "sts16", scores, "4", "0x4p0", benchmark.FaultTarget, "row 2: line: "},
		{"space after the label", "snli", labels, "neutral", "neutral ", benchmark.FaultLabel,
			`row 2: line: line 3 of SNLI/labels.test is "neutral \n", the dataset gives "neutral\n"`},
		{"label in capitals", "snli", labels, "neutral", "Neutral", benchmark.FaultLabel, "row 2: line: "},
		{"space after a text", "snli", second, "\n", " \n", "", "row 0: line: line 1 of " + second},
		{"last line gone", "snli", second, "Ич барки\n", "", benchmark.FaultFile, ""},
	} {
		alone, beside := faultsOf(t, Format{FormUTF8, SpacingText, true}, task(t, c.task), english,
			func(folder fstest.MapFS, rows []schemas.Benchmark) []schemas.Benchmark {
				data := folder[c.file].Data
				if c.name != "nothing" && c.name != "last line gone" && !bytes.Contains(data, []byte(c.old)) {
					t.Fatalf("%s: no %q in %q", c.name, c.old, data)
				}
				if c.name == "last line gone" {
					folder[c.file].Data = data[:bytes.LastIndexByte(data[:len(data)-1], '\n')+1]
				} else if c.name != "nothing" {
					folder[c.file].Data = bytes.Replace(data, []byte(c.old), []byte(c.new), 1)
				}
				return rows
			})
		if c.alone == "" != (len(alone.Faults) == 0) || c.alone != "" &&
			!slices.ContainsFunc(alone.Faults, func(f benchmark.Fault) bool { return f.Kind == c.alone }) {
			t.Errorf("%s in %s: got %v, want %s", c.name, c.file, alone.Faults, c.alone)
		}
		var lines []string
		for _, f := range beside.Faults {
			if f.Kind == benchmark.FaultLine {
				lines = append(lines, strings.Replace(f.String(), f.File+": line", f.File+" row -1: line", 1))
			}
		}
		if wrong := len(lines) != 1 || !strings.Contains(lines[0], c.beside); c.name == "nothing" && len(lines) > 0 ||
			c.name != "nothing" && wrong {
			t.Errorf("%s in %s: got %q, want %q", c.name, c.file, lines, c.beside)
		}
	}
}

// A dataset of which no folder can be made is told of once, with the reason, and rows
// with another line are none of the same.
func TestCheckLines(t *testing.T) {
	k := task(t, "sick")
	n := 9
	for name, c := range map[string]struct {
		change func(folder fstest.MapFS, rows []schemas.Benchmark) []schemas.Benchmark
		want   string
		same   int
	}{
		"row gone": {func(_ fstest.MapFS, r []schemas.Benchmark) []schemas.Benchmark { return slices.Delete(r, 1, 2) },
			"sick rus: SICK/SICK_train.txt: line: the dataset gives no folder: SICK/SICK_train.txt: row 1 is missing or occurs twice", n},
		"another task": {func(_ fstest.MapFS, r []schemas.Benchmark) []schemas.Benchmark { r[0].Task = "mr"; return r },
			"the dataset gives no folder: row 0 of task", n},
		"any order": {func(_ fstest.MapFS, r []schemas.Benchmark) []schemas.Benchmark { slices.Reverse(r); return r }, "", n},
		"another text": {func(_ fstest.MapFS, r []schemas.Benchmark) []schemas.Benchmark {
			r[1].TextB = strings.Repeat("х", 70)
			return r
		}, "SICK/SICK_train.txt row 1: line: line 3 of SICK/SICK_train.txt is ", n - 1},
		"lines more": {func(f fstest.MapFS, r []schemas.Benchmark) []schemas.Benchmark {
			data := &f["SICK/SICK_trial.txt"].Data
			*data = append(*data, "4\tА\tБ\t3\tNEUTRAL\n"...)
			return r
		}, "SICK/SICK_trial.txt has more than the 4 lines that the dataset gives", n},
	} {
		_, report := faultsOf(t, Format{FormUTF8, SpacingText, true}, k, smallFolder(), c.change)
		var lines []string
		for _, f := range report.Faults {
			if f.Kind == benchmark.FaultLine {
				lines = append(lines, f.String())
			}
		}
		if got := strings.Join(lines, "\n"); !strings.Contains(got, c.want) || c.want == "" && got != "" || len(lines) > 1 ||
			report.Summaries[0].Same != c.same {
			t.Errorf("%s: %d same, got %q, want %q", name, report.Summaries[0].Same, got, c.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("ж", 100)
	for _, c := range []struct{ line, other, want string }{
		{"a\n", "b\n", `"a\n"`},
		{"", "b\n", `""`},
		{"neutral \n", "neutral\n", `"neutral \n"`},
		{long + "х" + long, long + "ц" + long, `…"` + strings.Repeat("ж", 10) + "х" + strings.Repeat("ж", 20) + `"…`},
	} {
		if got := excerpt([]byte(c.line), []byte(c.other)); got != c.want {
			t.Errorf("%q: got %s, want %s", c.line, got, c.want)
		}
	}
}
