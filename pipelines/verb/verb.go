// Package verb holds what the programs know of a verb of the command line: a Verb is a value
// beside the flags of the verb, and each program has one list of them. Help, completion,
// the checks before work, recipes, estimates and advice follow from the list.
package verb

import (
	"slices"
	"strings"
)

// Groups of verbs, as help shows them.
const (
	GroupCorpus    = "Build a corpus"
	GroupTranslate = "Translate test sets, make views"
	GroupTrain     = "Train an encoder"
	GroupEvaluate  = "Evaluate an encoder"
	GroupLook      = "Run, and look at datasets"
	GroupMachine   = "This machine and clusters"
)

// Verb is a verb of the command line. Of a verb with kinds, such as `views synonym`, the value is
// that of all kinds.
type Verb struct {
	Name, Group, Help string
	// Examples are command lines, without the name of the program. The first of a verb, or of a kind,
	// has the flags that it cannot do without, and no others.
	Examples []string
	// New returns a pointer to a new struct of the flags, as kong reads them. Its method Run does the
	// work, or its fields are the kinds.
	New func() any
	// Libtorch says that the verb computes on libtorch: sentweave hands it to sentweave-torch.
	Libtorch bool
}

// Of returns the verb that a command line begins with, such as "views synonym", and whether there
// is one.
func Of(list []Verb, words string) (Verb, bool) {
	name, _, _ := strings.Cut(words, " ")
	i := slices.IndexFunc(list, func(v Verb) bool { return v.Name == name })
	if i < 0 {
		return Verb{}, false
	}
	return list[i], true
}

// ExamplesOf returns the examples of a verb, or of one of its kinds, whose words are given.
func (v Verb) ExamplesOf(words string) (list []string) {
	for _, example := range v.Examples {
		if strings.HasPrefix(example+" ", words+" ") {
			list = append(list, example)
		}
	}
	return list
}
