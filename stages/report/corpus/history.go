package corpus

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/language"
	"sentweave/stages/report/markup"
)

// history is what came and went of the items of datasets, each made of the one before: the funnels, and rejects to read.
type history struct {
	items   string // documents, for one
	steps   []step
	rejects []rejected
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

// readHistory reads the manifests of datasets, with up to so many rejects of each step and reason.
func readHistory(ctx context.Context, line []Dataset, items string, samples int) (*history, error) {
	h := &history{items: items}
	for _, d := range line {
		funnel, err := d.Manifest.WholeFunnel(ctx, d.Folder)
		if err != nil {
			return nil, err
		}
		first := len(h.steps)
		for _, chain := range funnel.Chains {
			for _, s := range chain.Steps {
				h.steps = append(h.steps, step{d.Name, chain.Items, s})
			}
		}
		rejects, err := sampled(ctx, d, h.steps[first:], samples)
		if err != nil {
			return nil, err
		}
		h.rejects = append(h.rejects, rejects...)
	}
	return h, nil
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
		r.samples = smallest(r.samples, row, samples, func(s schemas.Reject) uint64 { return s.Rank })
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

// smallest adds an item to those with the smallest ranks, in their order, of which there are at most so many.
func smallest[T any](list []T, item T, most int, rank func(T) uint64) []T {
	place, _ := slices.BinarySearchFunc(list, rank(item), func(t T, r uint64) int { return cmp.Compare(rank(t), r) })
	if place >= most {
		return list
	}
	list = slices.Insert(list, place, item)
	return list[:min(most, len(list))]
}

// sum is the balance of a step over its languages.
func (s step) sum() (in, out int64) {
	for _, n := range s.Languages {
		in, out = in+n.In, out+n.Out
	}
	return in, out
}

// chain are the steps of the items, in their order.
func (h *history) chain() (list []step) {
	for _, s := range h.steps {
		if s.items == h.items {
			list = append(list, s)
		}
	}
	return list
}

// column is one more column of the table by language.
type column struct {
	name string
	of   func(code string) int64
}

// funnelBlocks show what each step kept. The items are counts of what is left, by language.
func (h *history) funnelBlocks(items map[string]int64, more ...column) []markup.Block {
	var after []keyCount
	var ends []step // the last step of each dataset
	for i, s := range h.chain() {
		in, out := s.sum()
		if i == 0 {
			after = append(after, keyCount{s.dataset + ": all", in})
		}
		if in != out {
			after = append(after, keyCount{fmt.Sprintf("%s: after %s", s.dataset, s.Name), out})
		}
		if n := len(ends); n > 0 && ends[n-1].dataset == s.dataset {
			ends = ends[:n-1]
		}
		ends = append(ends, s)
	}
	codes := h.codes(items)
	blocks := []markup.Block{bars(capitalized(h.items)+" that each step kept; a step that dropped none has no bar", after),
		h.languageTable(codes, ends, more)}
	steps := markup.Table{Columns: []markup.Column{{Name: "Language"}, {Name: "Dataset"}, {Name: "Items"}, {Name: "Step"},
		{Name: "In", Number: true}, {Name: "Out", Number: true}, {Name: "Dropped"}}}
	for _, code := range codes[:min(mostFunnels, len(codes))] {
		for _, s := range h.steps {
			n, ok := s.Languages[code]
			if !ok || n.In == n.Out {
				continue
			}
			var reasons []string
			for _, r := range byCount(n.Dropped) {
				reasons = append(reasons, excerpt.Characters(r.key, mostCharacters)+" "+markup.Count(r.n))
			}
			steps.Rows = append(steps.Rows, markup.Cells(nameOf(code), s.dataset, s.items, s.Name, markup.Count(n.In),
				markup.Count(n.Out), strings.Join(reasons, ", ")))
			steps.Languages = append(steps.Languages, code)
		}
	}
	if len(steps.Rows) > 0 {
		blocks = append(blocks, markup.Folded{Summary: fmt.Sprintf("What each step dropped, by reason, of the %d largest languages",
			min(mostFunnels, len(codes))), Blocks: []markup.Block{steps}})
	}
	return blocks
}

// codes are the languages, or pairs of them, those with the most items first.
func (h *history) codes(items map[string]int64) (list []string) {
	counts := maps.Clone(items)
	for _, s := range h.chain() {
		for code := range s.Languages {
			counts[code] += 0 // those of which nothing is left come last
		}
	}
	for _, k := range byCount(counts) {
		list = append(list, k.key)
	}
	return list
}

// languageTable has a row for each language, with what came in and what each dataset kept.
func (h *history) languageTable(codes []string, ends []step, more []column) markup.Table {
	t := markup.Table{Caption: capitalized(h.items) + " by language", Columns: []markup.Column{{Name: "Language"}}, Sortable: true}
	steps := h.chain()
	if len(steps) > 0 {
		t.Columns = append(t.Columns, markup.Column{Name: "In", Number: true})
	}
	for _, s := range ends {
		t.Columns = append(t.Columns, markup.Column{Name: s.dataset, Number: true})
	}
	for _, c := range more {
		t.Columns = append(t.Columns, markup.Column{Name: c.name, Number: true})
	}
	for _, code := range codes[:min(mostLanguages, len(codes))] {
		row := []markup.Cell{{Text: nameOf(code)}}
		if row[0].Text != code {
			row[0].Detail = code
		}
		if len(steps) > 0 {
			row = append(row, markup.Cell{Text: markup.Count(steps[0].Languages[code].In)})
		}
		for _, s := range ends {
			row = append(row, markup.Cell{Text: markup.Count(s.Languages[code].Out)})
		}
		for _, c := range more {
			row = append(row, markup.Cell{Text: markup.Count(c.of(code))})
		}
		t.Rows = append(t.Rows, row)
	}
	if rest := len(codes) - len(t.Rows); rest > 0 {
		t.Note = fmt.Sprintf("%s more: %s has all.", markup.Counted(rest, "language", "languages"), TableName)
	}
	return t
}

// nameOf is the name of a language, or the codes of a pair of them.
func nameOf(code string) string {
	if a, b, pair := strings.Cut(code, "-"); pair && language.Valid(a) && language.Valid(b) {
		return code
	}
	return language.Name(code)
}

func capitalized(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// rejectTable shows rejects, of which a reader may choose a language.
func (h *history) rejectTable() markup.Table {
	t := markup.Table{Columns: []markup.Column{{Name: "Dataset"}, {Name: "Step"}, {Name: "Reason"}, {Name: "Dropped", Number: true},
		{Name: "Language"}, {Name: "Measure"}, {Name: "Text"}}}
	for _, r := range h.rejects[:min(mostReasons, len(h.rejects))] {
		for _, s := range r.samples {
			row := markup.Cells(r.dataset, r.step, excerpt.Characters(r.reason, mostCharacters), markup.Count(r.dropped),
				nameOf(s.Language), excerpt.Characters(s.Detail, mostCharacters), excerpt.Characters(s.Sample, mostCharacters))
			row[len(row)-1].Detail = excerpt.Characters(s.Source, mostCharacters)
			t.Rows, t.Languages = append(t.Rows, row), append(t.Languages, s.Language)
		}
	}
	if rest := len(h.rejects) - mostReasons; rest > 0 {
		t.Note = fmt.Sprintf("%s not shown: `sentweave inspect DATASET --rejects` prints them.",
			markup.Counted(rest, "more reason is", "more reasons are"))
	}
	return t
}
