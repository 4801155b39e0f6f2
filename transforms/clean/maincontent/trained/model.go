// Package trained finds main content by a model that was trained on pages and their texts.
//
// A Model gives each block of a page (package blocks) a probability, by boosted trees
// (package boost), and chooses the blocks whose text has the greatest expected F1. It also
// guesses of which kind the page is, an article or a product for instance; that is one of
// the things that it judges blocks by.
package trained

import (
	"slices"

	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/clean/maincontent/boost"
	"sentweave/transforms/read/html"
)

// Model is a trained model. It is safe for concurrent use.
type Model struct {
	Provenance
	hash   string
	names  *blocks.Linear
	blocks *boost.Forest
	kinds  []*boost.Forest // one for each of About.Kinds
}

// Provenance says what a model was trained on.
type Provenance struct {
	// Data names the pages, Licence and Attribution what their authors ask for.
	Data, Licence, Attribution string
	// Pages and Blocks count what it was trained on.
	Pages, Blocks int
	// Kinds are the kinds of pages that it tells apart, sorted.
	Kinds []string
}

// HTML is how pages are to be parsed for models.
func HTML() html.Config {
	c := html.DefaultConfig()
	c.Noscript, c.Attributes = true, blocks.Attributes
	return c
}

// Hash is the xxh3-128 of the model's file.
func (m *Model) Hash() string { return m.hash }

// Judgement is what a model says of a page.
type Judgement struct {
	// Kind is the most probable kind of the page, "" of a model without kinds.
	Kind string
	// Probabilities are, for each block, how probable it is that it is main content.
	Probabilities []float64
	// Words are the lengths of blocks, and Chosen those that are taken.
	Words  []float64
	Chosen []bool
	// Expected is the F1 that is expected of them.
	Expected float64

	copies []bool // blocks that are left out as copies
}

// Judge judges the blocks of a page.
func (m *Model) Judge(p *blocks.Page) Judgement {
	var j Judgement
	kinds := m.kindsOf(p)
	if len(kinds) > 0 {
		best := 0
		for i, v := range kinds {
			if v > kinds[best] {
				best = i
			}
		}
		j.Kind = m.Kinds[best]
	}
	scores := m.names.Scores(p)
	j.Probabilities = make([]float64, p.Len())
	row := make([]float32, 0, m.blocks.Features())
	j.Words = make([]float64, p.Len())
	for i := range p.Len() {
		row = append(p.Append(row[:0], i, scores), kinds...)
		j.Probabilities[i] = m.blocks.Margin(row)
		j.Words[i] = p.Words(i)
	}
	together(p, j.Probabilities)
	for i, logit := range j.Probabilities {
		j.Probabilities[i] = boost.Sigmoid(logit)
	}
	j.Chosen, j.Expected = maincontent.Choose(j.Probabilities, j.Words)
	if i := slices.Index(m.Kinds, articleKind); i >= 0 && kinds[i] >= articleFrom {
		j.Chosen = proseOf(p, j, float64(kinds[i]))
	}
	if j.Kind == articleKind {
		leaveOut(p, j, blocks.Folded)
	}
	leaveOut(p, j, blocks.Invisible)
	j.copies = copiesOf(p, j.Chosen)
	for i, isCopy := range j.copies {
		j.Chosen[i] = j.Chosen[i] && !isCopy
	}
	return j
}

const (
	// groupShare is the part that blocks of the same markup have in the logit of one of them. On two
	// folds of WCXB it adds .002 to the F1; translations of a page, whose markup is equal, are judged more alike.
	groupShare = .6
	// A block weighs in its group by its words, up to mostWeight, and one more.
	mostWeight = 30
)

// together draws the logits of blocks with the same markup to their mean.
func together(p *blocks.Page, logits []float64) {
	sums, weights := make([]float64, p.Groups()), make([]float64, p.Groups())
	for i, logit := range logits {
		weight := min(p.Words(i), mostWeight) + 1
		sums[p.Group(i)] += float64(weight * logit)
		weights[p.Group(i)] += weight
	}
	for i, logit := range logits {
		mean := sums[p.Group(i)] / weights[p.Group(i)]
		logits[i] = float64((1-groupShare)*logit) + float64(groupShare*mean)
	}
}

