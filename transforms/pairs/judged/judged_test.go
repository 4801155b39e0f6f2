package judged

import (
	"maps"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       map[string]bool
		fault      string
	}{
		{"as it was written", "id,languages,origin,source,target,verdict\n1,deu-eng,x,\"a, b\nc\",d,good\n2,deu-eng,x,a,b,\n3,deu-eng,x,a,b,bad\n",
			map[string]bool{"1": true, "3": false}, ""},
		{"of a spreadsheet", "\ufeffid;languages;source;target;verdict\r\n1;deu-eng;a;\"b \"\"c\"\"\"; Good \r\n2;deu-eng;a;b;BAD\r\n",
			map[string]bool{"1": true, "2": false}, ""},
		{"tabs, in another order, with a column more", "Verdict\tnote\tID \ngood\ta b\t7\n", map[string]bool{"7": true}, ""},
		{"the same verdict twice", "id,verdict\n1,bad\n1,bad\n", map[string]bool{"1": false}, ""},
		{"short lines", "id,source,verdict\n1,a\n2,b,bad\n", map[string]bool{"2": false}, ""},
		{"another verdict", "id,source,verdict\n1,\"a\n\nb\",good\n2,c,fine\n", nil, `line 5: the verdict "fine" is neither good nor bad`},
		{"two verdicts", "id,verdict\n1,good\n1,bad\n", nil, "line 3: the pair 1 has another verdict above"},
		{"no id", "id,verdict\n,good\n", nil, "line 2 has a verdict and no id"},
		{"nobody judged", "id,verdict\n1,\n2, \n", nil, "no pair has a verdict: write good or bad into the column verdict"},
		{"Excel's first line", "sep=;\r\nid;verdict\r\n7;good\r\n", map[string]bool{"7": true}, ""},
		{"a quote that is not closed", "id,source,verdict\n1,\"a,good\n2,b,bad\n", nil, `record on line 2; parse error on line 3`},
		{"no heading", "1,a,b,good\n", nil, `the first line, "1,a,b,good", does not name the columns id and verdict`},
		{"nothing", "", nil, `the first line, "", does not name the columns id and verdict`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Decode([]byte(test.text))
			if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
				t.Errorf("error %v, want %q", err, test.fault)
			}
			if !maps.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// A sheet is judged as it was written, whatever its texts hold, and none of its cells is a formula.
func TestEncode(t *testing.T) {
	text := string(Encode([]Pair{{"1", "deu-eng", "=1+1", "a,\"b\"\nc"}, {"2", "deu-eng", "-", "\tb"}}))
	if want := "id,languages,source,target,verdict\n1,deu-eng,'=1+1,\"a,\"\"b\"\"\nc\",\n2,deu-eng,'-,'\tb,\n"; text != want {
		t.Errorf("the sheet is %q, want %q", text, want)
	}
	got, err := Decode([]byte(strings.ReplaceAll(text, ",\n", ",good\n")))
	if want := map[string]bool{"1": true, "2": true}; err != nil || !maps.Equal(got, want) {
		t.Errorf("read as %v with error %v", got, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("id,verdict\n1,good\n"))
	f.Add([]byte("\ufeffid;verdict\r\n\"1\";bad\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if verdicts, err := Decode(data); (err == nil) == (len(verdicts) == 0) {
			t.Errorf("%d verdicts with error %v", len(verdicts), err)
		}
	})
}
