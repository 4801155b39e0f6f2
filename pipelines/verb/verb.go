// Package verb holds what the programs know of a verb of the command line: a Verb is a value
// beside the flags of the verb, and each program has one list of them. Help, completion,
// the checks before work, recipes, estimates and advice follow from the list.
package verb

import (
	"context"
	"slices"
	"strings"

	"sentweave/schemas/storage"
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
	// Makes is what the verb leaves in the folder of --out, the zero value where it has none.
	Makes Output
	// Made, if it is not nil, says what a step of a recipe makes where that depends on the step: else
	// rows as Makes says, of one kind.
	Made func(s Step) Product
	// Rates are those of a pipeline that were measured, for estimates.
	Rates Rates
	// Imports says that a pipeline reads what others wrote: one that keeps nothing of its input has been
	// given the wrong one, or a wrong setting.
	Imports bool
	// WaysOut say, for the reasons of a pipeline to drop a row, what is often the matter if nearly all are
	// dropped for it. They name flags of the verb, or of the one that made its input.
	WaysOut map[string]string
	// Wanted are the reasons to drop a row that were asked for: that nearly all rows go for one of them
	// is no news.
	Wanted []string
	// Absent, if it is not nil, says what may be meant where an input of a flag is not there, nil where nothing is known.
	Absent func(flag, location string) error
	// Dangling says that the verb leaves out links that lead nowhere.
	Dangling bool
	// Libtorch says that the verb computes on libtorch: sentweave hands it to sentweave-torch. Encodes says that it does
	// so only where one of its inputs is an encoder, which it opens by that program.
	Libtorch, Encodes bool
}

// Output is what lies in the folder that a verb makes.
type Output struct {
	// Rows is the schema of the rows of a dataset, or what else there is, such as "encoder".
	Rows string
	// Rarely says that advice names another verb that makes the same.
	Rarely bool
	// Mark is the file by which a folder that is not a dataset is known, and Is says what such a folder
	// holds, as in "it holds a vocabulary".
	Mark, Is string
	// Copies says that the folder may hold files of other folders, so that Mark counts before theirs.
	Copies bool
	// Judges says that a failed step leaves such a folder, too: one that tells of faults.
	Judges bool
	// Count says how much such a folder holds, as in "30,522 pieces", and returns an error where the folder cannot be
	// used, as far as its records, small files and the sizes of large ones tell; nil where nothing is counted.
	Count func(ctx context.Context, folder storage.Folder) (string, error)
	// Check returns an error unless such a folder on this machine can be opened, for verbs that read it; nil
	// where nothing is checked before.
	Check func(location string) error
	// Costly says that no advice is to delete what lies there, since it took long to make.
	Costly bool
	// Share is the least part of the bytes of its input that the verb writes, for a look at the room on
	// a disk. It is low, as pages that are mostly markup have it; 0 where that is not known.
	Share float64
}

// Product is what a step of a recipe makes: rows, and of which kinds these may be, nil where the recipe
// does not tell. Kinds of pairs and examples are those of schemas.Kinds, those of vectors are what
// they are of; other rows are of the kind that they are.
type Product struct {
	Rows  string
	Kinds []string
}

// Step is what a recipe says of a step.
type Step struct {
	// Value returns the value of a flag, "" if the step gives none.
	Value func(flag string) string
	// From returns what the first step makes whose output a flag takes, and whether there is one.
	From func(flag string) (Product, bool)
}

// Reads says whether a flag of the step names a dataset, made by a step or not, and what a step makes
// there.
func (s Step) Reads(flag string) (product Product, reads bool) {
	product, reads = s.From(flag)
	return product, reads || s.Value(flag) != ""
}

// Making returns a function for Verb.Made of a verb that always makes the same kinds.
func Making(rows string, kinds ...string) func(Step) Product {
	return func(Step) Product { return Product{rows, kinds} }
}

// AsRead is a function for Verb.Made of a verb that makes what it reads: the pairs of --pairs, or
// documents.
func AsRead(s Step) Product {
	if pairs, ok := s.Reads("pairs"); ok {
		return Product{"pair", pairs.Kinds}
	}
	return Product{"document", []string{"document"}}
}

// Find returns the verb that a command line begins with, such as "views synonym", and whether there
// is one.
func Find(list []Verb, words string) (Verb, bool) {
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
