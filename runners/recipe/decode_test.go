package recipe

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type decoded struct {
	Name  string  `yaml:"name"`
	Rate  float64 `yaml:"rate"`
	Kept  int     `yaml:"kept"`
	None  string  `yaml:"-"`
	Inner inner   `yaml:",inline"`
	Items []item  `yaml:"items"`
}

type inner struct {
	Steps int `yaml:"steps"`
}

type item struct {
	On *bool `yaml:"on"`
}

func TestDecode(t *testing.T) {
	yes := true
	got := decoded{Kept: 7}
	err := Decode("c.yaml", []byte("name: a b\nrate: 1e-3\nsteps: 4\nitems:\n- &a {on: true}\n- *a\n- {<<: *a}\n"), &got)
	want := decoded{Name: "a b", Rate: 1e-3, Kept: 7, Inner: inner{4}, Items: []item{{&yes}, {&yes}, {&yes}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	for _, test := range []struct {
		text string
		want []string
	}{
		{"name: a\nstep: 3\nnone: b\n", []string{`c.yaml:2: the file has no key "step", did you mean steps?; it has items, kept, name, rate, steps`, `c.yaml:3: the file has no key "none"`}},
		{"items:\n- {on: true, off: true}", []string{`c.yaml:2: an entry of items has no key "off"`}},
		{"items: {on: true}", []string{"c.yaml:1: items is no list"}},
		{"steps:\n  a: 1", []string{"c.yaml:"}},
		{"rate: *a", []string{"c.yaml:1: there is no anchor &a"}},
		{"items: &a [*a]", []string{"c.yaml:1: "}},
		{"- 1", []string{"c.yaml:1: the file is no mapping"}},
		{"steps: 99999999999999999999", []string{"c.yaml:1: "}},
	} {
		err := Decode("c.yaml", []byte(test.text), &decoded{})
		var fault *Fault
		if !errors.As(err, &fault) {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", test.text, err, want)
			}
		}
	}
}

func TestLine(t *testing.T) {
	const text = "# A comment.\nname: a\nitems:\n- name: b\n  on: &list [1, 2]\n- {name: c,\n   on: *list}\n- &d\n  name: d\n- {<<: *d}\n"
	for _, test := range []struct {
		path []any
		want int
	}{
		{nil, 1}, {[]any{"name"}, 2}, {[]any{"none"}, 1}, {[]any{"name", "none"}, 2}, {[]any{"items"}, 3}, {[]any{"items", 0}, 4},
		{[]any{"items", 0, "on"}, 5}, {[]any{"items", 0, "none"}, 4}, {[]any{"items", 1}, 6}, {[]any{"items", 1, "on"}, 7},
		{[]any{"items", 3, "name"}, 9}, {[]any{"items", 4}, 3}, {[]any{"items", "on"}, 3}, {[]any{"name", 0}, 2},
	} {
		if got, err := Line("c.yaml", []byte(text), test.path...); err != nil || got != test.want {
			t.Errorf("%v stands in line %d, want %d, error %v", test.path, got, test.want, err)
		}
	}
	if _, err := Line("c.yaml", []byte("{"), "name"); err == nil {
		t.Error("what is no YAML has a line")
	}
}
