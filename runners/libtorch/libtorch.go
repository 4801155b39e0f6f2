// Package libtorch finds the program sentweave-torch and has it do what needs libtorch: verbs, which it hands over,
// and encoders, which it opens by that program.
package libtorch

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"sentweave/runners/child"
	"sentweave/runners/command"
	"sentweave/runners/locations"
	"sentweave/runners/torchverbs/threads"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/encoders"
)

// Name is the program that has libtorch, Variable names another one.
const (
	Name     = "sentweave-torch"
	Variable = "SENTWEAVE_TORCH"
)

// Fetched is where libtorch lies in the folder for caches once it has been fetched.
const Fetched = "torch-2.11.0/torch"

// Program finds it: as the variable says, beside this program, or on PATH.
func Program() (string, error) {
	if name := os.Getenv(Variable); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("$%s: %w; it must name the program %s, which `make torch` builds", Variable, err, Name)
		}
		return path, nil
	}
	if self, err := os.Executable(); err == nil {
		if resolved, err := filepath.EvalSymlinks(self); err == nil {
			self = resolved
		}
		for _, name := range []string{Name, Name + "-" + runtime.GOOS + "-" + runtime.GOARCH} { // of a release
			sibling := filepath.Join(filepath.Dir(self), name)
			if info, err := os.Stat(sibling); err == nil && info.Mode().IsRegular() {
				return sibling, nil
			} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
	}
	path, err := exec.LookPath(Name)
	if err != nil {
		return "", fmt.Errorf("%s, which has libtorch, is neither beside this program nor on PATH; `make torch` builds it, and $%s names one elsewhere",
			Name, Variable)
	}
	return path, nil
}

// Fault says why the program with libtorch is not there, or cannot run.
func Fault() error {
	path, err := Program()
	if err != nil {
		return err
	}
	libraries := torchLibraries(path)
	if libraries == "" || locations.IsFile(filepath.Join(libraries, torchLibrary)) {
		return nil
	}
	c := exec.Command(path, "--version")
	c.Env = torchEnvironment(path)
	if c.Run() == nil { // the system knows where it is
		return nil
	}
	return fmt.Errorf("%s finds no libtorch: `sentweave doctor --install libtorch` fetches it, 530 MB, and $LIBTORCH names one that is there",
		path)
}

// DeviceFault says why the program with libtorch cannot compute on a device.
func DeviceFault(ctx context.Context, device string) error {
	path, err := Program()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, path, "device", "--device="+device)
	c.Env = torchEnvironment(path)
	var said *exec.ExitError
	if _, err = c.Output(); errors.As(err, &said) && len(said.Stderr) > 0 {
		_, text, _ := strings.Cut(strings.TrimSpace(string(said.Stderr)), ": ") // behind its name
		return errors.New(text)
	}
	return err
}

// Threads are the threads that libtorch takes by itself on this machine, 0 if the program does not say.
func Threads(ctx context.Context) (n int) {
	path, err := Program()
	if err != nil {
		return 0
	}
	c := exec.CommandContext(ctx, path, "device")
	c.Env = torchEnvironment(path)
	if text, err := c.Output(); err == nil {
		_, _ = fmt.Sscan(string(text), &n)
	}
	return n
}

// torchLibrary is what the program with libtorch is linked with.
const torchLibrary = "libtorch_cpu.so"

// torchLibraries returns the folder of libtorch that a program has to be told of, "" if it
// knows its own. A program that was built elsewhere knows no folder of this machine: it is
// told that of $LIBTORCH, or the one that `doctor --install libtorch` has made.
func torchLibraries(program string) string {
	file, err := elf.Open(program)
	if err != nil { // a script, or of another system
		return ""
	}
	defer file.Close()
	if linked, err := file.ImportedLibraries(); err != nil || !slices.Contains(linked, torchLibrary) {
		return ""
	}
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		paths, _ := file.DynString(tag)
		for _, path := range paths {
			for _, folder := range filepath.SplitList(path) {
				if locations.IsFile(filepath.Join(folder, torchLibrary)) {
					return ""
				}
			}
		}
	}
	folder := os.Getenv("LIBTORCH")
	if root, err := cache.Root(); folder == "" && err == nil {
		folder = filepath.Join(root, filepath.FromSlash(Fetched))
	}
	return filepath.Join(folder, "lib")
}

// torchEnvironment is that of the program with libtorch.
func torchEnvironment(program string) []string {
	environment, _ := threads.Environment(os.Environ())
	libraries := torchLibraries(program)
	if libraries == "" {
		return environment
	}
	if previous := os.Getenv("LD_LIBRARY_PATH"); previous != "" {
		libraries = previous + string(filepath.ListSeparator) + libraries
	}
	return append(environment, "LD_LIBRARY_PATH="+libraries)
}

