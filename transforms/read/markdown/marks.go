package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// longestMark is the size of the largest mark of a generator, which is in one line.
const longestMark = 1000

// aLiquidAddress is the address of a link or a picture that Liquid writes, and that Markdown would not take for one.
const aLiquidAddress = `\([^(){}\r\n]*\{[{%].*?[%}]\}[^(){}\r\n]*\)`

// Attributes of elements as Python-Markdown and Pandoc have them: classes and ids, and those of a value, whose names of one letter
// are also those of mathematics.
const (
	aClass     = `(?:[.#]\w[\w:-]*|data-[\w-]+)`
	aValue     = `=(?:"[^"{}]*"|'[^'{}]*'|[^\s"'{}=,]+)`
	attributes = `(?:\s+(?:` + aClass + `|[\w:-]+` + aValue + `))*\s*\}`
)

// marks are what generators of pages (Jekyll, Hugo, Docusaurus, MkDocs, MyST, wikis, GitHub) replace within a paragraph, by their
// first sign. Readers of the page do not see a mark; they see the label that the first group of the pattern found, if it has one.
// The mark ends where the second group is, if there is one.
var marks = map[byte][]mark{
	'{': {
		{pattern: regexp.MustCompile(`^\{%.*?%\}`), ends: "%}"},          // tags of Liquid
		{pattern: regexp.MustCompile(`^\{\{[-<%\s].*?\}\}`), ends: "}}"}, // its values, and shortcodes of Hugo
		{pattern: regexp.MustCompile(`^\{/\*.*?\*/\}`), ends: "*/}"},     // comments of MDX
		{pattern: regexp.MustCompile(`^\{:[^{}]*\}`)},                    // attributes of kramdown
		{pattern: regexp.MustCompile(`^\{ *(?:` + aClass + `|[\w:-]{2,}` + aValue + `)` + attributes), where: follows(")]`*>")},
		{pattern: regexp.MustCompile(`^\{ *` + aClass + attributes + `\s*$`), where: follows(" \n")},
		{pattern: regexp.MustCompile("^\\{[A-Za-z][\\w:.+-]*\\}()()`")}, // roles of MyST
	},
	// Components of JSX.
	'<': {{pattern: regexp.MustCompile(
		`^</?[A-Z][\w.]*(?:\s+[\w-]+(?:=(?:"[^"]*"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}))?)*\s*/?>`)}},
	'!': {
		{pattern: regexp.MustCompile(`^!\[\[[^\[\]]+\]\]`)}, // what a wiki embeds
		{pattern: regexp.MustCompile(`^!\[[^\[\]]*\]` + aLiquidAddress)},
	},
	'[': {
		{pattern: regexp.MustCompile(`^(?i:\[toc\]|\[\[_?toc_?\]\])\s*$`), where: beginsParagraph},
		{pattern: regexp.MustCompile(`^\[\[(?:[^\[\]|]*\|)?([^\[\]|]*\pL[^\[\]|]*)\]\]()(?:$|[^(\[:])`)}, // links of wikis
		{pattern: regexp.MustCompile(`^\[![A-Za-z]+\][+-]?`), where: beginsQuote},                        // the kind of an alert
		{pattern: regexp.MustCompile(`^\[\{\{[^{}\[\]]*\}\}\]` + aLiquidAddress)},
		{pattern: regexp.MustCompile(`^\[()()(?:[^\[\]]|!\[[^\[\]]*\]\([^()\r\n]*\))+\]` + aLiquidAddress)},
	},
	']': {{pattern: regexp.MustCompile(`^\]` + aLiquidAddress)}},
	'(': {{pattern: regexp.MustCompile(`^\([^\s()]+\)=\s*$`), where: beginsParagraph}},                                 // MyST
	'-': {{pattern: regexp.MustCompile(`^-+8<-+[ \t]+(?:"[^"]*"|'[^']*')`)}},                                           // MkDocs
	'+': {{pattern: regexp.MustCompile(`^\+\+([\w-]+(?:\+[\w-]+)*|"[^"+]*")\+\+()(?:$|[^\w+])`), where: behindNoWord}}, // keys
	'%': {{pattern: regexp.MustCompile("^%%[^%`]*%%()()(?:$|[^\\w%])"), where: behindNoWord}},                          // Obsidian
}

// mark is a kind of marks.
type mark struct {
	pattern *regexp.Regexp
	where   func(paragraph ast.Node, before rune) bool // nil: anywhere
	ends    string                                     // what the mark ends with, if anything may come before: a search that costs little
}

// find returns what the pattern and its groups match at the beginning of a line, nil if the mark is none.
func (m mark) find(line []byte, paragraph ast.Node, block text.Reader) []int {
	if m.ends != "" {
		end := bytes.Index(line, []byte(m.ends))
		if end < 0 {
			return nil
		}
		line = line[:end+len(m.ends)]
	}
	found := m.pattern.FindSubmatchIndex(line)
	if found == nil || m.where != nil && !m.where(paragraph, block.PrecendingCharacter()) {
		return nil
	}
	return found
}

// beginsParagraph says whether nothing comes before the place in the paragraph.
func beginsParagraph(paragraph ast.Node, _ rune) bool { return !paragraph.HasChildren() }

// beginsQuote says whether nothing comes before the place in the quote.
func beginsQuote(paragraph ast.Node, _ rune) bool {
	quote := paragraph.Parent()
	return quote != nil && quote.Kind() == ast.KindBlockquote && paragraph.PreviousSibling() == nil && !paragraph.HasChildren()
}

// behindNoWord says whether no word ends at the place.
func behindNoWord(_ ast.Node, before rune) bool {
	return !unicode.IsLetter(before) && !unicode.IsDigit(before) && before != '+' && before != '%'
}

