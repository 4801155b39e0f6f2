package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"

	"sentweave/runners/command"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/validate"
)

// small is a dataset of three tasks of real data, and its translation.
func small(t *testing.T) (source string, rows []schemas.Benchmark) {
	t.Helper()
	source = filepath.Join(t.TempDir(), "english")
	sentweave(t, "benchmarks", "senteval", "--input", sentEvalFolder(t), "--out", source, "--tasks", "cr,trec,sts16").expect(
		t, 0, anything, anything)
	return source, translated(t, benchmarkRows(t, source), "rus", inCyrillic)
}

// Every mutation of a translated dataset is found by the verb, at its place.
func TestValidateFindsRows(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: mutations of whole folders take a while")
	}
	source, rows := small(t)
	at := func(file string, row int32) int {
		return slices.IndexFunc(rows, func(r schemas.Benchmark) bool { return r.File == file && r.Row == row })
	}
	cr, trec, sts := at("CR/custrev.pos", 100), at("TREC/TREC_10.label", 7),
		slices.IndexFunc(rows, func(r schemas.Benchmark) bool { return r.Task == "sts16" && !r.Skip })
	skipped := slices.IndexFunc(rows, func(r schemas.Benchmark) bool { return r.Skip })
	target := 1.25
	tests := []struct {
		name   string
		mutate func(rows []schemas.Benchmark) []schemas.Benchmark
		want   string
	}{
		{"nothing", func(r []schemas.Benchmark) []schemas.Benchmark { return r }, ""},
		{"rows swapped", func(r []schemas.Benchmark) []schemas.Benchmark { r[cr], r[cr+1] = r[cr+1], r[cr]; return r },
			"cr rus: CR/custrev.pos row 100: order: it comes after row 101"},
		{"texts swapped", func(r []schemas.Benchmark) []schemas.Benchmark {
			a, b := r[cr], r[cr+1]
			r[cr], r[cr+1] = b, a
			r[cr].Row, r[cr+1].Row = a.Row, b.Row
			return r
		}, "row 100: id: "},
		{"row dropped", func(r []schemas.Benchmark) []schemas.Benchmark { return slices.Delete(r, cr, cr+1) },
			"CR/custrev.pos row 100: missing"},
		{"row twice", func(r []schemas.Benchmark) []schemas.Benchmark { return slices.Insert(r, cr, r[cr]) },
			"CR/custrev.pos row 100: repeated"},
		{"label", func(r []schemas.Benchmark) []schemas.Benchmark { r[trec].Label = "HUM:ind "; return r },
			"TREC/TREC_10.label row 7: label"},
		{"split", func(r []schemas.Benchmark) []schemas.Benchmark { r[trec].Split = "train"; return r }, "TREC/TREC_10.label row 7: split"},
		{"score", func(r []schemas.Benchmark) []schemas.Benchmark { r[sts].Target = &target; return r }, ": target: score 1.25"},
		{"empty score", func(r []schemas.Benchmark) []schemas.Benchmark {
			r[skipped].Target, r[skipped].Skip = &target, false
			return r
		}, ": skip: skip is false"},
		{"encoding", func(r []schemas.Benchmark) []schemas.Benchmark {
			r[cr].TextA = "Ð¥Ð¾Ñ€Ð¾ÑˆÐ¾ Ð¸ Ð´Ñ‘ÑˆÐµÐ²Ð¾"
			return r
		}, "CR/custrev.pos row 100: encoding"},
		{"tab", func(r []schemas.Benchmark) []schemas.Benchmark { r[cr].TextA = "A\tB"; return r }, "CR/custrev.pos row 100: characters"},
		{"text gone", func(r []schemas.Benchmark) []schemas.Benchmark { r[cr].TextA = ""; return r }, "CR/custrev.pos row 100: empty"},
		{"task gone", func(r []schemas.Benchmark) []schemas.Benchmark {
			return slices.DeleteFunc(r, func(b schemas.Benchmark) bool { return b.Task == "trec" })
		}, "trec rus: 5942 more faults"},
		{"task of nowhere", func(r []schemas.Benchmark) []schemas.Benchmark { r[cr].Task = "mr"; return r },
			"mr rus: CR/custrev.pos row 100: extra"},
		{"not translated", func(r []schemas.Benchmark) []schemas.Benchmark {
			for i, english := range benchmarkRows(t, source) {
				r[i].TextA, r[i].TextB = english.TextA, english.TextB
			}
			return r
		}, "untranslated: "},
		{"other order", func(r []schemas.Benchmark) []schemas.Benchmark {
			texts := make([]string, 0, 5500)
			for i := range r {
				if r[i].File == "TREC/train_5500.label" {
					texts = append(texts, r[i].TextA)
				}
			}
			for i, n := 0, len(texts); i < len(r); i++ {
				if r[i].File == "TREC/train_5500.label" {
					n--
					r[i].TextA = texts[n]
				}
			}
			return r
		}, "TREC/train_5500.label: alignment"},
	}
	for _, test := range tests {
		location := datasettest.Write(t, nil, test.mutate(slices.Clone(rows)))
		o := sentweave(t, "validate", "--source", source, "--translated", location)
		if test.want == "" {
			o.expect(t, 0, []string{"no faults"}, nil)
			continue
		}
		if o.code != 1 || !strings.Contains(o.stdout, test.want) || o.stderr != "" {
			t.Errorf("%s: code %d, want %q in\n%.3000s%s", test.name, o.code, test.want, o.stdout, o.stderr)
		}
	}
	// A language that is not there, and the record of what was found.
	out := filepath.Join(t.TempDir(), "validation")
	location := datasettest.Write(t, nil, rows)
	missing := sentweave(t, "validate", "--source", source, "--translated", location, "--languages", "ru,el", "--json", "--out", out)
	missing.expect(t, 1, []string{`"language": "ell"`}, nil)
	var printed, written validate.Validation
	content, err := os.ReadFile(filepath.Join(out, validate.RecordName))
	if err != nil || json.Unmarshal(content, &written) != nil || json.Unmarshal([]byte(missing.stdout), &printed) != nil {
		t.Fatalf("%v: %s", err, missing.stdout)
	}
	if diff := cmp.Diff(printed, written); diff != "" || written.Faults != len(rows) {
		t.Errorf("%d faults: %s", written.Faults, diff)
	}
	place(t, filepath.Join(out, "mine.txt"), nil)
	sentweave(t, "validate", "--source", source, "--translated", location, "--out", out).expect(t, 1, []string{"no faults"},
		[]string{"mine.txt"})
	if _, err := os.Stat(filepath.Join(out, "_run")); err == nil {
		t.Error("a folder of temporary files is left")
	}
	sentweave(t, "validate", "--source", source).expect(t, 2, nil, []string{"--translated or --folders"})
	sentweave(t, "validate", "--source", source, "--translated", location, "--tasks", "mr").expect(
		t, 1, nil, []string{"no task mr; it has cr, trec, sts16"})
}

