package maincontent

import (
	"context"
	"fmt"
	"strings"

	"sentweave/transforms/clean/maincontent/boost"
	"sentweave/transforms/clean/maincontent/lines"
	"sentweave/transforms/clean/maincontent/reference"
	"sentweave/transforms/clean/maincontent/trained"
)

// Bare are labelled pages reduced to their text: each block is a line, of which nothing else is known.
type Bare struct {
	*Data
	texts   [][]string      // nil of pages that cannot be parsed
	samples []*lines.Sample // as well
}

// Bare reduces pages to their text.
func (d *Data) Bare() *Bare {
	b := &Bare{Data: d, texts: make([][]string, len(d.Pages)), samples: make([]*lines.Sample, len(d.Pages))}
	for i, p := range d.Pages {
		if p.Sample == nil {
			continue
		}
		for k := range p.Sample.Page.Len() {
			b.texts[i] = append(b.texts[i], p.Sample.Page.Text(k))
		}
		b.samples[i] = lines.NewSample(b.texts[i], p.Reference, p.Domain)
	}
	return b
}

// Train trains a model of lines on all pages but those of a fold; -1 is none.
func (b *Bare) Train(ctx context.Context, fold int, record lines.Provenance, c boost.Config) (*lines.Model, error) {
	var list []*lines.Sample
	for i, p := range b.Pages {
		if b.samples[i] != nil && trained.Fold(p.Domain, Folds) != fold {
			list = append(list, b.samples[i])
		}
	}
	return lines.Train(ctx, list, record, c)
}

// Evaluate scores models of lines on pages of domains that they were not trained on, as the
// function Evaluate does.
func (b *Bare) Evaluate(ctx context.Context, c boost.Config, observe func(fold int)) (System, error) {
	s := System{Name: "model of lines, by folds", Scores: make([]reference.Score, len(b.Pages))}
	for fold := range Folds {
		m, err := b.Train(ctx, fold, lines.Provenance{}, c)
		if err != nil {
			return s, fmt.Errorf("train without fold %d of %d: %w", fold+1, Folds, err)
		}
		for i, p := range b.Pages {
			if trained.Fold(p.Domain, Folds) == fold {
				s.Scores[i] = b.score(i, b.chosen(i, m))
			}
		}
		observe(fold)
	}
	return s, nil
}

// Score scores a model of lines that is there already.
func (b *Bare) Score(ctx context.Context, m *lines.Model) (System, error) {
	s := System{Name: "model of lines"}
	for i := range b.Pages {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		s.Scores = append(s.Scores, b.score(i, b.chosen(i, m)))
	}
	return s, nil
}

func (b *Bare) chosen(i int, m *lines.Model) []bool {
	if b.samples[i] == nil {
		return nil
	}
	return m.Judge(b.samples[i].Page).Chosen
}

// score scores the lines of page i that are chosen.
func (b *Bare) score(i int, chosen []bool) reference.Score {
	var text strings.Builder
	for k, selected := range chosen {
		if selected {
			text.WriteString(b.texts[i][k])
			text.WriteByte('\n')
		}
	}
	return reference.Compare(text.String(), b.Pages[i].Reference)
}

// Others scores what needs no training: no filter at all, and jusText's rules.
func (b *Bare) Others() []System {
	baseline, rules := System{Name: "all lines"}, System{Name: "jusText's rules, for any language"}
	for i, texts := range b.texts {
		selection := make([]bool, len(texts))
		for k := range selection {
			selection[k] = true
		}
		baseline.Scores = append(baseline.Scores, b.score(i, selection))
		rules.Scores = append(rules.Scores, b.score(i, jusText(texts)))
	}
	return []System{baseline, rules}
}

// Classes of jusText.
const (
	bad = iota
	short
	nearGood
	good
)

// Lengths of jusText, in characters.
const (
	shortLength = 70
	goodLength  = 200
)

// jusText returns the lines that jusText (Pomikálek 2011) keeps where it knows of no links, no headings and
// no stop words: what its documentation gives for any language. Lines of 200 characters are good and of
// 70 nearly so; those between take after the lines around them.
func jusText(texts []string) []bool {
	first := make([]int, len(texts))
	for i, t := range texts {
		switch n := len([]rune(t)); {
		case strings.Contains(t, "©"):
			first[i] = bad
		case n < shortLength:
			first[i] = short
		case n > goodLength:
			first[i] = good
		default:
			first[i] = nearGood
		}
	}
	// around returns the class of the nearest line in a direction that decides.
	around := func(classes []int, i, step int, skipNear bool) int {
		for i += step; i >= 0 && i < len(classes); i += step {
			if classes[i] == good || classes[i] == bad || classes[i] == nearGood && !skipNear {
				return classes[i]
			}
		}
		return bad
	}
	second := append([]int(nil), first...)
	for i, class := range first {
		if class != short {
			continue
		}
		previous, next := around(first, i, -1, true), around(first, i, 1, true)
		switch {
		case previous == next:
			second[i] = previous
		case previous == bad && around(first, i, -1, false) == nearGood, next == bad && around(first, i, 1, false) == nearGood:
			second[i] = good
		default:
			second[i] = bad
		}
	}
	selected := make([]bool, len(texts))
	for i, class := range second {
		if class == nearGood && (around(second, i, -1, true) == good || around(second, i, 1, true) == good) {
			class = good
		}
		selected[i] = class == good
	}
	return selected
}
