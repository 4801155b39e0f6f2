package units

import (
	"errors"
	"strings"
)

// A runner hands a worker's error on as text, wrapped into its own report of
// many lines. These marks let the launcher find the message again.
const (
	markBegin = "⟦sentweave: "
	markEnd   = "⟧"
)

func mark(err error) error {
	if err == nil || strings.Contains(err.Error(), markBegin) {
		return err
	}
	return &marked{err}
}

type marked struct{ err error }

func (m *marked) Error() string { return markBegin + m.err.Error() + markEnd }
func (m *marked) Unwrap() error { return m.err }

// Unmark returns the error of the worker inside the report of a runner, or the
// report itself if no worker spoke.
func Unmark(err error) error {
	if err == nil {
		return nil
	}
	_, rest, ok := strings.Cut(err.Error(), markBegin)
	if !ok {
		return err
	}
	message, _, ok := strings.Cut(rest, markEnd)
	if !ok {
		return err
	}
	return errors.New(message)
}
