package units

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

// A runner wraps the text of a worker's error into its own report; the launcher
// finds the text again. A launcher in the same process is given the error itself.
func TestUnmark(t *testing.T) {
	mark := func(err error) error { return report(t.Context(), err) }
	worker := fmt.Errorf("unit 7: read page: %w", io.ErrUnexpectedEOF)
	text := "job failed: stage-3: rpc error: code = Unknown desc = process bundle failed:\n\t%v\n\tfull error: %v\nexit"
	for _, test := range []struct {
		name  string
		given error
		want  string
	}{
		{"a report with the error twice", fmt.Errorf(text, mark(worker), mark(worker)), worker.Error()},
		{"an error of several lines", fmt.Errorf(text, mark(errors.Join(io.EOF, io.ErrClosedPipe)), ""),
			"EOF\n" + io.ErrClosedPipe.Error()},
		{"a report in which no worker spoke", errors.New("connection refused"), "connection refused"},
		{"a report that is cut off", errors.New("job failed: " + markBegin + "unit 7: read"), "job failed: " + markBegin + "unit 7: read"},
	} {
		if got := Unmark(test.given); got.Error() != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if mark(nil) != nil || Unmark(nil) != nil {
		t.Error("no error became one")
	}
	var cause error
	ctx := withCause(t.Context(), &cause)
	report(ctx, nil)
	report(ctx, worker)
	report(ctx, io.ErrClosedPipe) // a consequence
	if cause != worker {
		t.Errorf("the cause is %v, want the first error itself", cause)
	}
}
