// Package jsonfile decodes JSON of files and services, which anybody may have written, within bounds.
// `make lint` keeps the rest of the project from json.Unmarshal.
//
// The standard decoder has no bound but that of depth: two bytes make an element of a list, so that
// [0,0,0,…] in the place of a list of structs takes a hundred times its length, also where each
// element is of the wrong type. What decoding takes is therefore bounded by the number of values.
package jsonfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// MaxValues is how many values a text may have: some 500 MB where each is a struct of 200 bytes. A
	// manifest of 300,000 shards has as many.
	MaxValues = 1 << 21
	// MaxDepth is how many lists and objects may be nested.
	MaxDepth = 500
)

// Unmarshal is json.Unmarshal of a text of at most MaxValues values, at most MaxDepth deep. It takes
// time in the length of the text, and an error comes before anything is decoded.
func Unmarshal(data []byte, into any) error { return UnmarshalMost(data, MaxValues, into) }

// UnmarshalMost is Unmarshal of a text of at most so many values. It is for files of numbers, of
// which each takes eight bytes.
func UnmarshalMost(data []byte, values int, into any) error {
	if err := Check(data, values); err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// WithFields returns an object of JSON with these values of fields, and its other fields as they are, in the order of their names.
func WithFields(object []byte, fields map[string]any) ([]byte, error) {
	var merged map[string]json.RawMessage
	if err := Unmarshal(object, &merged); err != nil {
		return nil, err
	}
	for name, value := range fields {
		data, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		merged[name] = data
	}
	return json.Marshal(merged)
}

// UnmarshalStrict is Unmarshal that refuses fields that the struct has not. Fields that the text has
// not keep their values.
func UnmarshalStrict(data []byte, into any) error {
	if err := Check(data, MaxValues); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something is behind the end of the JSON value")
	}
	return nil
}

// UnmarshalDistinct is UnmarshalStrict that also refuses names that an object has twice, in whatever case, as in files that people
// change by hand. It reads the text a second time.
func UnmarshalDistinct(data []byte, into any) error {
	if err := UnmarshalStrict(data, into); err != nil {
		return err
	}
	return distinct(json.NewDecoder(bytes.NewReader(data)))
}

// distinct reads a value and returns an error if an object in it has a name twice.
func distinct(d *json.Decoder) error {
	start, err := d.Token()
	if _, nested := start.(json.Delim); err != nil || !nested {
		return err
	}
	names := map[string]bool{}
	for d.More() {
		if start == json.Delim('{') {
			name, err := d.Token()
			if err != nil {
				return err
			}
			folded := strings.ToLower(fmt.Sprint(name)) // the decoder takes a field in any case
			if names[folded] {
				return fmt.Errorf("the name %q is there twice in an object", name)
			}
			names[folded] = true
		}
		if err := distinct(d); err != nil {
			return err
		}
	}
	_, err = d.Token() // the end of the object or list
	return err
}

// Check returns an error if a text has more than so many values, or if they stand more than MaxDepth
// deep in each other: a list or an object is one, and each comma begins another. Who writes a file that
// Unmarshal reads looks before. What is not JSON may be counted wrongly, and is left to the decoder.
func Check(data []byte, values int) error {
	depth, count := 0, 1
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++ // what follows is no end of a text
				}
			}
		case '[', '{':
			count++
			if depth++; depth > MaxDepth {
				return fmt.Errorf("lists and objects stand more than %d deep in each other", MaxDepth)
			}
		case ']', '}':
			depth--
		case ',':
			count++
		default:
			continue
		}
		if count > values {
			return fmt.Errorf("it has more than %d values, which no such file has", values)
		}
	}
	return nil
}
