package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Bounds of what is parsed, far above what manuals and books have in a file.
const (
	// MaxBytes is the size of the largest file.
	MaxBytes = 4 << 20
	// maxHTML is the size of the largest page that comes of a file: some signs take six bytes in HTML.
	maxHTML = 10 << 20
	// maxLines is the number of lines, of which each takes time for each quote and list around it.
	maxLines = 100_000
	// maxColumn is the column up to which quotes and lists may begin: each of them takes one at least.
	maxColumn = 128
	// maxItems is the number of quotes and of items of lists, and maxCells that of the cells of tables. Pages of more
	// than 100,000 nodes are too large for later steps.
	maxItems, maxCells = 50_000, 50_000
	// maxFootnotes is the number of references to footnotes and of notes together.
	maxFootnotes = 1_000
	// maxPairing bounds the search for the other ends of emphasis and links, which looks through the paragraph for
	// each sign that may begin one: the sum, over all paragraphs, of their bytes times their signs.
	maxPairing = 250_000_000
)

func tooMuch(most int, what string) string { return fmt.Sprintf("more than %d %s", most, what) }

// checkLines returns the reason for which a file is not parsed, as far as its lines tell it.
func checkLines(file string) (reason, detail string) {
	lines, items, footnotes, headings := 0, 0, strings.Count(file, "[^"), budget{}
	if footnotes > maxFootnotes {
		return tooManyNodes, tooMuch(maxFootnotes, "footnotes")
	}
	for line := range strings.Lines(file) {
		if lines++; lines > maxLines {
			return tooManyNodes, tooMuch(maxLines, "lines")
		}
		found, rest, deep := beginning(line)
		if deep {
			return tooDeep, fmt.Sprintf("line %d: a quote or list begins behind column %d", lines, maxColumn)
		}
		if items += found; items > maxItems {
			return tooManyNodes, tooMuch(maxItems, "quotes and items")
		}
		if strings.HasPrefix(rest, "#") { // a heading, which is not a paragraph
			if headings.pairing(len(rest), signs([]byte(rest))); headings.reason != "" {
				return headings.reason, headings.detail
			}
		}
	}
	return "", ""
}

// beginning reads the quotes and lists that a line begins or continues. It returns how many there are, the rest of the line,
// and whether one of them begins too far to the right. In code it may count what is none.
func beginning(line string) (items int, rest string, deep bool) {
	column, i := 0, 0
	for i < len(line) {
		n := 0
		switch c := line[i]; {
		case c == ' ':
			column, i = column+1, i+1
			continue
		case c == '\t':
			column, i = column+4-column%4, i+1
			continue
		case c == '>':
			n = 1
		case c == '-' || c == '+' || c == '*' || c == ':':
			n = 1
			if !blankAt(line, i+1) {
				n = 0
			}
		case '0' <= c && c <= '9':
			n = number(line[i:])
		}
		if n == 0 {
			break
		}
		if items++; column > maxColumn {
			return items, "", true
		}
		column, i = column+n, i+n
	}
	return items, line[i:], false
}

// number returns the length of the mark of a numbered item, such as "12.", at the beginning of s, or 0.
func number(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n < len(s) && (s[n] == '.' || s[n] == ')') && blankAt(s, n+1) {
		return n + 1
	}
	return 0
}

func blankAt(s string, i int) bool { return i >= len(s) || strings.IndexByte(" \t\r\n", s[i]) >= 0 }

// signs counts the signs of a text that may begin or end something.
func signs(b []byte) (n int) {
	for _, c := range b {
		switch c {
		case '*', '_', '~', '[', ']', '<', '`':
			n++
		}
	}
	return n
}

// budget is what a file has taken of what it may take. Reason is "" as long as there is something left.
type budget struct {
	pairs, cells   int
	reason, detail string
}

// pairing spends the search through a text for the ends of what its signs begin.
func (b *budget) pairing(bytes, signs int) {
	if b.pairs += bytes * signs; b.pairs > maxPairing && b.reason == "" {
		b.reason, b.detail = tooComplex, fmt.Sprintf("up to %d signs of emphasis and links in a paragraph of %d bytes", signs, bytes)
	}
}

var budgetKey = parser.NewContextKey()

// meter takes the cost of each paragraph off the budget before the paragraph is parsed, and removes the paragraph where
// nothing is left.
type meter struct{}

// Transform implements parser.ParagraphTransformer.
func (meter) Transform(paragraph *ast.Paragraph, reader text.Reader, context parser.Context) {
	spent := context.Get(budgetKey).(*budget)
	size, count, columns := 0, 0, 0
	lines := paragraph.Lines()
	for i := range lines.Len() {
		segment := lines.At(i)
		line := segment.Value(reader.Source())
		size, count = size+len(line), count+signs(line)
		columns = max(columns, bytes.Count(line, []byte("|")))
	}
	spent.pairing(size, count)
	if spent.cells += columns * lines.Len(); spent.cells > maxCells && spent.reason == "" {
		spent.reason, spent.detail = tooManyNodes, tooMuch(maxCells, "cells of tables")
	}
	if spent.reason != "" {
		paragraph.Parent().RemoveChild(paragraph.Parent(), paragraph)
	}
}

// bounded is a buffer that takes no more than rest bytes.
type bounded struct {
	bytes.Buffer
	rest int
}

var errFull = errors.New(tooMuch(maxHTML, "bytes of HTML"))

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.rest -= len(p); b.rest < 0 {
		return 0, errFull
	}
	return b.Buffer.Write(p)
}
