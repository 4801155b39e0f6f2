// Package realdata finds the test data that lies beside the repository, and what variables of the environment name.
package realdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Folder returns the folder of the test data, shared/data beside the repository or
// in the folder that SENTWEAVE_SHARED names. Where it, or one of the names in it, is
// absent, the test is skipped.
func Folder(t testing.TB, names ...string) string {
	t.Helper()
	shared := os.Getenv("SENTWEAVE_SHARED")
	if shared == "" {
		folder, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
				break
			}
			if folder == filepath.Dir(folder) {
				t.Skip("skipped: there is no go.mod above the test, beside which test data would lie: name the folder above data in SENTWEAVE_SHARED")
			}
			folder = filepath.Dir(folder)
		}
		shared = filepath.Join(filepath.Dir(folder), "shared")
	}
	data := filepath.Join(shared, "data")
	for _, name := range append([]string{""}, names...) {
		if _, err := os.Stat(filepath.Join(data, filepath.FromSlash(name))); err != nil {
			t.Skipf("skipped: %s is absent, see \"Test data\" in CONTRIBUTING.md: SENTWEAVE_SHARED", filepath.Join("shared/data", name))
		}
	}
	return data
}
