// Package markdown turns a Markdown file into a page of HTML, so that all that is known about pages (blocks,
// code, tables) holds for Markdown, too.
//
// The dialect is CommonMark 0.31 with what GitHub adds to it: tables, struck text, task lists and footnotes; and
// with definition lists. HTML in the file stays HTML. Links lose their addresses and images their texts, because
// readers of pages use neither. References to footnotes are left out, which would stand as digits behind words;
// the notes come last. Front matter (front.go) is not text, nor are the marks of generators of sites (marks.go, hidden.go, boxes.go).
//
// The parser is goldmark, whose time is quadratic in some inputs. What it is given is bounded (bounds.go), so
// that no file takes more time than a few seconds or more memory than some 100 MB.
//
// # Determinism
//
// The result is a function of the text.
package markdown

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	render "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Reasons why a file is rejected.
const (
	// TooLarge: more bytes than MaxBytes, here or as HTML.
	tooLarge = "too_large"
	// tooManyNodes: more lines, items of lists, cells of tables or footnotes than are read.
	tooManyNodes = "too_many_nodes"
	// tooDeep: quotes and lists are nested too deep.
	tooDeep = "too_deep"
	// tooComplex: paragraphs of more brackets and stars than can be paired in bounded time.
	tooComplex = "too_complex"
	// malformed: goldmark failed, which no file that we know of makes it do.
	malformed = "malformed"
)

// Page is a file as a page.
type Page struct {
	// HTML is the page in UTF-8. Its head has the title, the language and the address that the front matter states.
	HTML []byte
	// Date is that of the front matter, as written, or "".
	Date string
}

// dialect parses files and writes them as HTML.
var dialect = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote, extension.DefinitionList),
	goldmark.WithParserOptions(
		parser.WithHeadingAttribute(),                                // {#id}
		parser.WithInlineParsers(util.Prioritized(markParser{}, 50)), // before check boxes, links and HTML
		parser.WithBlockParsers(
			util.Prioritized(hiddenParser{}, 50), util.Prioritized(boxParser{}, 60), util.Prioritized(fenceParser{}, 70)),
		parser.WithParagraphTransformers(util.Prioritized(meter{}, 0), util.Prioritized(liquidDefinitions{}, 1)),
		parser.WithASTTransformers(util.Prioritized(simplification{}, 2000)), // after footnotes
	),
	goldmark.WithRendererOptions(render.WithUnsafe()),
)

// lineEnds makes those of old Macintoshes, which CommonMark has and goldmark does not, those of today.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Convert makes a page of a file in UTF-8; other bytes become U+FFFD. In a file of MDX, text in braces is code. Reason is "" for a
// page; otherwise it is one of the constants above, and detail gives the measure that decided.
func Convert(file string, mdx bool) (page Page, reason, detail string) {
	if len(file) > MaxBytes {
		return Page{}, tooLarge, tooMuch(MaxBytes, "bytes")
	}
	defer func() {
		if fault := recover(); fault != nil { // one file must not end a job of millions
			page, reason, detail = Page{}, malformed, fmt.Sprint(fault)
		}
	}()
	front, body := cutFront(lineEnds.Replace(strings.ToValidUTF8(file, "\ufffd")))
	if reason, detail := checkLines(body); reason != "" {
		return Page{}, reason, detail
	}
	out := bounded{rest: maxHTML}
	io.WriteString(&out, front.head())
	spent := budget{}
	context := parser.NewContext()
	context.Set(budgetKey, &spent)
	context.Set(expressionsKey, mdx)
	source := []byte(body)
	tree := dialect.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	if spent.reason != "" {
		return Page{}, spent.reason, spent.detail
	}
	if err := dialect.Renderer().Render(&out, source, tree); err != nil {
		return Page{}, tooLarge, err.Error()
	}
	return Page{HTML: out.Bytes(), Date: front.Date}, "", ""
}

// head is the beginning of a page with this front matter.
func (f front) head() string {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html><html")
	if f.Language != "" {
		b.WriteString(` lang="` + html.EscapeString(f.Language) + `"`)
	}
	b.WriteString("><head>")
	if f.URL != "" {
		b.WriteString(`<link rel="canonical" href="` + html.EscapeString(f.URL) + `">`)
	}
	b.WriteString("<title>" + html.EscapeString(f.Title) + "</title></head><body>\n")
	return b.String()
}
