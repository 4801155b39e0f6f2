package corpus

import (
	"context"
	"encoding/json"
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
	"sentweave/transforms/read/lineending"
)

// lookedRecords is how many records are looked at in all, and mostNames how many characters of the names of their fields a message has.
const (
	lookedRecords = 100_000
	mostNames     = 500
)

// recordField is a field of records of JSON that a flag names: of what it is, its name, and its usual name.
type recordField struct{ flag, of, name, usual string }

// textField is the flag of the field of the text.
const textField = "text-field"

// recordFields are the fields of records, that of the text first.
func (c Config) recordFields() []recordField {
	return []recordField{
		{textField, "text", c.TextField, "text"},
		{"url-field", "address", c.URLField, "url"},
		{"date-field", "date", c.DateField, "date"},
		{"language-field", "language", c.LanguageField, "language"},
	}
}

// lookForFields returns an error if a flag names a field that no record has at the beginnings of the files: without that of the text all
// records would be rejected, and with --limit, for which they do not count, all files would be read to their ends. What is not the text
// may be missing if it has its usual name. So may the text beside files of other formats, which records of JSON often describe: that is a
// note. The search ends where each field was found. Lines that are no JSON do not count, and whether a record is chosen by --sample or
// --pages-ranks does not matter.
func (c Config) lookForFields(ctx context.Context, folder storage.Folder, files []input) (notes []string, err error) {
	records := slices.DeleteFunc(slices.Clone(files), func(file input) bool { return !file.format.fields })
	search := fieldSearch{left: lookedRecords}
	search.fields = slices.DeleteFunc(c.recordFields(), func(f recordField) bool {
		return f.name == "" || f.name == f.usual && f.flag != textField
	})
	for _, file := range records[:min(len(records), looked)] {
		if search.left == 0 || len(search.fields) == 0 {
			break
		}
		if err := search.read(ctx, folder, file); err != nil {
			return nil, err
		}
	}
	if search.lacking.n == 0 || len(search.fields) == 0 {
		return nil, nil
	}
	if len(records) == len(files) {
		return nil, errors.New(search.message())
	}
	note := search.message()
	search.fields = slices.DeleteFunc(search.fields, func(f recordField) bool { return f.name == f.usual })
	if len(search.fields) == 0 {
		return []string{note}, nil
	}
	return nil, errors.New(search.message())
}

// fieldSearch looks for fields at the beginnings of files.
type fieldSearch struct {
	fields []recordField // that were not found
	left   int           // lines that are still looked at
	// lacking are the files with records that were read to the end, and first the first record of each.
	lacking omitted
	first   []any
}

// read looks at the beginning of a file. Damage ends it: whoever reads the file says what is damaged. An error is of the source, or
// lineending.ErrReturns if no line is JSON.
func (s *fieldSearch) read(ctx context.Context, folder storage.Folder, file input) error {
	object, err := folder.Open(ctx, file.Name)
	if err != nil {
		return err
	}
	defer object.Close()
	raw := &rawReader{from: io.NewSectionReader(object, 0, object.Size())}
	content, err := compressed.Open(raw, file.compression)
	if err != nil {
		return raw.err
	}
	defer content.Close()
	var ends lineending.Counter
	picker, lines := s.picker(), bitext.NewLines(io.TeeReader(content, &ends), true)
	for records := 0; s.left > 0 && len(s.fields) > 0; s.left-- {
		line, tooLong, err := lines.Next()
		if errors.Is(err, io.EOF) && records == 0 && ends.Err() != nil { // that JSON has them for white space
			return fmt.Errorf("read %s: %w", file.Name, ends.Err())
		}
		if errors.Is(err, io.EOF) || err != nil && raw.err == nil {
			break
		}
		if err != nil {
			return err
		}
		if tooLong || picker.Pick(line) != nil {
			continue
		}
		if records++; records == 1 {
			s.lacking.add(file.Name)
			var value any
			if jsonfile.Unmarshal(line, &value) == nil {
				s.first = append(s.first, value)
			}
		}
		if s.find(picker) {
			picker = s.picker()
		}
	}
	return nil
}

func (s *fieldSearch) picker() *jsonfields.Picker {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	return jsonfields.New(names...)
}

// find takes away the fields that a record has, and says whether it has any.
func (s *fieldSearch) find(picker *jsonfields.Picker) bool {
	i, n := -1, len(s.fields)
	s.fields = slices.DeleteFunc(s.fields, func(recordField) bool {
		i++
		return picker.Value(i).Kind != jsonfields.Absent
	})
	return len(s.fields) < n
}

// message says which fields are missing where, and which there are: of texts, and of numbers, too, if one is missing that may be a number.
func (s *fieldSearch) message() string {
	var names, ways, existing []string
	texts := true
	for _, f := range s.fields {
		names = append(names, fmt.Sprintf("%q", f.name))
		ways = append(ways, fmt.Sprintf("--%s=NAME names the field of the %s", f.flag, f.of))
		texts = texts && f.flag == textField
	}
	for _, record := range s.first {
		existing = scalarFields("", record, texts, existing)
	}
	slices.Sort(existing)
	there := "there is none of text"
	if len(existing) > 0 {
		there = "there are " + excerpt.Characters(strings.Join(slices.Compact(existing), ", "), mostNames)
	}
	place := s.lacking.first
	if s.lacking.n > 1 {
		place += fmt.Sprintf(" and %d more", s.lacking.n-1)
	}
	return fmt.Sprintf("no record at the beginning of %s has the field %s: %s; %s", place, strings.Join(names, " or "),
		strings.Join(ways, ", "), there)
}

// scalarFields returns the names of the fields of a value of JSON that are texts, and unless these alone are asked for, numbers, with dots
// into objects.
func scalarFields(prefix string, value any, texts bool, names []string) []string {
	switch v := value.(type) {
	case string:
		return append(names, strings.TrimSuffix(prefix, "."))
	case float64, json.Number:
		if !texts {
			return append(names, strings.TrimSuffix(prefix, "."))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			names = scalarFields(prefix+name+".", v[name], texts, names)
		}
	}
	return names
}
