package flink

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script writes a program in a folder.
func script(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
}

// onlyPath makes a folder the only one in which programs are looked for.
func onlyPath(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("PATH", folder+":/bin:/usr/bin")
	t.Setenv("JAVA_HOME", "")
	return folder
}

func TestJavaVersion(t *testing.T) {
	for printed, want := range map[string]int{
		"openjdk version \"17.0.15\" 2025-04-15\nOpenJDK Runtime Environment": 17,
		"java version \"1.8.0_402\"":                                          8,
		"openjdk version \"21\" 2023":                                         21,
		"openjdk version \"11.0.2-ea\"":                                       11,
		"Picked up JAVA_TOOL_OPTIONS: -x\nopenjdk version \"22.0.1\"":         22,
		"": 0, "command not found": 0,
	} {
		got, err := javaVersion(printed)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %d, %v", printed, got, err)
		}
	}
}

func TestJava(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"fits":      {`echo 'openjdk version "17.0.1"' >&2`, ""},
		"too old":   {`echo 'java version "1.8.0_402"' >&2`, "needs Java 11 to 21"},
		"too new":   {`echo 'openjdk version "25"' >&2`, "is Java 25; install"},
		"fails":     {`exit 3`, "exit status 3"},
		"no Java":   {`echo hello`, "does not tell its version, but: \"hello\""},
		"not there": {"", "JAVA_HOME names no Java"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("JAVA_HOME", home)
			if test.script != "" {
				script(t, filepath.Join(home, "bin"), "java", test.script)
			}
			_, _, err := Java(t.Context())
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	t.Setenv("JAVA_HOME", "")
	t.Setenv("PATH", t.TempDir())
	if _, _, err := Java(t.Context()); err == nil || !strings.Contains(err.Error(), "there is none on PATH; install") {
		t.Errorf("without Java: %v", err)
	}
}
