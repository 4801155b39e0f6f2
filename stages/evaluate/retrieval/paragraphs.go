package retrieval

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/pairs/parallel"
	"sentweave/transforms/read/layout"
)

// paragraphs are texts in several languages, by what they mean.
type paragraphs struct {
	texts map[uint64]map[string]string
	// ambiguous groups have two texts in one language, such as the sentences of a
	// block: which of them belong together is not known.
	ambiguous map[uint64]bool
	// ungrouped counts pairs without a group.
	ungrouped int
}

func (p *paragraphs) add(group uint64, code, text string) {
	t := p.texts[group]
	if t == nil {
		t = map[string]string{}
		p.texts[group] = t
	}
	if existing, ok := t[code]; ok && existing != text {
		p.ambiguous[group] = true
	}
	t[code] = text
}

func (p *paragraphs) pair(r schemas.Pair) {
	if r.TextB == "" {
		return
	}
	if r.Group == nil {
		p.ungrouped++
		return
	}
	p.add(*r.Group, r.LanguageA, r.TextA)
	p.add(*r.Group, r.LanguageB, r.TextB)
}

// readParagraphs reads a dataset of pairs, or of documents, whose pages it joins
// as `sentweave pairs --kind parallel` does.
func readParagraphs(ctx context.Context, location string) (*paragraphs, *dataset.Manifest, error) {
	folder, m, err := dataset.Open(ctx, location)
	if err != nil {
		return nil, nil, fmt.Errorf("texts: %w", err)
	}
	p := &paragraphs{texts: map[uint64]map[string]string{}, ambiguous: map[uint64]bool{}}
	switch m.Plan.Schema {
	case schemas.Pair{}.Schema().Name:
		for r, err := range dataset.Rows[schemas.Pair](ctx, folder, m) {
			if err != nil {
				return nil, nil, err
			}
			p.pair(r)
		}
	case schemas.Document{}.Schema().Name:
		if err := p.documents(ctx, folder, m); err != nil {
			return nil, nil, fmt.Errorf("texts %s: %w", folder, err)
		}
	default:
		return nil, nil, fmt.Errorf("texts %s: rows of schema %s; want documents or pairs", folder, m.Plan.Schema)
	}
	return p, m, nil
}

func (p *paragraphs) documents(ctx context.Context, folder storage.Folder, m *dataset.Manifest) error {
	l, err := layout.OfPages(m)
	if err != nil {
		return err
	}
	joiner, err := parallel.New(parallel.DefaultConfig())
	if err != nil {
		return err
	}
	pages := map[string][]parallel.Page{}
	for d, err := range dataset.Rows[schemas.Document](ctx, folder, m) {
		if err != nil {
			return err
		}
		page, version, err := parallel.PageOf(l, d)
		if err != nil {
			return err
		}
		pages[page] = append(pages[page], version)
	}
	var joined parallel.Result
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		if n := len(pages[page]); n > language.MostTogether {
			return fmt.Errorf("page %.200q has %d versions, and pages of up to %d are joined: choose other --documents", page, n,
				language.MostTogether)
		}
		err := joiner.JoinBlocks(&joined, page, "", pages[page], func() error {
			for _, r := range joined.Pairs {
				p.pair(r)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// common returns the languages and, ordered by group, the texts in each of them of
// the groups that have all.
func (p *paragraphs) common(languages []string) ([]string, [][]string, error) {
	counts := map[string]int{}
	for group, texts := range p.texts {
		if p.ambiguous[group] {
			continue
		}
		for l := range texts {
			counts[l]++
		}
	}
	if len(languages) == 0 {
		languages = slices.Sorted(maps.Keys(counts))
	}
	if len(languages) < 2 {
		return nil, nil, fmt.Errorf("the texts are in %d languages %v, want at least two; %s", len(languages), languages, p.losses())
	}
	texts := make([][]string, len(languages))
	for _, group := range slices.Sorted(maps.Keys(p.texts)) {
		t := p.texts[group]
		if p.ambiguous[group] || slices.ContainsFunc(languages, func(l string) bool { return t[l] == "" }) {
			continue
		}
		for i, l := range languages {
			texts[i] = append(texts[i], t[l])
		}
	}
	if len(texts[0]) == 0 && len(languages) == 2 {
		var have []string
		for _, l := range languages {
			have = append(have, fmt.Sprintf("%s %d", l, counts[l]))
		}
		return nil, nil, fmt.Errorf("no paragraph is there in all of %s; %s; give fewer languages", strings.Join(have, ", "), p.losses())
	}
	return languages, texts, nil
}

func (p *paragraphs) losses() string {
	return fmt.Sprintf("%d groups have two texts in one language, %d pairs no group", len(p.ambiguous), p.ungrouped)
}
