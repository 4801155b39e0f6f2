package quoted

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// linesOf gives the lines of a text, and counts them.
func linesOf(text string, read *int) Lines {
	rest := []byte(text)
	return func() ([]byte, bool, error) {
		if len(rest) == 0 {
			return nil, false, io.EOF
		}
		line, after, _ := bytes.Cut(rest, []byte{'\n'})
		rest = after
		*read++
		return bytes.TrimSuffix(line, []byte{'\r'}), false, nil
	}
}

// show reads all records: those that are none as their faults.
func show(r *Reader) (list []string) {
	for {
		values, fault, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			return append(list, err.Error())
		}
		told := fmt.Sprint(r.Line(), " ", string(bytes.Join(values, []byte("|"))))
		if fault != nil {
			told = fmt.Sprint(r.Line(), " fault")
		}
		list = append(list, told)
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"values":             {"a,b\n\"c, d\",\"e \"\"f\"\"\"\r\n,\n", []string{"1 a|b", `2 c, d|e "f"`, "3 |"}},
		"lines in a value":   {"a,b\n\"c\nd\n\",e\nf,g", []string{"1 a|b", "2 c\nd\n|e", "5 f|g"}},
		"a quote that opens": {"a,b\n\"c,d\ne,f\ng,h\n", []string{"1 a|b", "2 fault", "3 e|f", "4 g|h"}},
		"a quote within":     {"a,b\nc\"d,e\nf,\"g\nh\"\n", []string{"1 a|b", "2 fault", "3 f|g\nh"}},
		"a quote that ends":  {"a,b\nc,d\"\ne,f\n", []string{"1 a|b", "2 fault", "3 e|f"}},
		"two, far apart":     {"a,b\n\"c,d\ne,f\ng,h\"\ni,j\n", []string{"1 a|b", "2 fault", "3 e|f", "4 fault", "5 i|j"}},
		"two that make a record": {"a,b\n\"c,d\n" + strings.Repeat("e,f\n", 8) + "g\",h\n",
			append(append([]string{"1 a|b", "2 fault"}, numbered(3, 8, "e|f")...), "11 fault")},
		"verses with a comma each": {"a,b\n\"" + strings.Repeat("one, two\n", 12) + "six\",c\n",
			[]string{"1 a|b", "2 " + strings.Repeat("one, two\n", 12) + "six|c"}},
		"lines with a comma each, first": {"a,b\n\"" + strings.Repeat("one,two\n", 12) + "one,two\",c\n",
			[]string{"1 a|b", "2 " + strings.Repeat("one,two\n", 12) + "one,two|c"}},
		"lines with a comma each, last": {"a,b\nc,\"" + strings.Repeat("one,two\n", 12) + "six\"\n",
			[]string{"1 a|b", "2 c|" + strings.Repeat("one,two\n", 12) + "six"}},
		"lines that end with a comma": {"a,b\n\"" + strings.Repeat("one,\n", 12) + "six.\",c\n",
			[]string{"1 a|b", "2 " + strings.Repeat("one,\n", 12) + "six.|c"}},
		"two in a table with a space behind commas": {"a, b\n\"c, d\n" + strings.Repeat("e, f\n", 8) + "g\", h\n",
			append(append([]string{"1 a| b", "2 fault"}, numbered(3, 8, "e| f")...), "11 fault")},
		"a few lines within": {"a,b\n\"c,d\ne,f\ng\",h\n", []string{"1 a|b", "2 c,d\ne,f\ng|h"}},
		"a poem": {"a,b\n\"" + strings.Repeat("one, two\n\n", 9) + "\",c\n",
			[]string{"1 a|b", "2 " + strings.Repeat("one, two\n\n", 9) + "|c"}},
		"longer than a record may be": {"a,b\n\"c\n" + long + "\nd\",e\nf,g\n",
			[]string{"1 a|b", "2 fault", "3 " + long, "4 fault", "5 f|g"}},
		"separators at ends of lines": {"a,b\nc,d,\n\"e\nf\",g,,\nh,i,j\n", []string{"1 a|b", "2 c|d", "3 e\nf|g", "5 h|i|j"}},
		"blank":                       {"a\n\n\"\"\n", []string{"1 a", "3 "}},
		"nothing":                     {"", nil},
	} {
		read := 0
		r := NewReader(linesOf(c.text, &read), ',')
		r.MaxBytes, r.SkipBlank = 150, true
		if strings.HasPrefix(name, "longer") {
			r.MaxBytes = 50
		}
		if got := show(r); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
	disk := errors.New("the disk fails")
	if got := show(NewReader(func() ([]byte, bool, error) { return nil, false, disk }, ',')); !slices.Equal(got, []string{disk.Error()}) {
		t.Errorf("a fault of the source: %q", got)
	}
}

