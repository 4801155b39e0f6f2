package markdown

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// longestMark is the size of the largest mark of a generator, which stands in one line.
const longestMark = 1000

// aLiquidAddress is the address of a link or a picture that Liquid writes, and that Markdown would not take for one.
const aLiquidAddress = `\([^(){}\r\n]*\{[{%].*?[%}]\}[^(){}\r\n]*\)`

// marks are what generators of pages (Jekyll, Hugo, Docusaurus, wikis, GitHub) replace within a paragraph, by their first sign.
// Readers of the page do not see a mark; they see the label that the first group of the pattern found, if it has one. The
// mark ends where the second group is, if there is one.
var marks = map[byte][]*regexp.Regexp{
	'{': {
		regexp.MustCompile(`^\{%.*?%\}`),          // tags of Liquid
		regexp.MustCompile(`^\{\{[-<%\s].*?\}\}`), // its values, and shortcodes of Hugo
		regexp.MustCompile(`^\{/\*.*?\*/\}`),      // comments of MDX
		regexp.MustCompile(`^\{:[^{}]*\}`),        // attributes of kramdown
	},
	// Components of JSX.
	'<': {regexp.MustCompile(`^</?[A-Z][\w.]*(?:\s+[\w-]+(?:=(?:"[^"]*"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}))?)*\s*/?>`)},
	'!': {
		regexp.MustCompile(`^!\[\[[^\[\]]+\]\]`), // what a wiki embeds
		regexp.MustCompile(`^!\[[^\[\]]*\]` + aLiquidAddress),
	},
	'[': {
		regexp.MustCompile(`^\[\[(?:[^\[\]|]*\|)?([^\[\]|]*\pL[^\[\]|]*)\]\]()(?:$|[^(\[:])`), // links of wikis
		regexp.MustCompile(`^\[![A-Za-z]+\][+-]?`),                                            // the kind of an alert
		regexp.MustCompile(`^\[([^\[\]]+)\]` + aLiquidAddress),
	},
}

var rawTag = regexp.MustCompile(`^\{%-?\s*(end)?raw\s*-?%\}`)

// rawKey tells whether what follows stands between the tags raw and endraw of Liquid, where readers see all braces.
var rawKey = parser.NewContextKey()

// markParser reads marks within paragraphs.
type markParser struct{}

// Trigger implements parser.InlineParser.
func (markParser) Trigger() []byte { return []byte("{<![") }

