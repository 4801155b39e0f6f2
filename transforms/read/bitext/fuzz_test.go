package bitext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"sentweave/transforms/read/quoted"
)

// usable checks what holds of every record.
func usable(t *testing.T, r *Record) {
	t.Helper()
	for _, text := range r.Texts {
		if r.Reason == "" && (!utf8.Valid(text) || len(text) > MaxLine) {
			t.Fatalf("a text of %d bytes is not valid UTF-8", len(text))
		}
	}
	if math.IsInf(r.Score, 0) || !utf8.ValidString(r.Detail) {
		t.Fatalf("score %v, detail %q", r.Score, r.Detail)
	}
}

// Lines are those that bytes.Split gives.
func FuzzAligned(f *testing.F) {
	f.Add([]byte("a\nb"), []byte("c\r\nd\r\n"))
	f.Add([]byte("\xef\xbb\xbfa\n\n"), []byte("\u2028\u0085\r\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		count := func(text []byte) int {
			n := bytes.Count(text, []byte{'\n'})
			if len(text) > 0 && text[len(text)-1] != '\n' {
				n++
			}
			return n
		}
		reader := NewAligned([]*Lines{NewLines(bytes.NewReader(a), true), NewLines(iotest.HalfReader(bytes.NewReader(b)), true)}, false)
		linesA, n := bytes.Split(a, []byte{'\n'}), 0
		for {
			r, err := reader.Next()
			if err != nil {
				if uneven := count(a) != count(b); errors.Is(err, errUneven) != uneven || !uneven && err != io.EOF {
					t.Fatalf("%d and %d lines: %v", count(a), count(b), err)
				}
				break
			}
			usable(t, r)
			if want := trim(bytes.TrimPrefix(linesA[n], mark)); n > 0 && r.Reason == "" && !bytes.Equal(trim(linesA[n]), r.Texts[0]) ||
				n == 0 && r.Reason == "" && !bytes.Equal(want, r.Texts[0]) {
				t.Fatalf("line %d is %q, want %q", n, r.Texts[0], linesA[n])
			}
			n++
		}
		if n != min(count(a), count(b)) {
			t.Fatalf("%d records of %d and %d lines", n, count(a), count(b))
		}
	})
}

func FuzzTable(f *testing.F) {
	f.Add([]byte("0.5\ta\tb\n"), false)
	f.Add([]byte("1,\"a \"\"b\n\",c\n"), true)
	f.Fuzz(func(t *testing.T, text []byte, csv bool) {
		comma := byte(0)
		if csv {
			comma, _ = quoted.Separator(text, true)
		}
		table := NewTable(NewLines(bytes.NewReader(text), true), Layout{Texts: []int{1, 2}, Score: 0, Label: NoColumn, Count: 3}, comma)
		n := 0
		for {
			r, err := table.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			usable(t, r)
			n++
		}
		if n > bytes.Count(text, []byte{'\n'})+1 {
			t.Fatalf("%d records", n)
		}
	})
}

func FuzzJSONLines(f *testing.F) {
	f.Add([]byte("{\"t\":{\"a\":\"A\",\"b\":\"B\"},\"s\":1}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := NewJSONLines(NewLines(bytes.NewReader(text), true), Fields{Texts: []string{"t.a", "t.b"}, Score: "s", Label: "t.a"})
		for {
			r, err := lines.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			usable(t, r)
		}
	})
}

// Lines of Tatoeba are what strings.Split and Sscanf make of them.
func FuzzTatoeba(f *testing.F) {
	for _, line := range []string{"1\teng\tHello.", "2\t\\N\t", "3\tdeu\tHallo.\tsomebody\t\\N", "4\teng", "-1\t2", "7\t8",
		"18446744073709551616\t1", "5\teng\t\xff", "\t\t", "+1\teng\ta"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		fields := strings.Split(string(line), "\t")
		digits := func(s string) bool {
			return s != "" && strings.Trim(s, "0123456789") == "" && len(strings.TrimLeft(s, "0")) < 19
		}
		id, tag, text, reason := Sentence(line)
		switch {
		case len(fields) < 3:
			if reason != Columns {
				t.Fatalf("%q: %q", line, reason)
			}
		case digits(fields[0]) && utf8.ValidString(fields[2]):
			if reason != "" || fmt.Sprint(id) != strings.TrimLeft(fields[0][:len(fields[0])-1], "0")+fields[0][len(fields[0])-1:] ||
				tag != fields[1] || string(text) != strings.TrimFunc(fields[2], unicode.IsSpace) {
				t.Fatalf("%q: %d %q %q %q", line, id, tag, text, reason)
			}
		case reason == "" && !utf8.Valid(text):
			t.Fatalf("%q: a text that is not UTF-8", line)
		}
		a, b, reason := Link(line)
		if len(fields) == 2 && digits(fields[0]) && digits(fields[1]) {
			if want := fmt.Sprint(a, "\t", b); reason != "" || len(want) > len(line) {
				t.Fatalf("%q: %d %d %q", line, a, b, reason)
			}
		} else if len(fields) != 2 && reason == "" {
			t.Fatalf("%q is a link", line)
		}
	})
}