// Every mutation of a folder is found by the verb.
func TestValidateFindsFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: mutations of whole folders take a while")
	}
	source, rows := small(t)
	english := sentEvalFolder(t)
	out := filepath.Join(t.TempDir(), "out")
	sentweave(t, "folders", "--benchmarks", datasettest.Write(t, nil, rows), "--out", out).expect(t, 0, anything, anything)
	folder := filepath.Join(out, "rus")
	lines := func(change func([]string) []string) func([]byte) []byte {
		return func(data []byte) []byte {
			return []byte(strings.Join(change(strings.SplitAfter(string(data), "\n")), ""))
		}
	}
	tests := []struct {
		name, file string
		mutate     func([]byte) []byte
		want       string
	}{
		{"lines swapped", "TREC/TREC_10.label", lines(func(l []string) []string { l[0], l[1] = l[1], l[0]; return l }),
			"TREC_10.label row 0: label"},
		{"line dropped", "CR/custrev.neg", lines(func(l []string) []string { return l[1:] }), "CR/custrev.neg row 1367: missing"},
		{"line added", "CR/custrev.neg", func(b []byte) []byte { return append(b, "Ещё\n"...) }, "CR/custrev.neg row 1368: extra"},
		{"label", "TREC/TREC_10.label", lines(func(l []string) []string { l[4] = "HUM:" + strings.SplitN(l[4], ":", 2)[1]; return l }),
			"TREC_10.label row 4: label"},
		{"no label", "TREC/TREC_10.label", lines(func(l []string) []string { l[4] = "нет " + l[4]; return l }),
			"TREC_10.label row 4: file"},
		{"score", "STS/STS16-en-test/STS.gs.headlines.txt", lines(func(l []string) []string {
			for i := range l {
				if strings.TrimSpace(l[i]) == "5" {
					l[i] = "1\n"
				}
			}
			return l
		}), ": target: score 1, the source has 5"},
		{"empty score", "STS/STS16-en-test/STS.gs.headlines.txt",
			func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n\n"), []byte("\n0\n")) }, ": skip: "},
		{"Latin-1", "CR/custrev.neg", lines(func(l []string) []string { l[3] = "caf\xe9\n"; return l }),
			"CR/custrev.neg: encoding: line 4 is not UTF-8"},
		{"mojibake", "CR/custrev.neg", lines(func(l []string) []string {
			l[3] = "Ð¥Ð¾Ñ€Ð¾ÑˆÐ¾ Ð¸ Ð´Ñ‘ÑˆÐµÐ²Ð¾\n"
			return l
		}), "CR/custrev.neg row 3: encoding"},
		{"byte order mark", "CR/custrev.neg", func(b []byte) []byte { return append([]byte("\ufeff"), b...) }, "byte order mark"},
		{"line separator", "CR/custrev.neg", lines(func(l []string) []string { l[3] = "Да\u2028нет\n"; return l }),
			"SentEval's loader sees 1369 rows, there are 1368"},
		{"truncated", "TREC/TREC_10.label", func(b []byte) []byte { return b[:len(b)-1] }, "may be truncated"},
		{"file gone", "STS/STS16-en-test/STS.gs.headlines.txt", func([]byte) []byte { return nil }, "STS.gs.headlines.txt: file"},
		{"hexadecimal score", "STS/STS16-en-test/STS.gs.headlines.txt", lines(func(l []string) []string {
			l[slices.Index(l, "5\n")] = "0x5p0\n"
			return l
		}), `: target: line `},
		{"English in the place of the translation", "CR/custrev.pos", func([]byte) []byte {
			data, err := os.ReadFile(filepath.Join(english, "CR", "custrev.pos"))
			if err != nil {
				t.Fatal(err)
			}
			return data
		}, "cr rus: CR/custrev.pos: untranslated: "},
		{"another language", "CR/custrev.pos", func([]byte) []byte {
			var b strings.Builder
			for _, r := range rows {
				if r.File == "CR/custrev.pos" {
					b.WriteString(strings.TrimSpace("好"+inHan(r.OriginalA)) + "\n")
				}
			}
			return []byte(b.String())
		}, "cr rus: CR/custrev.pos: script: "},
		{"shim gone", "senteval_utf8.py", func([]byte) []byte { return nil }, "folder - rus: senteval_utf8.py: file: "},
		{"shim emptied", "senteval_utf8.py", func([]byte) []byte { return []byte{} },
			"folder - rus: senteval_utf8.py: file: it is not the module"},
		{"file of a task that the source lacks", "MPQA/mpqa.pos", func([]byte) []byte { return []byte("Да\n") },
			"folder mpqa rus: MPQA/mpqa.pos: extra: the source has no task mpqa"},
		{"file of no task", "CR/custrev.pos~", func([]byte) []byte { return []byte("Да\n") },
			"folder - rus: CR/custrev.pos~: extra: it is of no task"},
	}
	for _, test := range tests {
		path := filepath.Join(folder, filepath.FromSlash(test.file))
		before, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if after := test.mutate(bytes.Clone(before)); after != nil {
			place(t, path, after)
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		o := sentweave(t, "validate", "--source", source, "--folders", "rus="+folder)
		if o.code != 1 || !strings.Contains(o.stdout, test.want) || o.stderr != "" {
			t.Errorf("%s: code %d, want %q in\n%.3000s%s", test.name, o.code, test.want, o.stdout, o.stderr)
		}
		if err != nil { // it was not there
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		place(t, path, before)
	}
	sentweave(t, "validate", "--source", source, "--folders", out).expect(t, 0, []string{"no faults"}, nil)
	sentweave(t, "validate", "--source", source, "--folders", out, "--form", "references").expect(t, 1, []string{"it is not ASCII"}, nil)
	if err := os.Remove(filepath.Join(out, "folders.json")); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "validate", "--source", source, "--folders", out).expect(t, 0, []string{"no faults"}, nil)
	sentweave(t, "validate", "--source", source, "--folders", out, "--languages", "el").expect(t, 1, []string{"ell"}, nil)
}

// With the dataset that a folder was made of, every line of the folder is proved to be
// at its place, in each form and spacing.
func TestValidateFindsTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: mutations of whole folders take a while")
	}
	source, rows := small(t)
	spare := translated(t, benchmarkRows(t, source), "zho", func(s string) string {
		if s == "" {
			return ""
		}
		digit := func(r rune) rune { return '一' + r - '0' }
		return strings.Repeat("好 & ", 1+len(s)/6) + "▁X" +
			strings.Map(digit, fmt.Sprint(xxh3.HashString(s)%1_000_000)) // texts differ, as the source's do
	})
	location := datasettest.Write(t, nil, rows, spare)
	lines := func(change func(l []string)) func([]byte) []byte {
		return func(data []byte) []byte {
			l := strings.SplitAfter(string(data), "\n")
			change(l)
			return []byte(strings.Join(l, ""))
		}
	}
	// Two neighbours of one label, so that nothing but the texts tells.
	neighbours := func(l []string) int {
		return slices.IndexFunc(l[:len(l)-2], func(s string) bool {
			at := slices.Index(l, s)
			return l[at+1] != s && strings.SplitN(l[at+1], " ", 2)[0] == strings.SplitN(s, " ", 2)[0]
		})
	}
	tests := []struct {
		name, file string
		mutate     func([]byte) []byte
		faults     int // all of them; 0 where there are others than those of texts
		want       string
	}{
		{"400 texts of another", "rus/CR/custrev.neg", lines(func(l []string) {
			for i := range 400 {
				l[3*i] = "0123456789\n"
			}
		}), 0, "cr rus: 395 more faults"},
		{"neighbours swapped", "rus/CR/custrev.pos", lines(func(l []string) { l[8], l[9] = l[9], l[8] }), 2,
			"folder cr rus: CR/custrev.pos row 8: line: line 9 of CR/custrev.pos is "},
		{"neighbours of a label swapped", "rus/TREC/train_5500.label",
			lines(func(l []string) { i := neighbours(l); l[i], l[i+1] = l[i+1], l[i] }), 2, "TREC/train_5500.label row "},
		{"second texts swapped", "rus/STS/STS16-en-test/STS.input.headlines.txt", lines(func(l []string) {
			a, b := strings.Split(l[4], "\t"), strings.Split(l[5], "\t")
			l[4], l[5] = a[0]+"\t"+b[1], b[0]+"\t"+a[1]
		}), 2, "STS.input.headlines.txt row 4: line: "},
		{"characters together", "zho/CR/custrev.pos", lines(func(l []string) { l[8] = strings.ReplaceAll(l[8], " ", "") }), 1,
			"folder cr zho: CR/custrev.pos row 8: line: "},
	}
	for _, form := range []string{"utf-8", "references"} {
		out := filepath.Join(t.TempDir(), "out")
		sentweave(t, "folders", "--benchmarks", location, "--out", out, "--form", form, "--spacing", "characters").expect(
			t, 0, anything, anything)
		sentweave(t, "validate", "--source", source, "--translated", location, "--folders", out).expect(
			t, 0, []string{"12 comparisons", "no faults"}, nil)
		for _, test := range tests {
			path := filepath.Join(out, filepath.FromSlash(test.file))
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			place(t, path, test.mutate(bytes.Clone(before)))
			o := sentweave(t, "validate", "--source", source, "--translated", location, "--folders", out)
			total := ": " + command.Counted(int64(test.faults), "fault") + "\n"
			if o.code != 1 || !strings.Contains(o.stdout, test.want) || test.faults > 0 && !strings.Contains(o.stdout, total) {
				t.Errorf("%s, %s: code %d, want %q and %q in\n%.3000s%s", form, test.name, o.code, test.want, total, o.stdout, o.stderr)
			}
			place(t, path, before)
		}
	}
}
