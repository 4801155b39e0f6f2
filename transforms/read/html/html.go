// Package html turns the bytes of one web page into ordered blocks of text.
//
// Parse decodes the page to UTF-8, limits its size, parses it with
// golang.org/x/net/html and lists every block of text in document order, main content
// or not. A later step (package maincontent) judges the blocks. A page that cannot be
// used gets a reason, never an error: bad pages are data.
//
// # Ordinals
//
// The ordinal of a block is the number of block boundaries (start and end tags of
// block elements such as p, div, li, td, h1) between the start of the document and the
// block. It depends on the block elements alone: text, inline markup and attributes do
// not change it. So pages with the same block markup, such as the translations of one
// page, give corresponding blocks equal ordinals, even where an element is empty in
// one of them. Ordinals therefore have gaps, and Page.Ordinals, their number, is equal
// for such pages too.
//
// # Determinism
//
// The result is a function of the bytes, the Origin and the Config.
package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/schemas/blank"
	"sentweave/schemas/fault"
	"sentweave/transforms/read/rights"
)

// Reasons why a page is rejected.
const (
	// Empty: no bytes, or nothing but white space.
	empty = "empty"
	// tooLarge: more bytes than Config.MaxBytes.
	tooLarge = "too_large"
	// Binary: not text: the signature of an image, an archive or a program, or many NUL bytes.
	binary = "binary"
	// isJSON: an object or a list of JSON, which scripts send under the type of pages.
	isJSON = "json"
	// invalidEncoding: too many characters could not be decoded (Config.MaxReplaced).
	invalidEncoding = "invalid_encoding"
	// tooManyNodes: the tree would have, or has, more nodes than Config.MaxNodes.
	tooManyNodes = "too_many_nodes"
	// tooComplex: end tags or attributes beyond what so many nodes have (Config.MaxNodes).
	tooComplex = "too_complex"
	// tooDeep: elements are nested deeper than Config.MaxDepth.
	tooDeep = "too_deep"
	// Malformed: the parser gave up for another reason.
	malformed = "malformed"
	// noText: there is markup but no text in it.
	noText = "no_text"
)

// parserDepth is the depth at which golang.org/x/net/html stops. It says so only in
// the text of its error.
const parserDepth = 512

// Config bounds the pages that Parse accepts.
type Config struct {
	// MaxBytes is the size of the largest page, before decoding.
	MaxBytes int
	// MaxNodes is the number of nodes (elements, texts, comments) of the largest tree.
	// It is checked before the tree is built, against the number of tags, and again
	// afterwards. It is what bounds memory (about 200 bytes a node) and the time of
	// later steps.
	MaxNodes int
	// MaxDepth is the greatest depth of an element, from 1 to 512.
	MaxDepth int
	// MaxReplaced is the greatest share of undecodable characters (U+FFFD) in the
	// page's visible text, from 0 to 1.
	MaxReplaced float64
	// Noscript also takes the text for browsers that run no scripts (noscript elements in
	// the body), as if it stood in div elements of the class noscript. Some forums have all
	// their text there and nowhere else; elsewhere it is a request to turn scripts on.
	Noscript bool
	// Attributes are the names, in small letters, of the attributes that later steps read in the tree. The parser and this
	// package keep a few more that they read themselves. All others are left out, and the addresses of links are empty.
	// Nil keeps all attributes.
	Attributes map[string]bool
}

// DefaultConfig returns limits that every ordinary page keeps: Common Crawl itself
// cuts pages at 1 MiB, later at 5 MiB.
func DefaultConfig() Config {
	return Config{MaxBytes: 10 << 20, MaxNodes: 100_000, MaxDepth: parserDepth, MaxReplaced: 0.01}
}

// Validate reports all faults of the configuration.
func (c Config) Validate() error {
	var faults fault.List
	faults.Check(c.MaxBytes >= 1, "html: MaxBytes is %d; it must be at least 1", c.MaxBytes)
	faults.Check(c.MaxNodes >= 1, "html: MaxNodes is %d; it must be at least 1", c.MaxNodes)
	faults.Check(c.MaxDepth >= 1 && c.MaxDepth <= parserDepth, "html: MaxDepth is %d; it must be from 1 to %d, where the parser stops",
		c.MaxDepth, parserDepth)
	faults.Check(c.MaxReplaced >= 0 && c.MaxReplaced <= 1, "html: MaxReplaced is %v; it must be from 0 to 1", c.MaxReplaced)
	return faults.Err()
}