// Version is what the program with libtorch says of itself.
func Version(ctx context.Context) []string {
	path, err := Program()
	if err != nil {
		return []string{Name + ": none; " + err.Error()}
	}
	c := exec.CommandContext(ctx, path, "--version")
	c.Env = torchEnvironment(path)
	text, err := c.Output()
	if err != nil {
		return []string{fmt.Sprintf("%s: %s does not run: %v", Name, path, err)}
	}
	return []string{strings.TrimSpace(string(text))}
}

// stopWait is how long the program may take to write a checkpoint once it is asked
// to stop.
const stopWait = 5 * time.Minute

// HandOver runs the command line in the program with libtorch. It is in a
// process group of its own: an interrupt from the terminal comes to this program
// alone, which asks the other to stop, once.
func HandOver(ctx context.Context, p *command.Program) error {
	path, err := Program()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, path, p.Args...)
	for flag, enabled := range map[string]bool{"--quiet": p.Quiet, "--verbose": p.Verbose, "--brief": p.Brief} {
		if enabled && !slices.Contains(p.Args, flag) {
			c.Args = append(c.Args, flag)
		}
	}
	c.Stdin, c.Stdout, c.Stderr, c.Env = nil, command.Plain(p.Stdout), command.Plain(p.Errors), torchEnvironment(path)
	if p.Caller != nil {
		flags, err := p.Flags()
		if err != nil {
			return err
		}
		c.Env = append(c.Env, command.CallerVariable+"="+p.CallerText(slices.Sorted(maps.Keys(flags[p.Args[0]]))))
	}
	c.SysProcAttr = child.Group(false)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = stopWait
	if err := child.Tie(c); err != nil {
		return err
	}
	err = c.Run()
	state := c.ProcessState
	switch {
	case state == nil: // it did not start
		return fmt.Errorf("run %s: %w", path, err)
	case state.Success(): // perhaps it was asked to stop when it was done
		return nil
	case state.ExitCode() == command.ExitPipe && p.ReaderGone(): // it has made all, and could not say so
		return nil
	case state.Exited():
		return command.Said(state.ExitCode())
	case ctx.Err() != nil: // before it could say so
		return errors.Join(context.Cause(ctx), command.ErrResumes)
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signal() == syscall.SIGKILL {
		return fmt.Errorf("run %s: %w; the system does so when memory runs out: the same command goes on where this one ended", path, err)
	}
	return fmt.Errorf("run %s: %w", path, err)
}

// OpenFolder opens the folder of an encoder by the program with libtorch.
func OpenFolder(p *command.Program, m encoders.Models) encoders.Opener {
	return func(ctx context.Context, location string) (encoder.Encoder, error) {
		c, err := encodeBy(p, m, location)
		if err != nil {
			return nil, err
		}
		if m.Pooling != "" {
			c.Args = append(c.Args, "--pooling="+m.Pooling)
		}
		if m.Prompt != "" {
			c.Args = append(c.Args, "--prompt="+m.Prompt)
		}
		if m.NoPrompt {
			c.Args = append(c.Args, "--no-prompt")
		}
		return encoder.Start(ctx, filepath.Base(filepath.Clean(location)), c)
	}
}

// OpenTokens opens the folder of an encoder for the vectors of tokens.
func OpenTokens(p *command.Program, m encoders.Models) encoders.TokenOpener {
	return func(ctx context.Context, location string) (encoder.TokenEncoder, error) {
		c, err := encodeBy(p, m, location)
		if err != nil {
			return nil, err
		}
		c.Args = append(c.Args, "--tokens")
		return encoder.StartTokens(ctx, filepath.Base(filepath.Clean(location)), c)
	}
}

// encodeBy is the program with libtorch that encodes by a folder.
func encodeBy(p *command.Program, m encoders.Models, location string) (*exec.Cmd, error) {
	path, err := Program()
	if err != nil {
		return nil, err
	}
	c := exec.Command(path, "encode", "--model="+location, "--device="+m.Device, "--precision="+m.Precision,
		fmt.Sprint("--threads=", m.Threads))
	if m.Layer >= 0 {
		c.Args = append(c.Args, fmt.Sprint("--layer=", m.Layer))
	}
	c.Stderr, c.Env = command.Plain(p.Errors), torchEnvironment(path)
	c.SysProcAttr = child.Group(false) // it ends when its input does, or this process
	return c, child.Tie(c)
}
