package apertium

import (
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"
)

// A text that is not translated comes back as it was, and its stream has no bare
// letters with a meaning outside of blanks.
func FuzzStream(f *testing.F) {
	for _, text := range []string{"The house.", "a.[]b", "x\n\ny \t z", `\^$[]{}<>/@~`, "1\u00a0000 \u2028 \u0085", "\n\n", ".", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		stream := deformat(nil, text)
		if got, want := reformat(stream), strings.ReplaceAll(text, "\x00", ""); got != want {
			t.Errorf("%q came back as %q, by %q", want, got, stream)
		}
		inside := false
		for i := 0; i < len(stream); i++ {
			switch c := stream[i]; {
			case c == 0:
				t.Fatalf("%q holds a null character", stream)
			case c == '\\':
				i++
			case c == '[' && !inside, c == ']' && inside:
				inside = !inside
			case strings.IndexByte("^$[]{}<>/@", c) >= 0:
				t.Fatalf("%q holds a bare %q", stream, c)
			}
		}
		if inside {
			t.Errorf("%q does not end its blank", stream)
		}
	})
}

// The stream means what that of apertium-destxt means.
func TestStreamAsTheProgram(t *testing.T) {
	path, err := exec.LookPath("apertium-destxt")
	if err != nil {
		t.Skip("skipped: apertium-destxt is not on the PATH")
	}
	for _, text := range []string{
		"The house.", "No stop", "Is it?", "a [b] <c> {d} ^e$ f/g @h \\i", "two\n\nparagraphs", "tab\tand  spaces", "line\nbreak",
		"~tilde~", "1,000.5 %s #x *y",
	} {
		c := exec.Command(path)
		c.Stdin = strings.NewReader(text)
		output, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := reformat(output); got != text {
			t.Errorf("%q: the program's stream %q reads as %q", text, output, got)
		}
		if text == "~tilde~" { // white space beside it goes into the same blank there
			continue
		}
		if got := string(deformat(nil, text)); got != string(output) {
			t.Errorf("%q: stream %q, the program gives %q", text, got, output)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	text := strings.Repeat("The house is [very] big, and has 3/4 of a roof. ", 20)
	b.SetBytes(int64(len(text)))
	var stream []byte
	for b.Loop() {
		stream = deformat(stream[:0], text)
		if len(reformat(stream)) != len(text) {
			b.Fatal("lost")
		}
	}
}
