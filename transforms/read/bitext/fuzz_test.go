package bitext

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// usable checks what holds of every record.
func usable(t *testing.T, r *Record) {
	t.Helper()
	for _, text := range r.Texts {
		if r.Reason == "" && (!utf8.Valid(text) || len(text) > MaxLine) {
			t.Fatalf("a text of %d bytes is no valid UTF-8", len(text))
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
			if want := trim(bytes.TrimPrefix(linesA[n], mark)); n > 0 && r.Reason == "" && !bytes.Equal(trim(linesA[n]), r.Texts[0]) || n == 0 && r.Reason == "" && !bytes.Equal(want, r.Texts[0]) {
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
		table := NewTable(NewLines(bytes.NewReader(text), true), Layout{Texts: []int{1, 2}, Score: 0, Label: None, Count: 3}, csv)
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
