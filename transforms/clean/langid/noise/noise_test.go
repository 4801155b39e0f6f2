package noise

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var texts = []string{"Grüße aus München", "Добрый день всем", "open the new file", "save all of it (now)"}

// Lines are a function of seed, number and texts, and are lines.
func TestLine(t *testing.T) {
	texts := append(slices.Clone(texts), "Где же мой плащ?", "Ça va très bien.", "Köszönöm szépen", "Děkuji mnohokrát")
	a, b, other := NewMaker(1, texts), NewMaker(1, texts), NewMaker(2, texts)
	differ, seen := 0, map[string]bool{}
	for number := range int64(700) {
		line := a.Line(number)
		a.Line(number + 13) // what was asked before does not count
		if line != b.Line(number) {
			t.Fatalf("line %d: two makers differ", number)
		}
		if line != other.Line(number) {
			differ++
		}
		if line == "" || !utf8.ValidString(line) || strings.ContainsAny(line, "\n\r\t") {
			t.Errorf("line %d: %q", number, line)
		}
		seen[line] = true
	}
	if differ < 550 || len(seen) < 550 {
		t.Errorf("%d lines of another seed differ, %d are different", differ, len(seen))
	}
}

// Bytes are encoded as their programs decode them.
func TestEncoded(t *testing.T) {
	m := NewMaker(1, texts)
	for number := int64(3); number < 1100; number += 11 {
		line := m.Line(number)
		_, err := hex.DecodeString(line)
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			if err != nil {
				_, err = e.DecodeString(line)
			}
		}
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// What was garbled is one of the texts when it is read in the right character sets again.
func TestGarbled(t *testing.T) {
	m, found, other := NewMaker(1, texts), map[string]int{}, 0
	for number := range int64(3300) {
		line := m.Line(number)
		for _, set := range wrong {
			first, err := set.read.NewEncoder().String(line)
			if err == nil && set.written != nil {
				first, err = set.written.NewDecoder().String(first)
			}
			if err == nil && line != first && slices.Contains(texts, first) {
				found[first]++
				if set.written != nil {
					other++
				}
				break
			}
		}
	}
	// Some are garbled twice, or have a character that is no text's (a space that does not break, of a byte 0xA0).
	if found[texts[0]] < 150 || found[texts[1]] < 150 || len(found) != 2 || other < 50 {
		t.Errorf("%v, %d of other character sets than UTF-8", found, other)
	}
}
