package markdown

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxBoxes is the number of boxes in each other.
const maxBoxes = 16

// aBox is the first line of an admonition or a tab of MkDocs, such as `!!! note "Title"`, `??? note` and `=== "Linux"`. The
// lines in it are indented. Its groups are the kind and the title.
var aBox = regexp.MustCompile(`^(?:(?:!!!|\?\?\?\+?) ?([\pL\pN_-]+(?: +[\pL\pN_-]+)*)?|===[+!]*)(?: +"([^\r\n]*)")?\s*$`)

// aDirective is the first line of a directive of MyST, such as "```{note}" and ":::{admonition} Title", which a line of the same
// signs ends. Its groups are these signs, the name and the argument.
var aDirective = regexp.MustCompile("^(`{3,}|~{3,}|:{3,})[ \\t]*\\{([A-Za-z][\\w:.+-]*)\\}[ \\t]*([^`\r\n]*?)\\s*$")

// use is what readers see of a directive.
type use int

const (
	useFence  use = iota // what they see of the fence without it
	useTitled            // what is in it, and the argument
	useBody              // what is in it
	useCode
	useNone
)

// uses are those of the directives of MyST, Sphinx and their extensions.
var uses = func() map[string]use {
	byName := map[string]use{}
	for seen, names := range map[use]string{
		useTitled: "admonition aside attention blockquote caution card centered danger deprecated details dropdown epigraph error exercise " +
			"glossary grid-item-card highlights hint important list-table note pull-quote rubric seealso sidebar tab-item tabbed table " +
			"tip todo topic versionadded versionchanged versionremoved warning",
		useBody: "compound container div figure figure-md grid grid-item hlist ifconfig margin only panels solution tab-set",
		useCode: "code code-block code-cell csv-table doctest math mermaid parsed-literal prompt raw sourcecode testcode",
		useNone: "autoclass autofunction automodule autosummary bibliography contents currentmodule embed eval-rst highlight iframe image " +
			"include index literalinclude meta tableofcontents tags toctree video youtube",
	} {
		for name := range strings.FieldsSeq(names) {
			byName[name] = seen
		}
	}
	return byName
}()

// option is a line of options at the beginning of a directive.
var option = regexp.MustCompile(`^:[A-Za-z][\w-]*:(?:\s|$)`)

// box is an admonition, a tab or a directive. Its HTML is that of a quote.
type box struct {
	ast.Blockquote
	// fence is what ends the box, nil: the first line that is not indented.
	fence []byte
	// options says whether lines may still be options, block whether they stand between lines of three hyphens.
	options, block bool
}

// boxParser reads boxes, and directives of which readers see nothing, or code.
type boxParser struct{ unindented }

// Trigger implements parser.BlockParser.
func (boxParser) Trigger() []byte { return []byte("!?=`~:") }

// Open implements parser.BlockParser.
func (boxParser) Open(parent ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	line, start := opening(reader)
	opened, argument := &box{}, [2]int{}
	if found := aBox.FindSubmatchIndex(line); found != nil {
		if found[4] >= 0 {
			argument = [2]int(found[4:6])
		} else if found[2] < 0 || !hasBody(reader.Source(), start) {
			return nil, parser.NoChildren
		}
	} else if found := aDirective.FindSubmatchIndex(line); found != nil {
		fence, seen := bytes.Clone(line[found[2]:found[3]]), uses[strings.ToLower(string(line[found[4]:found[5]]))]
		switch {
		case seen == useFence || seen == useCode && fence[0] != ':':
			return nil, parser.NoChildren
		case seen == useCode || seen == useNone:
			return &hidden{code: seen == useCode, end: func(line []byte) int {
				if endsFence(fence, line) {
					return len(bytes.TrimRight(line, "\n"))
				}
				return -1
			}}, parser.NoChildren
		case seen == useTitled:
			argument = [2]int(found[6:8])
		}
		opened.fence, opened.options = fence, true
	} else {
		return nil, parser.NoChildren
	}
	boxes := 0
	for n := parent; n != nil; n = n.Parent() {
		if _, ok := n.(*box); ok {
			boxes++
		}
	}
	if boxes >= maxBoxes {
		return nil, parser.NoChildren
	}
	if argument[1] > argument[0] {
		opened.AppendChild(opened, title(text.NewSegment(start+argument[0], start+argument[1]), reader, context))
	}
	reader.AdvanceToEOL()
	return opened, parser.HasChildren
}