// Parse implements parser.InlineParser.
func (markParser) Parse(parent ast.Node, block text.Reader, context parser.Context) ast.Node {
	line, _ := block.PeekLine()
	line = line[:min(len(line), longestMark)]
	if raw := rawTag.FindSubmatch(line); raw != nil {
		context.Set(rawKey, len(raw[1]) == 0)
	} else if inside, _ := context.Get(rawKey).(bool); inside && line[0] == '{' {
		return nil
	}
	for _, pattern := range marks[line[0]] {
		found := pattern.FindSubmatchIndex(line)
		if found == nil || line[0] == '[' && line[1] == '!' && !beginsQuote(parent) {
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
	return nil
}

// beginsQuote says whether nothing stands before the place in the quote.
func beginsQuote(paragraph ast.Node) bool {
	quote := paragraph.Parent()
	return quote != nil && quote.Kind() == ast.KindBlockquote && paragraph.PreviousSibling() == nil && !paragraph.HasChildren()
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

// hiddenBlock is what begins lines that readers see otherwise or not at all.
type hiddenBlock struct {
	begins *regexp.Regexp
	// ends is the last line; nil: the line before the first blank one.
	ends *regexp.Regexp
	// code says that readers see the lines between as code.
	code bool
}

// hiddenBlocks are those of Jekyll, Hugo and MDX.
var hiddenBlocks = []hiddenBlock{
	{regexp.MustCompile(`^\{%-?\s*highlight\s[^%]*%\}\s*$`), regexp.MustCompile(`\{%-?\s*endhighlight\s*-?%\}`), true},
	{regexp.MustCompile(`^\{\{[<%]\s*highlight\s[^}]*[>%]\}\}\s*$`), regexp.MustCompile(`\{\{[<%]\s*/\s*highlight\s*[>%]\}\}`), true},
	{regexp.MustCompile(`^\{%-?\s*comment\s*-?%\}\s*$`), regexp.MustCompile(`\{%-?\s*endcomment\s*-?%\}`), false},
	{regexp.MustCompile(`^import\s+(?:[\w$*{}, \t]+\s+from\s+)?["'][^"']+["'];?\s*$`), nil, false},
	{regexp.MustCompile(`^import\s*\{\s*$`), nil, false},
	{regexp.MustCompile(`^export\s+(?:const|let|var)\s+[\w${}\[\], ]+=`), nil, false},
	{regexp.MustCompile(`^export\s+(?:(?:default\s+)?(?:async\s+)?function\b.*\(|default\s+\(|\{.*\}|\*\s+from)`), nil, false},
}

// unindented is what parsers of blocks have in common that have nothing to close and take no indented line.
type unindented struct{}

// Close implements parser.BlockParser.
func (unindented) Close(ast.Node, text.Reader, parser.Context) {}

// CanAcceptIndentedLine implements parser.BlockParser.
func (unindented) CanAcceptIndentedLine() bool { return false }

// hiddenParser reads blocks of hiddenBlocks.
type hiddenParser struct{ unindented }

var hiddenKey = parser.NewContextKey()

// Trigger implements parser.BlockParser.
func (hiddenParser) Trigger() []byte { return []byte("{ie") }

// Open implements parser.BlockParser.
func (hiddenParser) Open(parent ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	if parent.Kind() != ast.KindDocument || len(line) > longestMark {
		return nil, parser.NoChildren
	}
	for i := range hiddenBlocks {
		if hiddenBlocks[i].begins.Match(line) {
			context.Set(hiddenKey, &hiddenBlocks[i])
			return ast.NewCodeBlock(), parser.NoChildren
		}
	}
	return nil, parser.NoChildren
}

// Continue implements parser.BlockParser.
func (hiddenParser) Continue(node ast.Node, reader text.Reader, context parser.Context) parser.State {
	line, segment := reader.PeekLine()
	block := context.Get(hiddenKey).(*hiddenBlock)
	switch {
	case block.ends == nil && len(bytes.TrimSpace(line)) == 0:
		return parser.Close
	case block.ends != nil && block.ends.Match(line[:min(len(line), longestMark)]):
		reader.AdvanceToEOL()
		return parser.Close
	case block.code:
		node.Lines().Append(segment)
	}
	return parser.Continue | parser.NoChildren
}

// CanInterruptParagraph implements parser.BlockParser.
func (hiddenParser) CanInterruptParagraph() bool { return false }

// aFence is a line that begins or ends an admonition, such as ":::note Title", ":::tip[Title]" and ":::". Readers see the title.
var aFence = regexp.MustCompile(`^:{3,}[ \t]*[A-Za-z-]*[ \t]*(?:\{[^}]*\})?\[?([^\]\r\n]*)\]?[ \t]*(?:\{[^}]*\})?[ \t]*\r?\n?$`)

// fenceParser reads the first and the last lines of admonitions. What stands between them is parsed as without them.
type fenceParser struct{ unindented }

// Trigger implements parser.BlockParser.
func (fenceParser) Trigger() []byte { return []byte(":") }

// Open implements parser.BlockParser.
func (fenceParser) Open(_ ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	found := aFence.FindSubmatchIndex(line[:min(len(line), longestMark)])
	if found == nil {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	title := ast.NewTextBlock() // a paragraph would go on in the next line
	if start := segment.Start - segment.Padding; found[3] > found[2] {
		title.Lines().Append(text.NewSegment(start+found[2], start+found[3]))
		context.Get(budgetKey).(*budget).pairing(found[3]-found[2], signs(line[found[2]:found[3]]))
	}
	return title, parser.NoChildren
}

// Continue implements parser.BlockParser.
func (fenceParser) Continue(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }

// CanInterruptParagraph implements parser.BlockParser.
func (fenceParser) CanInterruptParagraph() bool { return true }
