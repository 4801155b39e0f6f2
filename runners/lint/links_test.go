package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestLinks(t *testing.T) {
	files := fstest.MapFS{
		"a/b.go": {Data: []byte("package a\n\ntype Builder struct{}\n\nfunc (b *Builder) Build() {}\n\ntype Set[T any] struct{}\n\nfunc (s Set[T]) Add() {}\n\n" +
			"func New() {}\n\nconst First, Last = 1, 2\n")},
		"a/c.go":    {Data: []byte("package a\n\nvar Others int\n")},
		"runs.sh":   {},
		"README.md": {Data: []byte("# Words of one's own\n\n## The `code`, and more\n\n```\n# no heading\n[x](gone.md)\n```\n")},
	}
	for link, want := range map[string]string{
		"[page](../README.md)":                      "",
		"[heading](../README.md#words-of-ones-own)": "",
		"[code](../README.md#the-code-and-more)":    "",
		"[here](#title)":                            "",
		"[elsewhere](https://example.org/gone)":     "",
		"[folder](../a)":                            "",
		"[`b.go`](../a/b.go)":                       "",
		"[`runs`](../runs.sh)":                      "",
		"[`New`](../a/b.go)":                        "",
		"[`a.New`](../a)":                           "",
		"[`Others`](../a)":                          "",
		"[`a`](../a)":                               "",
		"[`a`](../a/b.go)":                          "",
		"[`Builder.Build`](../a/b.go)":              "",
		"[`Set.Add`](../a/b.go)":                    "",
		"[`Last`](../a/b.go)":                       "",
		"[some words](../a/b.go)":                   "",
		"[page](gone.md)":                           "docs/gone.md is not there",
		"[outside](../../x.md)":                     "../x.md is not there",
		"[heading](../README.md#no-heading)":        "README.md has no such heading",
		"[here](#gone)":                             "docs/page.md has no such heading",
		"[`Gone`](../a/b.go)":                       "a/b.go declares no Gone",
		"[`Others`](../a/b.go)":                     "a/b.go declares no Others",
		"[`b`](../a)":                               "a declares no b",
		"[`Build`](../a/b.go)":                      "a/b.go declares no Build",
		"[`Set.Build`](../a)":                       "a declares no Set.Build",
		"[`Builder.New`](../a/b.go)":                "a/b.go declares no Builder.New",
	} {
		files["docs/page.md"] = &fstest.MapFile{Data: []byte("# Title\n\nSee " + link + ".\n")}
		faults, err := links(files)
		if err != nil {
			t.Fatal(err)
		}
		if (want == "") != (len(faults) == 0) || want != "" && (len(faults) != 1 || !strings.HasSuffix(faults[0], ": "+want)) {
			t.Errorf("%s: %q, want %q", link, faults, want)
		}
	}
}
