package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	notes "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/transforms/read/html"
)

// simplification leaves out of a tree what readers of pages do not use, and makes text of tags that would hide what follows.
type simplification struct{}

// Transform implements parser.ASTTransformer.
func (simplification) Transform(file *ast.Document, reader text.Reader, _ parser.Context) {
	var left []ast.Node
	ast.Walk(file, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			if n.SoftLineBreak() && isUnspaced(n, reader.Source()) {
				n.SetSoftLineBreak(false)
			}
		case *ast.Link:
			n.Destination, n.Title = []byte("#"), nil
		case *ast.Image:
			n.Destination, n.Title = []byte("#"), nil
			n.RemoveChildren(n)
		case *notes.FootnoteLink, *notes.FootnoteBacklink:
			left = append(left, n)
		}
		for _, tag := range unclosed(n, reader.Source()) {
			written := ast.NewString(tag.Segments.Value(reader.Source()))
			written.SetRaw(true) // without entities of its own
			n.ReplaceChild(n, tag, written)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range left {
		n.Parent().RemoveChild(n.Parent(), n)
	}
}

// isUnspaced says whether a line ends, and the next begins, with a character of Chinese or Japanese, which have no spaces
// between words. goldmark's own option for line breaks drops spaces before links, too.
func isUnspaced(n *ast.Text, source []byte) bool {
	next, ok := n.NextSibling().(*ast.Text)
	if !ok {
		return false
	}
	before, _ := utf8.DecodeLastRune(n.Value(source))
	after, _ := utf8.DecodeRune(next.Value(source))
	return unicode.In(before, unspaced...) && unicode.In(after, unspaced...)
}

// unspaced are the characters of Chinese and Japanese, with their marks and wide letters.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana,
	{R16: []unicode.Range16{{Lo: 0x3000, Hi: 0x303f, Stride: 1}, {Lo: 0xff00, Hi: 0xffef, Stride: 1}}}}

// aTag is the beginning of a tag.
var aTag = regexp.MustCompile(`^<(/?)([A-Za-z][A-Za-z0-9]*)`)

// unclosed returns the tags among the children of a node that would hide all that follows, since nothing closes them:
// in "the <title> element" the tag is a word.
func unclosed(n ast.Node, source []byte) (list []*ast.RawHTML) {
	var open map[string][]*ast.RawHTML
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		raw, ok := child.(*ast.RawHTML)
		if !ok {
			continue
		}
		found := aTag.FindSubmatch(raw.Segments.Value(source))
		if found == nil {
			continue
		}
		switch name := strings.ToLower(string(found[2])); {
		case len(found[1]) > 0:
			delete(open, name)
		case hides(name):
			if open == nil {
				open = map[string][]*ast.RawHTML{}
			}
			open[name] = append(open[name], raw)
		}
	}
	for _, tags := range open {
		list = append(list, tags...)
	}
	return list
}

// hides says whether an element hides the text in it from readers of pages, or its markup.
func hides(name string) bool {
	switch element := atom.Lookup([]byte(name)); element {
	case atom.Input, atom.Embed: // nothing is in them
		return false
	case atom.Xmp, atom.Plaintext:
		return true
	default:
		return html.Ignored(&nethtml.Node{Type: nethtml.ElementNode, Data: name, DataAtom: element})
	}
}
