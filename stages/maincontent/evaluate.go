package maincontent

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sentweave/transforms/clean/maincontent/reference"
	"sentweave/transforms/clean/maincontent/trained"
)

// System is a way to find main content, with what it scored on each page.
type System struct {
	Name   string
	Scores []reference.Score
}

// Folds is the number of parts that Evaluate cuts pages into.
const Folds = 5

// Evaluate scores models on pages of domains that they were not trained on: the
// pages are cut into Folds parts by domain, and each part is judged by a model of the others.
// Observe is called with each fold that is done.
func Evaluate(ctx context.Context, d *Data, c trained.Config, observe func(fold int)) (System, error) {
	s := System{Name: "model, by folds", Scores: make([]reference.Score, len(d.Pages))}
	for fold := range Folds {
		m, err := trained.Train(ctx, d.samples(func(p *Page) bool { return trained.Fold(p.Domain, Folds) != fold }), trained.Provenance{},
			c)
		if err != nil {
			return s, fmt.Errorf("train without fold %d of %d: %w", fold+1, Folds, err)
		}
		for i, p := range d.Pages {
			if trained.Fold(p.Domain, Folds) == fold {
				s.Scores[i] = reference.Compare(p.text(m), p.Reference)
			}
		}
		observe(fold)
	}
	return s, nil
}

// samples are those of the pages that pass.
func (d *Data) samples(passes func(*Page) bool) (list []*trained.Sample) {
	for _, p := range d.Pages {
		if p.Sample != nil && passes(p) {
			list = append(list, p.Sample)
		}
	}
	return list
}

// text is what a model finds.
func (p *Page) text(m *trained.Model) string {
	if p.Sample == nil {
		return ""
	}
	var text strings.Builder
	for i, chosen := range m.Judge(p.Sample.Page).Chosen {
		if chosen {
			text.WriteString(p.Sample.Page.Text(i))
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// Score scores a model that is there already.
func Score(ctx context.Context, d *Data, m *trained.Model) (System, error) {
	s := System{Name: "model"}
	for _, p := range d.Pages {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		s.Scores = append(s.Scores, reference.Compare(p.text(m), p.Reference))
	}
	return s, nil
}

// Everything scores all text of pages.
func Everything(d *Data) System {
	s := System{Name: "all text"}
	for _, p := range d.Pages {
		var text strings.Builder
		if p.Sample != nil {
			for i := range p.Sample.Page.Len() {
				text.WriteString(p.Sample.Page.Text(i))
				text.WriteByte('\n')
			}
		}
		s.Scores = append(s.Scores, reference.Compare(text.String(), p.Reference))
	}
	return s
}

// Row is a line of a table: means over the pages of a kind.
type Row struct {
	Kind  string
	Pages int
	reference.Score
}

// Rows are the means of a system over all pages, of kind "", and over those of each kind.
func (d *Data) Rows(s System) []Row { return d.rows(s, func(p *Page) string { return p.Kind }) }

// rows are those of all pages, and of each kind that kindOf gives.
func (d *Data) rows(s System, kindOf func(*Page) string) []Row {
	sums := map[string]*Row{"": {}}
	for i, p := range d.Pages {
		kinds := []string{""}
		if kind := kindOf(p); kind != "" {
			kinds = append(kinds, kind)
		}
		for _, kind := range kinds {
			r := sums[kind]
			if r == nil {
				r = &Row{Kind: kind}
				sums[kind] = r
			}
			r.Pages++
			r.F1 += s.Scores[i].F1
			r.Precision += s.Scores[i].Precision
			r.Recall += s.Scores[i].Recall
		}
	}
	var rows []Row
	for _, kind := range slices.Sorted(maps.Keys(sums)) {
		r, n := *sums[kind], float64(max(1, sums[kind].Pages))
		r.F1, r.Precision, r.Recall = r.F1/n, r.Precision/n, r.Recall/n
		rows = append(rows, r)
	}
	return rows
}

// difference is the mean difference of F1 between two systems over pages, and its standard error.
func difference(a, b System) (mean, standardError float64) {
	n := float64(len(a.Scores))
	squares := 0.0
	for i := range a.Scores {
		d := a.Scores[i].F1 - b.Scores[i].F1
		mean += d / n
		squares += d * d / n
	}
	return mean, math.Sqrt(max(0, squares-mean*mean) / n)
}

// Result is what a system scored.
type Result struct {
	System string
	All    Row
	Kinds  []Row
	// Languages are rows of the languages that pages declare.
	Languages []Row
	// Difference is the mean F1 of the first system less that of this one, over pages.
	Difference, StandardError float64
}

// Table compares systems.
func (d *Data) Table(systems []System) (list []Result) {
	for _, s := range systems {
		rows := d.Rows(s)
		languages := d.rows(s, func(p *Page) string { return p.Language })
		r := Result{System: s.Name, All: rows[0], Kinds: rows[1:], Languages: languages[1:]}
		r.Difference, r.StandardError = difference(systems[0], s)
		list = append(list, r)
	}
	return list
}
