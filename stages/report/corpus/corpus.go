// Package corpus counts a dataset of documents, and shows what of the pages came so far: the funnels of the dataset and of those that
// it was made of, rejects to read, lengths, scores, domains, dates, rights and near duplicates.
//
// The documents are read once, or twice if they have more than 262,144 domains. Memory does not grow with them, and neither their order nor
// that of the shards changes anything.
package corpus

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Dataset is a dataset of documents.
type Dataset struct {
	Name     string
	Folder   storage.Folder
	Manifest *dataset.Manifest
}

// Corpus is what is known of a dataset of documents and of those that it was made of.
type Corpus struct {
	steps   []step
	rejects []rejected
	counts  *counts
	bytes   int64
}

// step is a step of the funnel of a dataset. The first one of all counts what came in.
type step struct {
	dataset, items string
	dataset.Step
}

// rejected are the samples of what a step dropped for a reason.
type rejected struct {
	dataset, step, reason string
	dropped               int64
	samples               []schemas.Reject
}

// Read reads datasets, each made of the one before: the manifests of all, with up to so many rejects of each step and reason, and the
// documents of the last.
func Read(ctx context.Context, line []Dataset, samples int) (*Corpus, error) {
	c := &Corpus{bytes: line[len(line)-1].Manifest.Bytes}
	for _, d := range line {
		funnel, err := d.Manifest.WholeFunnel(ctx, d.Folder)
		if err != nil {
			return nil, err
		}
		first := len(c.steps)
		for _, chain := range funnel.Chains {
			for _, s := range chain.Steps {
				c.steps = append(c.steps, step{d.Name, chain.Items, s})
			}
		}
		rejects, err := sampled(ctx, d, c.steps[first:], samples)
		if err != nil {
			return nil, err
		}
		c.rejects = append(c.rejects, rejects...)
	}
	var err error
	c.counts, err = count(ctx, line[len(line)-1])
	return c, err
}

// sampled are the rejects of a dataset with the smallest ranks, in the order of its steps, the commonest reasons first.
func sampled(ctx context.Context, d Dataset, steps []step, samples int) (list []rejected, err error) {
	type kind struct{ step, reason string }
	kinds := map[kind]*rejected{}
	for _, s := range steps {
		for _, n := range s.Languages {
			for reason, dropped := range n.Dropped {
				k := kind{s.Name, reason}
				if kinds[k] == nil {
					kinds[k] = &rejected{dataset: d.Name, step: s.Name, reason: reason}
				}
				kinds[k].dropped += dropped
			}
		}
	}
	for row, err := range d.Manifest.SampledRejects(ctx, d.Folder) {
		if err != nil {
			return nil, fmt.Errorf("rejects: %w", err)
		}
		r := kinds[kind{row.Step, row.Reason}]
		if r == nil { // of a file that is damaged
			continue
		}
		at, _ := slices.BinarySearchFunc(r.samples, row.Rank, func(s schemas.Reject, rank uint64) int { return cmp.Compare(s.Rank, rank) })
		if at < samples {
			r.samples = slices.Insert(r.samples, at, row)
			r.samples = r.samples[:min(samples, len(r.samples))]
		}
	}
	order := map[string]int{}
	for i, s := range slices.Backward(steps) {
		order[s.Name] = i
	}
	for _, r := range kinds {
		if len(r.samples) > 0 {
			list = append(list, *r)
		}
	}
	slices.SortFunc(list, func(a, b rejected) int {
		return cmp.Or(cmp.Compare(order[a.step], order[b.step]), cmp.Compare(b.dropped, a.dropped), cmp.Compare(a.reason, b.reason))
	})
	return list, nil
}

// sum is the balance of a step over its languages.
func (s step) sum() (in, out int64) {
	for _, n := range s.Languages {
		in, out = in+n.In, out+n.Out
	}
	return in, out
}

// documents are the steps of documents, in their order.
func (c *Corpus) documents() (list []step) {
	for _, s := range c.steps {
		if s.items == "documents" {
			list = append(list, s)
		}
	}
	return list
}
