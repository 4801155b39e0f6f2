package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/verb"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc":                       "a\tb\nc",
		"\x1b[31mred\x1b[0m":            `\u001b[31mred\u001b[0m`,
		"\x1b]0;title\x07":              `\u001b]0;title\u0007`,
		"back\b\rspace\x7f\x00":         `back\u0008\u000dspace\u007f\u0000`,
		"C1 \u009b31m and \x9b31m":      `C1 \u009b31m and \x9b31m`,
		"doc\u202egnp.exe\u2066x\u2069": `doc\u202egnp.exe\u2066x\u2069`,
		"one\u2028line":                 `one\u2028line`,
		"größe 東京 👍🏽 \u200fעברית":       "größe 東京 👍🏽 \u200fעברית",
		"cut \xe6\x9d":                  `cut \xe6\x9d`,
	} {
		if got := Escaped(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
		if got := Escaped(want); got != want {
			t.Errorf("%q is escaped twice: %q", want, got)
		}
	}
	// Characters that are cut by writes come through whole.
	var out bytes.Buffer
	to := Visible(Visible(&out))
	for _, b := range []byte("ä東👍\u009b\x1bz\n") {
		if n, err := to.Write([]byte{b}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if want := `ä東👍\u009b\u001bz` + "\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	// JSON stays the same value.
	var back string
	text, _ := json.Marshal("\u009b\x7f\u202e\x1b")
	if err := json.Unmarshal([]byte(Escaped(string(text))), &back); err != nil || back != "\u009b\x7f\u202e\x1b" {
		t.Errorf("%q, %v", back, err)
	}
}

type failVerb struct{ Name string }

func (c *failVerb) Run(p *Program) error {
	_, err := os.Open(c.Name)
	p.Stderr.Write([]byte("note: " + c.Name + "\n"))
	return errors.Join(err, errors.New("and \x1b[2J"))
}

type showVerb struct{ Name string }

func (c *showVerb) Run(p *Program) error {
	_, err := io.WriteString(p.Stdout, c.Name+"\n")
	return errors.Join(err, onlyErr(io.WriteString(Exact(p.Stdout), c.Name)))
}

func onlyErr(_ int, err error) error { return err }

// What a program prints of a name has no raw escape sequence, wherever it is printed.
func TestProgramsPrintVisibly(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a\x1b[31m\u202eb\u009b")
	var out, errs bytes.Buffer
	p := &Program{Name: "x", Verbs: []verb.Verb{{Name: "fail", New: func() any { return &failVerb{} }},
		{Name: "show", New: func() any { return &showVerb{} }}}, Stdout: &out, Stderr: &errs}
	p.Main([]string{"fail", "--name", name}, func(int) {})
	p.Main([]string{"fail", "--" + name}, func(int) {})
	p.Main([]string{name}, func(int) {})
	if text := errs.String(); strings.ContainsAny(text, "\x1b\u202e") ||
		!strings.Contains(text, `a\u001b[31m\u202eb\u009b: no such file`) || strings.Count(text, `\u001b[31m`) < 4 {
		t.Errorf("%q", text)
	}
	if code := p.ExitCode(context.Background(), p.Execute(context.Background(), []string{"show", "--name", name})); code != 0 {
		t.Errorf("code %d, %q", code, errs.String())
	}
	if want := Escaped(name) + "\n" + name; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

type makeVerb struct {
	Out  string `placeholder:"DIR"`
	done func()
}

func (c *makeVerb) Run(p *Program) error {
	for range 3 {
		if _, err := io.WriteString(p.Stdout, "line\n"); err != nil {
			return err
		}
	}
	c.done()
	return nil
}

// When the reader of the output goes away, a verb that makes something does so to its end, others stop, and no code says
// that all was well.
func TestReaderGone(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		done bool
	}{
		"one that makes": {[]string{"make", "--out", "x"}, true},
		"one that shows": {[]string{"make"}, false},
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = reader.Close() // it was not used
		var errs bytes.Buffer
		done := false
		p := &Program{Name: "x", Verbs: []verb.Verb{{Name: "make", New: func() any { return &makeVerb{done: func() { done = true }} }}},
			Stdout: writer, Stderr: &errs}
		if code := p.Main(test.args, func(int) {}); code != ExitPipe || done != test.done || errs.Len() > 0 {
			t.Errorf("%s: code %d, done %v, said %q", name, code, done, errs.String())
		}
		_ = writer.Close() // nothing reads it
	}
}
