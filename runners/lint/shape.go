package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"unicode/utf8"
)

const (
	// widest is how many columns a line may have, and tab how many a tab takes.
	widest, tab = 140, 4
	// longLiteral is the columns from which a literal is not asked to be cut: a message, a tag, a row of a test.
	longLiteral = 70
	// mostParameters is how many a function may take.
	mostParameters = 5
)

// shape checks that lines have no more than 140 columns, unless a literal makes them so, and that functions take at
// most five parameters, unless they are written in assembly.
func shape(tree fs.FS) (faults []string, err error) {
	err = goFiles(tree, func(name string, text []byte) error {
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		literal := map[int]bool{} // lines that may be wide
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				first, last := positions.Position(n.Pos()).Line, positions.Position(n.End()).Line
				if first < last || utf8.RuneCountInString(n.Value) >= longLiteral {
					for line := first; line <= last; line++ {
						literal[line] = true
					}
				}
			case *ast.FuncDecl:
				if count := n.Type.Params.NumFields(); count > mostParameters && n.Body != nil {
					faults = append(faults, fmt.Sprintf("%s:%d: %s takes %d parameters, at most %d may be: what belongs together is a struct",
						name, positions.Position(n.Pos()).Line, n.Name.Name, count, mostParameters))
				}
			}
			return true
		})
		for i, line := range bytes.Split(text, []byte("\n")) {
			if columns := width(line); columns > widest && !literal[i+1] {
				faults = append(faults, fmt.Sprintf("%s:%d has %d columns, more than %d", name, i+1, columns, widest))
			}
		}
		return nil
	})
	return faults, err
}

// width is the number of columns of a line.
func width(line []byte) int {
	columns := utf8.RuneCount(line)
	for range strings.Count(string(line), "\t") {
		columns += tab - 1
	}
	return columns
}
