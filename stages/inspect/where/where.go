// Package where parses the filters of the command line, such as
//
//	language == "spa" and (length(text_a) > 10 or not score >= 0.5)
//
// # Grammar
//
//	filter     = and { "or" and }
//	and        = term { "and" term }
//	term       = "not" term | "(" filter ")" | comparison
//	comparison = operand operator literal
//	operand    = column | "length" "(" column ")"
//	column     = name { "." name }
//	operator   = "==" | "!=" | "<" | "<=" | ">" | ">=" | "contains" | "~"
//	literal    = text in "…" or '…' | number | "true" | "false" | "null"
//
// Inside a text, \n and \t are a line break and a tab, and a backslash before a
// backslash or a quote makes that an ordinary character; any other backslash stays
// where it is, so that '\d+' is a regular expression. What the operators mean for
// which column is not known here: package inspect says so.
package where

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Expression is a parsed filter or a part of one: And, Or, Not or Comparison.
type Expression interface {
	// String gives a form that parses to the same expression.
	String() string
	expression()
}

// And is true if both sides are.
type And struct{ Left, Right Expression }

// Or is true if one side is.
type Or struct{ Left, Right Expression }

// Not is true if its operand is not.
type Not struct{ Operand Expression }

// Comparison compares a column, or the length of its values, with a literal.
type Comparison struct {
	Column   string
	Length   bool
	Operator Operator
	Literal  Literal
	// Position of each part in the text, in bytes from 0.
	ColumnAt, OperatorAt, LiteralAt int
}

// Operator is a comparison's operator as it is written.
type Operator string

// Operators.
const (
	Equal          Operator = "=="
	NotEqual       Operator = "!="
	Less           Operator = "<"
	LessOrEqual    Operator = "<="
	Greater        Operator = ">"
	GreaterOrEqual Operator = ">="
	Contains       Operator = "contains"
	Matches        Operator = "~"
)

// LiteralKind says what a literal is.
type LiteralKind int

// Kinds of literals.
const (
	Text LiteralKind = iota
	Number
	Truth
	Null
)

// Literal is the right side of a comparison.
type Literal struct {
	Kind LiteralKind
	// Text is the text without its quotes, or the number, true, false or null as written.
	Text string
}

func (And) expression()         {}
func (Or) expression()          {}
func (Not) expression()         {}
func (*Comparison) expression() {}

// String implements Expression.
func (e And) String() string { return "(" + e.Left.String() + " and " + e.Right.String() + ")" }

// String implements Expression.
func (e Or) String() string { return "(" + e.Left.String() + " or " + e.Right.String() + ")" }

// String implements Expression.
func (e Not) String() string { return "not " + e.Operand.String() }

// String implements Expression.
func (e *Comparison) String() string {
	column := e.Column
	if e.Length {
		column = "length(" + column + ")"
	}
	return column + " " + string(e.Operator) + " " + e.Literal.String()
}

// String quotes a text.
func (l Literal) String() string {
	if l.Kind != Text {
		return l.Text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(l.Text) + `"`
}

// Error is a fault in a filter.
type Error struct {
	// Filter is the whole text, At the position of the fault in it, in bytes.
	Filter  string
	At      int
	Message string
}

// Error gives the message with its column, and the filter with a mark below the place.
func (e *Error) Error() string {
	at := min(e.At, len(e.Filter))
	column := utf8.RuneCountInString(e.Filter[:at])
	line := strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' ' // keeps the mark in its place
		}
		return r
	}, e.Filter)
	return fmt.Sprintf("filter, character %d: %s\n  %s\n  %s^", column+1, e.Message, line, strings.Repeat(" ", column))
}

// maxDepth bounds parentheses and "not" in each other.
const maxDepth = 200

// Parse parses a filter. Errors are of type *Error.
func Parse(text string) (e Expression, err error) {
	if !utf8.ValidString(text) {
		return nil, &Error{Filter: strings.ToValidUTF8(text, "�"), Message: "the filter is not UTF-8"}
	}
	p := &parser{text: text}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.token.kind == end {
		return nil, p.fault(0, `the filter is empty; write something like language == "eng"`)
	}
	e, err = p.or(0)
	if err != nil {
		return nil, err
	}
	if p.token.kind != end {
		return nil, p.fault(p.token.at, "%s stands where the filter should end or go on with and, or", p.token)
	}
	return e, nil
}
