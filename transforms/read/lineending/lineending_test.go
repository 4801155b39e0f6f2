package lineending

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReturns(t *testing.T) {
	long := strings.Repeat("x", longest)
	for name, test := range map[string]struct {
		text string
		want error
	}{
		"returns":                      {"a\rb\rc\r", ErrReturns},
		"returns without the last":     {"a\rb\rc", ErrReturns},
		"returns and a last line feed": {"a\rb\rc\r\n", ErrReturns},
		"blank lines":                  {"a\r\r\rb\r", ErrReturns},
		"as many as line feeds":        {"a\rb\nc\rd\n", ErrReturns},
		"one in one line":              {"a\rb", nil},
		"one at the end":               {"a\r", nil},
		"fewer than line feeds":        {"a\rb\rc\nd\ne\n", nil},
		"line feeds":                   {"a\nb\nc\n", nil},
		"both":                         {"a\r\nb\r\n", nil},
		"one more":                     {"a\r\r\nb\r\r\nc\r\r\n", nil},
		"nothing":                      {"", nil},
		"a long first line":            {long + "\rb\rc\n" + "d\ne\nf\ng\n", nil},
	} {
		if err := Check([]byte(test.text)); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		for wrapped, wrap := range map[string]func(io.Reader) io.Reader{
			"": func(r io.Reader) io.Reader { return r }, "bytewise": iotest.OneByteReader, "eof with data": iotest.DataErrReader,
		} {
			read, err := io.ReadAll(NewReader(wrap(strings.NewReader(test.text))))
			if !errors.Is(err, test.want) || string(read) != test.text {
				t.Errorf("%s %s: read %d of %d bytes, %v, want %v", name, wrapped, len(read), len(test.text), err, test.want)
			}
		}
	}
}

// TestLongest: the error comes before a reader of lines gives up, and the stream's own error comes through.
func TestLongest(t *testing.T) {
	broken := errors.New("broken")
	stream := func(text string) io.Reader {
		return NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)))
	}
	for name, test := range map[string]struct {
		text string
		want error
	}{
		"returns":       {"a\rb\r" + strings.Repeat("x", longest), ErrReturns},
		"short of it":   {"a\rb\rc\r", broken},
		"a line feed":   {"a\rb\n" + strings.Repeat("\r", longest), broken},
		"a long line":   {"a\r" + strings.Repeat("x", 2*longest), broken},
		"no return yet": {strings.Repeat("x", 2*longest) + "\n\r\r\r", broken},
	} {
		r := stream(test.text)
		for range 2 { // it stays
			if _, err := io.ReadAll(r); !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", name, err, test.want)
			}
		}
	}
}
