package main

import (
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// versionVariables gives kong what --version prints.
func versionVariables() kong.Vars {
	version := "development"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				version += " " + s.Value
			}
		}
	}
	return kong.Vars{"version": "sentweave " + version}
}
