package google

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/peertest"
	"sentweave/transforms/engines"
)

func TestEncode(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "0\tplain\n", "a\tb": "0\t\"a\tb\"\n", "a\nb": "0\t\"a\nb\"\n", `say "a"`: "0\t\"say \"\"a\"\"\"\n", "": "0\t\n",
		"a,b": "0\ta,b\n", "a\xffb": "0\ta\ufffdb\n",
	} {
		if got, err := encode([]string{text}); string(got) != want || err != nil {
			t.Errorf("%q: %q, want %q, error %v", text, got, want, err)
		}
	}
}

func TestReadIndex(t *testing.T) {
	const row = "gs://b/f/texts.tsv,de,gs://b/o/t.tsv,gs://b/o/e.tsv,,\n"
	for _, tt := range []struct {
		name, index string
		want        outputs
		done        bool
	}{
		{"a row", row, outputs{[]string{"gs://b/o/t.tsv"}, []string{"gs://b/o/e.tsv"}}, true},
		{"after a header", "input_file,target_language_code,translations_file,errors_file,glossary_translations_file,glossary_errors_file\n" + row,
			outputs{[]string{"gs://b/o/t.tsv"}, []string{"gs://b/o/e.tsv"}}, true},
		{"no errors", "gs://b/f/texts.tsv,de,gs://b/o/t.tsv,,,\n", outputs{translations: []string{"gs://b/o/t.tsv"}}, true},
		{"nothing at all", "gs://b/f/texts.tsv,de,,,,\n", outputs{}, true},
		{"without empty columns", "gs://b/f/texts.tsv,DE,gs://b/o/t.tsv,\r\n", outputs{translations: []string{"gs://b/o/t.tsv"}}, true},
		{"a name with a comma", "gs://b/f/texts.tsv,de,\"gs://b/o,p/t.tsv\",,,\n", outputs{translations: []string{"gs://b/o,p/t.tsv"}},
			true},
		{"another language", "gs://b/f/texts.tsv,fr,gs://b/o/t.tsv,,,\n", outputs{}, false},
		{"another input", "gs://b/f/other.tsv,de,gs://b/o/t.tsv,,,\n", outputs{}, false},
		{"cut", "gs://b/f/texts.tsv,de", outputs{}, false},
		{"empty", "", outputs{}, false},
	} {
		got, done, err := readIndex(strings.NewReader(tt.index), inputFile, "de")
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(outputs{})); diff != "" || done != tt.done || err != nil {
			t.Errorf("%s: done %v, error %v, %s", tt.name, done, err, diff)
		}
	}
}

