package command

import (
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"sentweave/pipelines/verb"
)

// everyVerb is the group of the flags that all verbs have.
const everyVerb = "Every verb"

// required is the group of the flags that a verb cannot do without.
const required = "Required"

// verbosity says how much a verb prints. All verbs have its flags.
type verbosity struct {
	Quiet   bool `short:"q" help:"Print errors and what was asked for alone: no progress, no notes." xor:"verbosity" group:"Every verb"`
	Verbose bool `short:"v" help:"Print notes and tables that are left out otherwise, as those of a step that was done before." xor:"verbosity" group:"Every verb"`
	Brief   bool `help:"Print one line if there is nothing to do." hidden:"" group:"Every verb"`
}

// helpCommand lists `help` among the verbs; parse knows it.
type helpCommand struct {
	Verb []string `arg:"" optional:"" help:"Verb, with its kind if it has kinds."`
}

// printHelp shows what is required first, clusters and what all verbs have last, and an
// example.
func (p *Program) printHelp(o kong.HelpOptions, c *kong.Context) error {
	if node := c.Selected(); node != nil {
		p.arrange(node)
	} else {
		for _, f := range c.Model.Flags {
			f.Group = &kong.Group{Key: everyVerb, Title: everyVerb}
		}
	}
	return kong.DefaultHelpPrinter(o, c)
}

// engineGroup begins the groups of the engines that translate.
const engineGroup = "Engine "

// lastGroups are at the end, in this order.
var lastGroups = []string{"Output", "Running", "Libtorch", engineGroup, "Flink", "Dataflow", everyVerb}

func (p *Program) arrange(node *kong.Node) {
	var examples, needed []string
	if node.Leaf() { // its kinds have them
		examples, needed = p.ExamplesOf(node.Path()), p.Required(node.Path())
	}
	flags := slices.Clone(node.Flags)
	for parent := node.Parent; parent != nil; parent = parent.Parent {
		for _, f := range parent.Flags {
			f.Group = &kong.Group{Key: everyVerb, Title: everyVerb}
		}
		flags = append(flags, parent.Flags...)
		parent.Flags = nil
	}
	rank := func(f *kong.Flag) int {
		switch {
		case slices.Contains(needed, f.Name):
			return 0
		case f.Group == nil:
			return 1
		}
		key := f.Group.Key
		if strings.HasPrefix(key, engineGroup) {
			key = engineGroup
		}
		return 2 + slices.Index(lastGroups, key) + 1
	}
	slices.SortStableFunc(flags, func(a, b *kong.Flag) int { return rank(a) - rank(b) })
	for _, f := range flags {
		if f.IsSlice() && f.Tag.Sep != -1 { // kong says that there may be several
			f.PlaceHolder = strings.TrimSuffix(strings.TrimSuffix(f.PlaceHolder, ",…"), ",...")
		}
		f.Required = f.Required && len(needed) == 0
		switch rank(f) {
		case 0:
			f.Required = true // for the line of usage
			f.Group = &kong.Group{Key: required, Title: "Required, as in the first example"}
		case 1: // Kong would print it first
			f.Group = &kong.Group{Key: "Settings", Title: "Settings"}
		}
	}
	node.Flags = flags
	if len(examples) > 0 {
		lines := "Example:\n"
		for _, e := range examples {
			lines += "\n  " + p.Name + " " + e
		}
		node.Detail = strings.TrimSpace(node.Detail + "\n\n" + lines)
	}
}

// ExamplesOf returns command lines of a verb, whose words are given, without the program's name.
func (p *Program) ExamplesOf(words string) []string {
	words, _, _ = strings.Cut(words, " <") // arguments
	v, _ := verb.Find(p.Verbs, words)
	return v.ExamplesOf(words)
}

// Required lists the flags that a verb cannot do without: those of its first example.
func (p *Program) Required(words string) (flags []string) {
	if examples := p.ExamplesOf(words); len(examples) > 0 {
		for _, m := range flagNamed.FindAllStringSubmatch(examples[0], -1) {
			flags = append(flags, m[1])
		}
	}
	return flags
}

// flagNamed is a flag in a text.
var flagNamed = regexp.MustCompile(`--([a-z][a-z0-9-]*[a-z0-9])`)

// withFlags writes flags as the user does where a line of a fault begins with one: what
// checks them is plain Go, which knows their names alone.
func withFlags(err error, node *kong.Node) error {
	if err == nil || node == nil {
		return err
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		label := ""
		if rest, ok := strings.CutPrefix(line, node.Path()+": "); i == 0 && ok {
			label, line = node.Path()+": ", rest
		}
		isFlag := func(word string) bool {
			return slices.ContainsFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == word })
		}
		if two := twoWords.FindStringSubmatch(line); two != nil && isFlag(two[2]) && isFlag(two[4]) {
			line = two[1] + "--" + two[2] + two[3] + "--" + two[4] + line[len(two[0]):]
		} else if isFlag(strings.TrimRight(firstWord.FindString(line), ": ")) {
			line = "--" + line
		}
		lines[i] = label + noTruth.ReplaceAllString(line, "--$1=$2: true or false is wanted")
	}
	return renamed{strings.Join(lines, "\n"), err}
}

var firstWord = regexp.MustCompile(`^[a-z][a-z0-9-]*:?( |$)`)

// twoWords are the words of two flags that a line is about.
var twoWords = regexp.MustCompile(`^(give either |give )?([a-z][a-z0-9-]*)( and | or )([a-z][a-z0-9-]*)\b`)

// noTruth is what the parser says of the value of a flag that takes true and false.
var noTruth = regexp.MustCompile(`^--([a-z][a-z0-9-]*): bool value must be .* but got "(.*)"`)

// renamed is an error in other words.
type renamed struct {
	text string
	err  error
}

// Error returns the words.
func (r renamed) Error() string { return r.text }

// Unwrap returns the error.
func (r renamed) Unwrap() error { return r.err }
