// Package command is shared by the programs of this module: it parses command lines,
// prints, sets exit codes and handles interrupts.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"sentweave/pipelines/flags"
	"sentweave/pipelines/verb"
)

// Exit codes.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitInterrupted = 130
	// ExitPipe is the code of a program that SIGPIPE ends: the reader of the standard output has gone.
	ExitPipe = 141
)

// Program is what the verbs have of the process: where they print. Results go
// to Stdout, everything else to Stderr.
type Program struct {
	// Name is what the user types, About says what for.
	Name, About string
	// Extra is told after the version, and Versions, if it is not nil, by the verb version.
	Extra    string
	Versions func(context.Context) []string
	// Verbs are the verbs, in the order of help. Their Run may take a context and the program.
	Verbs []verb.Verb
	// Vars are what stands for ${name} in the tags of the verbs.
	Vars           map[string]string
	Stdout, Stderr io.Writer
	// Args are those of the verb that runs.
	Args []string
	// Quiet says to print errors and what was asked for alone; Stderr takes nothing then.
	// Verbose says to print what is left out otherwise.
	Quiet, Verbose bool
	// Brief says that a verb which finds its work done before prints one line.
	Brief bool
	// Ready, if it is not nil, looks at what a verb is about to read and to write.
	Ready func(ctx context.Context, verb string, args []string, inputs, outputs []Input) error
	// HandOver, if it is not nil, runs a verb that computes on libtorch in another program.
	HandOver func(ctx context.Context, p *Program) error
	// Caller, if it is not nil, writes the flags of advice as whoever runs the verb sets
	// them, as a recipe does.
	Caller func(text string) string
	// Errors is the standard error of a verb that runs, also of a quiet one.
	Errors io.Writer
	// Started says that another program started this one. It says itself that it was interrupted, and passes that on.
	Started bool
}

// Main runs a command line until it ends or is interrupted, and returns the code
// that the process ends with. A second interrupt calls exit, which does not return.
func (p *Program) Main(args []string, exit func(code int)) int {
	escaped := p.visibly()
	p = &escaped
	ctx, stop := p.interruptible(exit)
	defer stop()
	return p.ExitCode(ctx, p.Execute(ctx, args))
}

// visibly is the program whose streams show what they would obey.
func (p *Program) visibly() Program {
	escaped := *p
	escaped.Stdout, escaped.Stderr, escaped.Errors = Visible(p.Stdout), Visible(p.Stderr), Visible(p.Errors)
	return escaped
}

// Execute parses and runs one command line.
func (p *Program) Execute(ctx context.Context, args []string) error {
	escaped := p.visibly()
	p = &escaped
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if args[0] == completeVerb {
		return p.complete(args[1:])
	}
	command, v, err := p.parse(args)
	if err != nil || command == nil {
		return err
	}
	command.BindTo(ctx, (*context.Context)(nil))
	running := *p
	running.Args = args
	running.Quiet, running.Verbose, running.Brief = p.Quiet || v.Quiet, p.Verbose || v.Verbose, p.Brief || v.Brief
	if running.Errors == nil {
		running.Errors = p.Stderr
	}
	if running.Quiet {
		running.Stderr = io.Discard
	}
	if node := command.Selected(); node != nil {
		made := outputs(node.Flags)
		if len(made) > 0 {
			withoutReader(p.Stdout)
		}
		if p.Ready != nil {
			if err := p.Ready(ctx, node.Path(), args, inputs(node.Flags), made); err != nil {
				return err
			}
		}
	}
	if p.handsOver(command.Selected()) {
		return p.HandOver(ctx, &running)
	}
	if err = command.Run(&running); err == ErrDone {
		return nil
	}
	return err
}

// Alone is a verb whose flags say whether it does without libtorch.
type Alone interface{ Alone() bool }

// handsOver says whether another program runs the verb.
func (p *Program) handsOver(node *kong.Node) bool {
	if p.HandOver == nil || node == nil {
		return false
	}
	v, _ := verb.Find(p.Verbs, node.Path())
	if alone, ok := node.Target.Addr().Interface().(Alone); ok {
		return !alone.Alone()
	}
	return v.Libtorch
}

