package engines

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas/language"
)

// Codes maps codes of schemas/language to an engine's own codes.
type Codes map[string]string

// mainMembers are macrolanguages and the member that engines mean by them: who
// asks for one gets the other. Other members ("arz" of "ara") are languages of
// their own, which the engine does not write.
var mainMembers = [][2]string{
	{"ara", "arb"}, {"aym", "ayr"}, {"aze", "azj"}, {"est", "ekk"}, {"fas", "pes"}, {"grn", "gug"}, {"hmn", "mww"}, {"kur", "kmr"},
	{"lav", "lvs"}, {"mlg", "plt"}, {"mon", "khk"}, {"msa", "zsm"}, {"nep", "npi"}, {"nor", "nob"}, {"ori", "ory"}, {"orm", "gaz"},
	{"que", "quy"}, {"sqi", "als"}, {"swa", "swh"}, {"tgl", "fil"}, {"uzb", "uzn"}, {"yid", "ydd"}, {"zho", "cmn"},
}

// AddCodes adds the languages of the engine's own codes, which language.Parse reads.
// It returns the codes that it cannot read. It does not change existing entries, so
// special cases can be added first.
func (c Codes) AddCodes(theirs ...string) (unknown []string) {
	for _, code := range theirs {
		ours, err := language.Parse(code)
		if err != nil {
			unknown = append(unknown, code)
			continue
		}
		if _, ok := c[ours]; !ok {
			c[ours] = code
		}
	}
	return unknown
}

// Find returns the engine's code of a language. If the table lacks a macrolanguage,
// Find takes its main member, and the other way round.
func (c Codes) Find(code string) (theirs string, ok bool) {
	if theirs, ok = c[code]; ok {
		return theirs, true
	}
	base := language.Base(code)
	for _, m := range mainMembers {
		if index := slices.Index(m[:], base); index >= 0 {
			if theirs, ok = c[m[1-index]+strings.TrimPrefix(code, base)]; ok {
				return theirs, true
			}
		}
	}
	return "", false
}

// Pair returns the engine's codes of a pair, or an error that wraps ErrUnsupported.
func (c Codes) Pair(engine string, p Pair) (source, target string, err error) {
	if err := CheckPair(p); err != nil {
		return "", "", err
	}
	source, ok := c.Find(p.Source)
	if !ok {
		return "", "", fmt.Errorf("%s does not know %s (%s): %w", engine, p.Source, language.Name(p.Source), ErrUnsupported)
	}
	target, ok = c.Find(p.Target)
	if !ok {
		return "", "", fmt.Errorf("%s does not know %s (%s): %w", engine, p.Target, language.Name(p.Target), ErrUnsupported)
	}
	if source == target {
		return "", "", fmt.Errorf("%s knows %s and %s as the same language %q: %w", engine, p.Source, p.Target, source, ErrUnsupported)
	}
	return source, target, nil
}

// CheckPair returns an error unless both languages are canonical codes and differ.
func CheckPair(p Pair) error {
	for _, code := range []string{p.Source, p.Target} {
		canonical, err := language.Parse(code)
		if err != nil {
			return fmt.Errorf("%w: %w", err, ErrUnsupported)
		}
		if canonical != code || code == language.Undetermined {
			return fmt.Errorf("language %q is not written as %q, or is undetermined: %w", code, canonical, ErrUnsupported)
		}
	}
	if p.Source == p.Target {
		return fmt.Errorf("both languages are %s: %w", p.Source, ErrUnsupported)
	}
	return nil
}

// FindPair returns a table's value for a pair. It treats macrolanguages as Codes.Find
// does.
func FindPair[T any](pairs map[Pair]T, p Pair) (match T, ok bool) {
	sources, targets := Codes{}, Codes{}
	for q := range pairs {
		sources[q.Source], targets[q.Target] = q.Source, q.Target
	}
	if match, ok = pairs[p]; ok {
		return match, true
	}
	source, _ := sources.Find(p.Source)
	target, _ := targets.Find(p.Target)
	for _, q := range []Pair{{p.Source, target}, {source, p.Target}, {source, target}} {
		if match, ok = pairs[q]; ok {
			return match, true
		}
	}
	return match, false
}
