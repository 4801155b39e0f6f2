package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/verb"
)

func TestWithin(t *testing.T) {
	base := t.TempDir()
	t.Chdir(base)
	if err := os.MkdirAll("a/b", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", "link"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		folder, location string
		want             bool
	}{
		{"a", "a", true},
		{"a", "a/", true},
		{"a", "./a/../a/b", true},
		{"a", filepath.Join(base, "a/b/absent/file"), true},
		{"a", "link", true},
		{"link", "a/b", true},
		{"link/new", "a/new", true},
		{"a", "ab", false},
		{"a/b", "a", false},
		{"a", "..", false},
		{".", "a", true},
		{"a", "", false},
		{"x=a", "x=a", true},
		{"gs://bucket/a", "gs://bucket/a/", true},
		{"gs://bucket/a", "gs://bucket/a/b", true},
		{"gs://bucket/a", "gs://bucket/ab", false},
		{"gs://bucket/a", "a", false},
		{".", "gs://bucket/a", false},
	}
	for _, test := range tests {
		if got := Contains(test.folder, test.location); got != test.want {
			t.Errorf("Within(%q, %q) = %v", test.folder, test.location, got)
		}
	}
}

func TestSeparate(t *testing.T) {
	type work struct {
		Out       string            `required:""`
		Overwrite bool              `help:"x"`
		One       string            `placeholder:"DIR"`
		Many      []string          `placeholder:"[NAME=]MODEL,..."`
		Named     map[string]string `placeholder:"NAME=DIR" mapsep:","`
		File      string            `placeholder:"FILE"`
		Name      string            `placeholder:"NAME"`
	}
	type page struct {
		Out   string            `required:""`
		One   string            `placeholder:"DIR"`
		Named map[string]string `placeholder:"NAME=DIR" mapsep:","`
	}
	p := &Program{Name: "p", Verbs: []verb.Verb{{Name: "work", New: func() any { return &work{} }},
		{Name: "page", New: func() any { return &page{} }}}}
	tests := []struct {
		args string
		want []string
	}{
		{"work --out=o --one=a --many=b,x=c --named=d=e --file=f/g --name=o", nil},
		{"work --out=o --one=o --many=b,x=o --named=d=o/p --file=o/g",
			[]string{"work: --one: o lies in the output o", "--many: o lies", "--named: o/p lies", "--file: o/g lies",
				"choose another --out"}},
		{"work --out=. --one=a", []string{"one: a lies in the output ."}},
		{"page --out=o --one=o/p", nil}, // deletes nothing
		{"page --out=o --named=x=o/,y=o/p,z=p", []string{"page: --named: o/ lies in the output o"}},
		{"page --out=o --one=./o", []string{"page: --one: ./o lies in the output o"}},
	}
	for _, test := range tests {
		err := p.Check(strings.Fields(test.args))
		if (err != nil) != (test.want != nil) {
			t.Errorf("%s: %v", test.args, err)
		}
		for _, want := range test.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", test.args, err, want)
			}
		}
	}
}
