package senteval

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"sentweave/schemas"
	"sentweave/transforms/testsets/benchmark"
)

// The bytes of a real folder, spoilt in every way that people have found: each is
// caught, and the untouched folder passes.
func TestCheckMutations(t *testing.T) {
	english := realFolder(t)
	w := Format{FormUTF8, SpacingText, true}
	sources, folders := map[string][]schemas.Benchmark{}, map[string]fstest.MapFS{} // of the tasks
	const positive, negative, dev = "CR/custrev.pos", "CR/custrev.neg", "STS/STSBenchmark/sts-dev.csv"
	const input, gold = "STS/STS16-en-test/STS.input.headlines.txt", "STS/STS16-en-test/STS.gs.headlines.txt"
	lines := func(change func(list []string) []string) func([]byte) []byte {
		return func(data []byte) []byte {
			list := change(strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n"))
			return []byte(strings.Join(list, "") + "\n")
		}
	}
	for _, c := range []struct {
		name, task, file string
		change           func([]byte) []byte
		want             string
	}{
		{"nothing", "cr", positive, func(b []byte) []byte { return b }, ""},
		{"nothing", "stsb", dev, func(b []byte) []byte { return b }, ""},
		{"nothing", "sts16", input, func(b []byte) []byte { return b }, ""},
		{"row dropped", "cr", positive, lines(func(l []string) []string { return slices.Delete(l, 700, 701) }), benchmark.FaultMissing},
		{"row added", "cr", positive, lines(func(l []string) []string { return slices.Insert(l, 700, "ещё\n") }), benchmark.FaultExtra},
		{"row dropped and another added", "cr", positive,
			lines(func(l []string) []string { return append(slices.Delete(l, 700, 701), "\nещё") }), benchmark.FaultAlignment},
		{"files exchanged", "cr", positive, func([]byte) []byte { return nil }, benchmark.FaultMissing},
		{"order", "cr", positive, lines(func(l []string) []string {
			l[len(l)-1] += "\n"
			slices.Reverse(l)
			return l
		}), benchmark.FaultAlignment},
		{"labels swapped", "stsb", dev, lines(func(l []string) []string {
			a, b := strings.Split(l[2], "\t"), strings.Split(l[5], "\t")
			a[4], b[4] = b[4], a[4]
			l[2], l[5] = strings.Join(a, "\t"), strings.Join(b, "\t")
			return l
		}), benchmark.FaultTarget},
		{"tab in a text", "stsb", dev, lines(func(l []string) []string { l[3] = strings.Replace(l[3], " ", "\t", 1); return l }),
			benchmark.FaultFile},
		{"tab in a text", "sts16", input, lines(func(l []string) []string { l[3] = strings.Replace(l[3], " ", "\t", 1); return l }),
			benchmark.FaultFile},
		{"scores of one row less", "sts16", gold, lines(func(l []string) []string { return l[1:] }), benchmark.FaultFile},
		{"scores shifted", "sts16", gold, lines(func(l []string) []string { return append(l[1:], "\n") }), benchmark.FaultSkip},
		{"windows-1252", "cr", positive, lines(func(l []string) []string { l[3] = "caf\xe9\n"; return l }), benchmark.FaultEncoding},
		{"decoded twice", "cr", positive, lines(func(l []string) []string { l[3] = "cafÃ©\n"; return l }), benchmark.FaultEncoding},
		{"truncated", "cr", positive, func(b []byte) []byte { return b[:len(b)/2] }, benchmark.FaultMissing},
		{"truncated in the last row", "cr", positive, func(b []byte) []byte { return b[:len(b)-3] }, benchmark.FaultFile},
		{"crlf", "cr", positive, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
			benchmark.FaultCharacters},
		{"next line in a text", "cr", positive, lines(func(l []string) []string { l[3] = "а\u0085б\n"; return l }),
			benchmark.FaultCharacters},
		{"text lost", "cr", positive, lines(func(l []string) []string { l[3] = "\n"; return l }), benchmark.FaultEmpty},
		{"references", "cr", positive, lines(func(l []string) []string { l[3] = escape(l[3]); return l }), ""}, // is text as any other
	} {
		k := task(t, c.task)
		if sources[c.task] == nil {
			source := readAll(t, Source{Language: "eng"}, k, english)
			for i := range source {
				source[i].TextA, source[i].TextB = benchmark.Clean(source[i].TextA), benchmark.Clean(source[i].TextB)
			}
			files, err := w.Write(k, translate(t, source, SpacingText))
			if err != nil {
				t.Fatal(err)
			}
			sources[c.task], folders[c.task] = source, folderOf(files)
		}
		source, folder := sources[c.task], maps.Clone(folders[c.task])
		if c.name == "files exchanged" {
			folder[positive], folder[negative] = folder[negative], folder[positive]
		} else {
			folder[c.file] = &fstest.MapFile{Data: c.change(bytes.Clone(folder[c.file].Data))}
		}
		checker, err := benchmark.NewChecker(benchmark.DefaultCheckConfig(), source)
		if err != nil {
			t.Fatal(err)
		}
		report, err := w.Check(checker, k, "rus", reader(folder))
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" && len(report.Faults) > 0 || c.want != "" &&
			!slices.ContainsFunc(report.Faults, func(f benchmark.Fault) bool { return f.Kind == c.want }) {
			t.Errorf("%s %s: got %v, want %s", c.name, c.file, report.Faults, c.want)
		}
	}
}

// Every line whose text is empty comes out of a folder at its place, with the full stop
// that its loader needs, and is the same as its source.
func TestEmptyTexts(t *testing.T) {
	for _, form := range []Format{{FormUTF8, SpacingText, true}, {FormReferences, SpacingCharacters, true}} {
		for _, name := range []string{"trec", "mrpc", "sick"} {
			k, folder := task(t, name), smallFolder()
			for name, data := range map[string]string{"TREC/TREC_10.label": "HUM:ind Who ?\nHUM:ind\nNUM:x When ?\n",
				"TREC/train_5500.label": "LOC:x \nLOC:x Rome\n"} {
				folder[name] = &fstest.MapFile{Data: []byte(data)}
			}
			for _, f := range folder {
				f.Data = bytes.ReplaceAll(bytes.ReplaceAll(f.Data, []byte("He agreed."), nil), []byte("A man sits\t"), []byte("\t"))
			}
			if _, malformed, err := benchmark.Rows(Source{Language: "eng", Partial: true}.Read(k, reader(folder))); err != nil ||
				len(malformed) < 2 || malformed[0].Reason != benchmark.ReasonEmpty {
				t.Errorf("%s: %v %v", name, malformed, err)
			}
			source := readAll(t, Source{Language: "eng", Partial: true, KeepEmpty: true}, k, folder)
			rows := translate(t, source, SpacingText)
			files, err := form.Write(k, rows)
			if err != nil {
				t.Fatal(err)
			}
			for i := range source {
				source[i] = k.InFolder(source[i])
			}
			checker, err := benchmark.NewChecker(benchmark.CheckConfig{MaxUntranslated: 1}, source)
			if err != nil {
				t.Fatal(err)
			}
			written := folderOf(files)
			report, err := form.Check(checker, k, "rus", reader(written), form.CheckLines(k, "rus", reader(written), rows)...)
			if err != nil || len(report.Faults) > 0 || report.Summaries[0].Same != len(rows) {
				t.Errorf("%s: %v %v", name, report, err)
			}
			for name, f := range written { // a text that SentEval's loaders stop at
				f.Data = bytes.ReplaceAll(f.Data, []byte("HUM:ind .\n"), []byte("HUM:ind \n"))
				if want := map[string]string{"trec": "HUM:ind \n", "mrpc": "\t.\n",
					"sick": "\t.\t"}[k.Name]; name == k.Files[len(k.Files)-1].Name && !strings.Contains(string(f.Data), want) {
					t.Errorf("%s: %q", name, f.Data)
				}
			}
			report, err = form.Check(checker, k, "rus", reader(written), form.CheckLines(k, "rus", reader(written), rows)...)
			if wrong := slices.ContainsFunc(
				report.Faults, func(f benchmark.Fault) bool { return f.Kind == benchmark.FaultEmpty }); err != nil ||
				wrong != (k.Name == "trec") {
				t.Errorf("%s without a full stop: %v %v", name, report.Faults, err)
			}
		}
	}
}

func TestCheckErrors(t *testing.T) {
	checker, err := benchmark.NewChecker(benchmark.DefaultCheckConfig(), nil)
	if err != nil {
		t.Fatal(err)
	}
	k := task(t, "cr")
	if faults := (Format{FormUTF8, SpacingText, false}).CheckLines(k, "rus", reader(fstest.MapFS{}), nil); len(faults) != 0 {
		t.Errorf("files that are missing are Check's to find: %v", faults)
	}
	if _, err := (Format{}).Check(checker, k, "rus", reader(fstest.MapFS{})); err == nil {
		t.Error("an empty format passes")
	}
	if _, err := (Format{FormUTF8, SpacingText, true}).Check(checker, k, "russian", reader(fstest.MapFS{})); err == nil {
		t.Error("a language that is not one passes")
	}
	report, err := Format{FormUTF8, SpacingText, true}.Check(checker, k, "rus", reader(fstest.MapFS{}))
	if err != nil || len(report.Faults) != 2 || report.Faults[0].Kind != benchmark.FaultFile {
		t.Errorf("an empty folder: %v, %v", report.Faults, err)
	}
}

func TestAssignFolds(t *testing.T) {
	rows := readAll(t, Source{Language: "eng"}, task(t, "cr"), realFolder(t))
	for _, k := range []int{2, 5, 10} {
		if err := AssignFolds(1, k, rows); err != nil {
			t.Fatal(err)
		}
		counts := map[string][]int{"": make([]int, k)}
		byID := map[string]int32{}
		for _, r := range rows {
			if counts[r.Label] == nil {
				counts[r.Label] = make([]int, k)
			}
			counts[r.Label][*r.Fold]++
			counts[""][*r.Fold]++
			byID[r.ID] = *r.Fold
		}
		for label, c := range counts {
			if slices.Max(c)-slices.Min(c) > 1 {
				t.Errorf("k = %d, label %q: %v", k, label, c)
			}
		}
		again := slices.Clone(rows)
		slices.Reverse(again)
		if err := AssignFolds(1, k, again); err != nil {
			t.Fatal(err)
		}
		for _, r := range again {
			if byID[r.ID] != *r.Fold {
				t.Fatalf("item %s is in fold %d and %d", r.ID, byID[r.ID], *r.Fold)
			}
		}
	}
	if err := AssignFolds(1, 1, rows); err == nil {
		t.Error("one fold passes")
	}
	if err := AssignFolds(1, 2, []schemas.Benchmark{rows[0], rows[0]}); err == nil || !strings.Contains(err.Error(), "occurs twice") {
		t.Errorf("got %v", err)
	}
}
