package benchmark

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"sentweave/schemas/realdata"
)

func showAll(t *testing.T, table Table, data string) (list []string) {
	t.Helper()
	for r, err := range table.Read(strings.NewReader(data)) {
		if err != nil {
			return append(list, err.Error())
		}
		s := fmt.Sprintf("%d ", r.Row.Row)
		switch {
		case r.Reason != "":
			s += r.Reason
		case r.Row.Skip:
			s += "skip"
		default:
			s += r.Row.Label
			if r.Row.Target != nil {
				s += fmt.Sprint(*r.Row.Target)
			}
		}
		list = append(list, s+" "+r.Row.TextA+"|"+r.Row.TextB)
	}
	return list
}

func TestTable(t *testing.T) {
	scored := Table{Task: "sts", File: "f", LanguageA: "eng", Target: "1", TextA: "2", TextB: "3", High: 5}
	quoted := Table{Task: "sts", File: "f", LanguageA: "eng", LanguageB: "deu", Quoted: ',', TextA: "1", TextB: "2", Target: "3"}
	tabs := quoted
	tabs.Quoted = '\t'
	csv, tsv := quoted, quoted
	csv.Quoted, tsv.Quoted = DetectCSV, DetectTSV
	for _, c := range []struct {
		name  string
		table Table
		data  string
		want  []string
	}{
		{"scores", scored, "4.5\tA \"b\tC\n\tD\tE\n6\tF\tG\nx\tF\tG\nNaN\tF\tG\n1\tF\n2\t\tG\n3\t\xff\tG\n0x1p0\tF\tG\n", []string{
			`0 4.5 A "b|C`, "1 skip D|E", "2 score F|G", "3 score F|G", "4 score F|G", "5 fields |", "6 empty |G", "7 encoding |",
			"8 score F|G"}},
		{"commas", quoted, "\ufeff\"a, \"\"b\"\"\",c,1\nd\"e,f,2\n\"g\nh\",i,3\n", []string{`0 1 a, "b"|c`, "1 fields |", "2 3 g\nh|i"}},
		{"quotes between tabs", tabs, "\"a, \"\"b\"\"\"\tc's\t1\n\"d\te\t2\nf\t\"g\th\"\t3\n",
			[]string{`0 1 a, "b"|c's`, "1 fields |", "2 3 f|g\th"}},
		{"semicolons and decimal commas", csv, "a, b;c;1,5\nd;\"e;f\";2\n", []string{"0 1.5 a, b|c", "1 2 d|e;f"}},
		{"a line that tells the separator", csv, "\ufeffsep=;\r\na, b;c;1,5\r\nd;e;x\r\n", []string{"0 1.5 a, b|c", "1 score d|e"}},
		{"a line that tells, and no row", csv, "sep=;", nil},
		{"commas, as the file shows", csv, "\"a; b\",c,1\nd,e,\"1,5\"\n", []string{"0 1 a; b|c", "1 score d|e"}},
		{"tabs with quotes, as the file shows", tsv, "\"a, \"\"b\"\"\"\tc's\t1\n\"d\te\"\tf\t2\n",
			[]string{`0 1 a, "b"|c's`, "1 2 d\te|f"}},
		{"tabs without quotes, as the file shows", tsv, "\"a\" b\tc\t1\nd \"e\tf\t2,5\n", []string{`0 1 "a" b|c`, `1 2.5 d "e|f`}},
		{"a stray quote", quoted, "a,b,1\n\"c,d,2\ne,f,3\ng,\"h, \"\"i\"\"\",4\nj,k\"l,5\nm,\"n\no\",6\n\np,q,7\r\n\"r,s,8\nt,u,9",
			[]string{
				"0 1 a|b", "1 fields |", "2 3 e|f", `3 4 g|h, "i"`, "4 fields |", "5 6 m|n\no", "6 7 p|q", "7 fields |", "8 9 t|u"}},
		{"quotes far apart", quoted, "a,b,1\n\"c,d,2\ne,f,3\n\",g\nh,i,5\n",
			[]string{"0 1 a|b", "1 fields |", "2 3 e|f", "3 fields |", "4 5 h|i"}},
		{"header", Table{Task: "x", File: "f", LanguageA: "eng", Header: true, Label: "y", TextA: "t"}, "y\tt\n1\ta\n\tb\n",
			[]string{"0 1 a|", "1 skip b|"}},
		{"keys", Table{Task: "x", File: "f", Language: "3", Label: "2", TextA: "1", Key: "4", Unique: true},
			"\t1\ten\tk\na\t1\ten\tk\nb\t1\tde\tk\nc\t1\ten\tk\nd\t1\ten\t\n",
			[]string{"0 empty |", "1 1 a|", "2 1 b|", "3 key c|", "4 key d|"}},
		{"lines", Table{Task: "x", File: "f", LanguageA: "eng", TextA: "1", Lines: true}, "a\tb\n\n \n\u200b\ufeff\nc",
			[]string{"0 skip a\tb|", "1 empty |", "2 empty |", "3 empty |", "4 skip c|"}},
		{"no columns of gold", Table{Task: "x", File: "f", LanguageA: "eng", TextA: "1", TextB: "2"}, "a\tb\nc\t\u200b\n",
			[]string{"0 skip a|b", "1 empty c|"}},
		{"no gold", Table{Task: "x", File: "f", LanguageA: "eng", Label: "2", TextA: "1", NoGold: []string{"-"}}, "a\t-\nb\t0\n",
			[]string{"0 skip a|", "1 0 b|"}},
		{"count", Table{Task: "x", File: "f", LanguageA: "eng", Label: "2", TextA: "1", Rows: 2}, "a\t1\n",
			[]string{"0 1 a|", "read f: it ends at line 1 with 1 rows of eng that have gold, want 2"}},
		{"nothing", Table{Task: "x", File: "f", LanguageA: "eng", Label: "2", TextA: "1", Rows: 2}, "",
			[]string{"read f: it ends at line 0 without a row with gold, want 2"}},
		{"misuse", Table{}, "", []string{`read table : the task is empty
the file has no name
no column of the first text is given
give either the column of the language or the language: "", ""`}},
		{"column", Table{Task: "x", File: "f", LanguageA: "eng", Label: "0", TextA: "text"}, "", []string{`read table f: column "text" is not a number from 1, and the table has no header
column "0" is not a number from 1, and the table has no header`}},
	} {
		got := showAll(t, c.table, c.data)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
	for _, err := range quoted.Read(iotest.ErrReader(os.ErrClosed)) {
		if err == nil || err.Error() != "read f line 1: file already closed" {
			t.Errorf("got %v", err)
		}
	}
}

// Real files in eleven languages, line by line: the same ids, and the same scores.
func TestMultilingualSTSB(t *testing.T) {
	folder := filepath.Join(realdata.Folder(t, "stsb_multi_mt"), "stsb_multi_mt")
	var first []string
	for _, code := range [][2]string{{"en", "eng"}, {"de", "deu"}, {"ja", "jpn"}, {"ru", "rus"}, {"zh", "zho"}} {
		for split, n := range map[string]int{"train": 5749, "dev": 1500, "test": 1379} {
			file := "stsb-" + code[0] + "-" + split + ".csv"
			f, err := os.Open(filepath.Join(folder, file))
			if err != nil {
				t.Fatal(err)
			}
			table := Table{Task: "stsb", Split: split, File: file, LanguageA: code[1], Quoted: ',', TextA: "1", TextB: "2", Target: "3",
				High: 5, Rows: n, Parallel: true}
			rows, malformed, err := Rows(table.Read(f))
			f.Close()
			if err != nil || len(malformed) > 0 {
				t.Fatal(malformed, err)
			}
			if split != "dev" {
				continue
			}
			var list []string
			for _, r := range rows {
				list = append(list, r.ID+fmt.Sprint(*r.Target))
			}
			if first == nil {
				first = list
			}
			if !slices.Equal(list, first) {
				t.Errorf("%s has other ids or scores", file)
			}
		}
	}
}

// Of two columns with one name nobody knows which is meant; one that is not read may be.
func TestColumnsWithOneName(t *testing.T) {
	for column, want := range map[string]string{"s1": `two columns are called "s1"`, "s2": "b", "3": "c"} {
		table := Table{Task: "x", Split: "train", File: "a.tsv", LanguageA: "eng", TextA: column, Label: "lab", Header: true}
		for r, err := range table.Read(strings.NewReader("s1\ts2\ts1\tlab\na\tb\tc\td\n")) {
			if got := fmt.Sprint(r.Row.TextA, err); !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %s", column, got, want)
			}
		}
	}
}

