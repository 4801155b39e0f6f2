package text

import (
	"bytes"
	"errors"
	"strings"

	"sentweave/transforms/read/jsonfields"
	"sentweave/transforms/read/lineending"
)

// The fields that are extracted, by the numbers of their paths.
const (
	textField = iota
	idField
	urlField
	dateField
	languageField
)

// extractor makes records of lines of JSON. It allocates nothing but the strings of the fields.
type extractor struct{ *jsonfields.Picker }

func newExtractor(f Fields) extractor {
	return extractor{jsonfields.New(f.Text, f.ID, f.URL, f.Date, f.Language)}
}

// extract fills in a record from a line.
func (e extractor) extract(l []byte, record *Record) {
	if err := e.Pick(l); err != nil {
		record.Reason, record.Detail = JSONSyntax, err.Error()
		if errors.Is(err, jsonfields.ErrDeep) {
			record.Reason = TooDeep
		} else if err := lineending.Check(l); err != nil {
			record.Detail = err.Error()
		}
		if bytes.IndexByte(l, 0) >= 0 {
			record.Reason, record.Detail = Binary, nulBytes
		}
		return
	}
	valid := true
	switch v := e.Value(textField); {
	case v.Repeated:
		record.Reason = FieldRepeated
	case v.Kind == jsonfields.Absent:
		record.Reason = FieldMissing
	case v.Kind != jsonfields.String:
		record.Reason = FieldNotString
	default:
		record.Text, valid = e.field(textField)
		if !valid {
			record.Reason = InvalidUTF8
		} else if strings.TrimSpace(record.Text) == "" {
			record.Reason = Empty
		}
	}
	record.ID, _ = e.field(idField)
	record.URL, _ = e.field(urlField)
	record.Date, _ = e.field(dateField)
	record.Language, _ = e.field(languageField)
}

// field returns a string or number that was found, or "". What is not valid has U+FFFD.
func (e extractor) field(i int) (text string, valid bool) {
	switch v := e.Value(i); v.Kind {
	case jsonfields.String:
		text, valid := e.Text(v.Raw)
		return string(text), valid
	case jsonfields.Number:
		return string(v.Raw), true
	}
	return "", true
}