func TestAnswered(t *testing.T) {
	const text = "the text"
	for _, tt := range []struct {
		name                  string
		glossary              bool
		translations, failing string
		want                  string // a translation, or a kind
	}{
		{"a row", false, "0\tthe text\tder Text\n", "", "der Text"},
		{"in quotes", false, "0\t\"the text\"\t\"der \"\"Text\"\"\"\n", "", `der "Text"`},
		{"other white space", false, "0\t the\u00a0text\tder Text\n", "", "der Text"},
		{"with a glossary", true, "0\tthe text\tder Text\tdas Wort\n", "", "das Wort"},
		{"twice", false, "0\tthe text\tder Text\n0\tthe text\tder Text\n", "", "der Text"},
		{"two answers", false, "0\tthe text\tder Text\n0\tthe text\tein Text\n", "", "malformed"},
		{"an answer and an error", false, "0\tthe text\tder Text\n", "0\tthe text\tbad\n", "malformed"},
		{"an error", false, "0\tthe text\t\n", "0\tthe text\tbad\n", "refused"},
		{"an error of the glossary", true, "0\tthe text\tder Text\t\n", "0\tthe text\t\tno term\n", "refused"},
		{"an error of the text", true, "0\tthe text\t\t\n", "0\tthe text\tbad\t\n", "refused"},
		{"an error without a reason", false, "", "0\tthe text\t\n", "refused"},
		{"out of quota", false, "", "0\tthe text\t429 Resource exhausted\n", "failed"},
		{"nothing", false, "", "", "malformed"},
		{"an empty translation", false, "0\tthe text\t\n", "", ""},
		{"of another text", false, "0\tanother\tder andere\n", "", "malformed"},
		{"another number", false, "1\tthe text\tder Text\n", "", "malformed"},
		{"no number", false, "x\tthe text\tder Text\n-1\tthe text\tder Text\n\n", "", "malformed"},
		{"cut", false, "0\tthe text\n", "", "malformed"},
	} {
		a := newAnswered([]string{text}, tt.glossary)
		for _, f := range []struct {
			table string
			take  func([]string) error
		}{{tt.translations, a.translation}, {tt.failing, a.failure}} {
			if err := rows(strings.NewReader(f.table), tabs, f.take); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		got := a.all()[0]
		if got.Err != nil {
			got.Text = engines.KindOf(got.Err).String()
		}
		if got.Text != tt.want {
			t.Errorf("%s: %q, error %v, want %q", tt.name, got.Text, got.Err, tt.want)
		}
	}
}

// TestTablesOfPython has Python's reader of tables, in its strict mode, read what we
// write, and its writer write what we read.
func TestTablesOfPython(t *testing.T) {
	python := peertest.Python(t)
	file, err := encode(awkward)
	if err != nil {
		t.Fatal(err)
	}
	const program = `import csv, io, json, sys
csv.field_size_limit(1 << 30)
rows = list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode(), newline=""), delimiter="\t", strict=True))
out = io.StringIO(newline="")
csv.writer(out, delimiter="\t", lineterminator="\n").writerows([n, text, "deu:" + text] for n, text in reversed(rows))
json.dump([[text for _, text in rows], out.getvalue()], sys.stdout)`
	var texts []string
	var table string
	if err := json.Unmarshal(peertest.Output(t, file, python, "-c", program), &[]any{&texts, &table}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(awkward, texts); diff != "" {
		t.Error(diff)
	}
	a := newAnswered(awkward, false)
	err = rows(strings.NewReader(table), tabs, a.translation)
	check(t, awkward, a.all(), err)
}

func FuzzEncode(f *testing.F) {
	for _, text := range awkward {
		f.Add(text, "other")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		if !utf8.ValidString(one) || !utf8.ValidString(two) {
			t.Skip()
		}
		texts := []string{one, two, one}
		file, err := encode(texts)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		err = rows(bytes.NewReader(file), tabs, func(fields []string) error {
			got = append(got, fields[1])
			return nil
		})
		for i := range texts {
			texts[i] = strings.ReplaceAll(texts[i], "\r\n", "\n")
		}
		if diff := cmp.Diff(texts, got); diff != "" || err != nil {
			t.Errorf("%s, error %v", diff, err)
		}
	})
}

// Whatever an output holds, each text has an answer, and none has another's.
func FuzzAnswered(f *testing.F) {
	f.Add("0\tone\teins\n1\ttwo\tzwei\n", "1\ttwo\tbad\n", false)
	f.Add("0\t\"one\"\t\"e\ni\nns\"\n", "", true)
	f.Fuzz(func(t *testing.T, translations, failing string, glossary bool) {
		a := newAnswered([]string{"one", "two"}, glossary)
		if rows(strings.NewReader(translations), tabs, a.translation) != nil || rows(strings.NewReader(failing), tabs, a.failure) != nil {
			return
		}
		n := 0
		for i, answer := range a.all() {
			if answer.Err == nil && answer.Text != "" {
				n++
				if !strings.Contains(translations, a.texts[i]) {
					t.Errorf("%q became %q without a row", a.texts[i], answer.Text)
				}
			}
		}
		if n != a.n {
			t.Errorf("%d translations were counted, there are %d", a.n, n)
		}
	})
}

func BenchmarkRows(b *testing.B) {
	texts := make([]string, 10_000)
	for i := range texts {
		texts[i] = "A sentence of the usual length, with nothing that is hard on tables."
		if i%10 == 0 {
			texts[i] += "\nOr \"two\"."
		}
	}
	file, err := encode(texts)
	if err != nil {
		b.Fatal(err)
	}
	var output strings.Builder
	w := csv.NewWriter(&output)
	w.Comma = tabs
	for i, text := range texts {
		if err := w.Write([]string{strconv.Itoa(i), text, "Ein Satz der üblichen Länge, der Tabellen nichts ausmacht."}); err != nil {
			b.Fatal(err)
		}
	}
	w.Flush()
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			if _, err := encode(texts); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("answers", func(b *testing.B) {
		b.SetBytes(int64(output.Len()))
		for b.Loop() {
			a := newAnswered(texts, false)
			if err := rows(strings.NewReader(output.String()), tabs, a.translation); err != nil || a.n != len(texts) {
				b.Fatal(err)
			}
		}
	})
}
