package tmx

import (
	"bytes"
	"strings"

	"sentweave/schemas/blank"
)

// stray is what is outside of the units, of which no text may be lost without a count: variants
// of a unit whose start is missing, other elements, and text.
type stray struct {
	lost  bool // there is text
	depth int  // of elements
	text  []byte
}

// add takes a token, and says that what belongs together ends with it: with the end of a unit, or
// of an element that is not part of a unit.
func (s *stray) add(d entities, t token) (complete bool) {
	switch t.kind {
	case textToken, rawToken:
		if s.lost = s.lost || !blank.IsBlank(t.text); s.lost && len(s.text) < maxSample {
			s.text, _ = d.appendText(s.text, t.text[:min(len(t.text), maxSample)], false)
		}
	case faultToken:
		s.lost = true
	case startToken:
		if !t.empty {
			s.depth++
		}
	case endToken:
		s.depth = max(0, s.depth-1)
		switch string(bytes.ToLower(t.name)) {
		case "tu":
			return true
		case "tuv", "seg", "prop", "note":
			return false
		}
		return s.depth == 0
	}
	return false
}

// outside returns what was stray, as a unit that cannot be read, and begins anew; false if no text was
// in it.
func (r *Reader) outside() (u Unit, ok bool) {
	s := r.stray
	r.stray = stray{}
	if !s.lost {
		return u, false
	}
	u = Unit{Ordinal: r.units, Reason: Outside, Detail: "text that is in no unit"}
	u.Sample = strings.ToValidUTF8(strings.TrimSpace(string(s.text[:min(len(s.text), maxSample)])), "\ufffd")
	r.units++
	return u, true
}
