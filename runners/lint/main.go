// Lint checks the rules of this repository that no general linter knows: which folder
// may import which, the names of folders, files, declarations and locals, the length of files, the width of lines, the
// number of parameters, which files may end the program, that downloads are named by their hashes, that CONTRIBUTING
// says why each module is required, the form of CHANGELOG, and that what pages link to is there. Run it as `go run
// ./runners/lint`. It prints one line for each fault and exits with 1 if there is any.
package main

import (
	"fmt"
	"io/fs"
	"os"
)

func main() {
	faults, err := check(os.DirFS("."))
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

func check(tree fs.FS) ([]string, error) {
	faults, err := code(tree)
	if err != nil {
		return nil, err
	}
	for _, rules := range []func(fs.FS) ([]string, error){names, shape, pinned, modules, changelog, links} {
		violations, err := rules(tree)
		if err != nil {
			return nil, err
		}
		faults = append(faults, violations...)
	}
	return faults, nil
}
