package language

import (
	"strings"
	"unicode"
)

// proposals is the number of codes that an error proposes.
const proposals = 3

// nearest returns up to three codes for a tag that names none: languages whose
// English name it is or begins, then codes at one edit from it.
func nearest(tag string) []string {
	word := strings.ToLower(strings.TrimFunc(tag, func(r rune) bool { return !unicode.IsLetter(r) }))
	if end := strings.IndexAny(word, "-_ "); end > 0 {
		word = word[:end]
	}
	if len(word) < 2 {
		return nil
	}
	var codes []string
	add := func(fits func(entry) bool) {
		for _, e := range entries {
			if len(codes) < proposals && fits(e) {
				codes = append(codes, e.code+" ("+e.name+")")
			}
		}
	}
	add(func(e entry) bool { return strings.ToLower(e.name) == word })
	if len(codes) > 0 {
		return codes
	}
	if len(word) > 3 {
		add(func(e entry) bool { return strings.HasPrefix(strings.ToLower(e.name), word) })
		return codes
	}
	add(func(e entry) bool { return oneEdit(word, e.code) || oneEdit(word, e.alpha2) })
	return codes
}

// oneEdit reports whether one insertion, deletion, replacement or swap of
// neighbours makes a into b.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if a == "" || len(b)-len(a) > 1 {
		return false
	}
	prefix := 0
	for prefix < len(a) && a[prefix] == b[prefix] {
		prefix++
	}
	if len(a) < len(b) {
		return a[prefix:] == b[prefix+1:]
	}
	if prefix == len(a) || a[prefix+1:] == b[prefix+1:] {
		return true
	}
	return prefix+1 < len(a) && a[prefix] == b[prefix+1] && a[prefix+1] == b[prefix] && a[prefix+2:] == b[prefix+2:]
}