func numbered(from, n int, values string) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(from+i, " ", values))
	}
	return list
}

// What is told of a line that is no record.
func TestFault(t *testing.T) {
	for text, want := range map[string]error{
		"\"a\",b\"c\"": errWithin, "\"a\"b,c": errBehind, "\"a,b": errOpen, "a,\"b\"\r\"c\",d": errReturn, "\"a\"\r,b": errReturn,
		"a, \"b\"": errSpace,
	} {
		read := 0
		r := NewReader(linesOf(text+"\nc,d\n", &read), ',')
		r.Values = 2
		if _, fault, err := r.Next(); err != nil || fault != want {
			t.Errorf("%q: %v, %v, want %v", text, fault, err, want)
		}
	}
}

// One quote that is there by mistake costs its line, wherever it stands.
func TestStrayQuote(t *testing.T) {
	for _, at := range []int{0, 1, 10_000, 19_999} {
		var text strings.Builder
		text.WriteString("en,de\n")
		for i := range 20_000 {
			if i == at {
				text.WriteString(`"`)
			}
			fmt.Fprintf(&text, "The ferry leaves at %d in the morning.,Die Fähre fährt um %d Uhr ab.\n", i, i)
		}
		read := 0
		good, faults := 0, 0
		for _, told := range show(NewReader(linesOf(text.String(), &read), ',')) {
			if strings.HasSuffix(told, "fault") {
				faults++
			} else {
				good++
			}
		}
		if good != 20_000 || faults != 1 {
			t.Errorf("line %d: %d records and %d faults", at, good, faults)
		}
	}
}

func TestSeparator(t *testing.T) {
	for text, want := range map[string]byte{
		"":                                 ',',
		"a":                                ',',
		"a,b;c\n":                          ',',
		"a;b,c\n":                          ',',
		"de;en;1\n1,5;x\n":                 ';',
		"de\ten\n":                         '\t',
		"\"a,\nb\";c\nd,e\n":               ';',
		"\xef\xbb\xbf\"a,\";b\r\n":         ';',
		"a\nb;c\n":                         ',',
		"a|b\nc, d|e\n":                    '|',
		"a;b":                              ';',
		"Rad;wheel;0,25\nRad;wheel;1,25\n": ';',
		"Ja, gut;Yes, good\nNein, das;No, that\n":    ';',
		"one; two,eins; zwei\nthree; four,drei; v\n": ',',
		"a, b\nc, d\n":        ',',
		"a,b\n\"c,d\ne;f,g\n": ',',
		"1,2\n3,4\n":          ',',
	} {
		if got, told := Separator([]byte(text), true); got != want || told {
			t.Errorf("%q: %q %v, want %q", text, got, told, want)
		}
	}
	for text, want := range map[string]byte{"sep=;\na,b;c\n": ';', "SEP=\t\r\n": '\t', "\xef\xbb\xbf\"sep=|\"\n": '|'} {
		if got, told := Separator([]byte(text), true); got != want || !told {
			t.Errorf("%q: %q %v, want %q", text, got, told, want)
		}
	}
	// The last record of a head may be cut.
	if got, _ := Separator([]byte("a;b;0,5\nc;d;1,5\ne"), false); got != ';' {
		t.Errorf("a cut record: %q", got)
	}
}

