package maincontent

import (
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/transforms/read/html"
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
		holders[t.Block] = blockAround(t.Node)
	}
	return holders
}

// textDivs returns what tells the div elements that are paragraphs: of a page most of
// whose running text stands in div elements that hold nothing else, rather than in p
// elements or between other blocks, all such elements, and of other pages none.
func textDivs(page *html.Page) func(*nethtml.Node) bool {
	divs := divsOfText(page)
	inDivs, elsewhere := 0, 0
	for i, holder := range holdersOf(page) {
		b := &page.Blocks[i]
		switch {
		case b.LinkDensity > 0.5 || b.Kind != html.Other && b.Kind != html.Paragraph:
		case len(b.Text) >= sentenceBytes && divs[holder]:
			inDivs += len(b.Text)
		default:
			elsewhere += len(b.Text)
		}
	}
	if inDivs <= elsewhere {
		divs = nil
	}
	return func(n *nethtml.Node) bool { return divs[n] }
}

// divsOfText returns the div elements of a page with text of their own and no block
// inside.
func divsOfText(page *html.Page) map[*nethtml.Node]bool {
	divs := map[*nethtml.Node]bool{} // false for those with a block, whatever text they have
	for n := range page.Root.Descendants() {
		switch {
		case n.Type == nethtml.TextNode:
			if n.Parent.DataAtom != atom.Div || strings.TrimSpace(n.Data) == "" {
				continue
			}
			if _, known := divs[n.Parent]; !known {
				divs[n.Parent] = true
			}
		case html.IsBlock(n):
			if around := blockAround(n); around.DataAtom == atom.Div {
				divs[around] = false
			}
		}
	}
	return divs
}

// blockAround returns the nearest block element around n, or the root.
func blockAround(n *nethtml.Node) *nethtml.Node {
	for n = n.Parent; n.Parent != nil && !html.IsBlock(n); {
		n = n.Parent
	}
	return n
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
