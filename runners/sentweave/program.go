package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// program is what the verbs have of the process: where they print. Results go
// to stdout, everything else to stderr.
type program struct {
	stdout, stderr io.Writer
}

// execute parses and runs one command line.
func (p *program) execute(ctx context.Context, args []string) error {
	if len(args) == 0 {
		args = []string{"--help"}
	}
	command, err := p.parse(args)
	if err != nil || command == nil {
		return err
	}
	command.BindTo(ctx, (*context.Context)(nil))
	return command.Run(p)
}

// parse returns the command of a command line with its flags checked, or nil if
// it asked for help or the version, which are printed. Errors are usage errors.
func (p *program) parse(args []string) (*kong.Context, error) {
	answered := false
	parser, err := newParser(&commandLine{}, kong.Writers(p.stdout, p.stderr), kong.Exit(func(int) { answered = true }))
	if err != nil {
		return nil, err
	}
	command, err := parser.Parse(joinNegative(args))
	if answered {
		return nil, nil // kong goes on after printing the help
	}
	if err != nil {
		var parseError *kong.ParseError
		if errors.As(err, &parseError) {
			return nil, usage(fmt.Errorf("%w; see `sentweave %s`", err, helpFor(parseError.Context)))
		}
		return nil, usage(err)
	}
	return command, nil
}

// joinNegative writes "--flag -1" as "--flag=-1": kong takes a number below zero
// for a short flag, and its advice leads nowhere.
func joinNegative(args []string) []string {
	var joined []string
	for i, a := range args {
		if i > 0 && negative.MatchString(a) && strings.HasPrefix(args[i-1], "--") && !strings.Contains(args[i-1], "=") {
			joined[len(joined)-1] += "=" + a
			continue
		}
		joined = append(joined, a)
	}
	return joined
}

var negative = regexp.MustCompile(`^-[0-9.]`)

// check says what is wrong with a command line, without running it.
func check(args []string) error {
	_, err := (&program{stdout: io.Discard, stderr: io.Discard}).parse(args)
	return err
}

func newParser(cli *commandLine, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(cli, append([]kong.Option{
		kong.Name("sentweave"),
		kong.Description("Build, inspect and check the data that sentence encoders are trained on."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 110}),
		versionVariables(),
	}, options...)...)
}

func helpFor(c *kong.Context) string {
	if c != nil && c.Command() != "" {
		return strings.Fields(c.Command())[0] + " --help"
	}
	return "--help"
}

// usageError is an error of the caller's command line.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// errSaid is the error of a verb that has printed what is wrong: only the exit
// code is left to say.
var errSaid = errors.New("the fault has been printed")

// errResumes is joined to the error of a verb that goes on where it stopped when
// it is run again.
var errResumes = errors.New("run the same command again to go on; what is committed stays")

// exitCode prints the error and returns the code that the process ends with.
func (p *program) exitCode(ctx context.Context, err error) int {
	var u usageError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE): // whoever reads us has enough
		return exitDone
	case ctx.Err() != nil && errors.Is(err, errResumes):
		fmt.Fprintf(p.stderr, "sentweave: interrupted; %v\n", errResumes)
		return exitInterrupted
	case ctx.Err() != nil:
		fmt.Fprintln(p.stderr, "sentweave: interrupted")
		return exitInterrupted
	case errors.Is(err, errSaid):
		return exitFailed
	}
	fmt.Fprintf(p.stderr, "sentweave: %v\n", err)
	if errors.As(err, &u) {
		return exitUsage
	}
	return exitFailed
}
