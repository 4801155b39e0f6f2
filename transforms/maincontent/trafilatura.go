package maincontent

import (
	"errors"
	"fmt"
	"unicode"

	trafilatura "github.com/markusmobius/go-trafilatura"
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/transforms/html"
)

// Focus is what an extractor prefers where it is unsure.
type Focus uint8

// The values of Focus.
const (
	Balanced Focus = iota
	FavorRecall
	FavorPrecision
)

// Config is the configuration of Trafilatura.
type Config struct {
	// Focus is Balanced in DefaultConfig.
	Focus Focus
	// Fallback also asks the readability and DOM distiller methods, and takes theirs
	// where trafilatura finds much less. It costs half the speed.
	Fallback bool
	// Comments counts readers' comments as main content.
	Comments bool
	// MaxParagraphs is the number of paragraphs above which a page is rejected as
	// TooComplex: the library's time grows with the square of it. The slowest page that
	// was found at the default limit takes 12 seconds; a novel has some 10,000 paragraphs.
	MaxParagraphs int
}

// DefaultConfig returns the configuration that did best on the pages it was measured
// on; see the package's test.
func DefaultConfig() Config { return Config{MaxParagraphs: 15_000} }

// Validate reports all faults of the configuration.
func (c Config) Validate() error {
	var faults []error
	if c.Focus > FavorPrecision {
		faults = append(faults, fmt.Errorf("maincontent: Focus is %d; it must be Balanced, FavorRecall or FavorPrecision", c.Focus))
	}
	if c.MaxParagraphs < 1 {
		faults = append(faults, fmt.Errorf("maincontent: MaxParagraphs is %d; it must be at least 1", c.MaxParagraphs))
	}
	return errors.Join(faults...)
}

// Trafilatura is the Classifier that runs go-trafilatura on a copy of the page's tree
// and maps its result back to the blocks, so that the ordinals stay those of the whole
// page. Three rules of ours stand around it: on pages that write paragraphs as div,
// these become p in the copy; a block that is nothing but links is never main; and what
// was found is spread to blocks whose element has the same name and class (see spread).
// Neither its deduplication, whose result depends on the order of pages, nor its
// language filter is used. A panic inside the library becomes ExtractorFailed. Its cost
// is about twice that of parsing; it grows with the square of the number of paragraphs,
// which Config.MaxParagraphs bounds.
type Trafilatura struct {
	options       trafilatura.Options
	maxParagraphs int
}

// NewTrafilatura returns the classifier, or the faults of config.
func NewTrafilatura(config Config) (*Trafilatura, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	focus := trafilatura.Balanced
	switch config.Focus {
	case FavorRecall:
		focus = trafilatura.FavorRecall
	case FavorPrecision:
		focus = trafilatura.FavorPrecision
	}
	return &Trafilatura{
		options: trafilatura.Options{
			Focus:           focus,
			EnableFallback:  config.Fallback,
			ExcludeComments: !config.Comments,
			HtmlDateMode:    trafilatura.Disabled,
		},
		maxParagraphs: config.MaxParagraphs,
	}, nil
}

// Classify implements Classifier.
func (t *Trafilatura) Classify(page *html.Page) (shares []float32, reason, detail string) {
	if len(page.Blocks) > maxMarks {
		return nil, TooComplex, fmt.Sprintf("%d blocks", len(page.Blocks))
	}
	holders := holdersOf(page)
	promote := func(*nethtml.Node) bool { return false }
	if divsAreParagraphs(page.Blocks, holders) {
		promote = isTextDiv
	}
	paragraphs := 0
	for i, b := range page.Blocks {
		if b.Kind == html.Paragraph || promote(holders[i]) {
			paragraphs++
		}
	}
	if paragraphs > t.maxParagraphs {
		return nil, TooComplex, fmt.Sprintf("%d paragraphs", paragraphs)
	}
	result, failure, err := extract(t.input(page, promote), t.options)
	switch {
	case failure != "":
		return nil, ExtractorFailed, failure
	case err != nil:
		return nil, NoMainContent, err.Error()
	}
	extracted := make([]int, len(page.Blocks))
	countMarked(result.ContentNode, extracted)
	if result.CommentsNode != nil {
		countMarked(result.CommentsNode, extracted)
	}
	shares = make([]float32, len(page.Blocks))
	found := false
	for i, b := range page.Blocks {
		if extracted[i] > 0 && b.LinkDensity <= linkBlock {
			shares[i] = min(1, float32(extracted[i])/float32(characters(b.Text)))
			found = true
		}
	}
	if !found {
		return nil, NoMainContent, "nothing but links"
	}
	spread(page.Blocks, holders, shares)
	return shares, "", ""
}

// extract calls the library. Failure is the value of a panic inside it: a fault of the
// library costs the page that meets it and no other.
func extract(tree *nethtml.Node, options trafilatura.Options) (result *trafilatura.ExtractResult, failure string, err error) {
	defer func() {
		if p := recover(); p != nil {
			failure = fmt.Sprint(p)
		}
	}()
	result, err = trafilatura.ExtractDocument(tree, options)
	return result, "", err
}

// input returns the tree for the library: a copy of the page with marks, without what
// holds no block, and with stated metadata.
func (t *Trafilatura) input(page *html.Page, promote func(*nethtml.Node) bool) *nethtml.Node {
	drop := html.Ignored
	if !t.options.EnableFallback && t.options.Focus != trafilatura.FavorRecall {
		// All the ways that are left through the library begin by removing these.
		drop = func(n *nethtml.Node) bool {
			return html.Ignored(n) || n.DataAtom == atom.Aside || n.DataAtom == atom.Footer
		}
	}
	root := markedCopy(page, drop, promote, !t.options.EnableFallback)
	for n := range root.ChildNodes() {
		if n.DataAtom == atom.Html {
			n.InsertBefore(statedMetadata(), n.FirstChild)
			break
		}
	}
	return root
}

// statedMetadata returns a head that states all the metadata that the library looks
// for. It cannot be told to look for none, and where the head is silent it searches
// the whole page, with a copy of it, which took a fifth of its time. The result of
// that search is not used.
func statedMetadata() *nethtml.Node {
	head := &nethtml.Node{Type: nethtml.ElementNode, DataAtom: atom.Head, Data: "head"}
	for _, p := range []struct{ property, content string }{
		{"og:title", "x y"}, {"og:author", "X Y"}, {"og:url", "http://page.invalid/"},
		{"og:description", "x"}, {"og:site_name", "X"}, {"og:image", "x"}, {"og:type", "x"},
		{"og:article:tag", "x"},
	} {
		head.AppendChild(&nethtml.Node{
			Type: nethtml.ElementNode, DataAtom: atom.Meta, Data: "meta",
			Attr: []nethtml.Attribute{{Key: "property", Val: p.property}, {Key: "content", Val: p.content}},
		})
	}
	license := &nethtml.Node{
		Type: nethtml.ElementNode, DataAtom: atom.A, Data: "a",
		Attr: []nethtml.Attribute{{Key: "rel", Val: "license"}, {Key: "href", Val: "/by/4.0"}},
	}
	section := &nethtml.Node{
		Type: nethtml.ElementNode, DataAtom: atom.Script, Data: "script",
		Attr: []nethtml.Attribute{{Key: "type", Val: "application/ld+json"}},
	}
	section.AppendChild(&nethtml.Node{Type: nethtml.TextNode, Data: `{"@context":"https://schema.org","@type":"Article","articleSection":"x"}`})
	head.AppendChild(license)
	head.AppendChild(section)
	return head
}

// characters counts the characters of s that are not white space.
func characters(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}
