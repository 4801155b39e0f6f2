package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// longestRelease is the number of lines of a release in CHANGELOG.md above which readers do
// not find what the release means for them.
const longestRelease = 60

var (
	releaseHeading = regexp.MustCompile(`^## (\d+\.\d+\.\d+) \((?:unreleased|\d{4}-\d\d-\d\d)\)$`)
	releaseNumber  = regexp.MustCompile(`(?m)^const number = "(.+)"$`)
	raisedVersion  = regexp.MustCompile(`(?m)^const Version = (\d+)$`)
	sections       = []string{"### Added", "### Changed", "### Fixed"}
)

// changelog checks the form of CHANGELOG.md: the newest release, which is the one that the
// programs tell, comes first, each has the three sections in their order, and none is long.
// It also checks that the file names the version of each pipeline and stage that was raised.
func changelog(tree fs.FS) (faults []string, err error) {
	text, err := fs.ReadFile(tree, "CHANGELOG.md")
	if err != nil {
		return nil, err
	}
	told, err := fs.ReadFile(tree, "runners/command/version.go")
	if err != nil {
		return nil, err
	}
	releases := strings.Split("\n"+string(text), "\n## ")[1:]
	for i, r := range releases {
		lines := strings.Split(strings.TrimSpace("## "+r), "\n")
		heading := releaseHeading.FindStringSubmatch(lines[0])
		switch {
		case heading == nil:
			faults = append(faults, fmt.Sprintf(
				"CHANGELOG.md: %q is not a release, such as \"## 0.1.0 (unreleased)\" or \"## 0.1.0 (2026-11-30)\"", lines[0]))
			continue
		case i == 0 && !slices.Equal(releaseNumber.FindStringSubmatch(string(told)),
			[]string{`const number = "` + heading[1] + `"`, heading[1]}):
			faults = append(faults, fmt.Sprintf(
				"CHANGELOG.md: its newest release is %s, and number in runners/command/version.go is another one", heading[1]))
		}
		if len(lines) > longestRelease {
			faults = append(faults, fmt.Sprintf("CHANGELOG.md: release %s has %d lines, more than %d: say less, and what users notice only",
				heading[1], len(lines), longestRelease))
		}
		var titles []string
		for _, line := range lines {
			if strings.HasPrefix(line, "###") {
				titles = append(titles, line)
			}
		}
		if !slices.Equal(titles, sections) {
			faults = append(faults, fmt.Sprintf("CHANGELOG.md: release %s has the sections %q, want %q", heading[1], titles, sections))
		}
	}
	var files []string
	for _, folder := range []string{"pipelines", "stages"} {
		list, err := fs.Glob(tree, folder+"/*/*.go")
		if err != nil {
			return nil, err
		}
		files = append(files, list...)
	}
	for _, name := range files {
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, err
		}
		m := raisedVersion.FindSubmatch(source)
		if m == nil || string(m[1]) == "1" {
			continue
		}
		if told := path.Base(path.Dir(name)) + " " + string(m[1]); !regexp.MustCompile(`\b` + told + `\b`).Match(text) {
			faults = append(faults, fmt.Sprintf(
				"CHANGELOG.md: %s raised its version, and no line says what that means for datasets that are there: name it %q", name,
				told))
		}
	}
	return faults, nil
}
