package yamlfile

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
	Steps int     `yaml:"steps"`
	Seed  uint64  `yaml:"seed"`
	Alpha float64 `yaml:"alpha" zero:"refused"`
}

type item struct {
	On *bool `yaml:"on"`
}

func TestDecode(t *testing.T) {
	yes := true
	got := decoded{Kept: 7}
	err := Decode("c.yaml", []byte("name: a b\nrate: 1e-3\nsteps: 4\nitems:\n- &a {on: true}\n- *a\n- {<<: *a}\n"), &got)
	want := decoded{Name: "a b", Rate: 1e-3, Kept: 7, Inner: inner{Steps: 4}, Items: []item{{&yes}, {&yes}, {&yes}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	for _, test := range []struct {
		text string
		want []string
	}{
		{"name: a\nstep: 3\nnone: b\n",
			[]string{`c.yaml:2: the file has no key "step", did you mean steps?; it has alpha, items, kept, name, rate, seed, steps`,
				`c.yaml:3: the file has no key "none"`}},
		{"items:\n- {on: true, off: true}", []string{`c.yaml:2: an entry of items has no key "off"`}},
		{"items: {on: true}", []string{"c.yaml:1: items is not a list"}},
		{"steps:\n  a: 1", []string{"c.yaml:2: steps is another kind of value, it must be a whole number"}},
		{"steps: 40.9\nkept: many\nseed: -1\nrate: fast\n",
			[]string{`c.yaml:1: steps is "40.9", it must be a whole number`, `c.yaml:2: kept is "many"`,
				`c.yaml:3: seed is "-1", it must be a whole number from 0 on`, `c.yaml:4: rate is "fast", it must be a number`}},
		{"items:\n- {on: 1}\nname: [a]\n",
			[]string{`c.yaml:2: on is "1", it must be true or false`, "c.yaml:3: name is another kind of value, it must be a text"}},
		{"alpha: 0.0", []string{"c.yaml:1: alpha is 0, it must be above 0; leave it out for its default"}},
		{"rate: *a", []string{"c.yaml:1: there is no anchor &a"}},
		{"items: &a [*a]", []string{"c.yaml:1: "}},
		{"- 1", []string{"c.yaml:1: the file is not a mapping"}},
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

// A message shows what stands around a fault, but no line of many characters.
func TestDecodeLongLine(t *testing.T) {
	err := Decode("c.yaml", []byte("name: ["+strings.Repeat("x", 50_000)+"\nrate: }\n"), &decoded{})
	if err == nil || len(err.Error()) > 2_000 || !strings.Contains(err.Error(), "rate: }") {
		t.Errorf("%.3000v", err)
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
			t.Errorf("%v is in line %d, want %d, error %v", test.path, got, test.want, err)
		}
	}
	if _, err := Line("c.yaml", []byte("{"), "name"); err == nil {
		t.Error("what is not YAML has a line")
	}
}
