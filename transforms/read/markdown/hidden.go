package markdown

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// hiddenBlock is what begins lines that readers see otherwise or not at all.
type hiddenBlock struct {
	begins *regexp.Regexp
	// ends is what ends the block, of which the rest of a line is text again; nil: the line before the first blank one.
	ends *regexp.Regexp
	// code says that readers see the lines between as code.
	code bool
}

// hiddenBlocks are those of Jekyll, Hugo, MDX, Obsidian and the snippets of MkDocs. One that does not end in its first line,
// and is not one of those that a blank line ends, may follow a line of text.
var hiddenBlocks = []hiddenBlock{
	{regexp.MustCompile(`^\{%-?\s*highlight\s[^%]*%\}\s*$`), regexp.MustCompile(`\{%-?\s*endhighlight\s*-?%\}`), true},
	{regexp.MustCompile(`^\{\{[<%]\s*highlight\s[^}]*[>%]\}\}\s*$`), regexp.MustCompile(`\{\{[<%]\s*/\s*highlight\s*[>%]\}\}`), true},
	{aComment, endOfComment, false},
	{regexp.MustCompile(`^\{/\*`), regexp.MustCompile(`\*/\}`), false},
	{regexp.MustCompile(`^%%\s*$`), regexp.MustCompile(`(?m)%%[ \t\r]*$`), false},
	{regexp.MustCompile(`^--8<--\s*$`), nil, false},
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

// CanInterruptParagraph implements parser.BlockParser.
func (unindented) CanInterruptParagraph() bool { return true }

// hidden is a block of code that is empty where readers see nothing of its lines.
type hidden struct {
	ast.CodeBlock
	// end returns where a line ends the block, or -1.
	end  func(line []byte) int
	code bool
}

// next reads a line.
func (h *hidden) next(reader text.Reader) parser.State {
	line, segment := reader.PeekLine()
	if end := h.end(line); end >= 0 {
		rest := line[end:]
		reader.Advance(end + len(rest) - len(bytes.TrimLeft(rest, " \t")))
		return parser.Close
	}
	if h.code {
		h.Lines().Append(segment)
	}
	return parser.Continue | parser.NoChildren
}

// hiddenParser reads blocks of hiddenBlocks.
type hiddenParser struct{ unindented }

// Trigger implements parser.BlockParser.
func (hiddenParser) Trigger() []byte { return []byte("{ie%-") }

// Open implements parser.BlockParser.
func (hiddenParser) Open(parent ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	line, _ := opening(reader)
	if len(line) == 0 {
		return nil, parser.NoChildren
	}
	if depth := 0; line[0] == '{' && context.Get(expressionsKey) == true && expressionEnd(&depth, line) < 0 {
		return &hidden{end: func(line []byte) int { return expressionEnd(&depth, line) }}, parser.NoChildren
	}
	for _, block := range hiddenBlocks {
		found := block.begins.FindIndex(line)
		switch {
		case found == nil:
		case block.ends == nil:
			if parent.Kind() != ast.KindDocument || ast.IsParagraph(context.LastOpenedBlock().Node) {
				return nil, parser.NoChildren
			}
			return &hidden{end: func(line []byte) int {
				if len(bytes.TrimSpace(line)) == 0 {
					return 0
				}
				return -1
			}}, parser.NoChildren
		case block.ends.Match(line[found[1]:]), !endsLater(block.ends, reader, context): // the rest of the line may be text
			return nil, parser.NoChildren
		default:
			return &hidden{code: block.code, end: func(line []byte) int { return matchEnd(block.ends, line) }}, parser.NoChildren
		}
	}
	return nil, parser.NoChildren
}

// unendedKey is that of the ends that have been looked for and are not in the rest of the file.
var unendedKey = parser.NewContextKey()

// endsLater says whether an end is behind the line: a block that nobody ends would hide the rest of the file.
func endsLater(ends *regexp.Regexp, reader text.Reader, context parser.Context) bool {
	unended, _ := context.Get(unendedKey).(map[*regexp.Regexp]bool)
	if unended[ends] {
		return false
	}
	_, segment := reader.PeekLine()
	if ends.Match(reader.Source()[segment.Stop:]) {
		return true
	}
	if unended == nil {
		unended = map[*regexp.Regexp]bool{}
		context.Set(unendedKey, unended)
	}
	unended[ends] = true
	return false
}

// Continue implements parser.BlockParser.
func (hiddenParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	return node.(*hidden).next(reader)
}
