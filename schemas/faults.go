package schemas

import (
	"math"
	"unicode/utf8"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
)

// faults collects what is wrong with one row. Where a check takes arguments to format,
// an if comes before it: they would be boxed for every valid row.
type faults struct{ fault.List }

// text checks that a text is UTF-8.
func (f *faults) text(column, value string) {
	if !utf8.ValidString(value) {
		f.Addf("%s is not UTF-8: %q", column, clip(value))
	}
}

// required checks that a text is there and UTF-8.
func (f *faults) required(column, value string) {
	if value == "" {
		f.Addf("%s is empty", column)
	}
	f.text(column, value)
}

// language checks that a language is named.
func (f *faults) language(column, value string) {
	if value == "" {
		f.Addf("%s is empty; unknown is \"und\"", column)
	}
	f.text(column, value)
}

// id checks the form of an identity, which is ASCII.
func (f *faults) id(column, value string) {
	if !IsID(value) {
		f.Addf("%s %q is not 32 lower-case hexadecimal digits", column, clip(value))
	}
}

func (f *faults) finite(column string, value float64) {
	if !isFinite(value) {
		f.Addf("%s is %v", column, value)
	}
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// clip keeps a message short when the text is a whole page.
func clip(text string) string { return excerpt.Characters(text, 64) }
