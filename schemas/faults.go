package schemas

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// faults collects what is wrong with one row.
type faults []error

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Errorf(format, args...)) }

// check takes no arguments to format: they would be boxed for every valid row.
func (f *faults) check(ok bool, message string) {
	if !ok {
		*f = append(*f, errors.New(message))
	}
}

// text checks that a text is UTF-8.
func (f *faults) text(column, value string) {
	if !utf8.ValidString(value) {
		f.add("%s is not UTF-8: %q", column, clip(value))
	}
}

// required checks that a text is there and UTF-8.
func (f *faults) required(column, value string) {
	if value == "" {
		f.add("%s is empty", column)
	}
	f.text(column, value)
}

// language checks that a language is named.
func (f *faults) language(column, value string) {
	if value == "" {
		f.add("%s is empty; unknown is \"und\"", column)
	}
	f.text(column, value)
}

// id checks the form of an identity, which is ASCII.
func (f *faults) id(column, value string) {
	if !IsID(value) {
		f.add("%s %q is not 32 lower-case hexadecimal digits", column, clip(value))
	}
}

func (f *faults) finite(column string, value float64) {
	if !isFinite(value) {
		f.add("%s is %v", column, value)
	}
}

func (f faults) join() error { return errors.Join(f...) }

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// clip keeps a message short when the text is a whole page.
func clip(text string) string {
	const most = 64
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
