// Package maincontent judges which blocks of a page are main content: the article
// rather than the navigation, the teasers, the advertisements, the footer.
//
// A Classifier gives each block of a page a share from 0 to 1. Trafilatura is the one
// that exists here; others can implement the interface.
package maincontent

import "sentweave/transforms/read/html"

// Reasons why a page is rejected.
const (
	// noMainContent: the classifier found no main content.
	noMainContent = "no_main_content"
	// extractorFailed: the classifier broke down on the page.
	extractorFailed = "extractor_failed"
	// tooComplex: the page is so large that the classifier's time would grow out of
	// proportion.
	tooComplex = "too_complex"
)

// Classifier judges the blocks of pages. Implementations are deterministic, keep no
// state between pages and may be used from several goroutines.
type Classifier interface {
	// Classify returns, for each of page.Blocks in the same order, how much of its text
	// is main content, from 0 to 1. Reason is "" where there is main content; otherwise
	// shares is nil, reason says why and detail gives the measure that decided. The
	// page is only read.
	Classify(page *html.Page) (shares []float32, reason, detail string)
}
