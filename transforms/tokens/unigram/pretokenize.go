package unigram

import (
	"bytes"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// splitter is a part of the pre-tokenizer: it cuts the pieces of the text further, and may write the next text.
type splitter interface{ split(s *scratch) }

type preTokenizerJSON struct {
	Type        string             `json:"type"`
	List        []preTokenizerJSON `json:"pretokenizers,omitempty"`
	Replacement string             `json:"replacement,omitempty"`
	Scheme      string             `json:"prepend_scheme,omitempty"`
	Split       *bool              `json:"split,omitempty"`
	AddPrefix   *bool              `json:"add_prefix_space,omitempty"`
}

// splitters appends the parts of a pre-tokenizer.
func (p *preTokenizerJSON) splitters(list []splitter) ([]splitter, error) {
	switch p.Type {
	case "Sequence":
		for i := range p.List {
			var err error
			if list, err = p.List[i].splitters(list); err != nil {
				return nil, err
			}
		}
		return list, nil
	case "WhitespaceSplit":
		return append(list, whitespace{}), nil
	case "Metaspace":
		m := metaspace{[]byte(p.Replacement), prepend(p.Scheme), p.Split == nil || *p.Split}
		if m.scheme == "" {
			m.scheme = always
		}
		switch {
		case utf8.RuneCount(m.mark) != 1:
			return nil, fmt.Errorf("its pre_tokenizer Metaspace has the replacement %q, which is not one character", m.mark)
		case m.scheme != always && m.scheme != first && m.scheme != never:
			return nil, fmt.Errorf("its pre_tokenizer Metaspace has the prepend_scheme %s, which is not one of always, first, never", m.scheme)
		case p.AddPrefix != nil && !*p.AddPrefix && m.scheme != never:
			return nil, errors.New("its pre_tokenizer Metaspace has add_prefix_space false, which contradicts its prepend_scheme")
		case m.scheme == first && len(list) > 0:
			return nil, errors.New("its pre_tokenizer Metaspace has the prepend_scheme first behind another pre_tokenizer, which is not supported")
		}
		return append(list, m), nil
	}
	return nil, fmt.Errorf("its pre_tokenizer %s is not supported: only WhitespaceSplit and Metaspace are", p.Type)
}

// whitespace cuts at white space, which belongs to no piece.
type whitespace struct{}

func (whitespace) split(s *scratch) {
	for _, c := range s.cuts {
		start := -1
		for i := c.start; i < c.end; {
			r, size := rune(s.text.bytes[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRune(s.text.bytes[i:])
			}
			switch space := unicode.IsSpace(r); {
			case space && start >= 0:
				s.others = append(s.others, cut{start, i})
				start = -1
			case !space && start < 0:
				start = i
			}
			i += size
		}
		if start >= 0 {
			s.others = append(s.others, cut{start, c.end})
		}
	}
}

// prepend says before which pieces a mark is put that do not begin with one.
type prepend string

const (
	always prepend = "always"
	first  prepend = "first"
	never  prepend = "never"
)

// metaspace writes a mark for each space, and may cut before each mark.
type metaspace struct {
	mark   []byte
	scheme prepend
	cuts   bool
}

func (m metaspace) split(s *scratch) {
	s.next.reset(s.text.tracked)
	for i, c := range s.cuts {
		start := len(s.next.bytes)
		piece := s.text.bytes[c.start:c.end]
		if marked := len(piece) > 0 && piece[0] == ' ' || bytes.HasPrefix(piece, m.mark); !marked &&
			(m.scheme == always || m.scheme == first && i == 0) {
			s.next.put(m.mark, s.text, c.start)
		}
		for at := c.start; ; {
			space := bytes.IndexByte(s.text.bytes[at:c.end], ' ')
			if space < 0 {
				s.next.keep(s.text, at, c.end)
				break
			}
			s.next.keep(s.text, at, at+space)
			s.next.put(m.mark, s.text, at+space)
			at += space + 1
		}
		if m.cuts {
			written := s.next.bytes[start:]
			for {
				next := bytes.Index(written[min(1, len(written)):], m.mark)
				if next < 0 {
					break
				}
				s.others = append(s.others, cut{start, start + next + 1})
				start += next + 1
				written = s.next.bytes[start:]
			}
		}
		s.others = append(s.others, cut{start, len(s.next.bytes)})
	}
	s.swap()
}
