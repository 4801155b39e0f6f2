package lines

import (
	"context"
	"errors"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/clean/maincontent/boost"
	"sentweave/transforms/clean/maincontent/disguise"
	"sentweave/transforms/clean/maincontent/reference"
)

// Sample is a page with the share of each line that is main content.
type Sample struct {
	Page *Page
	// Domain is that of the page's address, or the like: pages of one domain look alike.
	Domain string

	other           *Page // in another script, nil for most
	labels, weights []float32
}

// disguisedWeight is what a page counts that is trained on in another script.
const disguisedWeight = 2

// NewSample describes the lines of a page and labels them: the label of a line is the share of its
// words that the text has.
func NewSample(texts []string, text, domain string) *Sample {
	s := &Sample{Page: Describe(texts), Domain: domain, weights: make([]float32, len(texts))}
	var length int
	s.labels, length = reference.Labels(text, texts)
	for i := range texts {
		s.weights[i] = reference.Weight(s.Page.Words(i), length)
	}
	if write := disguise.ForDomain(domain); write != nil {
		disguised := make([]string, len(texts))
		for i, t := range texts {
			disguised[i] = write(t)
		}
		s.other = Describe(disguised)
	}
	return s
}

// pages are those that the sample trains on.
func (s *Sample) pages() []*Page {
	if s.other == nil {
		return []*Page{s.Page}
	}
	return []*Page{s.Page, s.other}
}

// Config returns the configuration of the trees that did best on WCXB.
func Config() boost.Config {
	c := boost.DefaultConfig()
	c.Trees, c.Leaves, c.Rate = 200, 31, .06
	return c
}

// innerFolds is the number of parts of the pages of a training: the scores that the trees get are
// those of pages that the linear model has not seen.
const innerFolds = 3

// Train trains a model. The same samples in the same order, and the same configuration but for Threads,
// give the same bytes. It takes some minutes for a thousand pages, and memory of about 1 kB for each of their lines.
func Train(ctx context.Context, samples []*Sample, about Provenance, c boost.Config) (*Model, error) {
	m := &Model{Provenance: about}
	m.Pages, m.Lines = len(samples), 0
	for _, s := range samples {
		m.Lines += s.Page.Len()
	}
	if m.Lines == 0 {
		return nil, errors.New("there is no line to train on")
	}
	columns := make([][]float32, len(Names()))
	var labels, weights, row []float32
	for fold := range innerFolds {
		inside := func(s *Sample) bool { return xxh3.HashString("inner "+s.Domain)%innerFolds == uint64(fold) }
		characters, err := linear(ctx, samples, func(s *Sample) bool { return !inside(s) }, c.Seed)
		if err != nil {
			return nil, err
		}
		for _, s := range samples {
			if !inside(s) {
				continue
			}
			for _, p := range s.pages() {
				scores := p.scored(characters.Judge(p.runs))
				for i := range p.Len() {
					row = scores.append(p.append(row[:0], i), i)
					for k, v := range row {
						columns[k] = append(columns[k], v)
					}
				}
				labels = append(labels, s.labels...)
				for _, w := range s.weights {
					if p == s.other {
						w *= disguisedWeight
					}
					weights = append(weights, w)
				}
			}
		}
	}
	var err error
	if m.characters, err = linear(ctx, samples, func(*Sample) bool { return true }, c.Seed); err != nil {
		return nil, err
	}
	table, err := boost.NewTable(columns)
	if err != nil {
		return nil, err
	}
	if m.forest, err = boost.Fit(ctx, table, labels, weights, c); err != nil {
		return nil, err
	}
	return m, m.seal()
}

// linear fits the model of runs of characters to those samples that pass, in their own script.
func linear(ctx context.Context, samples []*Sample, passes func(*Sample) bool, seed uint64) (*blocks.Linear, error) {
	var examples []blocks.Example
	for _, s := range samples {
		if passes(s) {
			examples = append(examples, blocks.Example{Names: s.Page.runs, Labels: s.labels, Weights: s.weights})
		}
	}
	return blocks.FitLinear(ctx, examples, seed, boost.Sigmoid)
}
