// Package doctor reports which of the programs and files that Sentweave needs a
// machine has, and how to get the rest. It looks at this machine only: nothing is sent
// or fetched.
package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Status is the outcome of a check.
type Status string

// Outcomes.
const (
	OK       Status = "ok"
	Missing  Status = "missing"  // and required
	Optional Status = "optional" // missing, and only some verbs need it
)

// Finding is one line of the report.
type Finding struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	// Found is what was found: a version, a path, an amount.
	Found string `json:"found"`
	// Help says what it is for and how to get it, where it is missing or scarce.
	Help string `json:"help,omitempty"`
}

// Config says where to look.
type Config struct {
	// Folder is where datasets are to be made; empty leaves its check out.
	Folder string
	// Torch is the program with libtorch; empty if there is none.
	Torch string
	// Version is that of this program, with which the one with libtorch is compared; empty leaves that out.
	Version string
	// Python is the interpreter to ask; empty looks for python3 on PATH.
	Python string
}

// Least amounts below which a finding says so. They are for orientation: what a
// pipeline needs depends on its shards and its parallelism.
const (
	leastDisk   = 1 << 30
	leastMemory = 1 << 30
	leastDemo   = 4_400_000_000 // what `make demo` takes on an empty machine
)

// programWait bounds how long a program may take to say its version.
const programWait = 20 * time.Second

// Check runs all checks. The order of the findings is fixed.
func Check(ctx context.Context, c Config) []Finding {
	findings := []Finding{
		{Name: "go", Status: OK, Found: strings.TrimPrefix(runtime.Version(), "go") + ", " + runtime.GOOS + "/" + runtime.GOARCH},
		{Name: "cores", Status: OK, Found: strings.TrimSuffix(fmt.Sprintf("%d of %s", runtime.NumCPU(), Processor()), " of ")},
		memory(),
		writable("temporary folder", os.TempDir(), "set TMPDIR to a folder that can be written"),
		disk("temporary disk", os.TempDir(), leastDisk, "a dataset needs about the size of its compressed input"),
		disk("cache disk", cacheFolder(), leastDemo, "`make demo` takes 4.4 GB the first time: 1.8 GB of libtorch in "+cacheFolder()+
			", which $SENTWEAVE_CACHE changes, the rest in .build and in Go's cache"),
	}
	if driver := Driver(); driver != "" {
		findings = append(findings, Finding{Name: "GPU driver", Status: OK, Found: driver})
	}
	if c.Folder != "" {
		findings = append(findings, output(c.Folder),
			disk("output disk", c.Folder, leastDisk, "a dataset needs about the size of its compressed input"))
	}
	findings = append(findings, python(ctx, c.Python)...)
	return append(findings,
		compiler(ctx),
		libtorch(),
		torchProgram(ctx, c.Torch, c.Version),
	)
}

// Healthy says whether nothing that is required is missing.
func Healthy(findings []Finding) bool {
	for _, f := range findings {
		if f.Status == Missing {
			return false
		}
	}
	return true
}

// writable tries to write a file, as permissions alone do not tell.
func writable(name, folder, help string) Finding {
	file, err := os.CreateTemp(folder, "sentweave-doctor-*")
	if err != nil {
		return Finding{Name: name, Status: Missing, Found: err.Error(), Help: help}
	}
	_, err = file.WriteString("x")
	closed := file.Close()
	os.Remove(file.Name())
	if err != nil || closed != nil {
		return Finding{Name: name, Status: Missing, Found: folder + " takes no data", Help: help}
	}
	return Finding{Name: name, Status: OK, Found: folder}
}

// output checks the folder for datasets, or the nearest that exists above it.
func output(folder string) Finding {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return Finding{Name: "output folder", Status: Missing, Found: folder + " is a file", Help: "name a folder"}
	}
	existing := nearestFolder(folder)
	f := writable("output folder", existing, "choose a folder that can be written")
	if absolute, err := filepath.Abs(folder); f.Status == OK && err == nil && existing != absolute {
		f.Found = folder + ", to be made in " + existing
	}
	return f
}

func nearestFolder(folder string) string {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return folder
	}
	for {
		if info, err := os.Stat(absolute); err == nil && info.IsDir() || absolute == filepath.Dir(absolute) {
			return absolute
		}
		absolute = filepath.Dir(absolute)
	}
}

// Free is what an ordinary user may still write to a folder, in bytes, or to the one in
// which it is to be made.
func Free(folder string) (int64, error) { return freeBytes(nearestFolder(folder)) }

// disk looks for so much room; help says what takes it.
func disk(name, folder string, minimum int64, help string) Finding {
	free, err := Free(folder)
	switch {
	case err != nil:
		return Finding{Name: name, Status: Optional, Found: "unknown: " + err.Error()}
	case free < minimum:
		return Finding{Name: name, Status: OK, Found: amount(free) + " free", Help: "that is little: " + help}
	}
	return Finding{Name: name, Status: OK, Found: amount(free) + " free"}
}

func memory() Finding {
	total, err := memoryBytes()
	switch {
	case err != nil:
		return Finding{Name: "memory", Status: Optional, Found: "unknown: " + err.Error()}
	case total < leastMemory:
		return Finding{Name: "memory", Status: OK, Found: amount(total), Help: "that is little: give pipelines --parallelism 1"}
	}
	return Finding{Name: "memory", Status: OK, Found: amount(total)}
}

// ask runs a program and returns what it prints on either stream.
func ask(ctx context.Context, command string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, programWait)
	defer cancel()
	c := exec.CommandContext(ctx, command, args...)
	c.WaitDelay = time.Second // a child of the program may hold the pipe
	text, err := c.CombinedOutput()
	return string(text), err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

func amount(bytes int64) string { return fmt.Sprintf("%.1f GB", float64(bytes)/1e9) }
