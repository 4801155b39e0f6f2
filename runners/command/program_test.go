package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestExitCodes(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("broken")
	tests := []struct {
		name   string
		ctx    context.Context
		err    error
		code   int
		stderr string
	}{
		{"done", t.Context(), nil, 0, ""},
		{"failed", t.Context(), broken, 1, "sentweave: broken\n"},
		{"failed after a cancelled part", t.Context(), fmt.Errorf("part: %w", context.Canceled), 1, "sentweave: part: context canceled\n"},
		{"said already", t.Context(), fmt.Errorf("x: %w", ErrSaid), 1, ""},
		{"said already, with a code", t.Context(), fmt.Errorf("x: %w", Said(ExitUsage)), 2, ""},
		{"said already, interrupted", cancelled, fmt.Errorf("x: %w", Said(ExitInterrupted)), 130, ""},
		{"said already that it failed, though interrupted", cancelled, errors.Join(context.Canceled, ErrSaid), 1, ""},
		{"usage", t.Context(), fmt.Errorf("x: %w", Usage(broken)), 2, "sentweave: x: broken\n"},
		{"interrupted", cancelled, context.Canceled, 130, "sentweave: interrupted\n"},
		{"interrupted with another error", cancelled, broken, 130, "sentweave: interrupted\n"},
		{"interrupted, can go on", cancelled, errors.Join(broken, ErrResumes), 130,
			"sentweave: interrupted; run the same command again to go on; what is committed stays\n"},
		{"done in spite of an interrupt", cancelled, nil, 0, ""},
		{"another pipe is broken", t.Context(), fmt.Errorf("write: %w", syscall.EPIPE), 1, "sentweave: write: broken pipe\n"},
		{"reader has gone", t.Context(), &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.EPIPE}, 141, ""},
	}
	for _, test := range tests {
		var stderr strings.Builder
		p := &Program{Name: "sentweave", Stdout: io.Discard, Stderr: &stderr}
		if code := p.ExitCode(test.ctx, test.err); code != test.code || stderr.String() != test.stderr {
			t.Errorf("%s: code %d, %q; want %d, %q", test.name, code, stderr.String(), test.code, test.stderr)
		}
	}
}

// failingWriter is a full disk.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A full disk is not misuse, whatever is printed to it.
func TestHelpOnFullDisk(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"--version"}} {
		var stderr strings.Builder
		p := &Program{Name: "sentweave", Stdout: failingWriter{}, Stderr: &stderr}
		if code := p.Main(args, nil); code != ExitFailed || stderr.String() != "sentweave: no space left on device\n" {
			t.Errorf("%s: code %d, %q", args, code, stderr.String())
		}
	}
}
