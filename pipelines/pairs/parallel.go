package pairs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/language"
	"sentweave/transforms/pairs/parallel"
	"sentweave/transforms/read/layout"
)

// Why a document takes no part in the join.
const (
	// ReasonAlone: the page has no version in another language.
	ReasonAlone = "no_translation"
	// ReasonRepeated: another version of the page has the same language.
	ReasonRepeated = "repeated_language"
	// ReasonNoPivot: the page has no version in the pivot's language.
	ReasonNoPivot = "no_pivot"
	// reasonTooMany: the page has versions in more languages than are joined.
	reasonTooMany = language.ReasonTooMany
)

// parallelTask joins the blocks of pages that translate each other.
type parallelTask struct {
	Config    Settings
	Layout    string
	Documents *units.Dataset
	Vectors   Vectors

	layout layout.Layout
	joiner *parallel.Joiner
}

// Setup implements graph.Task.
func (t *parallelTask) Setup(ctx context.Context) (err error) {
	if t.layout, err = layout.Parse(t.Layout); err != nil {
		return err
	}
	if t.joiner, err = parallel.New(t.Config.parallel()); err != nil {
		return err
	}
	if t.Vectors.Embeddings != nil {
		if err := units.Reopen[schemas.Embedding](ctx, t.Vectors.Embeddings); err != nil {
			return err
		}
	}
	return units.Reopen[schemas.Document](ctx, t.Documents)
}

// Chains implements graph.Task.
func (t *parallelTask) Chains() []dataset.Chain {
	chains := []dataset.Chain{dataset.NewChain(chainPages, stepMatch), dataset.NewChain(chainBlocks, stepJoin),
		dataset.NewChain(chainPairs, stepPair)}
	if t.Vectors.Embeddings != nil {
		chains = append(chains, dataset.NewChain(ChainSentences, stepVectors))
	}
	return chains
}

// Write implements graph.Writer.
func (t *parallelTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	group := pageGroup{task: t, attempt: attempt, seen: map[string]bool{}, pairs: map[[2]string]string{}, kinds: map[kind]int64{}}
	if v := &t.Vectors; v.Embeddings != nil {
		var err error
		if group.vectors, err = vectors.Read(ctx, v.Embeddings, v.Firsts[unit.Ordinal], v.Firsts[unit.Ordinal+1]); err != nil {
			return err
		}
		defer group.vectors.Stop()
	}
	err := units.DatasetRows(ctx, t.Documents, unit.Unit, func(d schemas.Document) error { return group.add(ctx, d) })
	if err != nil {
		return err
	}
	return group.flush(ctx)
}

// kind is a row of the funnel; the reason is empty for what is kept.
type kind struct{ chain, pair, reason string }

func (k kind) compare(right kind) int {
	return cmp.Or(strings.Compare(k.chain, right.chain), strings.Compare(k.pair, right.pair), strings.Compare(k.reason, right.reason))
}

// pageGroup collects the versions of one page, which follow each other.
type pageGroup struct {
	task    *parallelTask
	attempt *dataset.Attempt[schemas.Pair]
	page    string
	pages   []parallel.Page
	vectors *vectors.Reader // nil without vectors
	numbers int             // of the vectors of the pages
	seen    map[string]bool
	result  parallel.Result
	pairs   map[[2]string]string // languagePair, once for each
	kinds   map[kind]int64       // counts of one page
}

func (g *pageGroup) add(ctx context.Context, d schemas.Document) error {
	page, version, err := parallel.PageOf(g.task.layout, d)
	if err != nil {
		return err
	}
	if page != g.page {
		if err := g.flush(ctx); err != nil {
			return err
		}
		if g.seen[page] {
			return fmt.Errorf("document %s: the versions of its page do not lie next to each other; make the documents anew by `sentweave corpus`",
				d.Source)
		}
		g.page, g.seen[page] = page, true
	}
	if version.Vectors, err = g.readVectors(d); err != nil {
		return err
	}
	g.pages = append(g.pages, version)
	return nil
}

func (g *pageGroup) pair(a, b string) string {
	pair, ok := g.pairs[[2]string{a, b}]
	if !ok {
		pair = schemas.LanguagePair(a, b)
		g.pairs[[2]string{a, b}] = pair
	}
	return pair
}

