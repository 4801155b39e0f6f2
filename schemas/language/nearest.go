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
	if at := strings.IndexAny(word, "-_ "); at > 0 {
		word = word[:at]
	}
	if len(word) < 2 {
		return nil
	}
	var found []string
	add := func(fits func(entry) bool) {
		for _, e := range entries {
			if len(found) < proposals && fits(e) {
				found = append(found, e.code+" ("+e.name+")")
			}
		}
	}
	add(func(e entry) bool { return strings.ToLower(e.name) == word })
	if len(found) > 0 {
		return found
	}
	if len(word) > 3 {
		add(func(e entry) bool { return strings.HasPrefix(strings.ToLower(e.name), word) })
		return found
	}
	add(func(e entry) bool { return oneEdit(word, e.code) || oneEdit(word, e.alpha2) })
	return found
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
	at := 0
	for at < len(a) && a[at] == b[at] {
		at++
	}
	if len(a) < len(b) {
		return a[at:] == b[at+1:]
	}
	if at == len(a) || a[at+1:] == b[at+1:] {
		return true
	}
	return at+1 < len(a) && a[at] == b[at+1] && a[at+1] == b[at] && a[at+2:] == b[at+2:]
}
