package flags_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/flags"
)

type config struct {
	Plain int               `default:"3"`
	Given map[string]string `kong:"-"`
}

func (c *config) Flags() []flags.Flag {
	set := func(name string) func(string) error {
		return func(text string) error {
			if text == "bad" {
				return errors.New("bad is not wanted")
			}
			if c.Given == nil {
				c.Given = map[string]string{}
			}
			c.Given[name] = strings.TrimPrefix(c.Given[name]+"|"+text, "|")
			return nil
		}
	}
	return []flags.Flag{
		{Name: "least", Help: "Least of it.", Placeholder: "10", Group: "Filters", Set: set("least")},
		{Name: "names", Help: "Names.", Placeholder: "NAME,…", Group: "Filters", Many: true, Set: set("names")},
	}
}

func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want config
		err  string
	}{
		{args: nil, want: config{Plain: 3}},
		{args: []string{"--least=5", "--plain", "4"}, want: config{Plain: 4, Given: map[string]string{"least": "5"}}},
		{args: []string{"--names", "a,b", "--least", "x", "--names=c"},
			want: config{Plain: 3, Given: map[string]string{"least": "x", "names": "a,b|c"}}},
		{args: []string{"--least"}, err: "--least"},
		{args: []string{"--lest=5"}, err: `did you mean "--least"?`},
		{args: []string{"--names=a, b"}, err: `--names: " b" begins or ends with a space`},
		{args: []string{"--least= 5 "}, want: config{Plain: 3, Given: map[string]string{"least": " 5 "}}},
		{args: []string{"--least=bad"}, err: "bad is not wanted"},
	} {
		// At the top, and in a verb.
		var top config
		var verbs struct {
			Verb config `cmd:""`
		}
		atTop, err := kong.New(&top, flags.Option())
		if err != nil {
			t.Fatal(err)
		}
		inVerb, err := kong.New(&verbs, flags.Option())
		if err != nil {
			t.Fatal(err)
		}
		_, first := atTop.Parse(tt.args)
		_, second := inVerb.Parse(append([]string{"verb"}, tt.args...))
		for _, err := range []error{first, second} {
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v: %v, want an error with %q", tt.args, err, tt.err)
			}
		}
		if tt.err == "" {
			if diff := cmp.Diff([]config{tt.want, tt.want}, []config{top, verbs.Verb}); diff != "" {
				t.Errorf("%v: %s", tt.args, diff)
			}
		}
	}
}

func TestHelp(t *testing.T) {
	var b strings.Builder
	parser, err := kong.New(&config{}, flags.Option(), kong.Writers(&b, &b), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"--help"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Filters\n", "--least=10 ", "Least of it.", "--names=NAME,… "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the help lacks %q:\n%s", want, b.String())
		}
	}
	for _, f := range parser.Model.Flags {
		if f.Name == "names" != f.IsSlice() {
			t.Errorf("%s takes several values: %v", f.Name, f.IsSlice())
		}
	}
}
