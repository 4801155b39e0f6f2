package blocks

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// tagNumbers tells apart the elements that say something of their text.
var tagNumbers = map[atom.Atom]uint8{
	atom.Body: 1, atom.Div: 2, atom.Section: 3, atom.Article: 4, atom.Main: 5, atom.P: 6,
	atom.Blockquote: 7, atom.Pre: 8, atom.Figcaption: 9, atom.Figure: 10, atom.Caption: 11,
	atom.H1: 12, atom.H2: 13, atom.H3: 14, atom.H4: 15, atom.H5: 16, atom.H6: 17,
	atom.Dl: 18, atom.Dt: 19, atom.Dd: 20, atom.Ul: 21, atom.Ol: 22, atom.Li: 23,
	atom.Table: 24, atom.Thead: 25, atom.Tbody: 26, atom.Tr: 27, atom.Th: 28, atom.Td: 29,
	atom.Header: 30, atom.Footer: 31, atom.Nav: 32, atom.Aside: 33, atom.Form: 34,
	atom.Fieldset: 35, atom.Legend: 36, atom.Label: 37, atom.Details: 38, atom.Summary: 39,
	atom.Address: 40, atom.Center: 41, atom.Dialog: 42, atom.Hgroup: 43,
	atom.A: 50, atom.Span: 51, atom.Strong: 52, atom.B: 53, atom.Em: 54, atom.I: 55,
	atom.Time: 56, atom.Code: 57, atom.Small: 58, atom.Font: 59,
}

// The sorts of elements that a block may be in, whether by name or by role.
const (
	inArticle = 1 << iota
	inMain
	inNavigation
	inHeader
	inFooter
	inAside
	inForm
	inList
	inItem
	inTable
	inQuote
	inCode
	inFigure
	inDialog
	inSection
	inDefinitions
	inDetails
	inAddress
	inLink
	inTab
	inParagraph
	inLabel
)

// ancestorNames are those of the bits above.
var ancestorNames = []string{
	"article", "main", "navigation", "header", "footer", "aside", "form", "list", "list item", "table", "quotation",
	"code", "figure", "dialog", "section", "definitions", "details", "address", "link", "tab", "paragraph", "label",
}

// byTag and byRole say which bit an element has.
var (
	byTag = map[atom.Atom]uint32{
		atom.Article: inArticle, atom.Main: inMain, atom.Nav: inNavigation, atom.Header: inHeader, atom.Footer: inFooter,
		atom.Aside: inAside, atom.Form: inForm, atom.Search: inForm, atom.Ul: inList, atom.Ol: inList, atom.Menu: inList, atom.Li: inItem,
		atom.Table: inTable, atom.Blockquote: inQuote, atom.Q: inQuote, atom.Pre: inCode, atom.Code: inCode,
		atom.Figure: inFigure, atom.Figcaption: inFigure, atom.Dialog: inDialog, atom.Section: inSection, atom.Dl: inDefinitions,
		atom.Details: inDetails, atom.Address: inAddress, atom.A: inLink, atom.P: inParagraph, atom.Label: inLabel,
	}
	byRole = map[string]uint32{
		"main": inMain, "navigation": inNavigation, "menu": inNavigation, "menubar": inNavigation, "banner": inHeader,
		"contentinfo":   inFooter,
		"complementary": inAside, "search": inForm, "form": inForm, "dialog": inDialog, "alertdialog": inDialog, "article": inArticle,
		"list": inList, "listitem": inItem, "tabpanel": inTab, "region": inSection, "table": inTable,
	}
)

// families are sorts of words in the names of classes and ids, each with what one of
// its words says of a block.
var families = []struct{ name, words string }{
	{"content", "content contents entry article articles story body main post posts page"},
	{"text", "text prose rich richtext markdown md wysiwyg rte copy paragraph paragraphs html cms"},
	{"comments", "comment comments reply replies respond disqus thread threads message messages forum forums answer answers question questions discussion"},
	{"navigation", "nav navs navbar navigation menu menus submenu breadcrumb breadcrumbs crumb crumbs pager paging pagination toc tab tabs mega megamenu dropdown"},
	{"sidebar", "side sidebar sidebars aside rail widget widgets secondary"},
	{"footer", "foot footer footers bottom copyright colophon legal"},
	{"header", "head header heading masthead topbar top hero banner banners title headline"},
	{"related", "related relate relation recommend recommended recommendation recommendations similar upsell cross more also trending popular latest teaser teasers next prev previous suggest suggested suggestions featured recent"},
	{"sharing", "share sharing shares social follow facebook twitter"},
	{"advertising", "promo promos promotion ad ads adv advert advertisement sponsor sponsored cta callout"},
	{"consent", "cookie cookies consent gdpr privacy onetrust ccpa"},
	{"popup", "modal modals popup pop overlay dialog drawer tooltip lightbox offcanvas toast alert notice notification popover"},
	{"product", "product products price prices pricing cart basket sku buy variant variants swatch shop store checkout shipping"},
	{"card", "card cards grid tile tiles item items list lists listing col cols column columns collection carousel slide slider slides swiper slick row box"},
	{"description", "desc description summary excerpt intro introduction detail details spec specs specification specifications feature features overview lead dek subtitle abstract"},
	{"author", "author authors byline bio avatar user users username profile meta date time tag tags categor category categories published info"},
	{"sign-up", "newsletter newsletters subscribe subscription subscriber signup sign login register registration form forms search filter filters sort facet facets input"},
	{"review", "review reviews rating ratings star stars testimonial testimonials quote quotes"},
	{"caption", "caption captions figure fig image images img media gallery photo photos video videos embed picture thumb thumbnail"},
	{"hidden", "hidden hide sr only visually screen reader invisible collapse collapsed none accessibility skip offscreen"},
	{"questions", "faq faqs accordion accordions expand expandable toggle collapsible panel"},
	{"signature", "signature sig permalink stat stats count counts counter badge badges like likes vote votes score"},
}

// familyBits are the families of a word, by its hash.
var familyBits = func() map[uint32]uint32 {
	bits := map[uint32]uint32{}
	for i, f := range families {
		for word := range strings.FieldsSeq(f.words) {
			bits[hashOf(word)] |= 1 << i
		}
	}
	for bit, words := range articleWords {
		for word := range strings.FieldsSeq(words) {
			bits[hashOf(word)] |= bit
		}
	}
	return bits
}()

// hashOf returns the hash of a name without regard to the case of ASCII letters.
func hashOf(s string) uint32 {
	h := uint32(hashStart)
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		h = (h ^ uint32(c)) * hashPrime
	}
	return h
}

// linkedTypes are types of schema.org that pages state of themselves.
var linkedTypes = []string{
	"Article", "NewsArticle", "BlogPosting", "Product", "ProductGroup", "QAPage", "DiscussionForumPosting", "ItemList", "CollectionPage",
	"FAQPage",
	"WebPage", "Organization", "Service", "LocalBusiness", "BreadcrumbList", "TechArticle", "Recipe", "VideoObject", "SoftwareApplication",
}

// counted are the elements that a page has more or fewer of by its kind.
var counted = []atom.Atom{
	atom.P, atom.Li, atom.H1, atom.H2, atom.H3, atom.Article, atom.Form, atom.Table, atom.Pre, atom.Code, atom.Button, atom.Img,
	atom.Time, atom.A, atom.Td, atom.Dl, atom.Section, atom.Blockquote, atom.Input, atom.Script,
}
