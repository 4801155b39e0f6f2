package main

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestModules(t *testing.T) {
	for name, test := range map[string]struct {
		mod  string
		want []string
	}{
		"as it should be": {"module m\n\nrequire (\n\ta.example/b v1.2.3\n)\n\nrequire (\n\tc.example/d v0.0.0-2026-x // indirect\n)\n",
			nil},
		"direct below": {"require (\n\ta.example/b v1.2.3\n)\n\nrequire (\n\te.example/f v1.0.0\n)\n",
			[]string{"go.mod: e.example/f stands in the wrong block"}},
		"indirect above": {"require (\n\tc.example/d v1.2.3 // indirect\n)\n",
			[]string{"go.mod: c.example/d stands in the wrong block"}},
		"a line of its own": {"require (\n\ta.example/b v1.2.3\n)\n\nrequire e.example/f v1.0.0\n",
			[]string{"go.mod: e.example/f stands in the wrong block"}},
		"nobody says why": {"require (\n\ta.example/b/v2 v2.0.0\n)\n",
			[]string{"go.mod: the table of dependencies in CONTRIBUTING.md does not say why a.example/b/v2"}},
		"not what is pinned": {"go 1.26.0\n\nrequire (\n\ta.example/b v1.2.3\n)\n", nil},
	} {
		faults, err := modules(fstest.MapFS{"go.mod": {Data: []byte(test.mod)},
			"CONTRIBUTING.md": {Data: []byte("| module | why |\n| `a.example/b` | It does b. |\n")}})
		if err != nil || !slices.EqualFunc(faults, test.want, strings.HasPrefix) {
			t.Errorf("%s: %q, %v, want %q", name, faults, err, test.want)
		}
	}
}
