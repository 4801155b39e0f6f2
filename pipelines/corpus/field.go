package corpus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/bitext"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/read/jsonfields"
)

// lookedRecords is how many records are looked at in all, and mostNames how many characters of the names of their fields a message has.
const (
	lookedRecords = 100_000
	mostNames     = 500
)

// refuseField returns an error if --text-field names a field that no record has at the beginnings of the files: all records would be
// rejected, and with --limit, for which they do not count, all files would be read to their ends. It ends at the first record that has it.
// Lines that are no JSON do not count, and whether a record is chosen by --sample or --pages-ranks does not matter. Beside files of other
// formats records are as often a description of these, and are rejected one by one.
func (c Config) refuseField(ctx context.Context, folder storage.Folder, files []input) error {
	var fields []string
	var lacking omitted
	if slices.ContainsFunc(files, func(file input) bool { return !file.format.fields }) {
		return nil
	}
	left := lookedRecords
	for _, file := range files[:min(len(files), looked)] {
		if left == 0 {
			break
		}
		present, read, names, err := c.lookForField(ctx, folder, file, left)
		if err != nil || present {
			return err
		}
		left -= read
		if read > 0 {
			lacking.add(file.Name)
			fields = append(fields, names...)
		}
	}
	if lacking.n == 0 {
		return nil
	}
	existing := "there is none of text"
	if len(fields) > 0 {
		slices.Sort(fields)
		existing = "there are " + excerpt.Characters(strings.Join(slices.Compact(fields), ", "), mostNames)
	}
	place := lacking.first
	if lacking.n > 1 {
		place += fmt.Sprintf(" and %d more", lacking.n-1)
	}
	return fmt.Errorf("no record at the beginning of %s has the field %q: --text-field=NAME names the field of the text; %s", place,
		c.TextField, existing)
}

// lookForField says whether one of so many records at the beginning of a file has the field of the text, how many lack it, and which
// fields of text the first of these has.
func (c Config) lookForField(ctx context.Context, folder storage.Folder, file input, most int) (present bool, records int,
	fields []string, err error) {
	object, err := folder.Open(ctx, file.Name)
	if err != nil {
		return false, 0, nil, err
	}
	defer object.Close()
	raw := &rawReader{from: io.NewSectionReader(object, 0, object.Size())}
	content, err := compressed.Open(raw, file.compression)
	if err != nil {
		return false, 0, nil, raw.err // whoever reads it says what is damaged
	}
	defer content.Close()
	picker, lines := jsonfields.New(c.TextField), bitext.NewLines(content, true)
	for range most {
		line, tooLong, err := lines.Next()
		if errors.Is(err, io.EOF) || err != nil && raw.err == nil {
			break
		}
		if err != nil {
			return false, 0, nil, err
		}
		if tooLong || picker.Pick(line) != nil {
			continue
		}
		if picker.Value(0).Kind != jsonfields.Absent {
			return true, 0, nil, nil
		}
		if records++; records == 1 {
			var value any
			if jsonfile.Unmarshal(line, &value) == nil {
				fields = textFields("", value, nil)
			}
		}
	}
	return false, records, fields, nil
}

// textFields returns the names of the fields of a value of JSON that are texts, with dots into objects, in their order.
func textFields(prefix string, value any, names []string) []string {
	switch v := value.(type) {
	case string:
		return append(names, strings.TrimSuffix(prefix, "."))
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			names = textFields(prefix+name+".", v[name], names)
		}
	}
	return names
}
