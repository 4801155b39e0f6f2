package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const module = "sentweave/"

// longestFile is the number of lines above which a file holds more than one concept.
const longestFile = 450

// mostFiles is the number of files, without tests, above which a package is a heap of several subjects.
const mostFiles = 20

// rule is a pattern of what it is about, and the patterns of what goes with it: a/... is
// a and all below it.
type rule struct {
	pattern string
	with    []string
}

// layers says which of our folders a folder may import. The first that fits it holds.
var layers = []rule{
	{"schemas/...", []string{"schemas/..."}},
	// The groups of transforms stand in the order of the data's way.
	{"transforms/random", []string{"schemas/..."}},
	{"transforms/read/...", groupsBelow("random", "read/...")},
	{"transforms/clean/...", groupsBelow("random", "read/...", "clean/...")},
	{"transforms/filters/...", groupsBelow("random", "read/...", "clean/...", "filters/...")},
	{"transforms/document", groupsBelow("random", "read/...", "clean/...", "filters/...")},
	{"transforms/pairs/...", groupsBelow("random", "read/...", "clean/...", "filters/...", "pairs/...")},
	{"transforms/tokens/...", groupsBelow("random", "read/...", "clean/...", "tokens/...")},
	{"transforms/augment/...", groupsBelow("random", "read/...", "clean/...", "tokens/...", "augment/...")},
	{"transforms/engines/...", groupsBelow("random", "read/...", "clean/...", "pairs/...", "engines/...")},
	{"transforms/testsets/...", groupsBelow("random", "read/...", "clean/...", "testsets/...")},
	{"transforms/measure/...", groupsBelow("random", "testsets/...", "measure/...")},
	{"stages/...", []string{"stages/...", "transforms/...", "schemas/..."}},
	// The files of the exchange are plain Go, so that their tests stay fast.
	{"pipelines/exchange/spill", []string{"schemas/fault"}},
	{"pipelines/...", []string{"pipelines/...", "transforms/...", "schemas/..."}},
	{"runners/recipe", []string{"schemas/..."}},
	{"runners/...", []string{"runners/...", "pipelines/...", "stages/...", "transforms/...", "schemas/..."}},
}

// groupsBelow returns the groups of transforms that another one may import, and the rows.
func groupsBelow(groups ...string) []string {
	list := []string{"schemas/..."}
	for _, g := range groups {
		list = append(list, "transforms/"+g)
	}
	return list
}

// gotch binds libtorch. Its path is in two parts, so that a search for who imports it does
// not find this rule.
const gotch = "github.com/sugarme/" + "gotch"

// libraries names the folders that alone may import what others need not know.
var libraries = []rule{
	{"C", []string{"stages/torch/native"}},
	{"github.com/alecthomas/kong", []string{"pipelines/flags", "pipelines/pipelinetest", "runners/..."}},
	{"github.com/apache/beam/...", []string{"pipelines", "pipelines/units", "pipelines/pipelinetest", "runners/..."}},
	{gotch + "/...", []string{"stages/torch/..."}},
	{"github.com/goccy/go-yaml/...", []string{"schemas/yamlfile", "stages/objective", "stages/publish", "stages/report", "stages/search",
		"stages/train", "runners/..."}},
}

// houses are packages whose inner rooms they alone import, and what is for tests besides.
var houses = []string{"schemas/dataset", "stages/torch"}

var (
	// vague are names that say nothing of what is inside.
	vague = regexp.MustCompile(`(^|/)(utils?|common|helpers?|core|misc|shared|types)(/|$)`)
	ends  = regexp.MustCompile(`\b(log\.Fatal|os\.Exit|panic)\(`)
	// unbounded are decoders that take as much memory as a file asks for.
	unbounded = regexp.MustCompile(`\b(json\.Unmarshal|yaml\.Unmarshal|yaml\.NewDecoder)\(`)
)

func fits(pattern, name string) bool {
	folder, recursive := strings.CutSuffix(pattern, "/...")
	return name == folder || recursive && strings.HasPrefix(name, folder+"/")
}

// find returns the first rule that is about a name, or nil.
func find(rules []rule, name string) *rule {
	if i := slices.IndexFunc(rules, func(r rule) bool { return fits(r.pattern, name) }); i >= 0 {
		return &rules[i]
	}
	return nil
}

// allows says whether a name goes with what the rule is about.
func (r *rule) allows(name string) bool {
	return slices.ContainsFunc(r.with, func(p string) bool { return fits(p, name) })
}

// code checks every Go file, whatever its build tags: what is built with libtorch, or on
// another system, is held to the same rules.
func code(tree fs.FS) (faults []string, err error) {
	visited := map[string]bool{}
	files := map[string]int{} // by folder, tests apart
	err = goFiles(tree, func(name string, text []byte) error {
		if folder := path.Dir(name); !visited[folder] {
			visited[folder] = true
			if vague.MatchString(folder) {
				faults = append(faults, folder+": the folder's name says nothing of what is inside")
			}
			if find(layers, folder) == nil {
				faults = append(faults, folder+": the folder is in none of the layers")
			}
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if fault := imports(path.Dir(name), imported); fault != "" {
				faults = append(faults, name+" "+fault)
			}
		}
		if !strings.HasSuffix(name, "_test.go") {
			faults = append(faults, lines(name, string(text))...)
			files[path.Dir(name)]++
		}
		return nil
	})
	for _, folder := range slices.Sorted(maps.Keys(files)) {
		if n := files[folder]; n > mostFiles {
			faults = append(faults, fmt.Sprintf("%s has %d files that are not tests, more than %d: give its subjects rooms of their own",
				folder, n, mostFiles))
		}
	}
	return faults, err
}

// goFiles visits every Go file that the go tool would build or test on some system.
func goFiles(tree fs.FS, visit func(name string, text []byte) error) error {
	return fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return visit(name, text)
	})
}

// imports says why a folder may not import a package, or "".
func imports(folder, imported string) string {
	ours, ok := strings.CutPrefix(imported, module)
	if !ok {
		if r := find(libraries, imported); r != nil && !r.allows(folder) {
			return fmt.Sprintf("imports %s: only %s may", imported, strings.Join(r.with, ", "))
		}
		return ""
	}
	for _, house := range houses {
		if strings.HasPrefix(ours, house+"/") && !fits(house+"/...", folder) && !strings.HasSuffix(ours, "test") {
			return fmt.Sprintf("imports %s: it is an inner room of %s, which gives what others need", ours, house)
		}
	}
	if r := find(layers, folder); r != nil && ours != folder && !r.allows(ours) {
		return fmt.Sprintf("imports %s: imports point downward only (runners, pipelines and stages, transforms, schemas)", ours)
	}
	return ""
}

// lines checks how many a file has, and that none of them ends the program or decodes without bounds.
func lines(name, text string) (faults []string) {
	list := strings.Split(text, "\n")
	if len(list) > longestFile {
		faults = append(faults, fmt.Sprintf("%s has %d lines, more than %d: one concept a file", name, len(list), longestFile))
	}
	if path.Base(name) == "main.go" {
		return faults
	}
	for i, line := range list {
		code, _, _ := strings.Cut(line, "//")
		if ends.MatchString(code) {
			faults = append(faults, fmt.Sprintf("%s:%d ends the program: only main.go may", name, i+1))
		}
		if folder := path.Dir(name); unbounded.MatchString(code) && folder != "schemas/jsonfile" && !strings.HasSuffix(folder, "test") {
			faults = append(faults, fmt.Sprintf("%s:%d decodes without bounds: use schemas/jsonfile or schemas/yamlfile", name, i+1))
		}
	}
	return faults
}