const (
	// articleKind is the kind of pages of which doubtful blocks and links are left out. The greatest expected
	// F1 takes blocks of which every third is main content, such as readers' comments; a reader of an article
	// rather misses a sentence.
	articleKind = "article"
	// Where that kind is the most probable one, links are left out, if they are mostLinks of a block: headlines of other pages
	// are between the paragraphs. The least probability of a block grows from 0 where that kind has the probability articleFrom
	// to leastOfArticle at articleSure, so that pages that are nearly alike are judged alike: a page and its translation.
	articleFrom, articleSure = .1, .7
	leastOfArticle           = .65
	mostLinks                = .8
)

// leastProse is the share of the words that are expected of the chosen blocks which others than doubtful ones and links must have.
// What has less of them is a list of links, or a novel of ten thousand paragraphs, which is doubtful as a whole, and
// not to be cut to its few short ones.
const leastProse = .3

// proseOf returns the chosen blocks of a page that is an article with some probability, without those that are doubtful or
// links; all of them if little else is left.
func proseOf(p *blocks.Page, j Judgement, article float64) []bool {
	minimum := leastOfArticle * min(1, (article-articleFrom)/(articleSure-articleFrom))
	links := 1.0 // the greatest share of links in a block
	if j.Kind == articleKind {
		links = mostLinks
	}
	list := make([]bool, len(j.Chosen))
	remaining, expected := 0.0, 0.0
	for i, chosen := range j.Chosen {
		if !chosen {
			continue
		}
		words := float64(j.Probabilities[i] * j.Words[i])
		expected += words
		if list[i] = j.Probabilities[i] >= minimum && p.LinkShare(i) <= links; list[i] {
			remaining += words
		}
	}
	if remaining <= leastProse*expected {
		return j.Chosen
	}
	return list
}

// mostUnseen is the share of the chosen words that may be left out because their markup hides them. Where more is hidden, a
// script shows it: on nine articles of WCXB's development split that hide more, 74 % of the hidden words are main content,
// and none hides less. What other pages than articles fold up is main content as often as not; of hidden paragraphs 9 %
// of the words are.
const mostUnseen = .5

// leaveOut takes from the chosen blocks those that are hidden in one way, or a surer one, unless they are too many.
func leaveOut(p *blocks.Page, j Judgement, how blocks.Unseen) {
	total, unseen := 0.0, 0.0
	for i, chosen := range j.Chosen {
		if !chosen {
			continue
		}
		total += j.Words[i]
		if p.Unseen(i) >= how {
			unseen += j.Words[i]
		}
	}
	if unseen > mostUnseen*total {
		return
	}
	for i := range j.Chosen {
		j.Chosen[i] = j.Chosen[i] && p.Unseen(i) < how
	}
}

// leastCopy is the number of words from which a block may be a copy. Shorter ones, such as dates and prices, are
// the same by chance. By folds of WCXB, values from 3 to 12 do as well.
const leastCopy = 8

// copiesOf says which of the chosen blocks have the text of one that is chosen before them and is in other markup: a
// post that another one quotes, the version for telephones, what a form repeats. What is repeated with
// the same markup, such as the same parameter of two functions, is not a copy.
func copiesOf(p *blocks.Page, chosen []bool) []bool {
	list := make([]bool, len(chosen))
	originals := make([]int, len(chosen)) // by the first block with a text, the first one that is chosen, plus one
	for i := range chosen {
		if !chosen[i] || p.Words(i) < leastCopy {
			continue
		}
		original := &originals[p.First(i)]
		if *original == 0 {
			*original = i + 1
		}
		list[i] = p.Group(*original-1) != p.Group(i)
	}
	return list
}

// place says why a block that is dropped is.
func (j *Judgement) place(p *blocks.Page, i int) string {
	if j.copies[i] {
		return "copy"
	}
	return p.Place(i)
}

// kindsOf returns how probable each kind is.
func (m *Model) kindsOf(p *blocks.Page) []float32 {
	row := p.AppendPage(nil)
	kinds := make([]float32, len(m.kinds))
	for i, forest := range m.kinds {
		kinds[i] = float32(boost.Sigmoid(forest.Margin(row)))
	}
	return kinds
}
