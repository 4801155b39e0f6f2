package trained

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/clean/maincontent/boost"
	"sentweave/transforms/clean/maincontent/disguise"
	"sentweave/transforms/clean/maincontent/reference"
	"sentweave/transforms/read/html"
)

// Sample is a page with the text that is its main content.
type Sample struct {
	Page *blocks.Page
	// Domain is that of the page's address, or the like: pages of one domain look alike.
	Domain string
	// Kind is the kind of the page, "" where nobody says.
	Kind string

	other           *blocks.Page // in another script, nil for about half of them
	names           *blocks.NameList
	labels, weights []float32
}

// NewSample describes a page and labels its blocks: the label of a block is the share of its
// words that the text has. Pages of every second domain are trained on in another script, too (package disguise): what
// differs between scripts, such as capitals, then decides less.
func NewSample(page *html.Page, text, domain, kind string) *Sample {
	s := &Sample{Page: blocks.Describe(page), Domain: domain, Kind: kind}
	s.names = s.Page.NameList()
	if write := disguise.ForDomain(domain); write != nil {
		s.other = blocks.DescribeAs(page, write)
	}
	shares, length := reference.Labels(text, maincontent.Lines(page))
	s.labels, s.weights = shares, make([]float32, len(shares))
	for i := range shares {
		s.weights[i] = reference.Weight(s.Page.Words(i), length)
	}
	return s
}

// pages are those that the sample trains on.
func (s *Sample) pages() []*blocks.Page {
	if s.other == nil {
		return []*blocks.Page{s.Page}
	}
	return []*blocks.Page{s.Page, s.other}
}

// Config is the configuration of a training.
type Config struct {
	// Trees is the configuration of the trees that judge blocks, and Kinds of those that tell
	// kinds of pages. Seeds and threads are those below.
	Trees, Kinds boost.Config
	// Threads is how many goroutines work at once. It does not change the result.
	Threads int
	Seed    uint64
}

// DefaultConfig returns the configuration that did best on WCXB.
func DefaultConfig() Config {
	c := Config{Trees: boost.DefaultConfig(), Kinds: boost.DefaultConfig(), Threads: 1, Seed: 1}
	c.Trees.Trees, c.Trees.Leaves, c.Trees.Rate = 400, 15, .04
	c.Kinds.Trees, c.Kinds.Leaves, c.Kinds.MinRows, c.Kinds.MinHessian, c.Kinds.L2 = 200, 8, 10, .5, 1
	return c
}

// innerFolds is the number of parts of the pages of a training: what the trees get from
// the other models is what those say of pages that they have not seen.
const innerFolds = 5

// Fold returns the part, of n, that a domain belongs to.
func Fold(domain string, n int) int { return int(xxh3.HashString(domain) % uint64(n)) }

// Train trains a model. The same samples in the same order, and the same configuration
// but for Threads, give the same bytes. It takes some minutes for a thousand pages, and memory of about 2 kB for each of their blocks.
func Train(ctx context.Context, samples []*Sample, about Provenance, c Config) (*Model, error) {
	m := &Model{Provenance: about}
	m.Pages, m.Blocks, m.Kinds = len(samples), 0, nil
	for _, s := range samples {
		m.Blocks += s.Page.Len()
		if s.Kind != "" {
			m.Kinds = append(m.Kinds, s.Kind)
		}
	}
	slices.Sort(m.Kinds)
	m.Kinds = slices.Compact(m.Kinds)
	if m.Blocks == 0 {
		return nil, errors.New("there is no block to train on")
	}
	c.Trees.Seed, c.Kinds.Seed, c.Trees.Threads, c.Kinds.Threads = c.Seed, c.Seed, c.Threads, c.Threads
	columns := make([][]float32, len(blocks.Names())+len(m.Kinds))
	for i := range columns {
		columns[i] = make([]float32, 0, m.Blocks)
	}
	var labels, weights []float32
	var row []float32
	for fold := range innerFolds {
		inside, outside := part(samples, fold)
		if len(inside) == 0 {
			continue
		}
		if len(outside) == 0 {
			return nil, errors.New("all pages are of one domain, or of so few that none are left to learn from: give pages of more domains")
		}
		first, err := m.firstModels(ctx, outside, c)
		if err != nil {
			return nil, err
		}
		for _, s := range inside {
			for _, p := range s.pages() {
				scores, kinds := first.names.Scores(p), first.kindsOf(p)
				for i := range p.Len() {
					row = append(p.Append(row[:0], i, scores), kinds...)
					for k, v := range row {
						columns[k] = append(columns[k], v)
					}
				}
				labels, weights = append(labels, s.labels...), append(weights, s.weights...)
			}
		}
	}
	first, err := m.firstModels(ctx, samples, c)
	if err != nil {
		return nil, err
	}
	m.names, m.kinds = first.names, first.kinds
	table, err := boost.NewTable(columns)
	if err != nil {
		return nil, err
	}
	if m.blocks, err = boost.Fit(ctx, table, labels, weights, c.Trees); err != nil {
		return nil, err
	}
	return m, m.seal()
}

// part returns the samples of an inner fold, and the others.
func part(samples []*Sample, fold int) (inside, outside []*Sample) {
	for _, s := range samples {
		if Fold("inner "+s.Domain, innerFolds) == fold {
			inside = append(inside, s)
		} else {
			outside = append(outside, s)
		}
	}
	return inside, outside
}

// firstModels trains the models whose outputs the trees judge by.
func (m *Model) firstModels(ctx context.Context, samples []*Sample, c Config) (*Model, error) {
	first := &Model{}
	var examples []blocks.Example
	for _, s := range samples {
		examples = append(examples, blocks.Example{Names: s.names, Labels: s.labels, Weights: s.weights})
	}
	var err error
	if first.names, err = blocks.FitLinear(ctx, examples, c.Seed, boost.Sigmoid); err != nil {
		return nil, err
	}
	for _, kind := range m.Kinds {
		var columns [][]float32
		var labels, weights []float32
		for _, s := range samples {
			if s.Kind == "" {
				continue
			}
			label := float32(0)
			if s.Kind == kind {
				label = 1
			}
			for _, p := range s.pages() {
				row := p.AppendPage(nil)
				if columns == nil {
					columns = make([][]float32, len(row))
				}
				for k, v := range row {
					columns[k] = append(columns[k], v)
				}
				labels, weights = append(labels, label), append(weights, 1)
			}
		}
		table, err := boost.NewTable(columns)
		if err != nil {
			return nil, fmt.Errorf("kinds of pages: %w", err)
		}
		forest, err := boost.Fit(ctx, table, labels, weights, c.Kinds)
		if err != nil {
			return nil, err
		}
		first.kinds = append(first.kinds, forest)
	}
	return first, nil
}