// The versions of an item in a file for each language have one id, whatever line of one
// of them is none.
func TestParallel(t *testing.T) {
	ids := func(language, data string) (list []string) {
		table := Table{Task: "x", Split: "train", File: language, LanguageA: language, TextA: "1", Label: "2", Parallel: true}
		for r, err := range table.Read(strings.NewReader(data)) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Reason != "" {
				r.Row.ID = r.Reason
			}
			list = append(list, r.Row.ID)
		}
		return list
	}
	whole := ids("eng", "a\t1\nb\t1\nc\t1\nd\t1\ne\t1\n")
	for i, fault := range []string{"fields", "encoding", "empty"} {
		want := slices.Clone(whole)
		want[1] = fault
		if got := ids("fra", "a\t1\n"+[]string{"b 1", "\xff\t1", "\t1"}[i]+"\nc\t1\nd\t1\ne\t1\n"); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", fault, got, want)
		}
	}
	if err := (Table{Task: "x", File: "f", TextA: "1", Label: "2", Language: "3", Parallel: true}).Validate(); err == nil ||
		!strings.Contains(err.Error(), "a file for each language") {
		t.Errorf("got %v", err)
	}
}

func FuzzTable(f *testing.F) {
	f.Add("4.5\tA\tB\n\tC\tD\n", false, false)
	f.Add("s,a,b\n1,\"x\ny\",z\n\"", true, true)
	f.Add("a,b,c\n\"d,e,f\ng,h,i\nj,\"k\",l\n", true, false)
	f.Add("a\tb\tc\n\xff\t1\t2\r\n\n", false, true)
	f.Fuzz(func(t *testing.T, data string, comma, header bool) {
		table := Table{Task: "t", File: "f", LanguageA: "eng", Header: header, Target: "1", TextA: "2", TextB: "3"}
		if comma {
			table.Quoted = ','
		}
		next, line := int32(0), 0
		for r, err := range table.Read(strings.NewReader(data)) {
			if err != nil {
				if next == 0 && (header || strings.HasPrefix(data, "\xff\xfe") || strings.HasPrefix(data, "\xfe\xff")) {
					return
				}
				t.Fatal(err)
			}
			if r.Row.Row != next || r.Line <= line {
				t.Fatalf("record %d is row %d of line %d", next, r.Row.Row, r.Line)
			}
			next, line = next+1, r.Line
			if err := r.Row.Validate(); r.Reason == "" && err != nil {
				t.Fatal(err)
			}
			if r.Reason != "" && !slices.Contains(Reasons(), r.Reason) {
				t.Fatalf("reason %q", r.Reason)
			}
		}
		if lines := strings.Count(strings.TrimSuffix(data, "\n"), "\n") + 1; !comma && !header && data != "" && data != "\ufeff" &&
			int(next) != lines {
			t.Fatalf("%d records of %d lines", next, lines)
		}
	})
}
