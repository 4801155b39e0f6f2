package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/verb"
)

// The table of jobs in the README names every verb once, and no other.
func TestVerbsInReadme(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(data), "| job | verbs | page |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var named, want []string
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, "|"); len(cells) > 2 {
			for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(cells[2], -1) {
				named = append(named, m[1])
			}
		}
	}
	for _, v := range allVerbs {
		want = append(want, v.Name)
	}
	named = slices.DeleteFunc(named, func(name string) bool { return strings.HasSuffix(name, "-encoder") }) // recipes
	slices.Sort(named)
	slices.Sort(want)
	if diff := cmp.Diff(want, named); diff != "" {
		t.Errorf("verbs and those of the README: %s", diff)
	}
}

// What a flag takes, some verb makes, by a value that advice can name.
func TestTakenIsMade(t *testing.T) {
	verbs, err := newProgram(nil, nil).Flags()
	if err != nil {
		t.Fatal(err)
	}
	for name, flags := range verbs {
		for flag, f := range flags {
			for _, rows := range f.Takes {
				if !slices.ContainsFunc(allVerbs, func(v verb.Verb) bool { return v.Makes.Rows == rows && !v.Makes.Rarely }) {
					t.Errorf("%s --%s takes %s, which no verb makes", name, flag, rows)
				}
			}
		}
	}
}

// A verb with --out says what it makes, and how a folder of that is known if it is no dataset.
func TestEveryVerbSaysWhatItMakes(t *testing.T) {
	verbs, err := newProgram(nil, nil).Flags()
	if err != nil {
		t.Fatal(err)
	}
	files := []string{"maincontent", "export"} // which write a file
	for words, flags := range verbs {
		v, ok := verb.Of(allVerbs, words)
		if _, out := flags["out"]; ok && out != (v.Makes.Rows != "") && !slices.Contains(files, v.Name) {
			t.Errorf("%s has --out: %t, and makes %q", words, out, v.Makes.Rows)
		}
		if (v.Makes.Mark == "") != (v.Makes.Is == "") {
			t.Errorf("%s: a mark %q of %q", words, v.Makes.Mark, v.Makes.Is)
		}
	}
}