// Done says that a verb found its work done before, and whether it prints once more what
// it made.
func (p *Program) Done(verb, output string) (reprint bool) {
	fmt.Fprintf(p.Stderr, "%s: %s is complete, nothing to do\n", verb, output)
	return !p.Brief || p.Verbose
}

// Advice is a text whose flags are written as the caller sets them.
func (p *Program) Advice(text string) string {
	if p.Caller == nil {
		return text
	}
	return p.Caller(text)
}

// Check says what is wrong with a command line, without running it.
func (p *Program) Check(args []string) error {
	_, _, err := p.Parsed(args)
	return err
}

// Parsed returns the struct of the verb of a command line, with its flags set and checked, and
// the paths on this machine that it reads. They are nil if the line asks for help.
func (p *Program) Parsed(args []string) (verb any, reads []Input, err error) {
	silent := *p
	silent.Stdout, silent.Stderr = io.Discard, io.Discard
	command, _, err := silent.parse(args)
	if err != nil || command == nil || command.Selected() == nil {
		return nil, nil, err
	}
	node := command.Selected()
	return node.Target.Addr().Interface(), inputs(node.Flags), nil
}

// Flags are those of a verb, by name.
type Flags map[string]Flag

// Flag is what is known of a flag.
type Flag struct {
	// Many says that the flag takes several values, Bool that it takes none, but for true and false.
	Many, Bool bool
	// Takes are what a folder that the flag names may hold, and Kinds of which kinds its rows may be;
	// nothing where that is not known.
	Takes, Kinds []string
	// Subtracts says that the rows there are only left out of others, so that there may be none.
	Subtracts bool
}

// Flags returns the flags of each verb; one with kinds has an entry for each, such as
// "views synonym".
func (p *Program) Flags() (map[string]Flags, error) {
	parser, err := p.Parser()
	if err != nil {
		return nil, err
	}
	verbs := map[string]Flags{}
	for _, node := range parser.Model.Leaves(false) {
		flags := Flags{}
		for _, f := range node.Flags {
			flags[f.Name] = Flag{f.IsSlice(), f.IsBool(), tagged(f, "takes"), tagged(f, "kinds"), f.Tag.Has("subtracts")}
		}
		verbs[node.Path()] = flags
	}
	return verbs, nil
}

// parse returns the command of a command line with its flags checked, or nil if
// it asked for help or the version, which are printed. Errors are usage errors.
func (p *Program) parse(args []string) (*kong.Context, verbosity, error) {
	answered := false
	var v verbosity
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	verbs := p.Verbs
	if len(args) > 0 {
		if v, ok := verb.Find(verbs, args[0]); ok { // kong reads the tags of all flags, which takes ten times as long for all verbs
			verbs = []verb.Verb{v}
		}
	}
	out := &printed{to: p.Stdout}
	parser, err := p.parser(verbs, &v, kong.Writers(out, p.Stderr), kong.Exit(func(int) { answered = true }))
	if err != nil {
		return nil, v, err
	}
	command, err := parser.Parse(joinNegative(args))
	if out.err != nil { // which kong takes for misuse, or for nothing
		return nil, v, out.err
	}
	if answered {
		return nil, v, nil // kong goes on after printing the help
	}
	if err != nil {
		var parseError *kong.ParseError
		if errors.As(err, &parseError) {
			if c := parseError.Context; c != nil {
				err = withFlags(err, c.Selected())
			}
			return nil, v, Usage(fmt.Errorf("%w; see `%s %s`", err, p.Name, helpFor(parseError.Context)))
		}
		return nil, v, Usage(err)
	}
	if node := command.Selected(); node != nil {
		if err := errors.Join(separate(node.Flags), onlyOnce(command.Path)); err != nil {
			return nil, v, Usage(withFlags(fmt.Errorf("%s: %w", node.Path(), err), node))
		}
	}
	return command, v, nil
}

// printed remembers the first error of a writer.
type printed struct {
	to  io.Writer
	err error
}

// Write implements io.Writer.
func (w *printed) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	w.err = cmp.Or(w.err, err)
	return n, err
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

// Parser returns the parser of the verbs.
func (p *Program) Parser() (*kong.Kong, error) { return p.parser(p.Verbs, &verbosity{}) }

