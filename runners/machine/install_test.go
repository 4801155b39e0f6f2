package machine

import (
	"io/fs"
	"os/exec"
	"strings"
	"testing"

	"sentweave/runners"
	"sentweave/runners/command"
)

// The program holds the scripts by which it installs things, with all that they read, and
// their faults come to the user.
func TestInstallScripts(t *testing.T) {
	for what, f := range fetched {
		if _, err := fs.Stat(runners.Scripts, f.script[0]); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("skipped: there is no bash")
	}
	for script, want := range map[string]string{"fetch.sh": "fetch nothing: unknown; there are handbook",
		"sentweave-torch/libtorch.sh": "libtorch: "} {
		var stderr strings.Builder
		t.Setenv("LIBTORCH", t.TempDir()) // which has none
		err := runScript(t.Context(), &command.Program{Stderr: &stderr}, t.TempDir(), []string{script, "nothing"})
		if err == nil || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: %v, %q", script, err, stderr.String())
		}
	}
}
