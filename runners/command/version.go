package command

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// number is the release that these sources are or become, the newest one of CHANGELOG.md.
const number = "0.1.0"

// release and commit are those of a released program; `make release` sets them.
var release, commit string

// Version returns the release and the commit of this build. A build that neither
// `make release` nor a tag gives a release says that it is unreleased.
func Version() string {
	version, modified := release, ""
	commit := commit
	if info, ok := debug.ReadBuildInfo(); ok {
		if version == "" && info.Main.Version == "v"+number {
			version = number
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " with changes"
			}
		}
	}
	if version == "" {
		version = number + " (unreleased)"
	}
	if commit != "" {
		version += ", commit " + commit
	}
	return version + modified
}

// version is what --version prints.
func (p *Program) version() string {
	return strings.TrimSpace(p.Name + " " + Version() + " " + p.Extra)
}

type versionCommand struct{}

// Run implements the verb.
func (versionCommand) Run(ctx context.Context, p *Program) error {
	lines := []string{fmt.Sprintf("%s\n%s, %s/%s", p.version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)}
	if p.Versions != nil {
		lines = append(lines, p.Versions(ctx)...)
	}
	_, err := fmt.Fprintln(p.Stdout, strings.Join(lines, "\n"))
	return err
}
