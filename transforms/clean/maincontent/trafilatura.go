package maincontent

import (
	"fmt"

	trafilatura "github.com/markusmobius/go-trafilatura"
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/schemas/fault"
	"sentweave/transforms/read/html"
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
	// MaxWork is the time in nanoseconds that the library may take beside what is
	// proportional to the size of the page, as it is estimated for the worst case. A page
	// above it is rejected as tooComplex.
	MaxWork int
	// MaxCopies is the number of nodes that the library may hold in copies of parts of
	// the page, as it is estimated for the worst case. A page above it is rejected as
	// tooComplex.
	MaxCopies int
}

// DefaultConfig returns the configuration that did best on the pages it was measured
// on; see the package's test. Of 66,000 pages of documentation, articles, shops and
// forums three are above the limits, indexes of 80,000 nodes that programs have made; the
// others have at most 2.2 s of the work and 50,000 of the copies.
func DefaultConfig() Config { return Config{MaxWork: 2_500_000_000, MaxCopies: 400_000} }

// Validate reports all faults of the configuration.
func (c Config) Validate() error {
	var faults fault.List
	faults.Check(c.Focus <= FavorPrecision, "maincontent: Focus is %d; it must be Balanced, FavorRecall or FavorPrecision", c.Focus)
	faults.Check(c.MaxWork >= 1, "maincontent: MaxWork is %d; it must be at least 1", c.MaxWork)
	faults.Check(c.MaxCopies >= 1, "maincontent: MaxCopies is %d; it must be at least 1", c.MaxCopies)
	return faults.Err()
}

// Trafilatura is the Classifier that runs go-trafilatura on a copy of the page's tree
// and maps its result back to the blocks, so that the ordinals stay those of the whole
// page. Three rules of ours stand around it: on pages that write paragraphs as div,
// these become p in the copy; a block that is nothing but links is never main; and what
// was found is spread to blocks whose element has the same name and class (see spread).
// Neither its deduplication, whose result depends on the order of pages, nor its
// language filter is used. A panic inside the library becomes extractorFailed. Its cost
// is about twice that of parsing on pages from the wild. The library has no bounds, and
// several of its steps take time and memory that grow with the square of the page, or
// with its depth times its size: Config bounds that before it is called.
type Trafilatura struct {
	options trafilatura.Options
	config  Config
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
		config: config,
	}, nil
}

// Classify implements Classifier.
func (t *Trafilatura) Classify(page *html.Page) (shares []float32, reason, detail string) {
	if len(page.Blocks) > maxMarks {
		return nil, tooComplex, fmt.Sprintf("%d blocks", len(page.Blocks))
	}
	input, given := t.input(page)
	w := workOf(input)
	switch {
	case w.time() > t.config.MaxWork:
		return nil, tooComplex, fmt.Sprintf("estimated work of %d: %v", w.time(), w)
	case w.copies() > t.config.MaxCopies:
		return nil, tooComplex, fmt.Sprintf("up to %d nodes of copies: %v", w.copies(), w)
	}
	result, failure, err := extract(input, t.options)
	switch {
	case failure != "":
		return nil, extractorFailed, failure
	case err != nil:
		return nil, noMainContent, err.Error()
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
			shares[i] = min(1, float32(extracted[i])/float32(given[i]))
			found = true
		}
	}
	if !found {
		return nil, noMainContent, "nothing but links"
	}
	spread(page.Blocks, holdersOf(page), shares)
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
// holds no block or has no effect, and with stated metadata; and how many characters of
// each block it has.
func (t *Trafilatura) input(page *html.Page) (root *nethtml.Node, given []int) {
	c := copying{
		drop:    html.Ignored,
		strip:   func(*nethtml.Node) bool { return false },
		promote: textDivs(page),
		keep:    func(string) bool { return true },
		mask:    !t.options.EnableFallback,
	}
	if !t.options.EnableFallback {
		c.strip, c.keep = isStripped, isRead
		if t.options.Focus != trafilatura.FavorRecall {
			// All the ways that are left through the library begin by removing these.
			c.drop = func(n *nethtml.Node) bool {
				return html.Ignored(n) || n.DataAtom == atom.Aside || n.DataAtom == atom.Footer
			}
		}
	}
	root, given = c.copy(page)
	if !t.options.EnableFallback {
		unmarkInline(root)
		joinParagraphs(root)
	}
	for n := range root.ChildNodes() {
		if n.DataAtom == atom.Html {
			n.InsertBefore(statedMetadata(), n.FirstChild)
			break
		}
	}
	return root, given
}

// isStripped reports whether the library begins by putting the content of an element in
// its place. It copies the content of each, so that a chain of them costs its square.
func isStripped(n *nethtml.Node) bool {
	switch n.DataAtom {
	case atom.Abbr, atom.Acronym, atom.Address, atom.Bdi, atom.Bdo, atom.Big, atom.Cite,
		atom.Data, atom.Dfn, atom.Font, atom.Hgroup, atom.Img, atom.Ins, atom.Mark,
		atom.Meta, atom.Ruby, atom.Small, atom.Tbody, atom.Tfoot, atom.Thead:
		return n.Type == nethtml.ElementNode
	}
	return false
}

// isRead reports whether the library looks at attributes of that name.
func isRead(key string) bool {
	switch key {
	case "aria-hidden", "class", "data-component", "data-lp-replacement-content", "id",
		"itemprop", "lang", "role", "style":
		return true
	}
	return false
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
