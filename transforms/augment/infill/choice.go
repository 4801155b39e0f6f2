package infill

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sentweave/transforms/random"
	"sentweave/transforms/tokens/wordpiece"
)

// spell appends what stands for a word, nothing if a mask has no candidate.
func (n *Infiller) spell(dst []byte, m Masked, w word, candidates []Candidate) ([]byte, error) {
	perMask := n.Wanted()
	start, previous := len(dst), 0
	var old []byte
	for i := w.first; i < w.last; i++ {
		list := candidates[i*perMask : (i+1)*perMask]
		if err := n.check(list); err != nil {
			return dst, err
		}
		s := random.New(Version, n.config.Seed, "infill choice", m.id, int64(m.Masks[i].Position))
		id := n.choose(list, m.original[i], -1, &s)
		old, previous = n.appendPiece(old, m.original[i]), len(dst)
		dst = n.appendPiece(dst, id)
		if i == w.last-1 && id >= 0 && bytes.Equal(dst[start:], old) { // other pieces of the same word
			id = n.choose(list, m.original[i], id, &s)
			dst = n.appendPiece(dst[:previous], id)
		}
		if id < 0 {
			return dst[:start], nil
		}
	}
	return dst, nil
}

// check says what a model cannot have meant. It orders the candidates: the likeliest
// first, and of equal ones the smaller id.
func (n *Infiller) check(list []Candidate) error {
	for _, c := range list {
		if int(c.ID) >= len(n.class) {
			return fmt.Errorf("the candidate %d is outside the vocabulary of %d", c.ID, len(n.class))
		}
		if c.ID >= 0 && c.Logit-c.Logit != 0 {
			return fmt.Errorf("the model gives %v for the piece %q: its weights are broken", c.Logit, n.tokenizer.Vocabulary().Piece(c.ID))
		}
	}
	slices.SortFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(min(b.ID, 0), min(a.ID, 0)), cmp.Compare(b.Logit, a.Logit), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// choose returns the likeliest candidate, or one drawn among the Top likeliest, that is
// neither of two ids; -1 if there is none. The list is in order.
func (n *Infiller) choose(list []Candidate, original, excluded int32, s *random.Stream) int32 {
	allowed := func(c Candidate) bool { return c.ID >= 0 && c.ID != original && c.ID != excluded }
	sum, count := 0., 0
	best := float64(0)
	for _, c := range list {
		if allowed(c) && count < n.config.Top {
			if count++; count == 1 {
				best = float64(c.Logit)
			}
			sum += math.Exp(float64(c.Logit) - best)
		}
	}
	if count == 0 {
		return -1
	}
	remaining := sum * s.Float64()
	chosen := int32(-1)
	for _, c := range list {
		if !allowed(c) {
			continue
		}
		chosen = c.ID
		count--
		if remaining -= math.Exp(float64(c.Logit) - best); remaining < 0 || count == 0 {
			break
		}
	}
	return chosen
}

func (n *Infiller) appendPiece(dst []byte, id int32) []byte {
	v := n.tokenizer.Vocabulary()
	piece := v.Piece(id)
	if v.Continues(id) {
		piece = strings.TrimPrefix(piece, wordpiece.Joiner)
	}
	return append(dst, piece...)
}

// matchCase gives a replaced word the case of the original, where the model knows
// none.
func (n *Infiller) matchCase(replaced, original string) string {
	if replaced == "" || !n.tokenizer.Options().Lowercase {
		return replaced
	}
	letters, capitals, first := 0, 0, false
	for _, r := range original {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if unicode.IsUpper(r) || unicode.IsTitle(r) {
			capitals++
			first = first || letters == 1
		}
	}
	switch {
	case letters > 1 && capitals == letters:
		return strings.ToUpper(replaced)
	case first:
		r, size := utf8.DecodeRuneInString(replaced)
		return string(unicode.ToTitle(r)) + replaced[size:]
	}
	return replaced
}
