// Package maincontent judges which blocks of a page are main content: the article
// rather than the navigation, the teasers, the advertisements, the footer.
//
// A Classifier gives each block of a page a share from 0 to 1. That of package trained is the
// one that finds main content; All takes everything.
package maincontent

import "sentweave/transforms/read/html"

// NoMainContent is the reason of pages in which a classifier finds no main content.
const NoMainContent = "no_main_content"

// Classifier judges the blocks of pages. Implementations are deterministic, keep no
// state between pages and may be used from several goroutines.
type Classifier interface {
	// Classify returns, for each of page.Blocks in the same order, how much of its text
	// is main content, from 0 to 1. Reason is "" where there is main content; otherwise
	// shares is nil, reason says why and detail gives the measure that decided. The
	// page is only read.
	Classify(page *html.Page) (shares []float32, reason, detail string)
}

// Explainer is a Classifier that says why.
type Explainer interface {
	Classifier
	// Why returns, for each of page.Blocks, what a reader is to know of its share, in a few words.
	Why(page *html.Page) []string
}

// All is the Classifier for which all blocks are main content.
type All struct{}

// Classify implements Classifier.
func (All) Classify(page *html.Page) (shares []float32, reason, detail string) {
	shares = make([]float32, len(page.Blocks))
	for i := range shares {
		shares[i] = 1
	}
	return shares, "", ""
}