// Continue implements parser.BlockParser.
func (boxParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	if h, ok := node.(*hidden); ok {
		return h.next(reader)
	}
	line, _ := reader.PeekLine()
	b, trimmed := node.(*box), bytes.TrimSpace(line)
	switch {
	case b.fence == nil:
		if len(trimmed) == 0 {
			break
		}
		position, padding := util.IndentPosition(line, reader.LineOffset(), 4)
		if position < 0 {
			return parser.Close
		}
		reader.AdvanceAndSetPadding(position, padding)
	case endsFence(b.fence, line):
		reader.AdvanceToEOL()
		return parser.Close
	case b.options && string(trimmed) == "---":
		b.block, b.options = !b.block, !b.block
		reader.AdvanceToEOL()
	case b.options && (b.block || option.Match(trimmed)):
		reader.AdvanceToEOL()
	default:
		b.options = false
	}
	return parser.Continue | parser.HasChildren
}

// opening returns the line that a block begins, from its first sign on, and its place in the file. A line that is too long for a
// mark is empty.
func opening(reader text.Reader) (line []byte, start int) {
	line, segment := reader.PeekLine()
	if len(line) > longestMark {
		return nil, 0
	}
	trimmed := bytes.TrimLeft(line, " \t")
	return trimmed, segment.Start - segment.Padding + len(line) - len(trimmed)
}

// title makes a block of a part of a line, in which a paragraph would go on in the next line.
func title(segment text.Segment, reader text.Reader, context parser.Context) ast.Node {
	block := ast.NewTextBlock()
	if !segment.IsEmpty() {
		block.Lines().Append(segment)
		context.Get(budgetKey).(*budget).pairing(segment.Len(), signs(segment.Value(reader.Source())))
	}
	return block
}

// endsFence says whether a line has nothing but the signs of a fence, as many or more.
func endsFence(fence, line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) >= len(fence) && len(bytes.Trim(line, string(fence[:1]))) == 0
}

// hasBody says whether the next line of a file that is not blank begins four columns or more behind the text at a place. Marks of
// quotes before the line are blanks.
func hasBody(file []byte, start int) bool {
	before := file[bytes.LastIndexByte(file[:start], '\n')+1 : start]
	_, after, _ := bytes.Cut(file[start:], []byte("\n"))
	for line := range bytes.Lines(after) {
		if rest := bytes.TrimLeft(line, " \t>"); len(bytes.TrimSpace(rest)) > 0 {
			return columns(line[:len(line)-len(rest)]) >= columns(before)+4
		}
	}
	return false
}

// columns is the width of a text.
func columns(text []byte) (n int) {
	for _, c := range text {
		if c == '\t' {
			n += 3 - n%4
		}
		n++
	}
	return n
}

// aFence is a line that begins or ends an admonition, such as ":::note Title", ":::tip[Title]" and ":::". Readers see the title.
var aFence = regexp.MustCompile(`^:{3,}[ \t]*[A-Za-z-]*[ \t]*(?:\{[^}]*\})?\[?([^\]\r\n]*)\]?[ \t]*(?:\{[^}]*\})?[ \t]*\r?\n?$`)

// fenceParser reads the first and the last lines of admonitions. What stands between them is parsed as without them.
type fenceParser struct{ unindented }

// Trigger implements parser.BlockParser.
func (fenceParser) Trigger() []byte { return []byte(":") }

// Open implements parser.BlockParser.
func (fenceParser) Open(_ ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	line, start := opening(reader)
	found := aFence.FindSubmatchIndex(line)
	if found == nil {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return title(text.NewSegment(start+found[2], start+found[3]), reader, context), parser.NoChildren
}

// Continue implements parser.BlockParser.
func (fenceParser) Continue(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }
