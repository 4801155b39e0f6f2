package doctor

import (
	"context"
	"os/exec"
	"strings"
)

// readers are Python packages that read our datasets, and what gets them.
var readers = []string{"pyarrow", "duckdb", "datasets"}

// python reports the interpreter and the readers that it has, without importing
// them: that would take seconds.
func python(ctx context.Context, interpreter string) []Finding {
	const help = "only for reading datasets in Python; Debian: apt-get install python3 python3-venv"
	if interpreter == "" {
		interpreter = "python3"
	}
	path, err := exec.LookPath(interpreter)
	if err != nil {
		return []Finding{{Name: "python", Status: Optional, Found: interpreter + " is not on PATH", Help: help}}
	}
	text, err := ask(ctx, path, "-c", `
import sys
from importlib import metadata
print("python", sys.version.split()[0])
for name in sys.argv[1:]:
    try:
        print(name, metadata.version(name))
    except metadata.PackageNotFoundError:
        print(name)
`, readers[0], readers[1], readers[2])
	if err != nil {
		return []Finding{{Name: "python", Status: Optional, Found: path + " does not run: " + firstLine(text+" "+err.Error()), Help: help}}
	}
	versions := map[string]string{}
	for line := range strings.Lines(text) {
		name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions[name] = version
	}
	findings := []Finding{{Name: "python", Status: OK, Found: versions["python"] + ", " + path}}
	for _, name := range readers {
		f := Finding{Name: "python " + name, Status: OK, Found: versions[name]}
		if f.Found == "" {
			f.Status, f.Found = Optional, "not installed"
			f.Help = "only for reading datasets in Python; " + path + " -m pip install " + name
		}
		findings = append(findings, f)
	}
	return findings
}
