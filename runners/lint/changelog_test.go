package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestChangelog(t *testing.T) {
	release := func(heading, rest string) string {
		return "# Changelog\n\n## " + heading + "\n\n### Added\n\n- a\n\n### Changed\n\n- corpus 13\n" + rest + "\n### Fixed\n"
	}
	const number, version = "const number = \"0.2.0\"\n", "const Version = 13\n"
	tests := map[string]struct {
		text, number, version string
		faults                []string
	}{
		"right":          {release("0.2.0 (unreleased)", ""), number, version, nil},
		"two releases":   {release("0.2.0 (2026-11-30)", "") + "\n" + release("0.1.0 (2026-11-01)", ""), number, version, nil},
		"no release":     {release("Unreleased", ""), number, version, []string{`"## Unreleased" is not a release`}},
		"another number": {release("0.1.0 (unreleased)", ""), number, version, []string{"its newest release is 0.1.0"}},
		"no number":      {release("0.1.0 (unreleased)", ""), "", version, []string{"its newest release is 0.1.0"}},
		"long":           {release("0.2.0 (unreleased)", strings.Repeat("- x\n", 60)), number, version, []string{"has 71 lines"}},
		"an old one is long": {release("0.2.0 (unreleased)", "") + release("0.1.0 (2026-11-01)", strings.Repeat("- x\n", 60)), number,
			version, []string{"release 0.1.0 has 71 lines"}},
		"other sections":   {release("0.2.0 (unreleased)", "### Removed\n"), number, version, []string{`"### Removed"`}},
		"a version untold": {release("0.2.0 (unreleased)", ""), number, "const Version = 3\n", []string{`name it "corpus 3"`}},
		"a first version":  {release("0.2.0 (unreleased)", ""), number, "const Version = 1\n", nil},
	}
	for name, test := range tests {
		faults, err := changelog(fstest.MapFS{
			"CHANGELOG.md":                {Data: []byte(test.text)},
			"runners/command/version.go":  {Data: []byte("package command\n\n" + test.number)},
			"pipelines/corpus/version.go": {Data: []byte("package corpus\n\n" + test.version)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(faults) != len(test.faults) {
			t.Errorf("%s: got %q", name, faults)
			continue
		}
		for i, want := range test.faults {
			if !strings.Contains(faults[i], want) {
				t.Errorf("%s: got %q, want %q", name, faults[i], want)
			}
		}
	}
}
