package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestCode(t *testing.T) {
	for name, test := range map[string]struct {
		file, text string
		want       []string
	}{
		"downward": {"pipelines/corpus/x.go", `import ("os"; "sentweave/transforms/read/html"; "sentweave/schemas")`, nil},
		"upward": {"transforms/read/html/x.go", `import "sentweave/pipelines/units"`,
			[]string{"transforms/read/html/x.go imports pipelines/units"}},
		"upward in a test": {"schemas/x_test.go", `import "sentweave/transforms/read/html"`, []string{"schemas/x_test.go imports"}},
		"beside":           {"stages/embed/x.go", `import "sentweave/pipelines/units"`, []string{"stages/embed/x.go imports"}},
		"itself":           {"pipelines/exchange/spill/x_test.go", `import "sentweave/pipelines/exchange/spill"`, nil},
		"a layer in a layer": {"pipelines/exchange/spill/x.go", `import "sentweave/schemas"`,
			[]string{"pipelines/exchange/spill/x.go imports"}},
		"Beam": {"pipelines/corpus/x.go", `import "github.com/apache/beam/sdks/v2/go/pkg/beam"`,
			[]string{"pipelines/corpus/x.go imports github.com/apache/beam"}},
		"Beam in its place": {"pipelines/units/x.go", `import "github.com/apache/beam/sdks/v2/go/pkg/beam"`, nil},
		"against the data's way": {"transforms/read/html/x.go", `import "sentweave/transforms/clean/text"`,
			[]string{"transforms/read/html/x.go imports transforms/clean/text"}},
		"in no group": {"transforms/minhash/x.go", "", []string{"transforms/minhash: the folder is in none of the layers"}},
		"flags": {"transforms/engines/deepl/x.go", `import "github.com/alecthomas/kong"`,
			[]string{"transforms/engines/deepl/x.go imports"}},
		"gotch": {"stages/torch/x.go", `import "` + gotch + `/ts"`, nil},
		"an inner room": {"stages/embed/x.go", `import "sentweave/stages/torch/native"`,
			[]string{"stages/embed/x.go imports stages/torch/native: it is an inner room"}},
		"a room of the house": {"schemas/dataset/funnel/x.go", `import "sentweave/schemas/dataset/rowfile"`, nil},
		"with libtorch, gotch": {"stages/embed/x.go", "//go:build libtorch\n" + `import "` + gotch + `/ts"`,
			[]string{"stages/embed/x.go imports " + gotch + "/ts: only stages/torch/... may"}},
		"with libtorch, upward": {"stages/torch/x.go", "//go:build libtorch\n" + `import "sentweave/pipelines/units"`,
			[]string{"stages/torch/x.go imports pipelines/units"}},
		"with libtorch, a test": {"stages/torch/x_test.go", "//go:build libtorch\n" + `import "sentweave/runners/torchverbs"`,
			[]string{"stages/torch/x_test.go imports"}},
		"without libtorch": {"stages/torch/x.go", "//go:build !libtorch\n" + `import "sentweave/pipelines/units"`,
			[]string{"stages/torch/x.go imports"}},
		"with libtorch, the end": {"stages/torch/x.go", "//go:build libtorch\n" + `func x() { panic("x") }`,
			[]string{"stages/torch/x.go:3 ends the program"}},
		"with cgo": {"schemas/storage/x.go", "//go:build cgo\n" + `import "C"`,
			[]string{"schemas/storage/x.go imports C: only stages/torch/native may"}},
		"on another system": {"schemas/storage/x_plan9.go", `import "sentweave/runners/command"`,
			[]string{"schemas/storage/x_plan9.go imports"}},
		"the end of a test": {"stages/torch/x_test.go", `func x() { panic("x") }`, nil},
		"the end in main":   {"runners/lint/main.go", `func x() { panic("x") }`, nil},
		"about the end":     {"runners/lint/x.go", "// panic(x)", nil},
		"JSON without bounds": {"stages/embed/x.go", `func x() { json.Unmarshal(nil, nil) }`,
			[]string{"stages/embed/x.go:1 decodes without bounds"}},
		"YAML without bounds": {"stages/objective/x.go", `import "github.com/goccy/go-yaml"; func x() { yaml.Unmarshal(nil, nil) }`,
			[]string{"stages/objective/x.go:1 decodes"}},
		"YAML elsewhere": {"stages/embed/x.go", `import "github.com/goccy/go-yaml/ast"`,
			[]string{"stages/embed/x.go imports github.com/goccy/go-yaml"}},
		"JSON in its place": {"schemas/jsonfile/x.go", `func x() { json.Unmarshal(nil, nil) }`, nil},
		"JSON of a test":    {"transforms/engines/enginetest/x.go", `func x() { json.Unmarshal(nil, nil) }`, nil},
		"no layer":          {"tools/x.go", "", []string{"tools: the folder is in none of the layers"}},
		"an empty name":     {"schemas/utils/x.go", "", []string{"schemas/utils: the folder's name says nothing"}},
		"too long":          {"schemas/x.go", strings.Repeat("\n", longestFile), []string{"schemas/x.go has"}},
		"data of tests":     {"schemas/testdata/x.go", `import "sentweave/runners/command"`, nil},
		"what is built":     {".build/x/x.go", `import "sentweave/runners/command"`, nil},
	} {
		text := test.text
		if tag, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(tag, "//go:build") {
			text = tag + "\npackage x\n" + rest
		} else {
			text = "package x;" + text
		}
		faults, err := code(fstest.MapFS{test.file: {Data: []byte(text)}})
		if err != nil || !slices.EqualFunc(faults, test.want, strings.HasPrefix) {
			t.Errorf("%s: %q, %v, want %q", name, faults, err, test.want)
		}
	}
}

// A package has so many files at most, whatever their build tags; tests and other folders do not count.
func TestFilesOfAPackage(t *testing.T) {
	tree := fstest.MapFS{}
	add := func(folder, suffix string, n int) {
		for i := range n {
			tree[fmt.Sprintf("%s/%d%s", folder, i, suffix)] = &fstest.MapFile{Data: []byte("//go:build libtorch\n\npackage x")}
		}
	}
	add("stages/torch", ".go", mostFiles)
	add("stages/torch", "_test.go", 5)
	add("stages/torch", ".cpp", 5)
	add("stages/torch/testdata", ".go", 5)
	add("stages/torch/tensors", ".go", 5)
	if faults, err := code(tree); err != nil || faults != nil {
		t.Errorf("%q, %v", faults, err)
	}
	add("stages/torch", "_linux.go", 1)
	faults, err := code(tree)
	if want := "stages/torch has 21 files that are not tests, more than 20"; err != nil || len(faults) != 1 ||
		!strings.HasPrefix(faults[0], want) {
		t.Errorf("%q, %v, want %q", faults, err, want)
	}
}
