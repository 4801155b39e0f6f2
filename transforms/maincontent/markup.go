package maincontent

import (
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/transforms/html"
)

const (
	// sentenceBytes is the length from which a block counts as running text. Bytes,
	// not characters, so that scripts with more meaning to a character need fewer.
	sentenceBytes = 100
	// linkBlock is the link density above which a block is no running text. Where the
	// library finds no article, its last resort is the whole page with its menus. On the
	// labelled pages F1 is .966 without the rule and .967 to .968 from 0.5 to 0.8.
	linkBlock = 0.8
	// spreadBlocks is the number of main blocks that make a rule of their class.
	spreadBlocks = 3
	// spreadShare is the share of a class's text that has to be main.
	spreadShare = 0.5
	// spreadLinks is the link density above which no class makes a block main.
	spreadLinks = 0.3
)

// holdersOf returns, for each block of the page, the block element that it stands in.
func holdersOf(page *html.Page) []*nethtml.Node {
	holders := make([]*nethtml.Node, len(page.Blocks))
	for _, t := range page.Texts {
		if holders[t.Block] != nil {
			continue
		}
		n := t.Node
		for n.Parent != nil && !html.IsBlock(n) {
			n = n.Parent
		}
		holders[t.Block] = n
	}
	return holders
}

// divsAreParagraphs reports whether most of the page's running text stands in div
// elements that hold nothing else, rather than in p elements or between other blocks.
func divsAreParagraphs(blocks []html.Block, holders []*nethtml.Node) bool {
	inDivs, elsewhere := 0, 0
	for i, b := range blocks {
		switch {
		case b.LinkDensity > 0.5 || b.Kind != html.Other && b.Kind != html.Paragraph:
		case len(b.Text) >= sentenceBytes && isTextDiv(holders[i]):
			inDivs += len(b.Text)
		default:
			elsewhere += len(b.Text)
		}
	}
	return inDivs > elsewhere
}

// isTextDiv reports whether n is a div with text of its own and no block inside.
func isTextDiv(n *nethtml.Node) bool {
	if n.DataAtom != atom.Div {
		return false
	}
	text := false
	for c := range n.ChildNodes() {
		if c.Type == nethtml.TextNode && strings.TrimSpace(c.Data) != "" {
			text = true
			break
		}
	}
	if !text {
		return false
	}
	for d := range n.Descendants() {
		if html.IsBlock(d) {
			return false
		}
	}
	return true
}

// spread raises the shares of blocks whose element has the same name and class as
// main blocks. Extractors drop whole sections for the name of a container ("sidebar",
// "note"); but where most text in, say, div.para is main, the rest of div.para is too.
// Blocks without a class stay as they are.
func spread(blocks []html.Block, holders []*nethtml.Node, shares []float32) {
	type signature struct{ name, class string }
	type weight struct{ main, all, blocks int }
	weights := map[signature]*weight{}
	of := make([]*weight, len(blocks))
	for i, b := range blocks {
		class := ""
		for _, a := range holders[i].Attr {
			if a.Key == "class" {
				class = a.Val
			}
		}
		if class == "" {
			continue
		}
		s := signature{holders[i].Data, class}
		if weights[s] == nil {
			weights[s] = &weight{}
		}
		of[i] = weights[s]
		of[i].all += len(b.Text)
		if shares[i] >= 0.5 {
			of[i].main += len(b.Text)
			of[i].blocks++
		}
	}
	for i, b := range blocks {
		w := of[i]
		if w == nil || w.blocks < spreadBlocks || b.LinkDensity > spreadLinks {
			continue
		}
		if share := float32(w.main) / float32(w.all); share >= spreadShare {
			shares[i] = max(shares[i], share)
		}
	}
}
