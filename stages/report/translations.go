package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/stages/report/markup"
)

// translations is what a dataset of translations holds, by pairs of languages in
// their order.
type translations struct {
	Name  string
	Pairs []translatedPair
}

// translatedPair is the translations from one language into another.
type translatedPair struct {
	Source, Target string
	// Engines that made them, with their models, in their order.
	Engines []string
	// Rows counts all of them, OK those that may be used.
	Rows, OK int64
	Accepted []translationSample
	// Rejected are the others, the most frequent reason first.
	Rejected []rejectedTranslations
}

// rejectedTranslations are those of one reason.
type rejectedTranslations struct {
	Reason  string
	Rows    int64
	Samples []translationSample
}

// translationSample is a text with its translation.
type translationSample struct {
	Text, Translation string
	rank              uint64
}

// name is that of the pair: "eng-spa".
func (p translatedPair) name() string { return p.Source + "-" + p.Target }

// readTranslations counts the rows of a dataset. Those with the smallest hashes of
// their keys are kept as samples, so that the choice depends on neither order nor
// shards. The dataset is read once; memory is that of the samples.
func readTranslations(ctx context.Context, name, location string, accepted, rejected int) (translations, error) {
	t := translations{Name: name}
	folder, m, err := dataset.OpenAs[schemas.Translation](ctx, location)
	if err != nil {
		return t, err
	}
	pairs := map[[2]string]*pairCount{}
	for row, err := range dataset.Rows[schemas.Translation](ctx, folder, m) {
		if err != nil {
			return t, err
		}
		key := [2]string{row.SourceLanguage, row.TargetLanguage}
		p := pairs[key]
		if p == nil {
			p = &pairCount{pair: translatedPair{Source: key[0], Target: key[1]}, engines: map[[2]string]bool{},
				reasons: map[string]*rejectedTranslations{}}
			pairs[key] = p
		}
		p.add(row, accepted, rejected)
	}
	for _, p := range pairs {
		t.Pairs = append(t.Pairs, p.result())
	}
	slices.SortFunc(t.Pairs, func(a, b translatedPair) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target))
	})
	return t, nil
}

// pairCount is a pair that is being counted.
type pairCount struct {
	pair    translatedPair
	engines map[[2]string]bool
	reasons map[string]*rejectedTranslations
}

func (p *pairCount) add(row schemas.Translation, accepted, rejected int) {
	p.pair.Rows++
	p.engines[[2]string{row.Engine, row.Model}] = true
	rank := xxh3.HashString(row.Key)
	sample := func() translationSample { return translationSample{shorten(row.Text), shorten(row.Translation), rank} }
	if row.Status == schemas.TranslationOK {
		p.pair.OK++
		p.pair.Accepted = keepSmallest(p.pair.Accepted, rank, accepted, sample)
		return
	}
	r := p.reasons[row.Reason]
	if r == nil {
		r = &rejectedTranslations{Reason: row.Reason}
		p.reasons[row.Reason] = r
	}
	r.Rows++
	r.Samples = keepSmallest(r.Samples, rank, rejected, sample)
}

func (p *pairCount) result() translatedPair {
	for engine := range p.engines {
		p.pair.Engines = append(p.pair.Engines, strings.TrimSpace(engine[0]+" "+engine[1]))
	}
	slices.Sort(p.pair.Engines)
	for _, r := range p.reasons {
		p.pair.Rejected = append(p.pair.Rejected, *r)
	}
	slices.SortFunc(p.pair.Rejected, func(a, b rejectedTranslations) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Reason, b.Reason))
	})
	return p.pair
}

// keepSmallest adds a sample to those of the k smallest ranks, in their order.
func keepSmallest(samples []translationSample, rank uint64, k int, sample func() translationSample) []translationSample {
	index, _ := slices.BinarySearchFunc(samples, rank, func(s translationSample, rank uint64) int { return cmp.Compare(s.rank, rank) })
	if index >= k {
		return samples
	}
	samples = slices.Insert(samples, index, sample())
	return samples[:min(len(samples), k)]
}

// shownCharacters is the number of characters of a text that are shown.
const shownCharacters = 300

