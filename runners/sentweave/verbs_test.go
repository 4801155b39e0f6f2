package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/verb"
	"sentweave/schemas/doctable"
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

// The tables of verbs in the documentation name every verb that makes something, once, and no other name.
func TestVerbsInDocs(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || pages == nil {
		t.Fatal(pages, err)
	}
	made := map[string]int{}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for head, makes := range map[string]bool{"| verb | from → to |": true, "| verb | does |": false} {
			if !strings.Contains(string(data), "\n"+head) {
				continue
			}
			for _, row := range doctable.Rows(t, "runners/docs/"+filepath.Base(page), head) {
				name, _, _ := strings.Cut(row[0], " ")
				if _, ok := verb.Find(allVerbs, name); !ok {
					t.Errorf("%s: there is no verb %s", page, name)
				}
				if makes {
					made[name]++
				}
			}
		}
	}
	for _, v := range allVerbs {
		makes := v.Makes.Rows != "" && v.Makes.Rows != "recipe" // those of run have a page of their own
		if makes != (made[v.Name] == 1) {
			t.Errorf("%s makes %q and is in %d tables of verbs that make something", v.Name, v.Makes.Rows, made[v.Name])
		}
	}
}

// What a flag takes, some verb makes, by a value that advice can name, or with --scores.
func TestTakenIsMade(t *testing.T) {
	withScores := verb.Step{Value: func(flag string) string { return map[string]string{"scores": "true"}[flag] },
		From: func(string) (verb.Product, bool) { return verb.Product{}, false }}
	verbs, err := newProgram(nil, nil).Flags()
	if err != nil {
		t.Fatal(err)
	}
	for name, flags := range verbs {
		for flag, f := range flags {
			for _, rows := range f.Takes {
				if !slices.ContainsFunc(allVerbs, func(v verb.Verb) bool {
					return v.Makes.Rows == rows && !v.Makes.Rarely || v.Made != nil && v.Made(withScores).Rows == rows
				}) {
					t.Errorf("%s --%s takes %s, which no verb makes", name, flag, rows)
				}
			}
		}
	}
}

// A verb with --out says what it makes, and how a folder of that is known if it is not a dataset.
func TestEveryVerbSaysWhatItMakes(t *testing.T) {
	verbs, err := newProgram(nil, nil).Flags()
	if err != nil {
		t.Fatal(err)
	}
	files := []string{"maincontent", "quality", "langid", "pairtrain", "export", "publish"} // which write a file, or what they read
	for words, flags := range verbs {
		v, ok := verb.Find(allVerbs, words)
		if _, out := flags["out"]; ok && out != (v.Makes.Rows != "") && !slices.Contains(files, v.Name) {
			t.Errorf("%s has --out: %t, and makes %q", words, out, v.Makes.Rows)
		}
		if (v.Makes.Mark == "") != (v.Makes.Is == "") {
			t.Errorf("%s: a mark %q of %q", words, v.Makes.Mark, v.Makes.Is)
		}
	}
}
