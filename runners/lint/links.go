package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"
)

var (
	markdownLink    = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]+)\)`)
	markdownHeading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	codeFence       = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	// goName is the text of a link to code: `Name`, `Type.Method`, `package` or `package.Name`.
	goName = regexp.MustCompile("^`(?:(\\w+)\\.)?(\\w+)`$")
)

// links checks that what the pages of the tree link to is there: files, folders, headings of
// pages, and the Go names that stand as code in the text of a link to a file or a package.
func links(tree fs.FS) (faults []string, err error) {
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == ".build" || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".md":
			return nil
		}
		page, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		for _, link := range markdownLink.FindAllStringSubmatch(codeFence.ReplaceAllString(string(page), ""), -1) {
			if strings.Contains(link[2], "://") {
				continue
			}
			if fault := linkFault(tree, name, link[1], link[2]); fault != "" {
				faults = append(faults, fmt.Sprintf("%s: %s: %s", name, link[0], fault))
			}
		}
		return nil
	})
	return faults, err
}

// linkFault says what is wrong with a link of a page, or nothing.
func linkFault(tree fs.FS, page, text, link string) string {
	target, heading, _ := strings.Cut(link, "#")
	name := page
	if target != "" {
		name = path.Join(path.Dir(page), target)
	}
	info, err := fs.Stat(tree, name)
	if err != nil {
		return name + " is not there"
	}
	if path.Ext(name) == ".md" {
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err.Error()
		}
		if heading != "" && !headings(string(data))[heading] {
			return name + " has no such heading"
		}
	}
	code := goName.FindStringSubmatch(text)
	files := []string{name}
	if info.IsDir() {
		files, _ = fs.Glob(tree, name+"/*.go")
	}
	if code == nil || code[2] == "go" || len(files) == 0 || path.Ext(files[0]) != ".go" {
		return ""
	}
	for _, file := range files {
		if declares(tree, file, code[1], code[2]) {
			return ""
		}
	}
	return fmt.Sprintf("%s declares no %s", name, strings.Trim(text, "`"))
}

// headings returns the names by which GitHub links to the headings of a page.
func headings(page string) map[string]bool {
	list := map[string]bool{}
	for _, h := range markdownHeading.FindAllStringSubmatch(codeFence.ReplaceAllString(page, ""), -1) {
		list[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(h[1]))] = true
	}
	return list
}

// declares says whether a file declares a name: at the top, or as a method if owner is a
// type. An owner that is the file's package counts for nothing.
func declares(tree fs.FS, file, owner, name string) bool {
	source, err := fs.ReadFile(tree, file)
	if err != nil {
		return false
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	switch parsed.Name.Name {
	case owner:
		owner = ""
	case name: // the package itself
		return owner == ""
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == name && receiver(d) == owner {
				return true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if owner == "" && specifies(s, name) {
					return true
				}
			}
		}
	}
	return false
}

// receiver returns the name of the type of a method, and nothing for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	kind := f.Recv.List[0].Type
	if pointer, ok := kind.(*ast.StarExpr); ok {
		kind = pointer.X
	}
	switch generic := kind.(type) {
	case *ast.IndexExpr:
		kind = generic.X
	case *ast.IndexListExpr:
		kind = generic.X
	}
	if identifier, ok := kind.(*ast.Ident); ok {
		return identifier.Name
	}
	return ""
}

// specifies says whether a specification declares a type, a constant or a variable.
func specifies(s ast.Spec, name string) bool {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return s.Name.Name == name
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.Name == name {
				return true
			}
		}
	}
	return false
}