// follows says whether one of some signs stands right before the place.
func follows(signs string) func(ast.Node, rune) bool {
	return func(_ ast.Node, before rune) bool { return strings.ContainsRune(signs, before) }
}

var rawTag = regexp.MustCompile(`^\{%-?\s*(end)?raw\s*-?%\}`)

// rawKey tells whether what follows stands between the tags raw and endraw of Liquid, where readers see all braces.
var rawKey = parser.NewContextKey()

// aComment begins a part of a page that Jekyll leaves out or shows elsewhere, and endOfComment ends it.
var (
	aComment     = regexp.MustCompile(`^\{%-?\s*(?:comment|capture\s[^%]*)\s*-?%\}`)
	endOfComment = regexp.MustCompile(`\{%-?\s*end(?:comment|capture)\s*-?%\}`)
)

// expressionsKey tells whether texts in braces are expressions of MDX, of which readers do not see the code.
var expressionsKey = parser.NewContextKey()

// aString is an expression of MDX that is a text.
var aString = regexp.MustCompile("^\\{\\s*[\"'`]([^\"'`{}]*)[\"'`]\\s*\\}")

// markParser reads marks within paragraphs.
type markParser struct{}

// Trigger implements parser.InlineParser.
func (markParser) Trigger() []byte { return []byte("{<![](-+%") }

// Parse implements parser.InlineParser.
func (markParser) Parse(parent ast.Node, block text.Reader, context parser.Context) ast.Node {
	line, _ := block.PeekLine()
	line = line[:min(len(line), longestMark)]
	if raw := rawTag.FindSubmatch(line); raw != nil {
		context.Set(rawKey, len(raw[1]) == 0)
	} else if inside, _ := context.Get(rawKey).(bool); inside && line[0] == '{' {
		return nil
	}
	if aComment.Match(line) && skip(parent, block, context, func(line []byte) int { return matchEnd(endOfComment, line) }) {
		return ast.NewString(nil)
	}
	for _, m := range marks[line[0]] {
		found := m.find(line, parent, block)
		if found == nil {
			continue
		}
		seen, end := []byte(nil), found[1]
		if len(found) > 2 {
			seen = line[found[2]:found[3]]
		}
		if len(found) > 4 {
			end = found[4]
		}
		block.Advance(end)
		return ast.NewString(bytes.Clone(seen))
	}
	if depth := 0; line[0] == '{' && context.Get(expressionsKey) == true {
		if found := aString.FindSubmatch(line); found != nil {
			block.Advance(len(found[0]))
			return ast.NewString(bytes.Clone(found[1]))
		}
		if skip(parent, block, context, func(line []byte) int { return expressionEnd(&depth, line) }) {
			return ast.NewString(nil)
		}
	}
	return nil
}

// endlessKey is the paragraph in which the end of a mark was looked for in vain.
var endlessKey = parser.NewContextKey()

// skip goes behind the end of a mark of several lines, which end finds in a line. If the paragraph has no such end, skip returns
// false and goes nowhere. Later marks of this paragraph are not looked for: each of them could cost the whole paragraph.
func skip(paragraph ast.Node, block text.Reader, context parser.Context, end func(line []byte) int) bool {
	if context.Get(endlessKey) == paragraph {
		return false
	}
	number, position := block.Position()
	for line, _ := block.PeekLine(); line != nil; line, _ = block.PeekLine() {
		if n := end(line); n >= 0 {
			block.Advance(n)
			return true
		}
		block.AdvanceLine()
	}
	block.SetPosition(number, position)
	context.Set(endlessKey, paragraph)
	return false
}

// matchEnd returns where the first match of a pattern ends in a line, or -1.
func matchEnd(pattern *regexp.Regexp, line []byte) int {
	if found := pattern.FindIndex(line); found != nil {
		return found[1]
	}
	return -1
}

// expressionEnd returns where the brace is in a line, and ends, that closes the first one, or -1. Depth is the number of open
// braces before the line, and then behind the line.
func expressionEnd(depth *int, line []byte) int {
	for i, c := range line {
		switch c {
		case '{':
			*depth++
		case '}':
			if *depth--; *depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// definition begins the definition of a link, liquidDefinition is all of one whose address Liquid writes: Markdown takes the
// blanks of Liquid for the end of an address.
var (
	definition       = regexp.MustCompile(`^ {0,3}\[[^\[\]]+\]:`)
	liquidDefinition = regexp.MustCompile(`^ {0,3}\[([^\[\]]+)\]:[ \t]*[^ \t{}]*\{[{%].*?[%}]\}[^ \t]*(?:[ \t]+["'(].*)?\s*$`)
)

// liquidDefinitions takes the definitions of links that Liquid writes off the head of a paragraph.
type liquidDefinitions struct{}

// Transform implements parser.ParagraphTransformer.
func (liquidDefinitions) Transform(paragraph *ast.Paragraph, reader text.Reader, context parser.Context) {
	lines, rest := paragraph.Lines(), text.NewSegments()
	i := 0
	for ; i < lines.Len(); i++ {
		segment := lines.At(i)
		line := segment.Value(reader.Source())
		if len(line) > longestMark || !definition.Match(line) {
			break
		}
		if found := liquidDefinition.FindSubmatch(line); found != nil {
			context.AddReference(parser.NewReference(found[1], []byte("#"), nil))
		} else {
			rest.Append(segment)
		}
	}
	if rest.Len() == i {
		return
	}
	if rest.AppendAll(lines.Sliced(i, lines.Len())); rest.Len() == 0 {
		paragraph.Parent().RemoveChild(paragraph.Parent(), paragraph)
		return
	}
	paragraph.SetLines(rest)
}