func (p *Program) parser(verbs []verb.Verb, v *verbosity, options ...kong.Option) (*kong.Kong, error) {
	var commands []kong.Option
	for _, entry := range verbs {
		commands = append(commands, kong.DynamicCommand(entry.Name, entry.Help, entry.Group, entry.New()))
	}
	return kong.New(&struct {
		Version kong.VersionFlag `help:"Print the version and exit."`
	}{}, slices.Concat([]kong.Option{
		kong.Embed(v),
		flags.Option(),
		mapOption(),
		listOption(),
		kong.Help(p.printHelp),
	}, commands, []kong.Option{
		kong.DynamicCommand("help", "Show the flags of a verb, with an example.", "This program", &helpCommand{}),
		kong.DynamicCommand("completion", "Print a script by which a shell completes verbs and flags.", "This program",
			&completionCommand{}),
		kong.DynamicCommand("version", "Print the versions of the programs and of libtorch.", "This program", &versionCommand{}),
		kong.Name(p.Name),
		kong.Description(p.About),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, NoExpandSubcommands: true, WrapUpperBound: 110}),
		kong.Vars(p.Vars),
		kong.Vars{"version": p.version()},
	}, options)...)
}

func helpFor(c *kong.Context) string {
	if c != nil && c.Command() != "" {
		verb, _, _ := strings.Cut(c.Command(), " <") // arguments
		return verb + " --help"
	}
	return "--help"
}

// usageError is an error of the caller's command line.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// Usage marks an error as one of the command line.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// said is the error of a verb that has printed what is wrong.
type said int

// Error says that there is nothing to add.
func (said) Error() string { return "what is wrong has been printed" }

// Said is the error of a verb that has printed what is wrong, or had it printed:
// the process ends with the code, and without another word.
func Said(code int) error { return said(code) }

// WasSaid tells an error of Said.
func WasSaid(err error) bool {
	var s said
	return errors.As(err, &s)
}

// reworded is an error in other words.
type reworded struct {
	text string
	error
}

func (r reworded) Error() string { return r.text }

func (r reworded) Unwrap() error { return r.error }

// Reword returns an error in other words, such as those of the caller of a recipe. It matches what the
// given one matches.
func Reword(text string, err error) error { return reworded{text, err} }

// ErrSaid is the same for a verb that has failed.
var ErrSaid = Said(ExitFailed)

// ErrDone is the error of a verb that has said that there is nothing to do.
var ErrDone = Said(ExitDone)

// ErrResumes is joined to the error of a verb that goes on where it stopped when
// it is run again.
var ErrResumes = errors.New("run the same command again to go on; what is committed stays")

// ExitCode prints the error and returns the code that the process ends with. A verb that makes something does so also when
// the reader of its output goes away; its code tells that what it printed was not read.
func (p *Program) ExitCode(ctx context.Context, err error) int {
	var u usageError
	var s said
	w := Visible(p.Stderr)
	switch {
	case (err == nil || errors.Is(err, syscall.EPIPE)) && !p.hasReader(err):
		return ExitPipe
	case err == nil:
		return ExitDone
	case errors.As(err, &s):
		return int(s)
	case ctx.Err() != nil && errors.Is(err, ErrResumes):
		fmt.Fprintf(w, "%s: interrupted; %v\n", p.Name, ErrResumes)
		return ExitInterrupted
	case ctx.Err() != nil:
		fmt.Fprintf(w, "%s: interrupted\n", p.Name)
		return ExitInterrupted
	}
	fmt.Fprintf(w, "%s: %s\n", p.Name, p.Advice(err.Error()))
	if errors.As(err, &u) {
		return ExitUsage
	}
	return ExitFailed
}

// burst is the time in which several signals are one: Linux tells a child of its
// parent's end once for each thread that ends.
const burst = 250 * time.Millisecond

// interruptible returns a context that the first interrupt cancels; another one,
// after the burst, ends the process at once.
func (p *Program) interruptible(exit func(code int)) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup does
		signal.Notify(signals, syscall.SIGHUP)
	}
	// Caught, so that a reader that goes away (| head) is an error of a write and
	// not the end of the process; caught signals are not passed on to children.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		<-signals
		first := time.Now()
		if !p.Started {
			fmt.Fprintf(p.Stderr, "%s: stopping; interrupt again to end at once\n", p.Name)
		}
		cancel()
		for range signals {
			if time.Since(first) > burst {
				exit(ExitInterrupted)
			}
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}