// shorten returns what is shown of a text, without holding on to the row.
func shorten(text string) string { return strings.Clone(excerpt.Characters(text, shownCharacters)) }

// blocks shows the counts of all pairs, then samples of each.
func (t translations) blocks() []markup.Block {
	reasons := map[string]int64{}
	for _, p := range t.Pairs {
		for _, r := range p.Rejected {
			reasons[r.Reason] += r.Rows
		}
	}
	columns := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	})
	counts := markup.Table{Columns: []markup.Column{{Name: "Languages"}, {Name: "Rows", Number: true}, {Name: "OK", Number: true},
		{Name: "Rejected", Number: true}}}
	if len(columns) > 0 {
		counts.Note = "Rejected translations are kept with the reason, so that they are not asked for again."
	}
	for _, reason := range columns {
		counts.Columns = append(counts.Columns, markup.Column{Name: reason, Number: true})
	}
	blocks := []markup.Block{nil} // the counts, which are filled in on the way
	for _, p := range t.Pairs {
		cells := []markup.Cell{{Text: p.name(), Detail: strings.Join(p.Engines, ", ")}, {Text: markup.Count(p.Rows)},
			{Text: markup.Count(p.OK)}, {Text: markup.Count(p.Rows - p.OK), Detail: markup.Percent(float64(p.Rows-p.OK)/float64(p.Rows)) +
				" %"}}
		for _, reason := range columns {
			cell := markup.Cell{Text: "0"}
			for _, r := range p.Rejected {
				if r.Reason == reason {
					cell.Text = markup.Count(r.Rows)
				}
			}
			cells = append(cells, cell)
		}
		counts.Rows = append(counts.Rows, cells)
		samples := markup.Samples{Caption: fmt.Sprintf("%s into %s", language.Name(p.Source), language.Name(p.Target)), Source: p.Source,
			Target: p.Target}
		for _, s := range p.Accepted {
			samples.Rows = append(samples.Rows, markup.SampleRow{Text: s.Text, Translation: s.Translation, Verdict: ""})
		}
		for _, r := range p.Rejected {
			for _, s := range r.Samples {
				samples.Rows = append(samples.Rows, markup.SampleRow{Text: s.Text, Translation: s.Translation, Verdict: r.Reason})
			}
		}
		if len(samples.Rows) > 0 {
			blocks = append(blocks, samples)
		}
	}
	blocks[0] = counts
	return blocks
}

// TranslationSummary is the counts of a pair in the summary.
type TranslationSummary struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Target string `json:"target"`
	Rows   int64  `json:"rows"`
	OK     int64  `json:"ok"`
	// Rejected counts the others by their reasons.
	Rejected map[string]int64 `json:"rejected,omitempty"`
}

func (t translations) summary() (list []TranslationSummary) {
	for _, p := range t.Pairs {
		s := TranslationSummary{Name: t.Name, Source: p.Source, Target: p.Target, Rows: p.Rows, OK: p.OK}
		for _, r := range p.Rejected {
			if s.Rejected == nil {
				s.Rejected = map[string]int64{}
			}
			s.Rejected[r.Reason] = r.Rows
		}
		list = append(list, s)
	}
	return list
}

// labelled is a location with the name by which it is shown.
type labelled struct{ name, location string }

// parseLabelled reads NAME=DIR, or DIR, whose last part is the name. All names differ.
func parseLabelled(flag string, values []string) (list []labelled, err error) {
	names := map[string]bool{}
	var errs fault.List
	for _, value := range values {
		name, location, ok := strings.Cut(value, "=")
		if !ok || strings.ContainsAny(name, `/\`) {
			name, location = path.Base(strings.TrimRight(strings.ReplaceAll(value, `\`, "/"), "/")), value
		}
		switch {
		case name == "" || location == "" || !utf8.ValidString(name):
			errs.Addf("%s %q: want DIR or NAME=DIR", flag, value)
		case names[name]:
			errs.Addf("%s: two have the name %q; tell them apart by NAME=DIR", flag, name)
		}
		names[name] = true
		list = append(list, labelled{name, location})
	}
	return list, errs.Err()
}
