package bitext

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"sentweave/pipelines/units"
	"sentweave/schemas/storage"
)

// unreadable marks the error of a file that cannot be opened or read.
type unreadable struct{ error }

// Unwrap returns the error of the reader.
func (u unreadable) Unwrap() error { return u.error }

func isUnreadable(err error) bool { return errors.As(err, new(unreadable)) }

// inWork adds to the error of a file that is found to be damaged in mid-work what can be done.
func inWork(err error) error {
	if isUnreadable(err) {
		return fmt.Errorf("%w; mend the file, or leave it out by --paths, and give --overwrite", err)
	}
	return err
}

// leaves says whether a file is left out, as it cannot be opened.
func (c Config) leaves(ctx context.Context, folder, name string) (bool, error) {
	directory, err := storage.Locate(folder)
	if err != nil {
		return false, err
	}
	return c.Leaves(ctx, directory, name)
}

// skips says whether a file is left out for an error, and notes it for leave.
func (inputs *input) skips(ctx context.Context, f File, err error) bool {
	if !inputs.skip || ctx.Err() != nil || !isUnreadable(err) {
		return false
	}
	inputs.closed[key(f)] = true
	return true
}

// checkNames returns an error for a file that no worker would find, for it gets the name as JSON.
func (inputs *input) checkNames(ctx context.Context) error {
	for _, s := range inputs.sources {
		for _, f := range s.Files {
			if utf8.ValidString(f.path()) {
				continue
			}
			err := unreadable{fmt.Errorf("the name %q is not UTF-8: rename the file, unpacked if it is in an archive", f.path())}
			if !inputs.skips(ctx, f, err) {
				return err
			}
		}
	}
	return nil
}

// leave leaves out the corpora of which a file cannot be opened or read, as verb says, with a
// note. It returns those of the files that belong to no corpus that can.
func (inputs *input) leave(verb string, remaining []string) []string {
	closed := func(f File) bool { return inputs.closed[key(f)] || inputs.closed[fileKey{f.Input, f.Name}] }
	first, n := "", 0
	for _, f := range inputs.files {
		if closed(f) {
			n++
			first = cmp.Or(first, f.path())
			remaining = slices.DeleteFunc(remaining, func(name string) bool { return name == f.path() })
		}
	}
	if n == 0 {
		return remaining
	}
	// The files of Tatoeba go together.
	tatoeba := slices.ContainsFunc(inputs.sources, func(s Source) bool { return s.isTatoeba() && closed(s.Files[0]) })
	companions := 0
	inputs.sources = slices.DeleteFunc(inputs.sources, func(s Source) bool {
		if !slices.ContainsFunc(s.Files, closed) && !(tatoeba && s.isTatoeba()) {
			return false
		}
		for _, f := range s.Files {
			if !closed(f) {
				companions++
			}
		}
		return true
	})
	note := units.LeftOut(n, len(inputs.files), first) + ": cannot be " + verb
	switch {
	case companions == 1:
		note += "; 1 that goes with them is left out, too"
	case companions > 1:
		note += fmt.Sprintf("; %d that go with them are left out, too", companions)
	}
	inputs.notes = append(inputs.notes, note)
	clear(inputs.closed)
	return remaining
}
