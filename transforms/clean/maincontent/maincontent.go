// Package maincontent judges which blocks of a page are main content: the article
// rather than the navigation, the teasers, the advertisements, the footer.
//
// A Classifier gives each block of a page a probability and says which are kept. That of package
// trained looks at the markup, that of package lines at nothing but texts; All takes everything.
package maincontent

import (
	"fmt"
	"slices"

	"sentweave/transforms/read/html"
)

// NoMainContent is the reason of pages in which a classifier finds no main content.
const NoMainContent = "no_main_content"

// Part is what a classifier says of a block of a page, or of a line of a text.
type Part struct {
	// Main is how probable it is that the part is main content, from 0 to 1.
	Main float32
	// Kept says that it is taken. That depends on all parts, not on Main alone.
	Kept bool
}

// Classifier judges the blocks of pages. Implementations are deterministic, keep no
// state between pages and may be used from several goroutines.
type Classifier interface {
	// Classify judges each of page.Blocks, in the same order. Reason is "" where something is
	// kept; otherwise it says why not, and detail gives the measure that decided. The page is only read.
	Classify(page *html.Page) (parts []Part, reason, detail string)
}

// LineClassifier judges the lines, or the paragraphs, of a text of which nothing else is known. What
// holds for a Classifier holds for it, too.
type LineClassifier interface {
	ClassifyLines(lines []string) (parts []Part, reason, detail string)
}

// Parts are the parts with these probabilities, of which those are kept that Choose chose with an expected F1.
func Parts(probabilities []float64, chosen []bool, expected float64) (parts []Part, reason, detail string) {
	parts = make([]Part, len(probabilities))
	for i, p := range probabilities {
		parts[i] = Part{Main: float32(p), Kept: chosen[i]}
	}
	if !slices.Contains(chosen, true) {
		return parts, NoMainContent, fmt.Sprintf("expected F1 of %.2f", expected)
	}
	return parts, "", ""
}

// Explainer is a Classifier that says why.
type Explainer interface {
	Classifier
	// Why returns, for each of page.Blocks, why it is dropped, in a few words, or "".
	Why(page *html.Page) []string
}

// KeepAll is the Classifier for which all blocks are main content.
type KeepAll struct{}

// Classify implements Classifier.
func (KeepAll) Classify(page *html.Page) (parts []Part, reason, detail string) {
	return slices.Repeat([]Part{{Main: 1, Kept: true}}, len(page.Blocks)), "", ""
}

// Lines are the texts of the blocks of a page.
func Lines(page *html.Page) []string {
	list := make([]string, len(page.Blocks))
	for i, b := range page.Blocks {
		list[i] = b.Text
	}
	return list
}
