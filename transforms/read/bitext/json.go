package bitext

import (
	"cmp"
	"slices"

	"sentweave/transforms/read/jsonfields"
)

// Fields are the names of the fields of JSON objects; dots go into objects.
type Fields struct {
	// Texts are the fields of the texts.
	Texts []string
	// Score and Label are fields, or "".
	Score, Label string
	// Optional says that a score which is neither a number nor a text, such as null, is none; else it is a fault.
	Optional bool `json:",omitempty"`
}

// JSONLines reads lines of which each is a JSON object. Blank lines are passed over. Texts may be
// absent, or null, as long as two are there. A field that occurs twice counts as absent: nobody knows which
// of them is meant.
type JSONLines struct {
	lines  *Lines
	fields Fields
	picker *jsonfields.Picker
	record Record
}

// NewJSONLines returns a reader of lines of JSON.
func NewJSONLines(lines *Lines, fields Fields) *JSONLines {
	return &JSONLines{lines: lines, fields: fields,
		picker: jsonfields.New(append(slices.Clone(fields.Texts), fields.Score, fields.Label)...)}
}

// Next returns the object of the next line, valid until the next call, and io.EOF after
// the last one.
func (j *JSONLines) Next() (*Record, error) {
	r := &j.record
	r.begin(len(j.fields.Texts))
	line, tooLong, err := j.lines.Next()
	for ; err == nil && len(trim(line)) == 0; line, tooLong, err = j.lines.Next() {
		r.Blank++
	}
	if err != nil {
		return nil, err
	}
	r.Sample = line
	if tooLong {
		r.fail(TooLong, "")
		return r, nil
	}
	if err := j.picker.Pick(line); err != nil {
		r.fail(JSON, err.Error())
		return r, nil
	}
	if trim(line)[0] != '{' {
		r.fail(JSON, "no object")
		return r, nil
	}
	present, absent := 0, ""
	for i, name := range j.fields.Texts {
		switch v := j.picker.Value(i); {
		case v.Repeated:
			r.fail(Repeated, name)
		case v.Kind == jsonfields.Absent || v.Kind == jsonfields.Null:
			absent = cmp.Or(absent, name)
		case v.Kind != jsonfields.String:
			present++
			r.fail(Field, name)
		default:
			present++
			if text, valid := j.text(v); valid {
				r.text(i, text)
			} else {
				r.fail(InvalidEncoding, name)
			}
		}
	}
	if present < 2 && absent != "" {
		r.fail(Field, absent)
	}
	if name := j.fields.Score; name != "" {
		switch v := j.picker.Value(len(j.fields.Texts)); {
		case v.Repeated:
			r.fail(Repeated, name)
		case j.fields.Optional && v.Kind != jsonfields.Number && v.Kind != jsonfields.String:
		case v.Kind == jsonfields.Absent:
			r.fail(Field, name)
		case v.Kind == jsonfields.String:
			text, _ := j.text(v)
			r.number(text, false)
		default:
			r.number(v.Raw, false)
		}
	}
	if name := j.fields.Label; name != "" {
		switch v := j.picker.Value(len(j.fields.Texts) + 1); {
		case v.Repeated:
			r.fail(Repeated, name)
		case v.Kind == jsonfields.String:
			if text, valid := j.text(v); valid {
				r.label(text)
			} else {
				r.fail(InvalidEncoding, name)
			}
		case v.Kind == jsonfields.Number || v.Kind == jsonfields.Other && v.Raw[0] != '{' && v.Raw[0] != '[':
			r.label(v.Raw)
		default:
			r.fail(Field, name)
		}
	}
	return r, nil
}

// text returns a copy of a string, for each is good until the next one.
func (j *JSONLines) text(v jsonfields.Value) (text []byte, valid bool) {
	text, valid = j.picker.Text(v.Raw)
	return slices.Clone(text), valid
}
