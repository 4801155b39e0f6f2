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
	seen, objects := make([]bool, len(paths)), false
	texts, others := seen[:len(f.Texts)], seen[len(f.Texts):]
	var fields []string
	for ctx.Err() == nil {
		line, tooLong, err := lines.Next()
		if errors.Is(err, io.EOF) {
			if !objects { // each line is rejected with its reason
				return nil
			}
			return fmt.Errorf("none of its records has the field %q%s", paths[slices.Index(seen, false)], fieldsOf(fields))
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
		count := 0
		for i := range paths {
			kind := picker.Value(i).Kind
			seen[i] = seen[i] || kind != jsonfields.Absent && (kind != jsonfields.Null || i >= len(texts))
			if seen[i] && i < len(texts) {
				count++
			}
		}
		if count >= 2 && !slices.Contains(others, false) {
			return nil
		}
	}
	return ctx.Err()
}