// flush joins the collected versions.
func (g *pageGroup) flush(ctx context.Context) error {
	defer func() { g.pages, g.numbers = g.pages[:0], 0 }()
	g.match()
	if len(g.pages) > 1 {
		if err := g.join(ctx); err != nil {
			return err
		}
	}
	funnel := g.attempt.Funnel()
	// In order, since a funnel tells the first languages apart if there are very many.
	for _, k := range slices.SortedFunc(maps.Keys(g.kinds), kind.compare) {
		n, err := g.kinds[k], error(nil)
		if k.reason == "" {
			err = funnel.Keep(k.chain, k.pair, n)
		} else {
			err = funnel.Drop(k.chain, k.pair, stepOf[k.chain], k.reason, n)
		}
		if err != nil {
			return err
		}
	}
	clear(g.kinds)
	if len(g.pairs) > mostPairs {
		clear(g.pairs)
	}
	return nil
}

// mostPairs is the number of names of pairs of languages that are kept from page to page.
const mostPairs = 1 << 16

var stepOf = map[string]string{chainPages: stepMatch, chainBlocks: stepJoin, chainPairs: stepPair, ChainSentences: stepVectors}

// match drops the pages that take no part: of a language that occurs twice all
// but one, a page that is left alone, and those without one in the pivot's language.
func (g *pageGroup) match() {
	pages, repeated := g.task.joiner.Choose(g.pages)
	for _, p := range repeated {
		g.drop(p, ReasonRepeated)
	}
	g.pages = pages
	if len(pages) > language.MostTogether {
		for _, p := range pages {
			g.drop(p, reasonTooMany)
		}
		g.pages = nil
		return
	}
	if len(pages) == 1 {
		g.drop(pages[0], ReasonAlone)
		return
	}
	pivot := g.task.Config.parallel().Pivot
	if pivot != "" && !slices.ContainsFunc(pages, func(p parallel.Page) bool { return p.Language == pivot }) {
		for _, p := range pages {
			g.drop(p, ReasonNoPivot)
		}
		g.pages = nil
		return
	}
	for _, p := range pages {
		g.kinds[kind{chainPages, p.Language, ""}]++
	}
}

func (g *pageGroup) drop(p parallel.Page, reason string) {
	g.kinds[kind{chainPages, p.Language, reason}]++
	if !g.attempt.Rejects().Wants(stepMatch, reason, p.Language, p.Document.ID) {
		return
	}
	sample := ""
	if len(p.Document.Sentences) > 0 {
		sample = p.Document.Sentences[0].Text
	}
	g.attempt.Rejects().Add(schemas.Reject{
		ID: p.Document.ID, Source: p.Document.Source, Offset: p.Document.Offset,
		Step: stepMatch, Reason: reason, Language: p.Language, Sample: sample,
	})
}

func (g *pageGroup) join(ctx context.Context) error {
	return g.task.joiner.JoinBlocks(&g.result, g.page, "corpus", g.pages, func() error { return g.write(ctx) })
}

// write writes the pairs of a block.
func (g *pageGroup) write(ctx context.Context) error {
	r := &g.result
	var a, b string
	block := int32(-1)
	for i := range r.Pairs {
		row := &r.Pairs[i]
		pair := g.pair(row.LanguageA, row.LanguageB)
		g.kinds[kind{chainPairs, pair, ""}]++
		// With sentence pairs a block gives several rows, one after another.
		if r.Aligned || row.LanguageA != a || row.LanguageB != b || *row.PositionA != block {
			g.kinds[kind{chainBlocks, pair, ""}]++
			a, b, block = row.LanguageA, row.LanguageB, *row.PositionA
		}
		if err := g.attempt.Write(ctx, *row); err != nil {
			return err
		}
	}
	for _, d := range r.Drops {
		pair := g.pair(d.LanguageA, d.LanguageB)
		g.kinds[kind{chainBlocks, pair, d.Reason}]++
		parts := []string{g.page, d.LanguageA, d.LanguageB, strconv.Itoa(int(d.Block))}
		if r.Aligned { // several of a block
			parts = append(parts, d.TextA, d.TextB)
		}
		id := schemas.DerivedID("pair", parts...)
		if g.attempt.Rejects().Wants(stepJoin, d.Reason, pair, id) {
			g.attempt.Rejects().Add(schemas.Reject{
				ID: id, Source: g.page, Offset: int64(d.Block), Step: stepJoin, Reason: d.Reason, Language: pair,
				Detail: fmt.Sprint(d.Measure), Sample: sample(d),
			})
		}
	}
	return nil
}

// sample has the texts of both languages, each cut to half of what a reject holds.
func sample(d parallel.Drop) string {
	sample := ""
	for _, side := range [2][2]string{{d.LanguageA, d.TextA}, {d.LanguageB, d.TextB}} {
		sample += excerpt.Bytes(strings.TrimSuffix(side[0]+": "+side[1], " "), schemas.MaxSample/2-1) + "\n"
	}
	return sample
}
