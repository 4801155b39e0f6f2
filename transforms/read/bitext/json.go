package bitext

import (
	"cmp"
	"encoding/json"
	"strings"

	"sentweave/schemas/jsonfile"
)

// Fields are the names of the fields of JSON objects; dots go into objects.
type Fields struct {
	// Texts are the fields of the texts.
	Texts []string
	// Score and Label are fields, or "".
	Score, Label string
}

// JSONLines reads lines of which each is a JSON object. Blank lines are passed over. Texts may be
// absent, or null, as long as two are there.
type JSONLines struct {
	lines  *Lines
	fields Fields
	record Record
}

// NewJSONLines returns a reader of lines of JSON.
func NewJSONLines(lines *Lines, fields Fields) *JSONLines {
	return &JSONLines{lines: lines, fields: fields}
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
	if tooLong {
		r.fail(TooLong, "")
		return r, nil
	}
	var object object
	if err := jsonfile.Unmarshal(line, &object.fields); err != nil || object.fields == nil {
		r.fail(JSON, "")
		return r, nil
	}
	there, absent := 0, ""
	for i, name := range j.fields.Texts {
		value, ok := object.lookup(name)
		if !ok || string(value) == "null" {
			absent = cmp.Or(absent, name)
			continue
		}
		there++
		var text string
		if jsonfile.Unmarshal(value, &text) == nil {
			r.text(i, []byte(text))
		} else {
			r.fail(Field, name)
		}
	}
	if there < 2 && absent != "" {
		r.fail(Field, absent)
	}
	if j.fields.Score != "" {
		value, ok := object.lookup(j.fields.Score)
		if !ok || len(value) == 0 {
			r.fail(Field, j.fields.Score)
		} else {
			r.number([]byte(strings.Trim(string(value), `"`)))
		}
	}
	if j.fields.Label != "" {
		if value, ok := object.text(j.fields.Label); ok {
			r.label([]byte(value))
		} else if value, ok := object.lookup(j.fields.Label); ok && len(value) > 0 && value[0] != '{' && value[0] != '[' && string(value) != "null" {
			r.label(value) // a number
		} else {
			r.fail(Field, j.fields.Label)
		}
	}
	return r, nil
}

// object is an object of JSON, in which others are read when they are asked for.
type object struct {
	fields map[string]json.RawMessage
	within map[string]*object
}

// lookup returns the value of a field; dots go into objects.
func (o *object) lookup(name string) (json.RawMessage, bool) {
	if value, ok := o.fields[name]; ok {
		return value, true
	}
	outer, inner, ok := strings.Cut(name, ".")
	if !ok {
		return nil, false
	}
	within := o.within[outer]
	if within == nil {
		within = &object{}
		if jsonfile.Unmarshal(o.fields[outer], &within.fields) != nil {
			within.fields = nil
		}
		if o.within == nil {
			o.within = map[string]*object{}
		}
		o.within[outer] = within
	}
	return within.lookup(inner)
}

// text returns a field that is a text.
func (o *object) text(name string) (text string, ok bool) {
	value, ok := o.lookup(name)
	if !ok || len(value) == 0 || value[0] != '"' {
		return "", false
	}
	return text, jsonfile.Unmarshal(value, &text) == nil
}
