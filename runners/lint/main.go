// Lint checks the rules of the house that no general linter knows: which folder
// may import which, what folders and files are called and how long they are, where a
// program may end itself, that what is fetched is named by its hash, and that somebody
// says why a module is required. Run it as `go run ./runners/lint`; it prints one line a
// fault and exits with 1 if there is any.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
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
	unpinned, err := pinned(tree)
	if err != nil {
		return nil, err
	}
	required, err := modules(tree)
	return slices.Concat(faults, unpinned, required), err
}
