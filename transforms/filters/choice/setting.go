package choice

import (
	"encoding"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"sentweave/schemas/language"
)

// Setting is a threshold that a user may change: a flag and a line of the plan.
type Setting struct {
	// Name is the name of the flag.
	Name, Help string
	// Value points to the threshold, which holds its default at first. An *int is a
	// number of at least 0, a *float64 is a share from 0 to 1, a *Ratio is at least 1,
	// a *Score any finite number, *Shares are shares of languages, and *Limits other
	// positive numbers of them.
	Value any
}

// Threshold returns a setting.
func Threshold(name, help string, value any) Setting {
	return Setting{Name: name, Help: help, Value: value}
}

// Set parses a text and sets the threshold to its value.
func (s Setting) Set(text string) error {
	switch value := s.Value.(type) {
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fmt.Errorf("%s %s: want a whole number of at least 0", s.Name, text)
		}
		*value = n
	case *float64:
		x, ok := share(text)
		if !ok {
			return fmt.Errorf("%s %s: want a share in [0, 1]", s.Name, text)
		}
		*value = x
	case encoding.TextUnmarshaler:
		if err := value.UnmarshalText([]byte(text)); err != nil {
			return fmt.Errorf("%s %s: %w", s.Name, text, err)
		}
	default:
		return fmt.Errorf("setting %s has the unsupported type %T", s.Name, value)
	}
	return nil
}

func share(text string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && x >= 0 && x <= 1
}

// Get returns the threshold, which fmt prints as a user writes it; nil for an unsupported type.
func (s Setting) Get() any {
	switch value := s.Value.(type) {
	case *int:
		return *value
	case *float64:
		return *value
	case *Ratio:
		return *value
	case *Shares:
		return *value
	case *Limits:
		return *value
	case *Score:
		return *value
	}
	return nil
}

// Ratio is the ratio of the greater of two measures to the other one, at least 1.
type Ratio float64

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Ratio) UnmarshalText(text []byte) error {
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(x >= 1 && x <= 1e9) {
		return fmt.Errorf("want a ratio of at least 1")
	}
	*r = Ratio(x)
	return nil
}

// Score is a finite number, such as a margin.
type Score float64

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Score) UnmarshalText(text []byte) error {
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("want a finite number")
	}
	*s = Score(x)
	return nil
}

// Shares are a share for all languages, and others for some of them.
type Shares struct {
	All        float64
	ByLanguage map[string]float64
}

// Of returns the share of a language: ISO 639-3 with an optional script.
func (s Shares) Of(code string) float64 {
	if x, ok := s.ByLanguage[code]; ok {
		return x
	}
	if x, ok := s.ByLanguage[language.Base(code)]; ok {
		return x
	}
	return s.All
}

// String returns the text that UnmarshalText reads, as in "0.5,isl=0.3".
func (s Shares) String() string {
	parts := []string{strconv.FormatFloat(s.All, 'g', -1, 64)}
	for _, code := range slices.Sorted(maps.Keys(s.ByLanguage)) {
		parts = append(parts, code+"="+strconv.FormatFloat(s.ByLanguage[code], 'g', -1, 64))
	}
	return strings.Join(parts, ",")
}

// MarshalText implements encoding.TextMarshaler.
func (s Shares) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. What the text leaves out stays.
func (s *Shares) UnmarshalText(text []byte) error {
	return s.read(text, share, "shares in [0, 1], as in 0.5 or 0.5,isl=0.3")
}

// Limits are a positive number for all languages, and others for some of them.
type Limits struct{ Shares }

// UnmarshalText implements encoding.TextUnmarshaler. What the text leaves out stays.
func (l *Limits) UnmarshalText(text []byte) error {
	return l.read(text, func(text string) (float64, bool) {
		x, err := strconv.ParseFloat(text, 64)
		return x, err == nil && x > 0 && !math.IsInf(x, 0)
	}, "positive numbers, as in 1000 or 1000,isl=800")
}

// read takes what a text says, of values that parse reads.
func (s *Shares) read(text []byte, parse func(string) (float64, bool), want string) error {
	result := Shares{All: s.All, ByLanguage: map[string]float64{}}
	forAll := false
	for part := range strings.SplitSeq(string(text), ",") {
		name, value, named := strings.Cut(part, "=")
		if !named {
			value = name
		}
		x, ok := parse(value)
		if !ok {
			return fmt.Errorf("want %s", want)
		}
		if !named {
			if forAll {
				return fmt.Errorf("two numbers are for all languages: want %s", want)
			}
			result.All, forAll = x, true
			continue
		}
		code, err := language.Parse(name)
		if err != nil {
			return err
		}
		if _, twice := result.ByLanguage[code]; twice {
			return fmt.Errorf("%s has two numbers: want %s", code, want)
		}
		result.ByLanguage[code] = x
	}
	*s = result
	return nil
}
