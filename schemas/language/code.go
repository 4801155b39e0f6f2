package language

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	bcp47 "golang.org/x/text/language"

	"sentweave/schemas/excerpt"
)

// Undetermined is the code of a text whose language nobody knows.
const Undetermined = "und"

// NoContent is the code of what is in no language, such as tables of numbers and code: "no linguistic content" in ISO 639-3.
const NoContent = "zxx"

// longest is the length of the longest tag that Parse reads.
const longest = 64

// ParseAll returns the canonical codes of tags that Parse reads, in their order. The error names all that it does not read.
func ParseAll(tags []string) (codes []string, err error) {
	for _, tag := range tags {
		code, fault := Parse(tag)
		if err = errors.Join(err, fault); fault == nil {
			codes = append(codes, code)
		}
	}
	return codes, err
}

// Parse returns the canonical code of a language named by a code or tag in any
// of these forms, in upper or lower case, with '-' or '_':
//
//   - ISO 639-3, 639-2 (terminological or bibliographic: "deu", "ger") or 639-1;
//   - one of them with a script: "zho_Hant", "sr-Latn";
//   - a BCP 47 tag: "en-US", "zh-Hant-TW", "ca-valencia", "zh-yue";
//   - a POSIX locale: "pt_BR.UTF-8", "sr_RS@latin";
//   - "zhs" and "zht", as corpora name Chinese in either script.
//
// The codes of XNLI, SentEval translations and Tatoeba are among them; labels of
// fastText models are read by FromFastText. The error names the tag and proposes
// near codes.
func Parse(tag string) (string, error) {
	if _, ok := find(tag); ok {
		return tag, nil
	}
	if tag == Undetermined {
		return tag, nil
	}
	name, modifier := cutLocale(tag)
	if script := chinese[strings.ToLower(name)]; script != "" {
		name, modifier = "zho", script
	}
	if name == "" || len(name) > longest {
		return "", unknown(tag)
	}
	t, err := bcp47.Raw.Parse(name)
	if err != nil {
		return "", unknown(tag)
	}
	base, script, region := t.Raw()
	code := base.ISO3()
	if successor, ok := successors[code]; ok {
		code = successor
	}
	if code == Undetermined {
		if strings.EqualFold(name, Undetermined) {
			return Undetermined, nil
		}
		return "", unknown(tag)
	}
	subtag := script.String()
	switch {
	case modifier != "":
		subtag = modifier
	case subtag == unknownScript && region.String() != unknownRegion:
		subtag = scriptOfRegion(code, t)
	}
	return join(code, subtag), nil
}

// Valid reports whether code is canonical: whether Parse returns it unchanged.
func Valid(code string) bool { return Check(code) == nil }

// Check returns an error if the code is not canonical, which names the canonical one to give, or near ones.
func Check(code string) error {
	canonical, err := Parse(code)
	if err == nil && canonical != code {
		err = fmt.Errorf("give %s for %q: codes are those of ISO 639-3", canonical, code)
	}
	return err
}

// Base returns the ISO 639-3 part of a code: "zho" of "zho_Hant".
func Base(code string) string {
	base, _, _ := strings.Cut(code, "_")
	return base
}

// script returns the script of a code, "Hant" of "zho_Hant", or "" where the
// code tells none.
func script(code string) string {
	_, script, _ := strings.Cut(code, "_")
	return script
}

// Name returns the English name of the language: "Chinese (Hant)" for
// "zho_Hant", "Undetermined" for "und" and "No linguistic content" for "zxx", as ISO 639-3 has them, and the code itself where
// the program has no name for it.
func Name(code string) string {
	switch code {
	case Undetermined:
		return "Undetermined"
	case NoContent:
		return "No linguistic content"
	}
	e, ok := find(Base(code))
	if !ok {
		return code
	}
	if s := script(code); s != "" {
		return e.name + " (" + s + ")"
	}
	return e.name
}

// BCP47 returns the shortest BCP 47 tag of a code, as translation engines take
// it: "zh-Hant" of "zho_Hant", "nb" of "nob". The tag has no region: an engine
// that wants one ("zh-TW") maps it itself.
func BCP47(code string) (string, error) {
	if !Valid(code) {
		return "", unknown(code)
	}
	base := Base(code)
	if e, ok := find(base); ok && e.alpha2 != "" {
		base = e.alpha2 // golang.org/x/text would give the withdrawn "iw" and "ji"
	} else if b, err := bcp47.ParseBase(base); err == nil {
		base = b.String()
	}
	if s := script(code); s != "" {
		return base + "-" + s, nil
	}
	return base, nil
}

// find looks a bare ISO 639-3 code up in the table.
func find(code string) (entry, bool) {
	index, ok := slices.BinarySearchFunc(entries[:], code, func(e entry, code string) int { return strings.Compare(e.code, code) })
	if !ok {
		return entry{}, false
	}
	return entries[index], true
}

// join puts code and script together in canonical form.
func join(code, script string) string {
	if script == "" || script == unknownScript {
		return code
	}
	if usual := Scripts(code); len(usual) == 1 && usual[0] == script {
		return code
	}
	return code + "_" + script
}

// cutLocale parts a POSIX locale into its tag and the script that its modifier
// stands for. Modifiers that name no script ("@euro") are dropped.
func cutLocale(tag string) (name, script string) {
	name, modifier, _ := strings.Cut(tag, "@")
	name, _, _ = strings.Cut(name, ".")
	switch strings.ToLower(modifier) {
	case "latin", "latn":
		script = "Latn"
	case "cyrillic", "cyrl":
		script = "Cyrl"
	case "arabic", "arab":
		script = "Arab"
	case "devanagari", "deva":
		script = "Deva"
	}
	return name, script
}

// successors are codes that have others in their place: the bibliographic codes
// of ISO 639-2, and retired codes.
var successors = map[string]string{
	"alb": "sqi", "arm": "hye", "baq": "eus", "bur": "mya", "chi": "zho", "cze": "ces", "dut": "nld",
	"fre": "fra", "geo": "kat", "ger": "deu", "gre": "ell", "ice": "isl", "mac": "mkd", "mao": "mri",
	"may": "msa", "per": "fas", "rum": "ron", "slo": "slk", "tib": "bod", "wel": "cym",
	"bih": "bho", "kzj": "dtp", "ktr": "dtp", "mol": "ron", "scc": "srp", "scr": "hrv",
}

// chinese are names of Chinese that tell its script, and are not codes.
var chinese = map[string]string{"zhs": "Hans", "zht": "Hant"}

// unknown is the error for a tag that names no language.
func unknown(tag string) error {
	tag = excerpt.Characters(tag, longest)
	if end := strings.IndexAny(tag, "-_"); end > 0 {
		if base, err := Parse(tag[:end]); err == nil && base != Undetermined {
			return fmt.Errorf("language %q is unknown: %s is %s, but %q is no code of a script (ISO 15924) or a region", tag, tag[:end],
				Name(base), tag[end+1:])
		}
	}
	if near := nearest(tag); len(near) > 0 {
		return fmt.Errorf("language %q is unknown; did you mean %s?", tag, strings.Join(near, " or "))
	}
	return fmt.Errorf("language %q is unknown; codes are ISO 639-3 with an optional script, as in deu or zho_Hant", tag)
}
