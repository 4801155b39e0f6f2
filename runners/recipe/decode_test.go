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
