package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// wheels holds the wheels that are fetched, by version and hash.
const wheels = "runners/wheels"

var (
	digest      = `@sha256:[0-9a-f]{64}`
	pinnedImage = regexp.MustCompile(`^\S+(` + digest + `|@\$\{[A-Z_]+\})$`)
	// pinnedObject is an image in YAML. What reads it replaces words in capitals.
	pinnedObject = regexp.MustCompile(`^(\S+` + digest + `|(\S+@)?[A-Z_]+)$`)
	baseImage    = regexp.MustCompile(`(?i)^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?`)
	copyFrom     = regexp.MustCompile(`(?i)^\s*COPY\s+.*--from=(\S+)`)
	defaults     = regexp.MustCompile(`(?i)^\s*ARG\s+([A-Z_]+)=`)
	pinnedAction = regexp.MustCompile(`^(\./|.+@[0-9a-f]{40}$)`)
	action       = regexp.MustCompile(`^\s*(?:-\s+)?uses:\s*["']?([^\s"']+)`)
	image        = regexp.MustCompile(`(?:^|[\s{,])image:\s*["']?([^\s"'},]+)`)
	requirement  = regexp.MustCompile(`^([\w.-]+)(==\S+)?`)
)

// pinned checks that what the tree fetches or runs of others is named by a hash: wheels,
// container images and GitHub's actions. Go's modules have go.sum, Debian's packages apt's signatures.
func pinned(tree fs.FS) (faults []string, err error) {
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name == ".git" || name == ".build" {
				return fs.SkipDir
			}
			return nil
		}
		check := checkOf(name)
		if check == nil || !entry.Type().IsRegular() {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		for _, fault := range check(string(text)) {
			faults = append(faults, name+fault)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	lockFaults, err := locks(tree)
	return append(faults, lockFaults...), err
}

// checkOf returns what checks a file of this name, or nil.
func checkOf(name string) func(text string) []string {
	base := path.Base(name)
	switch ext := path.Ext(base); {
	case strings.HasPrefix(base, "Dockerfile"):
		return func(text string) []string { return append(commands(text), images(text)...) }
	case base == "Makefile" || ext == ".sh" || ext == ".mk" || strings.HasPrefix(name, ".ci/"):
		return commands
	case ext == ".yaml" || ext == ".yml":
		return objects
	}
	return nil
}

// commands checks the lines of a script.
func commands(text string) (faults []string) {
	eachLine(text, func(line int, code string) {
		fields := strings.FieldsFunc(code, func(r rune) bool { return strings.ContainsRune(" \t\"'();&|", r) })
		for i, field := range fields {
			next := ""
			if i+1 < len(fields) {
				next = fields[i+1]
			}
			switch tool := path.Base(field); {
			case (tool == "pip" || tool == "pip3") &&
				(slices.Contains([]string{"install", "download", "wheel"}, next) || strings.HasPrefix(next, "$")) &&
				!slices.Contains(fields, "--require-hashes"):
				faults = append(faults, fmt.Sprintf(":%d runs pip without --require-hashes: use %s/pip.sh", line, wheels))
			case tool == "curl" || tool == "wget" || tool == "npx" || tool == "uvx" || tool == "pipx" ||
				strings.HasSuffix(field, "@latest"):
				faults = append(faults, fmt.Sprintf(":%d fetches by %s what no hash pins", line, tool))
			}
		}
	})
	return faults
}

// images checks those that a Dockerfile begins with and copies from.
func images(text string) (faults []string) {
	var stages, optional []string
	eachLine(text, func(line int, code string) {
		if m := defaults.FindStringSubmatch(code); m != nil {
			optional = append(optional, "@${"+m[1]+"}")
		}
		name, stage := "", ""
		if m := baseImage.FindStringSubmatch(code); m != nil {
			name, stage = m[1], m[2]
		} else if m := copyFrom.FindStringSubmatch(code); m != nil {
			name = m[1]
		}
		byDefault := slices.ContainsFunc(optional, func(argument string) bool { return strings.HasSuffix(name, argument) })
		if name != "" && name != "scratch" && !slices.Contains(stages, name) && (byDefault || !pinnedImage.MatchString(name)) {
			faults = append(faults, fmt.Sprintf(
				":%d takes the image %s: name its digest, @sha256:…, or have it given, @${DIGEST} with ARG DIGEST", line, name))
		}
		stages = append(stages, stage)
	})
	return faults
}

// objects checks the images of Kubernetes' objects, and the actions of GitHub's workflows.
func objects(text string) (faults []string) {
	eachLine(text, func(line int, code string) {
		if m := image.FindStringSubmatch(code); m != nil && !pinnedObject.MatchString(m[1]) {
			faults = append(faults, fmt.Sprintf(":%d takes the image %s: name its digest, @sha256:…", line, m[1]))
		}
		if m := action.FindStringSubmatch(code); m != nil && !pinnedAction.MatchString(m[1]) {
			faults = append(faults, fmt.Sprintf(":%d uses the action %s: name its commit, all 40 digits", line, m[1]))
		}
	})
	return faults
}

// eachLine calls do with every line and its number, without comments that fill a line. Lines
// that go on in the next one are one.
func eachLine(text string, do func(line int, code string)) {
	code, start := "", 1
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			line = ""
		}
		if code == "" {
			start = i + 1
		}
		if part, goesOn := strings.CutSuffix(line, `\`); goesOn {
			code += part + " "
			continue
		}
		do(start, code+line)
		code = ""
	}
}

// locks checks that every set of wheels has a hash for all that it holds, and holds
// what it is made from.
func locks(tree fs.FS) (faults []string, err error) {
	sources, err := fs.Glob(tree, wheels+"/*.in")
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		name := strings.TrimSuffix(source, ".in") + ".txt"
		required, err := fs.ReadFile(tree, source)
		if err != nil {
			return nil, err
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		locked := map[string]bool{}
		eachLine(string(text), func(line int, code string) {
			m := requirement.FindStringSubmatch(strings.TrimSpace(code))
			if m == nil {
				return
			}
			locked[m[1]], locked[m[0]] = true, true
			if m[2] == "" || strings.Contains(m[2], "*") || !strings.Contains(code, " --hash=sha256:") {
				faults = append(faults, fmt.Sprintf("%s:%d %s has no version with a hash", name, line, m[1]))
			}
		})
		eachLine(string(required), func(line int, code string) {
			m := requirement.FindStringSubmatch(strings.TrimSpace(code))
			if m != nil && !locked[m[0]] && (m[2] == "" || !strings.Contains(m[2], "*") || !locked[m[1]]) {
				faults = append(faults, fmt.Sprintf("%s:%d %s is not in %s: make wheels", source, line, m[0], path.Base(name)))
			}
		})
	}
	return faults, nil
}
