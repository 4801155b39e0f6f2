package unigram

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sentweave/transforms/tokens/normalform"
)

// step is a part of the normalizer: it writes the next text of the text.
type step interface{ apply(s *scratch) }

type normalizerJSON struct {
	Type        string           `json:"type"`
	List        []normalizerJSON `json:"normalizers,omitempty"`
	Charsmap    []byte           `json:"precompiled_charsmap,omitempty"`
	Left        bool             `json:"strip_left,omitempty"`
	Right       bool             `json:"strip_right,omitempty"`
	Pattern     *patternJSON     `json:"pattern,omitempty"`
	Replacement string           `json:"content,omitempty"`
}

type patternJSON struct {
	String *string `json:"String,omitempty"`
	Regex  *string `json:"Regex,omitempty"`
}

// steps appends the parts of a normalizer.
func (n *normalizerJSON) steps(list []step) ([]step, error) {
	switch n.Type {
	case "Sequence":
		for i := range n.List {
			var err error
			if list, err = n.List[i].steps(list); err != nil {
				return nil, err
			}
		}
		return list, nil
	case "Precompiled":
		c, err := newCharsmap(n.Charsmap)
		return append(list, c), err
	case "Replace":
		r, err := newReplace(n.Pattern, []byte(n.Replacement))
		return append(list, r), err
	case "Strip":
		return append(list, strip{n.Left, n.Right}), nil
	case "NFC":
		return append(list, form(norm.NFC)), nil
	case "NFD":
		return append(list, form(norm.NFD)), nil
	case "NFKC":
		return append(list, form(norm.NFKC)), nil
	case "NFKD":
		return append(list, form(norm.NFKD)), nil
	case "Lowercase":
		return append(list, lowercase{}), nil
	}
	return nil, fmt.Errorf("its normalizer %s is not supported", n.Type)
}

// strip drops white space at the ends.
type strip struct{ left, right bool }

func (p strip) apply(s *scratch) {
	rest := s.text.bytes
	start := 0
	if p.left {
		rest = bytes.TrimLeftFunc(rest, unicode.IsSpace)
		start = len(s.text.bytes) - len(rest)
	}
	if p.right {
		rest = bytes.TrimRightFunc(rest, unicode.IsSpace)
	}
	s.next.keep(s.text, start, start+len(rest))
}

// form is a normalization form of Unicode.
type form norm.Form

func (f form) apply(s *scratch) {
	if !s.text.tracked {
		s.next.bytes = normalform.Append(s.next.bytes, norm.Form(f), s.text.bytes)
		return
	}
	for r, change := range normalform.Characters(norm.Form(f), s.text.bytes) {
		s.next.bytes = utf8.AppendRune(s.next.bytes, r)
		s.edits = append(s.edits, edit{utf8.RuneLen(r), change})
	}
	s.realign()
}

// lowercase folds case character by character.
type lowercase struct{}

// newCase are the capitals that Unicode 16 and 17 added, which tokenizers 0.23.3 knows; Go 1.26 has Unicode 15.
var newCase = unicode.SpecialCase{
	{Lo: 0x1c89, Hi: 0x1c89, Delta: [unicode.MaxCase]rune{unicode.LowerCase: 1}},
	{Lo: 0xa7cb, Hi: 0xa7cb, Delta: [unicode.MaxCase]rune{unicode.LowerCase: 0x264 - 0xa7cb}},
	{Lo: 0xa7cc, Hi: 0xa7cc, Delta: [unicode.MaxCase]rune{unicode.LowerCase: 1}},
	{Lo: 0xa7ce, Hi: 0xa7ce, Delta: [unicode.MaxCase]rune{unicode.LowerCase: 1}},
	{Lo: 0xa7d2, Hi: 0xa7d2, Delta: [unicode.MaxCase]rune{unicode.LowerCase: 1}},
	{Lo: 0xa7d4, Hi: 0xa7d4, Delta: [unicode.MaxCase]rune{unicode.LowerCase: 1}},
	{Lo: 0xa7da, Hi: 0xa7da, Delta: [unicode.MaxCase]rune{unicode.LowerCase: 1}},
	{Lo: 0xa7dc, Hi: 0xa7dc, Delta: [unicode.MaxCase]rune{unicode.LowerCase: 0x19b - 0xa7dc}},
	{Lo: 0x10d50, Hi: 0x10d65, Delta: [unicode.MaxCase]rune{unicode.LowerCase: 0x20}},
	{Lo: 0x16ea0, Hi: 0x16eb8, Delta: [unicode.MaxCase]rune{unicode.LowerCase: 0x1b}},
}