// Values that hold quotes and ends of lines tell a program that writes CSV; any other use of quotes tells a text.
func TestIsQuoted(t *testing.T) {
	for _, c := range []struct {
		head  string
		whole bool
		want  bool
	}{
		{"a\tb\n", true, false},
		{"\"a\"\t\"b\"\n", true, false},
		{"\"a\"\t\"b\"\n\"c\"\t\"d\"\n", true, true},
		{"\"a\"\t\"b\"\n\"c\"\td\n", true, false},
		{"\"a \"\"b\"\"\"\tc\n", true, true},
		{"x\ty\n\"a\nb\"\tc\n", true, true},
		{"\"a \"\"b\"\"\"\tc\n\"d\", he said\te\n", true, false},
		{"\"a \"\"b\"\"\"\tc\nd \"e\"\tf\n", true, false},
		{"\"a \"\"b\"\"\"\tc\n\"d\te\n", true, false},
		{"\"a \"\"b\"\"\"\tc\n\"d\te\n", false, true}, // which may go on
		{"\"a\tb\nc\td\"\n", true, false},
		{"", true, false},
	} {
		if got := IsQuoted([]byte(c.head), '\t', c.whole); got != c.want {
			t.Errorf("%q, whole %v: %v", c.head, c.whole, got)
		}
	}
}

func TestBackslash(t *testing.T) {
	const text = `a,b` + "\n" + `"say \"hi, you\"",C:\new` + "\n" + `\"x\" y\, z,"a\\"` + "\n" + `"two` + "\n" + `\"lines",""` + "\n"
	read := 0
	r := NewReader(linesOf(text, &read), ',')
	r.Backslash = true
	want := []string{`1 a|b`, `2 say "hi, you"|C:\new`, `3 "x" y, z|a\`, "4 two\n\"lines|"}
	if got := show(r); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for head, want := range map[string]bool{
		text:                            true,
		"a,b\n\"c \"\"d\"\"\",e\n":      false,
		"a,b\n\"C:\\\",\"D:\\\"\n":      false, // a folder
		"a,b\n\"c,d\n\"e\\\",\"f\\\"\n": false,
	} {
		if got := IsBackslash([]byte(head), ',', true); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}

func TestIsPlain(t *testing.T) {
	for head, want := range map[string]bool{
		"a\tb\n":                     false,
		"\"a\"\t\"b\"\nc \"d\"\te\n": false,
		"\"a\"\tb\nc \"d\"\te\n\"f,\" she said.\tg\n": true,
		"\"a \"\"b\"\"\"\tc\n\"d\ne\"\tf\n\"g\th\n":   false,
		"said \"a\tb\nc\td \"\"e\"\" f\n":             true,
	} {
		if got := IsPlain([]byte(head), '\t', true); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}

// FuzzReader compares with encoding/csv where that reads the whole text, and checks that no line is lost.
func FuzzReader(f *testing.F) {
	f.Add("a,b\n\"c\nd\",e\n")
	f.Add("a,b\n\"c,d\ne,f\n\"\"\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		read := 0
		r := NewReader(linesOf(text, &read), ',')
		var got [][]string
		clean, last := true, 0
		for {
			values, fault, err := r.Next()
			if err == io.EOF {
				break
			}
			if r.Line() <= last {
				t.Fatalf("%q: line %d behind line %d", text, r.Line(), last)
			}
			last, clean = r.Line(), clean && fault == nil
			list := []string{}
			for _, v := range values {
				list = append(list, string(v))
			}
			got = append(got, list)
		}
		if lines := strings.Count(text, "\n"); r.number != read || read < lines {
			t.Fatalf("%q: %d of %d lines used up, read %d", text, r.number, lines, read)
		}
		if strings.Contains(text, "\r") || strings.Contains(text, "\n\n") ||
			strings.HasPrefix(text, "\n") { // lines without anything, and what another reader makes of them
			return
		}
		want, err := csv.NewReader(strings.NewReader(text)).ReadAll() // of equally many values
		if err == nil && clean != true {
			if len(want) > 0 && len(want) < fewRecords { // long values may be many records
				t.Fatalf("%q: %q, want %q", text, got, want)
			}
			return
		}
		if err == nil && !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	})
}
