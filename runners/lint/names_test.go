package main

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestNames(t *testing.T) {
	for name, test := range map[string]struct {
		file, text string
		want       []string
	}{
		"a function": {"x.go", "func at() {}", []string{"x.go:2 declares at, a bare function word"}},
		"a type":     {"x.go", "type known struct{}", []string{"x.go:2 declares known"}},
		"of several": {"x.go", "var (\n\tpath string\n\twhole, length int\n)", []string{"x.go:4 declares whole"}},
		"a method":   {"x.go", "type list []int\nfunc (l list) at(i int) int { return l[i] }", nil},
		"exported":   {"x.go", "func At() {}", []string{"x.go:2 declares At"}},
		"of values":  {"x.go", "const (\n\tNone Kind = iota\n\tOther\n)", nil},
		"in a test":  {"x_test.go", "func at() {}", nil},
		"one local in fifty": {"x.go", "func f(path string) {\n\tat := 1\n" + strings.Repeat("\tfor index := range 3 { _ = index }\n", 48) +
			"}", nil},
		"one local in ten": {"x.go", "func f(known bool) (size int) {\n\tvar name, text string\n" +
			strings.Repeat("\tfor index := range 3 { _ = index }\n", 6) + "}",
			[]string{"1 of 10 locals are function words such as at, known and whole, 10.0 %"}},
		"letters and idioms": {"x.go", "func f(ctx any, i, j int) (err error) {\n\tv, ok := at()\n\tsize, at := 1, 2\n}",
			[]string{"1 of 2 locals are function words"}},
		"what is built": {".build/x.go", "func at() {}", nil},
	} {
		faults, err := names(fstest.MapFS{test.file: {Data: []byte("package x\n" + test.text)}})
		if err != nil || !slices.EqualFunc(faults, test.want, strings.HasPrefix) {
			t.Errorf("%s: %q, %v, want %q", name, faults, err, test.want)
		}
	}
}
