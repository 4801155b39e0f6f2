package document

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A shape stands for a page, however large: literal text in which {N:…} is repeated N
// times. Groups are within groups, and a "#" is the number of the repetition of the
// innermost group around it, from 0. So {500:<span>}{15000:<p id=#>x} is a page of
// 15,000 paragraphs in 500 elements.
type shape []part

// part is literal text, or a group that is repeated.
type part struct {
	text  string
	times int
	group shape
}

// parseShape reads a shape.
func parseShape(s string) (shape, error) {
	list, rest, err := parseParts(s)
	if err == nil && rest != "" {
		err = fmt.Errorf("shape %q: a group ends that has not begun", s)
	}
	return list, err
}

// parseParts reads parts up to the end of the group that they are in.
func parseParts(s string) (list shape, rest string, err error) {
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			list = append(list, part{text: s[:i]})
			s = s[i:]
			continue
		}
		if s[0] == '}' {
			return list, s, nil
		}
		digits, group, found := strings.Cut(s[1:], ":")
		times, err := strconv.Atoi(digits)
		if !found || err != nil {
			return nil, "", fmt.Errorf("shape %q: want {N:…}", s)
		}
		inner, end, err := parseParts(group)
		if err != nil {
			return nil, "", err
		}
		if end == "" {
			return nil, "", fmt.Errorf("shape %q: the group has no end", s)
		}
		list = append(list, part{times: times, group: inner})
		s = end[1:]
	}
	return list, "", nil
}

// String returns the shape as parseShape reads it.
func (s shape) String() string {
	var b strings.Builder
	for _, p := range s {
		if p.group == nil {
			b.WriteString(p.text)
		} else {
			fmt.Fprintf(&b, "{%d:%v}", p.times, p.group)
		}
	}
	return b.String()
}

// page returns the page that the shape stands for, cut where it has more bytes than most.
func (s shape) page(most int) []byte {
	var b bytes.Buffer
	s.write(&b, 0, most)
	return b.Bytes()[:min(b.Len(), most)]
}

func (s shape) write(b *bytes.Buffer, number, most int) {
	for _, p := range s {
		if p.group == nil {
			for i, piece := range strings.Split(p.text, "#") {
				if i > 0 {
					b.WriteString(strconv.Itoa(number))
				}
				b.WriteString(piece)
			}
			continue
		}
		for i := range p.times {
			if b.Len() > most {
				return
			}
			p.group.write(b, i, most)
		}
	}
}
