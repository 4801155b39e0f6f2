package main

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestShape(t *testing.T) {
	words := func(n int) string { return strings.Repeat("a, ", n) }
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"a line of 140 columns": {"\tf(" + words(44) + "b)", nil},
		"a line of 141":         {"\tf(" + words(44) + "bb)", []string{"x.go:3 has 141 columns, more than 140"}},
		"two tabs":              {"\t\tf(" + words(44) + ")", []string{"x.go:3 has 143 columns"}},
		"a long message":        {"\tf(" + words(30) + `"` + strings.Repeat("x", 80) + `")`, nil},
		"a short message":       {"\tf(" + words(44) + `"xxxx")`, []string{"x.go:3 has 145 columns"}},
		"text of several lines": {"\tf(`\n" + strings.Repeat("x", 200) + "\n`)", nil},
		"five parameters":       {"}\nfunc g(a, b int, c string, d, e bool) {", nil},
		"six parameters":        {"}\nfunc g(a, b int, c string, d, e, f bool) {", []string{"x.go:4: g takes 6 parameters"}},
		"six of a method":       {"}\nfunc (t T) g(a, b, c, d, e, f bool) {", []string{"x.go:4: g takes 6 parameters"}},
		"in assembly":           {"}\nfunc g(a, b, c, d, e, f bool)\nfunc h() {", nil},
	} {
		faults, err := shape(fstest.MapFS{"x.go": {Data: []byte("package x\nfunc x() {\n" + test.text + "\n}\n")}})
		if err != nil || !slices.EqualFunc(faults, test.want, strings.HasPrefix) {
			t.Errorf("%s: %q, %v, want %q", name, faults, err, test.want)
		}
	}
}
