package where

import (
	"fmt"
	"strings"
)

type parser struct {
	text  string
	at    int   // of what follows token
	token token // the one to look at
}

func (p *parser) fault(at int, format string, args ...any) *Error {
	return &Error{Filter: p.text, At: at, Message: fmt.Sprintf(format, args...)}
}

func (p *parser) or(depth int) (Expression, error) {
	left, err := p.and(depth)
	for err == nil && p.token.isWord("or") {
		var right Expression
		if err = p.advance(); err == nil {
			right, err = p.and(depth)
			left = Or{left, right}
		}
	}
	return left, err
}

func (p *parser) and(depth int) (Expression, error) {
	left, err := p.term(depth)
	for err == nil && p.token.isWord("and") {
		var right Expression
		if err = p.advance(); err == nil {
			right, err = p.term(depth)
			left = And{left, right}
		}
	}
	return left, err
}

func (p *parser) term(depth int) (Expression, error) {
	if depth > maxDepth {
		return nil, p.fault(p.token.at, "more than %d parentheses and nots stand in each other", maxDepth)
	}
	switch {
	case p.token.isWord("not"):
		if err := p.advance(); err != nil {
			return nil, err
		}
		operand, err := p.term(depth + 1)
		return Not{operand}, err
	case p.token.isSign("("):
		opened := p.token.at
		if err := p.advance(); err != nil {
			return nil, err
		}
		inner, err := p.or(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.token.isSign(")") {
			return nil, p.fault(p.token.at, "%s stands where the parenthesis of character %d should close", p.token, opened+1)
		}
		return inner, p.advance()
	}
	return p.comparison()
}

func (p *parser) comparison() (Expression, error) {
	c := &Comparison{}
	if err := p.operand(c); err != nil {
		return nil, err
	}
	c.OperatorAt = p.token.at
	switch {
	case p.token.isWord("contains"), p.token.kind == sign && isOperator(p.token.text):
		c.Operator = Operator(p.token.text)
	default:
		return nil, p.fault(p.token.at, "%s stands where an operator should: ==, !=, <, <=, >, >=, contains or ~", p.token)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	c.LiteralAt = p.token.at
	switch t := p.token; {
	case t.kind == quoted:
		c.Literal = Literal{Text, t.text}
	case t.kind == number:
		c.Literal = Literal{Number, t.text}
	case t.isWord("true"), t.isWord("false"):
		c.Literal = Literal{Truth, t.text}
	case t.isWord("null"):
		c.Literal = Literal{Null, t.text}
	case t.kind == word:
		return nil, p.fault(t.at, "%s stands where a value should; texts stand in quotes: %q", t, t.text)
	default:
		return nil, p.fault(t.at, "%s stands where a value should: a text in quotes, a number, true, false or null", t)
	}
	return c, p.advance()
}

func (p *parser) operand(c *Comparison) error {
	first := p.token
	if first.kind != word || isKeyword(first.text) {
		return p.fault(first.at, "%s stands where the name of a column should", first)
	}
	c.Column, c.ColumnAt = first.text, first.at
	if err := p.advance(); err != nil {
		return err
	}
	if !p.token.isSign("(") {
		return nil
	}
	if first.text != "length" {
		return p.fault(first.at, "there is no function %q; there is length", first.text)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if p.token.kind != word || isKeyword(p.token.text) {
		return p.fault(p.token.at, "%s stands where the name of a column should", p.token)
	}
	c.Length, c.Column, c.ColumnAt = true, p.token.text, p.token.at
	if err := p.advance(); err != nil {
		return err
	}
	if !p.token.isSign(")") {
		return p.fault(p.token.at, "%s stands where length( should close", p.token)
	}
	return p.advance()
}

func isKeyword(text string) bool {
	switch text {
	case "and", "or", "not", "contains", "true", "false", "null":
		return true
	}
	return false
}

func isOperator(text string) bool {
	switch Operator(text) {
	case Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual, Matches:
		return true
	}
	return false
}

type tokenKind int

const (
	end tokenKind = iota
	word
	number
	quoted
	sign
)

type token struct {
	kind tokenKind
	text string
	at   int
}

func (t token) isWord(text string) bool { return t.kind == word && t.text == text }
func (t token) isSign(text string) bool { return t.kind == sign && t.text == text }

// String describes the token at the start of a sentence.
func (t token) String() string {
	switch t.kind {
	case end:
		return "the end"
	case quoted:
		return "a text"
	default:
		return fmt.Sprintf("%q", t.text)
	}
}

// advance reads the next token.
func (p *parser) advance() error {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	p.token = token{at: p.at}
	rest := p.text[p.at:]
	if rest == "" {
		return nil
	}
	switch c := rest[0]; {
	case isLetter(c):
		p.take(word, lengthOf(rest, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' }))
	case isDigit(c), (c == '-' || c == '+' || c == '.') && len(rest) > 1 && (isDigit(rest[1]) || rest[1] == '.'):
		p.take(number, numberLength(rest))
	case c == '"' || c == '\'':
		return p.quote(c)
	case strings.IndexByte("()~", c) >= 0:
		p.take(sign, 1)
	case strings.IndexByte("=!<>", c) >= 0:
		return p.compare(rest)
	case strings.HasPrefix(rest, "&&"):
		return p.fault(p.at, `"&&" is no operator; write and`)
	case strings.HasPrefix(rest, "||"):
		return p.fault(p.at, `"||" is no operator; write or`)
	default:
		r := []rune(rest)[0]
		return p.fault(p.at, "the character %q has no meaning here", r)
	}
	return nil
}

func (p *parser) take(kind tokenKind, length int) {
	p.token.kind, p.token.text = kind, p.text[p.at:p.at+length]
	p.at += length
}

func (p *parser) compare(rest string) error {
	switch {
	case len(rest) > 1 && rest[1] == '=':
		p.take(sign, 2)
	case rest[0] == '=':
		return p.fault(p.at, `"=" is no operator; write ==`)
	case rest[0] == '!':
		return p.fault(p.at, `"!" is no operator; write != or not`)
	default:
		p.take(sign, 1)
	}
	return nil
}

func (p *parser) quote(mark byte) error {
	var b strings.Builder
	for i := p.at + 1; i < len(p.text); i++ {
		switch c := p.text[i]; c {
		case mark:
			p.token.kind, p.token.text = quoted, b.String()
			p.at = i + 1
			return nil
		case '\\':
			if i++; i == len(p.text) {
				return p.fault(p.at, "the text does not end: a %c is missing", mark)
			}
			switch c := p.text[i]; c {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '\\', '"', '\'':
				b.WriteByte(c)
			default: // \d of a regular expression stays what it is
				b.WriteByte('\\')
				b.WriteByte(c)
			}
		default:
			b.WriteByte(c)
		}
	}
	return p.fault(p.at, "the text does not end: a %c is missing", mark)
}

func lengthOf(text string, in func(byte) bool) int {
	n := 0
	for n < len(text) && in(text[n]) {
		n++
	}
	return n
}

// numberLength is the length of what looks like a number; whether it is one is
// for its reader to say.
func numberLength(text string) int {
	n := 0
	for n < len(text) {
		c := text[n]
		exponentSign := (c == '-' || c == '+') && (n == 0 || text[n-1] == 'e' || text[n-1] == 'E')
		if !isDigit(c) && !isLetter(c) && c != '.' && !exponentSign {
			break
		}
		n++
	}
	return n
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
