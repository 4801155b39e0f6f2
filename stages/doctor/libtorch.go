package doctor

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// libtorch reports the library that the program for encoders is linked with. This
// binary is not: it only looks, where runners/sentweave-torch/libtorch.sh does.
func libtorch() Finding {
	const help = "for training and embedding; `make torch` fetches it, LIBTORCH names one that is there"
	root := os.Getenv("LIBTORCH")
	if root != "" {
		if matches, _ := filepath.Glob(filepath.Join(root, "lib", "libtorch.*")); len(matches) == 0 {
			return Finding{Name: "libtorch", Status: Optional, Found: "LIBTORCH is " + root + ", which has no lib/libtorch", Help: help}
		}
		return Finding{Name: "libtorch", Status: OK, Found: torchVersion(root) + ", " + root}
	}
	fetched, _ := filepath.Glob(filepath.Join(cacheFolder(), "torch-*", "torch"))
	if len(fetched) == 0 {
		return Finding{Name: "libtorch", Status: Optional, Found: "not fetched, and LIBTORCH is not set", Help: help}
	}
	slices.Sort(fetched)
	return Finding{Name: "libtorch", Status: OK, Found: torchVersion(fetched[len(fetched)-1]) + ", " + fetched[len(fetched)-1]}
}

// cacheFolder is where libtorch.sh keeps what it fetches.
func cacheFolder() string {
	if folder := os.Getenv("SENTWEAVE_CACHE"); folder != "" {
		return folder
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "sentweave")
}

// torchVersion reads the version of a libtorch, or of a Python package of it.
func torchVersion(root string) string {
	if text, err := os.ReadFile(filepath.Join(root, "build-version")); err == nil {
		return strings.TrimSpace(string(text))
	}
	if text, err := os.ReadFile(filepath.Join(root, "version.py")); err == nil {
		for line := range strings.Lines(string(text)) {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), "__version__ = "); ok {
				return strings.Trim(value, `'"`)
			}
		}
	}
	return "unknown version"
}

// compiler looks for the programs by which libtorch.sh builds the program for encoders.
func compiler(ctx context.Context) Finding {
	f := Finding{Name: "C++ compiler", Status: Optional,
		Help: "for `make torch`, which compiles sentweave-torch; Debian's package g++ has both, on macOS `xcode-select --install`"}
	version := ""
	for _, name := range []string{"g++", "gcc"} {
		path, err := exec.LookPath(name)
		if err != nil {
			f.Found = "no " + name + " on PATH"
			return f
		}
		text, err := ask(ctx, path, "--version")
		if err != nil {
			f.Found = path + " does not run: " + err.Error() + ": " + firstLine(text)
			return f
		}
		version = cmp.Or(version, firstLine(text)+", "+path)
	}
	return Finding{Name: f.Name, Status: OK, Found: version}
}

// torchProgram asks the program with libtorch for its version, and compares it with that of this program.
func torchProgram(ctx context.Context, path, version string) Finding {
	const help = "for the verbs init, train, embed and prefix, and for evaluating folders of encoders; `make torch` builds it"
	f := Finding{Name: "sentweave-torch", Status: Optional, Found: "neither beside this program nor on PATH", Help: help}
	if path == "" {
		return f
	}
	text, err := ask(ctx, path, "--version")
	if err != nil {
		f.Found = path + " does not run: " + err.Error() + ": " + firstLine(text)
		return f
	}
	f = Finding{Name: "sentweave-torch", Status: OK, Found: firstLine(text) + ", " + path}
	const commit = ", commit " // which builds may leave out
	if strings.Contains(version, commit) && strings.Contains(text, commit) &&
		!strings.HasPrefix(text, "sentweave-torch "+version+" with libtorch ") {
		f.Help = "it is made of other sources than this program, " + version +
			": one may refuse datasets that the other began; `make build torch` makes both"
	}
	return f
}
