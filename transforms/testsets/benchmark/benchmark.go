// Package benchmark holds the parts that all test sets share: lines in their real
// encodings, tables separated by tabs or commas, text that is safe as one field of one
// line, rows of translations, the comparison of a translated test set with its source,
// and folders for Hugging Face's datasets.
//
// # Alignment
//
// A test set is worth nothing once texts and labels are shifted by one. So every line
// keeps its ordinal, whether it is a row, a row without gold (Skip), or malformed. A
// translation names the same task, file and ordinal, and an item has the same id in
// every language. Checker compares both sides row by row.
//
// Everything is a pure function of its input: no files, no clock, no order of maps.
package benchmark

import (
	"errors"
	"fmt"
	"iter"
	"strconv"

	"sentweave/schemas"
)

// Why a line is not a row.
const (
	// ReasonFields: too few or too many fields.
	ReasonFields = "fields"
	// ReasonEncoding: not UTF-8, in a file that must be.
	ReasonEncoding = "encoding"
	// ReasonLabel: a label that the task does not have.
	ReasonLabel = "label"
	// ReasonScore: a score that is not a finite number, or outside the scale.
	ReasonScore = "score"
	// ReasonEmpty: no text, with gold beside it.
	ReasonEmpty = "empty"
	// ReasonLanguage: a language that is not one.
	ReasonLanguage = "language"
	// ReasonKey: the item has no key, or that of another row of the file in the same language.
	ReasonKey = "key"
)

// Reasons lists the reasons.
func Reasons() []string {
	return []string{ReasonFields, ReasonEncoding, ReasonLabel, ReasonScore, ReasonEmpty, ReasonLanguage, ReasonKey}
}

// Record is one line of a test set: a row, or the reason why it is none. Its row
// has task, split, file, ordinal and language in either case.
type Record struct {
	Row schemas.Benchmark
	// Line is where the record begins in its file, from 1.
	Line int
	// Reason is "" for a row; Detail says what was found.
	Reason, Detail string
}

// Rows collects the rows of a test set and the number of records that are none.
// It returns the first error, and what came before it.
func Rows(records iter.Seq2[Record, error]) (rows []schemas.Benchmark, malformed []Record, err error) {
	for r, err := range records {
		if err != nil {
			return rows, malformed, err
		}
		if r.Reason != "" {
			malformed = append(malformed, r)
			continue
		}
		rows = append(rows, r.Row)
	}
	return rows, malformed, nil
}

// ID returns the id of an item: the same for its translations into all languages.
func ID(task, file string, row int32) string {
	return schemas.DerivedID("benchmark", task, file, strconv.Itoa(int(row)))
}

// Translate returns the row of a translation: the source's with other texts and
// language. Its originals are those of the source, or the source's texts where it has
// none. A row with one text takes "" as textB.
func Translate(source schemas.Benchmark, languageCode, textA, textB string) (schemas.Benchmark, error) {
	if languageCode == "" {
		return source, errors.New("translate: the language is empty")
	}
	if (textB == "") != (source.TextB == "") {
		return source, fmt.Errorf("translate row %d of %s: the source has text_b %q, the translation %q", source.Row, source.File,
			source.TextB, textB)
	}
	row := source
	if row.OriginalA == "" && row.OriginalB == "" {
		row.OriginalA, row.OriginalB = source.TextA, source.TextB
	}
	row.TextA, row.TextB, row.LanguageA = textA, textB, languageCode
	if source.LanguageB != "" {
		row.LanguageB = languageCode
	}
	return row, nil
}