// Page is a parsed page.
type Page struct {
	// Root is the document node. Treat it as read-only. Comments and styles are empty in it, and so are scripts that do
	// not name schema.org. Config.Attributes says which attributes it has.
	Root *nethtml.Node
	// Blocks are the blocks with text, by increasing ordinal.
	Blocks []Block
	// Ordinals is the number of ordinals, those of blocks without text included:
	// every Block.Ordinal is below it.
	Ordinals int32
	// Texts are the text nodes that the blocks were made from, in document order.
	Texts []Text
	// Charset is the encoding that the page was decoded from, by its WHATWG name.
	Charset string
	// Language is the language that the page declares, as a BCP 47 tag such as "pt-BR",
	// or "" where it declares none. A declaration is often wrong: it is a hint.
	Language string
	// Title is the title element, with white space collapsed.
	Title string
	// Canonical is the address in link rel=canonical, as written, or "".
	Canonical string
	// Licenses are the names of the licences that the page gives itself, as rights.Join joins them.
	Licenses string
	// OptOuts are those of the page and of its Origin.
	OptOuts rights.OptOuts
}

// Origin is what is known of a page from elsewhere.
type Origin struct {
	// ContentType is the HTTP header of that name, or "". Several lines are joined by commas.
	ContentType string
	// Language is the one that the page is said to be in, as a BCP 47 tag or ISO 639-3, or "": evidence of the
	// encoding where the page declares neither.
	Language string
	// OptOuts are those of the headers of HTTP.
	OptOuts rights.OptOuts
}

// Parse decodes and parses a page. Reason is "" for a good page; otherwise page is nil,
// reason is one of the constants above, and detail gives the measure that decided.
// The cost is linear in the size of the page: pages beyond the limits of config are
// rejected before a tree is built. Config must be valid.
func Parse(data []byte, origin Origin, config Config) (page *Page, reason, detail string) {
	if len(data) > config.MaxBytes {
		return nil, tooLarge, fmt.Sprintf("more than %d bytes", config.MaxBytes) // readers stop there
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, empty, fmt.Sprintf("%d bytes", len(data))
	}
	if what := binarySignature(data); what != "" {
		return nil, binary, what
	}
	text, charset := decode(data, origin)
	if charset == "" {
		return nil, binary, "NUL bytes"
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, empty, "nothing but white space in " + charset
	}
	if start := bytes.TrimSpace(text)[0]; (start == '{' || start == '[') && json.Valid(text) {
		return nil, isJSON, fmt.Sprintf("it begins with %.24q", text)
	}
	space := workspaces.Get().(*workspace)
	defer space.free()
	text, reason, detail = space.simplifier.simplify(text, config.MaxNodes, config.Noscript)
	if reason != "" {
		return nil, reason, detail
	}
	space.stripped = strip(space.stripped[:0], text, config.Attributes)
	root, err := nethtml.ParseWithOptions(bytes.NewReader(space.stripped), nethtml.ParseOptionEnableScripting(!config.Noscript))
	if err != nil {
		if strings.Contains(err.Error(), "exceeds 512") {
			return nil, tooDeep, fmt.Sprintf("more than %d open elements", parserDepth)
		}
		return nil, malformed, err.Error()
	}
	if config.Noscript {
		showNoscript(root)
	}
	e := &space.enumeration
	e.walk(root)
	switch {
	case e.nodes > config.MaxNodes:
		return nil, tooManyNodes, fmt.Sprintf("%d nodes", e.nodes)
	case e.depth > config.MaxDepth:
		return nil, tooDeep, fmt.Sprintf("depth %d", e.depth)
	case len(e.blocks) == 0:
		return nil, noText, fmt.Sprintf("%d nodes", e.nodes)
	case float64(e.replaced) > config.MaxReplaced*float64(e.characters):
		return nil, invalidEncoding, fmt.Sprintf("%d of %d characters undecodable as %s", e.replaced, e.characters, charset)
	}
	blocks := e.result()
	if !slices.ContainsFunc(blocks, func(b Block) bool { return !blank.IsBlank(b.Text) }) {
		return nil, noText, fmt.Sprintf("%d nodes, blank text", e.nodes)
	}
	page = &Page{Root: root, Blocks: blocks, Ordinals: e.ordinal + 1, Texts: slices.Clone(e.texts), Charset: charset}
	page.OptOuts = origin.OptOuts
	page.declarations()
	page.terms()
	return page, "", ""
}

// workspace is memory that one page after another is parsed in.
type workspace struct {
	simplifier  simplifier
	stripped    []byte
	enumeration enumeration
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// mostKept is the size in bytes above which memory is not used again: a rare giant must not occupy it for good.
const mostKept = 4 << 20

func (w *workspace) free() {
	clear(w.enumeration.texts) // they hold the tree
	w.simplifier.text = nil    // of the caller
	if max(cap(w.simplifier.copied), cap(w.stripped), cap(w.enumeration.text), 16*cap(w.enumeration.texts)) <= mostKept {
		workspaces.Put(w)
	}
}

// showNoscript makes noscript elements outside the head div elements.
func showNoscript(root *nethtml.Node) {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Noscript && n.Parent.DataAtom != atom.Head {
			n.DataAtom, n.Data = atom.Div, "div"
			n.Attr = append(n.Attr, nethtml.Attribute{Key: "class", Val: "noscript"})
		}
	}
}
