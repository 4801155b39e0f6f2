package senteval

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
)

// The ids of MRPC and SICK are kept, and written as they were; a folder in English is
// then the source, byte for byte, but for its byte order mark and line ends.
func TestKeys(t *testing.T) {
	folder := smallFolder()
	for name, want := range map[string][][2]string{"mrpc": {{"702876", "702977"}, {"1", "2"}}, "sick": {{"1", ""}, {"4", ""}, {"9", ""}}} {
		k := task(t, name)
		rows := readAll(t, Source{Language: "eng", Partial: true}, k, folder)
		var got [][2]string
		for _, r := range rows {
			if r.File == k.Files[0].Name {
				got = append(got, [2]string{r.KeyA, r.KeyB})
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, form := range []Form{FormUTF8, FormReferences} {
			files, err := Format{Form: form, Spacing: SpacingText, Partial: true}.Write(k, rows)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				source := strings.ReplaceAll(strings.TrimPrefix(string(folder[f.Name].Data), "\ufeff"), "\r\n", "\n")
				if form == FormReferences {
					source = strings.ReplaceAll(source, "—", "&#8212;")
				}
				if diff := cmp.Diff(source, string(f.Data)); diff != "" {
					t.Errorf("%s: %s", f.Name, diff)
				}
			}
		}
		// Rows without ids, as older datasets have them, get numbers.
		for i := range rows {
			rows[i].KeyA, rows[i].KeyB = "", ""
		}
		files, err := Format{Form: FormUTF8, Spacing: SpacingText, Partial: true}.Write(k, rows)
		if want := map[string]string{"mrpc": "\n1\t1\t2\tHe said", "sick": "\n1\tA man sits"}[name]; err != nil ||
			!strings.Contains(string(files[0].Data), want) {
			t.Errorf("%s: %q, error %v", name, files[0].Data, err)
		}
	}
}

// The form in which SICK is published now has twelve columns, with the labels before the
// scores: its rows are the same.
func TestTwelveColumns(t *testing.T) {
	folder, later := smallFolder(), fstest.MapFS{}
	k := task(t, "sick")
	for _, f := range k.Files {
		var b strings.Builder
		for i, line := range strings.Split(strings.TrimSpace(string(folder[f.Name].Data)), "\n") {
			c := strings.Split(line, "\t")
			if i == 0 {
				b.WriteString("pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\tsentence_A_original\tsentence_B_original\tsentence_A_dataset\tsentence_B_dataset\tSemEval_set\r\n")
				continue
			}
			b.WriteString(strings.Join([]string{c[0], c[1], c[2], c[4], c[3], "A_neutral_B", "B_neutral_A", "A man", "A dog", "FLICKR",
				"FLICKR", "TRAIN"}, "\t") + "\r\n")
		}
		later[f.Name] = &fstest.MapFile{Data: []byte(b.String())}
	}
	source := Source{Language: "eng", Partial: true}
	want, got := readAll(t, source, k, folder), readAll(t, source, k, later)
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 9 {
		t.Error(diff)
	}
	later[k.Files[1].Name].Data = []byte(strings.Replace(string(later[k.Files[1].Name].Data), "\tTRAIN", "", 1))
	_, malformed := records(t, source, k, later)
	if len(malformed) != 1 || malformed[0] != "fields" {
		t.Errorf("malformed %v", malformed)
	}
}

func records(t *testing.T, s Source, k Task, folder fstest.MapFS) (rows []schemas.Benchmark, reasons []string) {
	t.Helper()
	for r, err := range s.Read(k, reader(folder)) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason != "" {
			reasons = append(reasons, r.Reason)
			continue
		}
		rows = append(rows, r.Row)
	}
	return rows, reasons
}
