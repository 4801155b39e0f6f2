// Package fault collects faults, so that an error can report all of them at once.
package fault

import (
	"errors"
	"fmt"
)

// List holds faults in the order in which they were found. Its zero value is empty.
type List []error

// Check adds a fault, written as fmt.Errorf does, unless ok.
func (l *List) Check(ok bool, format string, args ...any) {
	if !ok {
		l.Addf(format, args...)
	}
}

// Addf adds a fault, written as fmt.Errorf does.
func (l *List) Addf(format string, args ...any) { *l = append(*l, fmt.Errorf(format, args...)) }

// Add adds those of errs that are not nil.
func (l *List) Add(errs ...error) {
	for _, err := range errs {
		if err != nil {
			*l = append(*l, err)
		}
	}
}

// Err joins the faults, a line each; it is nil if there are none.
func (l List) Err() error { return errors.Join(l...) }
