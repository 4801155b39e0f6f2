package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
)

// mostFunctionWords is the share of the locals that may be function words. Some of them are what the standard
// library says: from and to of a range, in and out of a conversion, found of a cut.
const mostFunctionWords = .03

// functionWords say how a thing is used and not what it is.
var functionWords = wordsOf(`about above after again all also among any as asked at back begun behind below beside besides between both by done
	down each either every found from given gone had has here held in is it its kept known least left less made may more most named neither no
	none not now of off on once one only or other others out over own same seen shown since so some such taken than that then there these
	this those to under until up very wanted was when where while whole with within without written yet`)

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(text) {
		words[w] = true
	}
	return words
}

// locals counts the local names of a tree that are longer than a letter, but for those that every Go program has.
type locals struct {
	names, functionWords int
}

// idioms are the locals of every Go program.
var idioms = wordsOf("err ok ctx")

func (l *locals) add(name string) {
	if len(name) > 1 && !idioms[name] {
		l.names++
		if functionWords[name] {
			l.functionWords++
		}
	}
}

// addAll counts what a file declares within functions, with their parameters and results.
func (l *locals) addAll(file *ast.File) {
	fields := func(lists ...*ast.FieldList) {
		for _, list := range lists {
			if list == nil {
				continue
			}
			for _, field := range list.List {
				for _, name := range field.Names {
					l.add(name.Name)
				}
			}
		}
	}
	defined := func(list ...ast.Expr) {
		for _, e := range list {
			if name, ok := e.(*ast.Ident); ok {
				l.add(name.Name)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			fields(n.Recv)
		case *ast.FuncType:
			fields(n.Params, n.Results)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				defined(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				defined(n.Key, n.Value)
			}
		case *ast.DeclStmt:
			for _, name := range declared(n.Decl) {
				l.add(name.Name)
			}
		}
		return true
	})
}

// declared are the names of a declaration.
func declared(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name)
			case *ast.ValueSpec:
				names = append(names, s.Names...)
			}
		}
	}
	return names
}

// names checks that no name which is a package's own is a bare function word, and that few locals are. The values of
// an enumeration are read with their type and are left out, and so are tests.
func names(tree fs.FS) (faults []string, err error) {
	var count locals
	err = goFiles(tree, func(name string, text []byte) error {
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		count.addAll(file)
		for _, d := range file.Decls {
			for _, n := range declared(d) {
				if constants, ok := d.(*ast.GenDecl); ok && constants.Tok == token.CONST && constants.Lparen.IsValid() {
					continue
				}
				if functionWords[strings.ToLower(n.Name)] {
					faults = append(faults, fmt.Sprintf("%s:%d declares %s, a bare function word: say what it is", name,
						positions.Position(n.Pos()).Line, n.Name))
				}
			}
		}
		return nil
	})
	if share := float64(count.functionWords) / float64(max(1, count.names)); share > mostFunctionWords {
		faults = append(faults, fmt.Sprintf(
			"%d of %d locals are function words such as at, known and whole, %.1f %%: say what they hold, at most %.0f %% may be",
			count.functionWords, count.names, 100*share, 100*mostFunctionWords))
	}
	return faults, err
}
