package main

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// required matches a line of go.mod that requires a module.
var required = regexp.MustCompile(`(?m)^(?:require|\t) ?(\S+) v\S+( // indirect)?$`)

// modules checks that go.mod names the modules that we import in its first block alone,
// and that CONTRIBUTING says of each of them why it is there.
func modules(tree fs.FS) (faults []string, err error) {
	file, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		return nil, err
	}
	why, err := fs.ReadFile(tree, "CONTRIBUTING.md")
	if err != nil {
		return nil, err
	}
	first, rest, _ := strings.Cut(string(file), "\n)\n")
	for i, block := range []string{first, rest} {
		for _, m := range required.FindAllStringSubmatch(block, -1) {
			if direct := m[2] == ""; direct != (i == 0) {
				faults = append(faults, fmt.Sprintf(
					"go.mod: %s stands in the wrong block: modules that we import in the first, all others in the second", m[1]))
			} else if direct && !strings.Contains(string(why), "\n| `"+m[1]+"` | ") {
				faults = append(faults, fmt.Sprintf("go.mod: the table of dependencies in CONTRIBUTING.md does not say why %s is there",
					m[1]))
			}
		}
	}
	return faults, nil
}
