package apertium

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/engines/process"
)

// The program apertium is a script that puts gawk before and after a mode's
// pipeline; gawk holds back what it has read until there is more, so that the script
// cannot be spoken to text by text, -z or not. What is kept alive is therefore the
// pipeline that the script would run, as apertium-wblank-mode writes it.

// pipeline is what runs for a mode, as scripts of sh: what comes before the first
// tagger that remembers, that tagger, and what follows. Without a tagger all stands
// before.
type pipeline struct {
	before, tagger, after string
	// classes are those of the tagger; nil if they cannot be read.
	classes *classes
	// data is a hash of the files that the mode names.
	data string
}

// remembers says whether a program of a pipeline is a tagger that is changed by what
// it reads: one by hidden Markov models is. One by a perceptron (-x) is not, and has
// so much to say with -d that it would wait for somebody to read it.
func remembers(program string) bool {
	arguments := strings.Fields(program)
	return len(arguments) > 1 && arguments[0] == "apertium-tagger" &&
		!slices.ContainsFunc(arguments[1:], func(a string) bool {
			return a == "--perceptron" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "x")
		})
}

// split parts the pipeline of a mode.
func split(script string) pipeline {
	parts := strings.Split(script, "|")
	index := slices.IndexFunc(parts, remembers)
	if index <= 0 || index == len(parts)-1 {
		return pipeline{before: script}
	}
	join := func(parts []string) string { return strings.TrimSpace(strings.Join(parts, "|")) }
	return pipeline{before: join(parts[:index]), tagger: "exec " + withDebug(join(parts[index:index+1])), after: join(parts[index+1:])}
}

// withDebug has a tagger say which words it cannot place, one of which changes it:
// see line.
func withDebug(tagger string) string {
	program, arguments, _ := strings.Cut(tagger, " ")
	return program + " -d " + arguments
}

// quoted are the files that a mode names.
var quoted = regexp.MustCompile(`'([^']+)'`)

// read returns the pipeline of a mode.
func (e *Engine) read(ctx context.Context, mode string) (pipeline, error) {
	script, err := e.flushing(ctx, e.file(mode))
	if err != nil {
		return pipeline{}, err
	}
	h := xxh3.New()
	var faults []error
	script = quoted.ReplaceAllStringFunc(script, func(name string) string {
		name = e.locate(strings.Trim(name, "'"))
		data, err := os.ReadFile(name)
		if err != nil {
			faults = append(faults, err)
		}
		fmt.Fprintf(h, "%q %016x\n", filepath.Base(name), xxh3.Hash(data))
		return "'" + name + "'"
	})
	p := split(script)
	p.data = fmt.Sprintf("%016x", h.Sum64())
	if m := quoted.FindStringSubmatch(p.tagger); m != nil {
		p.classes, _ = readClasses(m[1]) // of another kind of tagger there are none
	}
	return p, errors.Join(faults...)
}

// locate returns where a file that a mode names is: there, or in the data folder of
// an installation that was moved.
func (e *Engine) locate(name string) string {
	if _, err := os.Stat(name); err == nil {
		return name
	}
	if _, rest, ok := strings.Cut(name, "/share/apertium/"); ok {
		if moved := filepath.Join(e.config.Data, rest); moved != name {
			return moved
		}
	}
	return name
}

// flushing returns a mode's pipeline whose programs flush at null characters.
func (e *Engine) flushing(ctx context.Context, file string) (string, error) {
	name := filepath.Join(filepath.Dir(e.config.Program), "apertium-wblank-mode")
	if _, err := os.Stat(name); err == nil {
		c := exec.CommandContext(ctx, name, "-z", file)
		c.Env = append(os.Environ(), e.environment()...)
		output, err := c.Output()
		if ctx.Err() != nil { // the program was killed for that, which err does not tell
			return "", context.Cause(ctx)
		}
		if err != nil {
			return "", fmt.Errorf("run %s: %w", name, err)
		}
		return strings.TrimSpace(string(output)), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	return withFlush(string(data)), nil
}

// withFlush gives -z to each program of a pipeline: versions of Apertium before
// 3.8 have no apertium-wblank-mode.
func withFlush(mode string) string {
	parts := strings.Split(strings.TrimSpace(mode), "|")
	for i, part := range parts {
		program, arguments, _ := strings.Cut(strings.TrimSpace(part), " ")
		parts[i] = strings.TrimSpace(program + " -z " + arguments)
	}
	return strings.Join(parts, " | ")
}

// telling has a pipeline end when one of its programs does, and each of these tell on
// standard error how it ended, if not well. A shell knows that of the last one alone, and
// holds the output open until the first one ends, which waits for input: so the pipeline
// runs beside the shell, which closes what it holds. A program that nobody reads any
// more (141) has not ended by itself.
func telling(script string) string {
	parts := strings.Split(script, "|")
	for i, part := range parts {
		name, _, _ := strings.Cut(strings.TrimSpace(part), " ")
		input := "3<&-"
		if i == 0 {
			input = "<&3 3<&-"
		}
		parts[i] = fmt.Sprintf("{ %s; status=$?; case $status in 0|141) ;; *) echo '%s: status '$status >&2;; esac; } %s",
			strings.TrimSpace(part), strings.ReplaceAll(name, "'", ""), input)
	}
	return "exec 3<&0; " + strings.Join(parts, " | ") + " & exec >&- 3<&-; wait"
}

var toldStatus = regexp.MustCompile(`: status (\d+)\b`)

// outside says whether all that has ended of a pipeline was ended by somebody else, or
// may have been: where nothing tells how a program ended, the shell beside it was killed,
// or had no time. Trying again costs little.
func outside(err error) bool {
	var e *process.Ended
	if !errors.As(err, &e) {
		return false
	}
	told := toldStatus.FindAllStringSubmatch(e.Words, -1)
	for _, m := range told {
		if status, _ := strconv.Atoi(m[1]); status < 128 || !process.OutsideSignal(status-128) {
			return false
		}
	}
	return len(told) > 0 || e.Outside() || e.State == nil || e.State.Success()
}

// environment is what the programs need to find each other, and text that is UTF-8.
func (e *Engine) environment() []string {
	bin := filepath.Dir(e.config.Program)
	environment := []string{"LC_ALL=C.UTF-8", "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	if prefix := filepath.Dir(bin); prefix != "/usr" && prefix != "/usr/local" { // unpacked, not installed
		if libraries, _ := filepath.Glob(filepath.Join(prefix, "lib", "*-linux-gnu*")); len(libraries) > 0 {
			environment = append(environment, "LD_LIBRARY_PATH="+strings.Join(libraries, ":"))
		}
	}
	return append(environment, e.config.Environment...)
}

// program returns what to start for a script. Its first argument has the generator
// write unknown words without marks.
func (e *Engine) program(script string) process.Program {
	return process.Program{Path: "/bin/sh", Args: []string{"-c", script, "apertium", "-n", ""}, Environment: e.environment()}
}
