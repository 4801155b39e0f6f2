// Lint checks the rules of the house that no general linter knows: which folder
// may import which, what folders and files are called and how long they are, where a
// program may end itself, and that what is fetched is named by its hash. Run it as `go run ./runners/lint`; it prints
// one line a fault and exits with 1 if there is any.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const module = "sentweave/"

// longestFile is the number of lines above which a file holds more than one concept.
const longestFile = 450

// pkg is what `go list` tells of a package.
type pkg struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// layer says what a part of the tree may import of ours. The first rule whose
// prefix fits a package holds.
type layer struct {
	prefix string
	may    []string
	beam   bool
}

var layers = []layer{
	{"schemas/", []string{"schemas/", "schemas"}, false},
	{"schemas", nil, false},
	{"transforms/", []string{"transforms/", "schemas"}, false},
	{"stages/", []string{"stages/", "transforms/", "schemas"}, false},
	// The files of the exchange are plain Go, so that their tests stay fast.
	{"pipelines/exchange/spill", nil, false},
	{"pipelines", []string{"pipelines/", "transforms/", "schemas"}, true},
	{"runners/recipe", []string{"schemas"}, false},
	{"runners/", []string{"runners/", "pipelines/", "stages/", "transforms/", "schemas"}, true},
}

var (
	// vague are names that say nothing of what is inside.
	vague = regexp.MustCompile(`(^|/)(utils?|common|helpers?|core|misc|shared|types)(/|$)`)
	ends  = regexp.MustCompile(`\b(log\.Fatal|os\.Exit|panic)\(`)
)

func main() {
	faults, err := check()
	if err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(2)
	}
	for _, f := range faults {
		fmt.Println(f)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

func check() ([]string, error) {
	packages, err := list()
	if err != nil {
		return nil, err
	}
	var faults []string
	for _, p := range packages {
		faults = append(faults, p.imports()...)
		files, err := p.files()
		if err != nil {
			return nil, err
		}
		faults = append(faults, files...)
	}
	unpinned, err := pinned(os.DirFS("."))
	return append(faults, unpinned...), err
}

func list() ([]pkg, error) {
	output, err := exec.Command("go", "list", "-json", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []pkg
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for {
		var p pkg
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// imports checks what a package and its tests import.
func (p pkg) imports() (faults []string) {
	name := strings.TrimPrefix(p.ImportPath, module)
	if vague.MatchString(name) {
		faults = append(faults, name+": the folder's name says nothing of what is inside")
	}
	at := slices.IndexFunc(layers, func(l layer) bool { return name == l.prefix || strings.HasPrefix(name, l.prefix) })
	if at < 0 {
		return append(faults, name+": the folder is in none of the layers")
	}
	rule := layers[at]
	for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
		if strings.Contains(imported, "sugarme/gotch") && !strings.HasPrefix(name, "stages/torch") {
			faults = append(faults, fmt.Sprintf("%s imports gotch: only stages/torch may", name))
		}
		if strings.HasPrefix(imported, "github.com/apache/beam") && !rule.beam {
			faults = append(faults, fmt.Sprintf("%s imports Beam: only pipelines and runners may", name))
		}
		ours, ok := strings.CutPrefix(imported, module)
		if !ok || ours == name {
			continue
		}
		allowed := slices.ContainsFunc(rule.may, func(prefix string) bool {
			return ours == strings.TrimSuffix(prefix, "/") || strings.HasPrefix(ours, prefix)
		})
		if !allowed {
			faults = append(faults, fmt.Sprintf("%s imports %s: imports point downward only (runners, pipelines and stages, transforms, schemas)", name, ours))
		}
	}
	return faults
}

// files checks lengths, and calls that end the program.
func (p pkg) files() (faults []string, err error) {
	for _, name := range p.GoFiles {
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		place := path.Join(strings.TrimPrefix(p.ImportPath, module), name)
		lines := strings.Split(string(data), "\n")
		if len(lines) > longestFile {
			faults = append(faults, fmt.Sprintf("%s has %d lines, more than %d: one concept a file", place, len(lines), longestFile))
		}
		if name == "main.go" {
			continue
		}
		for i, line := range lines {
			code, _, _ := strings.Cut(line, "//")
			if ends.MatchString(code) {
				faults = append(faults, fmt.Sprintf("%s:%d ends the program: only main.go may", place, i+1))
			}
		}
	}
	return faults, nil
}
