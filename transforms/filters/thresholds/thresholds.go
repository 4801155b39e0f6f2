// Package thresholds holds thresholds of filters by language, and fits them to samples of documents.
//
// The thresholds that were published for filters were made for English, and a measure of text has another distribution in each
// language: its words are longer, its sentences end with other marks. FineWeb-2 (Penedo et al. 2025) therefore takes percentiles
// of each language, and bounds the probability of a language by its median less one standard deviation.
package thresholds

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/language"
)

// LanguageScore is the measure that is a column of documents: the probability of the language.
const LanguageScore = "language_score"

// Bounds are the thresholds of a measure: what is below Minimum or above Maximum is dropped. Nil stands for the threshold
// that the filter has otherwise, which may be none.
type Bounds struct {
	Minimum *float64 `json:"minimum,omitempty"`
	Maximum *float64 `json:"maximum,omitempty"`
}

// Measure is a measure of a filter and its thresholds.
type Measure struct {
	Name string
	Bounds
}

// Languages are the thresholds by language and measure.
type Languages map[string]map[string]Bounds

// Of returns the thresholds of a language (ISO 639-3 with an optional script) by measure, or those of its base where only that
// has some.
func (l Languages) Of(code string) map[string]Bounds {
	if measures, ok := l[code]; ok {
		return measures
	}
	return l[language.Base(code)]
}

// Check returns the first fault, in the order of languages and measures: a code that is not one of a language, a measure that is
// none of those given, a threshold that such a measure lacks, that is not finite or is
// negative, a probability above 1, a minimum above the maximum.
func (l Languages) Check(measures []Measure) error {
	for _, code := range slices.Sorted(maps.Keys(l)) {
		if err := language.Check(code); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(l[code])) {
			i := slices.IndexFunc(measures, func(m Measure) bool { return m.Name == name })
			if i < 0 {
				return fmt.Errorf("%s: %s is not a measure of the filters that run: name its filter among --filters, or leave it out; theirs are %s",
					code, name, cmp.Or(names(measures), "none"))
			}
			if err := measures[i].check(l[code][name]); err != nil {
				return fmt.Errorf("%s: %s: %w", code, name, err)
			}
		}
	}
	return nil
}

func names(measures []Measure) string {
	var list []string
	for _, m := range measures {
		list = append(list, m.Name)
	}
	return strings.Join(list, ", ")
}

// check returns an error for thresholds that cannot take the place of those of a measure.
func (m Measure) check(b Bounds) error {
	for _, side := range []struct {
		name       string
		value, own *float64
	}{{"minimum", b.Minimum, m.Minimum}, {"maximum", b.Maximum, m.Maximum}} {
		switch {
		case side.value == nil:
		case side.own == nil:
			return fmt.Errorf("the measure has no %s", side.name)
		case math.IsNaN(*side.value) || math.IsInf(*side.value, 0):
			return fmt.Errorf("the %s %v is not a finite number", side.name, *side.value)
		case *side.value < 0 || m.Name == LanguageScore && *side.value > 1:
			return fmt.Errorf("the %s %v is out of the range of the measure", side.name, *side.value)
		}
	}
	low, high := Value(b.Minimum, Value(m.Minimum, math.Inf(-1))), Value(b.Maximum, Value(m.Maximum, math.Inf(1)))
	if low > high {
		return fmt.Errorf("the minimum %v is above the maximum %v", low, high)
	}
	return nil
}

// Value returns a threshold, or another value where there is none.
func Value(threshold *float64, otherwise float64) float64 {
	if threshold == nil {
		return otherwise
	}
	return *threshold
}

// version is that of the file.
const version = 1

// MaxFile is how many bytes a file of thresholds may have: 2,000 languages have 5 MB.
const MaxFile = 64 << 20

// File is a file of thresholds, and how they were fitted.
type File struct {
	Version int `json:"version"`
	// Config and Documents, the content hash of the dataset, are what the thresholds were fitted to.
	Config
	Documents string `json:"documents"`
	// Shares are the shares of the documents beyond each threshold that were aimed at.
	Shares    map[string]Bounds   `json:"shares"`
	Languages map[string]Language `json:"languages"`
}

// Language is a language of a file.
type Language struct {
	// Documents counts those of the dataset. Where they are too few there are no thresholds.
	Documents  int64             `json:"documents"`
	Thresholds map[string]Bounds `json:"thresholds,omitempty"`
}

// Fitted returns the thresholds of the languages that have some.
func (f *File) Fitted() Languages {
	list := Languages{}
	for code, l := range f.Languages {
		if len(l.Thresholds) > 0 {
			list[code] = l.Thresholds
		}
	}
	return list
}

// Encode returns the file as JSON, the same bytes for the same file.
func (f *File) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(f, "", "  ")
	return append(data, '\n'), err
}

// Decode reads what Encode returned. An error names the line or the field.
func Decode(data []byte) (*File, error) {
	var head struct {
		Version *int `json:"version"`
	}
	if err := jsonfile.Unmarshal(data, &head); err != nil {
		return nil, located(data, err)
	}
	switch {
	case head.Version == nil:
		return nil, errors.New("it has no version: files of thresholds are made by `sentweave quality fit`")
	case *head.Version != version:
		return nil, fmt.Errorf("it has version %d, and version %d is read: make it again by `sentweave quality fit`", *head.Version, version)
	}
	var f File
	if err := jsonfile.UnmarshalDistinct(data, &f); err != nil {
		return nil, located(data, err)
	}
	return &f, nil
}

// located adds the line to an error of the syntax or of a value.
func located(data []byte, err error) error {
	var syntax *json.SyntaxError
	var value *json.UnmarshalTypeError
	offset := int64(0)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &value):
		offset = value.Offset
	default:
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n")), err)
}
