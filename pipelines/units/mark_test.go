package units

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

// A runner wraps the text of a worker's error into its own report; the launcher
// finds the text again, however often it was marked on its way.
func TestUnmark(t *testing.T) {
	worker := fmt.Errorf("unit 7: read page: %w", io.ErrUnexpectedEOF)
	report := "job failed: stage-3: rpc error: code = Unknown desc = process bundle failed:\n\t%v\n\tfull error: %v\nexit"
	for _, test := range []struct {
		name  string
		given error
		want  string
	}{
		{"a report with the error twice", fmt.Errorf(report, mark(worker), mark(worker)), worker.Error()},
		{"marked twice", fmt.Errorf(report, mark(fmt.Errorf("phase: %w", mark(worker))), ""), worker.Error()},
		{"an error of several lines", fmt.Errorf(report, mark(errors.Join(io.EOF, io.ErrClosedPipe)), ""), "EOF\n" + io.ErrClosedPipe.Error()},
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
	if !errors.Is(mark(worker), io.ErrUnexpectedEOF) {
		t.Error("a marked error hides what it wraps")
	}
}
