package protocol

import "fmt"

// Absence is the error for data that are not there, which leaves an optional task out.
type Absence struct {
	error
	// files are those that are missing, if the error is of files.
	files []string
}

// Unwrap returns the error of the data.
func (a Absence) Unwrap() error { return a.error }

// Absent is the error for data that are there, but lack what the task needs.
func Absent(format string, args ...any) error { return Absence{error: fmt.Errorf(format, args...)} }

// Note says shortly what is left out for it.
func (a Absence) Note(task string) string {
	switch n := len(a.files); n {
	case 0:
		return a.Error()
	case 1:
		return fmt.Sprintf("%s (%s)", task, a.files[0])
	default:
		return fmt.Sprintf("%s (%s and %d more)", task, a.files[0], n-1)
	}
}
