package bitext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"sentweave/transforms/read/bitext"
	"sentweave/transforms/read/jsonfields"
)

// checkPresence returns an error if no record of JSON has the field of the score or the label, or if all records together have values of
// fewer than two of those of texts, so that none makes a pair. Of a right file it reads the first records alone.
func (f *fieldColumns) checkPresence(ctx context.Context, content io.Reader) error {
	paths := slices.Clone(f.Texts)
	for _, path := range []string{f.Label, f.Score} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	picker, lines := jsonfields.New(paths...), bitext.NewLines(content, true)
	missing := slices.Clone(paths)
	var fields []string
	objects := false
	for ctx.Err() == nil {
		line, tooLong, err := lines.Next()
		if errors.Is(err, io.EOF) {
			if !objects { // each line is rejected with its reason
				return nil
			}
			return fmt.Errorf("none of its records has the field %q%s", missing[0], fieldsOf(fields))
		}
		if err != nil {
			return err
		}
		if tooLong || picker.Pick(line) != nil {
			continue
		}
		if !objects {
			objects, fields = true, slices.Concat(textFields(picker, line), numberFields(line))
		}
		missing = slices.DeleteFunc(missing, func(path string) bool {
			kind := picker.Value(slices.Index(paths, path)).Kind
			return kind != jsonfields.Absent && (kind != jsonfields.Null || !slices.Contains(f.Texts, path))
		})
		others := len(missing)
		for _, path := range missing {
			if slices.Contains(f.Texts, path) {
				others--
			}
		}
		if others == 0 && len(f.Texts)-len(missing) >= 2 {
			return nil
		}
	}
	return ctx.Err()
}
