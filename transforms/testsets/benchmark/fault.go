package benchmark

import (
	"cmp"
	"fmt"
	"slices"
)

// What can be wrong with a translated test set.
const (
	FaultMissing      = "missing"      // a row of the source is not there
	FaultExtra        = "extra"        // a row that the source does not have
	FaultRepeated     = "repeated"     // a row occurs twice
	FaultOrder        = "order"        // rows do not come in the source's order
	FaultID           = "id"           // another id than the source's
	FaultSplit        = "split"        // another split
	FaultFold         = "fold"         // another fold
	FaultLabel        = "label"        // another label
	FaultTarget       = "target"       // another score
	FaultSkip         = "skip"         // a row without gold has some, or the other way
	FaultLanguage     = "language"     // not in the language that was asked for
	FaultEmpty        = "empty"        // a text is gone, or one came from nowhere
	FaultEncoding     = "encoding"     // not UTF-8, or decoded twice
	FaultCharacters   = "characters"   // a tab, a line break, or another character that cuts rows or words
	FaultOriginal     = "original"     // the original is not the source's text
	FaultAlignment    = "alignment"    // texts belong to other rows, by their lengths
	FaultLine         = "line"         // a line of a folder is not what the dataset that it was made of gives
	FaultAlike        = "alike"        // many texts of the source have one translation
	FaultUntranslated = "untranslated" // too many texts equal the source's
	FaultScript       = "script"       // most texts are not in a script of the language
	FaultFile         = "file"         // a file cannot be read as the task's
)

// Fault is one thing that is wrong.
type Fault struct {
	Task, Language, File string
	// Row is the row's ordinal, or -1 for the whole file.
	Row          int32
	Kind, Detail string
}

// String is one line.
func (f Fault) String() string {
	location := f.File
	if f.Row >= 0 {
		location = fmt.Sprintf("%s row %d", f.File, f.Row)
	}
	return fmt.Sprintf("%s %s: %s: %s: %s", f.Task, f.Language, location, f.Kind, f.Detail)
}

// faultKinds has them in the order of the report.
var faultKinds = []string{
	FaultFile, FaultMissing, FaultExtra, FaultRepeated, FaultOrder, FaultID, FaultSplit, FaultFold, FaultLabel, FaultTarget,
	FaultSkip, FaultLanguage, FaultEmpty, FaultEncoding, FaultCharacters, FaultOriginal, FaultAlignment, FaultLine, FaultUntranslated,
	FaultAlike, FaultScript,
}

// SortFaults sorts faults by task, language, file, kind and row, and leaves the first of each kind
// in each file, as many as the limit says; 0 leaves all. It returns how many were dropped.
func SortFaults(faults []Fault, limit int) (remaining []Fault, dropped int) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Language, b.Language), cmp.Compare(a.File, b.File),
			cmp.Compare(slices.Index(faultKinds, a.Kind), slices.Index(faultKinds, b.Kind)), cmp.Compare(a.Row, b.Row))
	})
	count := 0
	for i, f := range faults {
		if i > 0 && faults[i-1].Task == f.Task && faults[i-1].Language == f.Language && faults[i-1].File == f.File &&
			faults[i-1].Kind == f.Kind {
			count++
		} else {
			count = 1
		}
		if limit > 0 && count > limit {
			dropped++
			continue
		}
		remaining = append(remaining, f)
	}
	return remaining, dropped
}