func (lowercase) apply(s *scratch) {
	for rest := s.text.bytes; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		var folded [2 * utf8.UTFMax]byte
		n := utf8.AppendRune(folded[:0], newCase.ToLower(r))
		if r == 'İ' { // alone in Unicode, it becomes two characters
			n = append(n[:0], "i̇"...)
		}
		s.edited(rest[:size], n)
		rest = rest[size:]
	}
	s.realign()
}

// replace puts a text in the place of all that match.
type replace struct {
	// next returns the first match, and a negative start for none.
	next        func(text []byte) (start, end int)
	replacement []byte
}

func (p replace) apply(s *scratch) {
	done := 0
	for {
		start, end := p.next(s.text.bytes[done:])
		if start < 0 {
			break
		}
		s.next.keep(s.text, done, done+start)
		done += end
		s.next.put(p.replacement, s.text, done-1)
	}
	s.next.keep(s.text, done, len(s.text.bytes))
}

// newReplace returns the replacement of a text, or of a regular expression. One whose meaning depends on
// the library of regular expressions is an error.
func newReplace(p *patternJSON, replacement []byte) (step, error) {
	switch {
	case p == nil || (p.String == nil) == (p.Regex == nil):
		return nil, errors.New("its normalizer Replace has no pattern")
	case p.String != nil && *p.String == "":
		return nil, errors.New("its normalizer Replace has an empty pattern")
	case p.String != nil:
		pattern := []byte(*p.String)
		return replace{func(text []byte) (int, int) {
			start := bytes.Index(text, pattern)
			return start, start + len(pattern)
		}, replacement}, nil
	}
	expression := *p.Regex
	refused := fmt.Errorf("the regular expression %q of its normalizer Replace is not supported: only letters, classes, alternatives and repetition are",
		expression)
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil || !plain(tree) || strings.Contains(expression, "(?") || strings.Contains(expression, "[[") ||
		strings.Contains(expression, "&&") || escapesLetter(expression) {
		return nil, refused
	}
	if r, least, ok := run(tree); ok {
		return replace{func(text []byte) (int, int) { return findRun(text, r, least) }, replacement}, nil
	}
	compiled, err := regexp.Compile(expression)
	if err != nil || compiled.MatchString("") {
		return nil, refused
	}
	return replace{func(text []byte) (int, int) {
		if match := compiled.FindIndex(text); match != nil {
			return match[0], match[1]
		}
		return -1, -1
	}, replacement}, nil
}

// plain says whether every library reads an expression alike.
func plain(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpCapture, syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat,
		syntax.OpConcat, syntax.OpAlternate:
		return !slices.ContainsFunc(tree.Sub, func(part *syntax.Regexp) bool { return !plain(part) })
	}
	return false
}

func escapesLetter(expression string) bool {
	for i := 0; i+1 < len(expression); i++ {
		if expression[i] == '\\' {
			if i++; expression[i] >= utf8.RuneSelf || unicode.IsLetter(rune(expression[i])) || unicode.IsDigit(rune(expression[i])) {
				return true
			}
		}
	}
	return false
}

// run says whether an expression is a repeated character, as " {2,}", which needs no machine.
func run(tree *syntax.Regexp) (r rune, least int, ok bool) {
	switch {
	case tree.Op == syntax.OpPlus:
		least = 1
	case tree.Op == syntax.OpRepeat && tree.Min > 0 && tree.Max < 0:
		least = tree.Min
	default:
		return 0, 0, false
	}
	repeated := tree.Sub[0]
	if tree.Flags&syntax.NonGreedy != 0 || repeated.Op != syntax.OpLiteral || len(repeated.Rune) != 1 || repeated.Rune[0] >= utf8.RuneSelf {
		return 0, 0, false
	}
	return repeated.Rune[0], least, true
}

// findRun returns the first run of at least so many characters of ASCII.
func findRun(text []byte, r rune, least int) (start, end int) {
	for {
		next := bytes.IndexByte(text[end:], byte(r))
		if next < 0 {
			return -1, -1
		}
		start = end + next
		for end = start; end < len(text) && text[end] == byte(r); end++ {
		}
		if end-start >= least {
			return start, end
		}
	}
}
