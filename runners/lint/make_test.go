package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Names of folders reach the program as they were given to make, and nothing in them
// is executed or expanded on the way.
func TestDemoTakesAnyName(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("skipped: there is no make")
	}
	rules, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "runners"), 0o777); err != nil {
		t.Fatal(err)
	}
	write("Makefile", string(rules))
	write("runners/fetch.sh", "#!/bin/sh\n")
	write("program", "#!/bin/sh\nprintf '%s\\0' \"$@\" >arguments\n")
	for _, name := range []string{
		"pages", "a$b", "a$$b", "$(shell touch harm)", "${CURDIR}", "$HOME", "$(touch harm)", "`touch harm`", "a b  c", " a ", "a'b", `a"b`,
		`a\b`, "a#b",
		"-x", "--out=x", "a;touch harm", "a&touch harm", "a|b", "*", "~", "a=b", "a:b", "a%b", "@a", "é語", "a\nb", "$", "{a,b}", "!a",
	} {
		for _, by := range []string{"an argument", "the environment"} {
			want := name
			settings := []string{"INPUT=" + name, "OUT=" + name, "LAYOUT=" + name}
			// Make drops blanks before the value in an argument.
			if by == "an argument" {
				want = strings.TrimLeft(name, " ")
			}
			c := exec.Command("make", "--silent", "--old-file=build", "BIN=./program", "demo")
			c.Dir = folder
			c.Env = slices.DeleteFunc(os.Environ(),
				func(e string) bool { return strings.HasPrefix(e, "MAKE") || strings.HasPrefix(e, "MFLAGS=") })
			if by == "an argument" {
				c.Args = append(c.Args, settings...)
			} else {
				c.Env = append(c.Env, settings...)
			}
			output, err := c.CombinedOutput()
			if err != nil {
				t.Errorf("%q by %s: %v: %s", name, by, err, output)
				continue
			}
			data, err := os.ReadFile(filepath.Join(folder, "arguments"))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
			if wanted := []string{"run", "pages", "--out=" + want + "-input", "--set", "input=" + want, "--set", "layout=" + want, "--set",
				"langid=.build/lid.176.ftz"}; !slices.Equal(got, wanted) {
				t.Errorf("%q by %s: the program got %q", name, by, got)
			}
			if _, err := os.Stat(filepath.Join(folder, "harm")); err == nil {
				t.Fatalf("%q by %s was executed", name, by)
			}
			os.Remove(filepath.Join(folder, "arguments"))
		}
	}
}
