// Package recipe reads experiments, which are YAML graphs of verbs. Each step is one
// command line, and later steps take its output folder as their input.
//
//	name: demo
//	about: Word counts of a folder of pages.
//	parameters:
//	  input: {help: "folder of HTML pages"}            # required: it has no default
//	  languages: {help: "languages to keep", default: "eng,spa"}
//	steps:
//	  - name: documents                                # its output: OUT/documents
//	    run: corpus                                    # the verb, with its kind if it has kinds
//	    with: {input: "${input}", languages: "${languages}", shard-bytes: 1MiB}
//	  - name: counts
//	    run: wordcounts
//	    from: {documents: documents}                   # --documents=OUT/documents
//
// The keys under with and from are flags of the verb, which its own parser knows. A
// value under from is the name of an earlier step, a file in its output such as
// vocabulary/vocab.txt, or a list of these; if the flag takes labels, each is
// LABEL=step. A text may hold parameters as ${name}, and so may a name under from: its value
// then is such a name, or several between commas. A flag whose value is empty is
// left out, so a parameter with the default "" is an optional flag. Lists are joined
// by commas. Anchors, aliases and << work.
//
// A parameter may have choices, which are all its values, and what each of them sets:
// other parameters, or flags of steps as STEP.FLAG. So a file holds the rows of a table:
//
//	scale:
//	  help: how much of it
//	  default: demo
//	  choices:
//	    demo: {steps: 100, encoder.batch: 16}
//	    paper: {steps: 1000000}
//	row:
//	  help: row of the table
//	  choices:
//	    base: {}
//	    large: {encoder.layers: {demo: 4, paper: 24}}  # by what was chosen of scale
//
// A choice that sets a parameter to nothing leaves it to the caller, who must set it.
// What the caller sets counts more, and a parameter further down counts more than one above
// it.
//
// A flag may be under from and, as a parameter, under with: the output of the step is taken
// where the parameter is empty.
//
//   - {name: further, run: train, from: {from: start}, with: {from: "${encoder}"}}
//
// The steps and parameters of an embedded recipe, or of a group, which is part of several
// recipes, are put in place by `- use: NAME` among the steps. What the recipe says itself of
// a parameter counts more. Of these steps those are left out that no step reads which runs,
// and of which nothing is published.
//
// Publish lists files such as report/report.html that are copied to OUT when all steps
// are done.
//
// A recipe holds no locations of its own: inputs come in as parameters.
package recipe

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"sentweave/schemas/spelling"
	"sentweave/schemas/storage"
	"sentweave/schemas/yamlfile"
)

//go:embed *.yaml groups/*.yaml
var embedded embed.FS

// Recipe is a valid recipe.
type Recipe struct {
	// Name is the recipe's name; About says in one sentence what it makes.
	Name, About string
	// Paper and Table say whose figures the recipe makes, in the words of the papers; empty
	// if nobody published them.
	Paper, Table string
	// Parameters are what the caller sets, in the order of the file.
	Parameters []Parameter
	// Steps are in the order of the file, in which every input comes before its reader.
	Steps []Step
	// Publish are files in the output of steps that are copied beside the steps'
	// folders when all is done.
	Publish []Reference
	// Unread says, of the recipe that Chosen returns, which settings of the caller have no
	// effect, and why: another row of the recipe reads them.
	Unread []string
}

// Parameter is a value that the caller may set.
type Parameter struct {
	Name, Help string
	// Default is used where the caller sets nothing, unless the parameter is Required.
	Default  string
	Required bool
	// Choices are all values that the parameter may have, in the order of the file; any
	// value will do if there are none.
	Choices []Choice

	inherited bool // from the file of the steps that are used
	line      int
}

// Step is one command.
type Step struct {
	// Name is the step's output folder, and how other steps refer to it.
	Name string
	// Run is the verb, with its kind if it has kinds: "views synonym".
	Run string
	// From and With are flags, in the order of the file.
	From []Input
	With []Setting
	// Optional steps, which come from another file, are left out where no other step reads
	// them and nothing of them is published.
	Optional bool

	line int
}

// Input is a flag whose value is the output of earlier steps.
type Input struct {
	Flag string
	From []Reference

	line int
}

// Reference names the output of a step, or a file in it. A label comes before it
// as LABEL=…, for flags that take such. The label and the
// name of the step may each be ${name}, a parameter.
type Reference struct {
	Label, Step, File string

	line int
}

// parameter returns the parameter that is all of the value, "" if something else is there.
func (s Setting) parameter() string {
	if len(s.Values) == 1 {
		if m := reference.FindStringSubmatch(s.Values[0]); m != nil && m[0] == s.Values[0] {
			return m[1]
		}
	}
	return ""
}

// parameterOf returns the parameter that is the value of a flag under with, "" if there is none.
func (s Step) parameterOf(flag string) string {
	for _, w := range s.With {
		if w.Flag == flag {
			return w.parameter()
		}
	}
	return ""
}

// Setting is a flag with its value, in which ${name} stands for a parameter.
type Setting struct {
	Flag string
	// Values has one element, or those of a list.
	Values []string

	line int
}

// EmbeddedNames lists the names of the recipes that are part of the program. It parses
// none of them, which takes longer than most commands.
func EmbeddedNames() (names []string) {
	files, _ := fs.Glob(embedded, "*.yaml") // the pattern is valid
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file, ".yaml"))
	}
	return names
}

// Embedded lists the recipes that are part of the program, by name.
func Embedded() (recipes []*Recipe, err error) {
	for _, name := range EmbeddedNames() {
		r, err := ofProgram(name)
		if err != nil {
			return nil, err
		}
		recipes = append(recipes, r)
	}
	return recipes, nil
}

func ofProgram(name string) (*Recipe, error) {
	data, err := embedded.ReadFile(name + ".yaml")
	if err != nil {
		return nil, err
	}
	return Parse(name+".yaml", data)
}

// RunName is the name of the file, beside the folders of the steps, that says what
// they took.
const RunName = "run.json"

// Load returns the embedded recipe of that name, or the one in a file.
func Load(ctx context.Context, name string) (*Recipe, error) {
	names := EmbeddedNames()
	if slices.Contains(names, name) {
		return ofProgram(name)
	}
	if !strings.ContainsRune(name, filepath.Separator) && filepath.Ext(name) == "" {
		return nil, fmt.Errorf("there is no recipe %q%s; the embedded ones are %s, others are given by the path of a YAML file",
			name, spelling.Proposal(name, names), strings.Join(names, ", "))
	}
	data, err := storage.ReadLocation(ctx, name, yamlfile.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("read recipe: %w", err)
	}
	return Parse(name, data)
}
