package pairs

import (
	"context"
	"fmt"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/transforms/parallel"
)

// parallelTask joins the blocks of pages that translate each other.
type parallelTask struct {
	Config    Config
	Layout    string
	Documents *units.Dataset

	layout corpus.Layout
	joiner *parallel.Joiner
}

// Setup implements units.Task.
func (t *parallelTask) Setup(ctx context.Context) (err error) {
	if t.layout, err = corpus.ParseLayout(t.Layout); err != nil {
		return err
	}
	if t.joiner, err = parallel.New(t.Config.parallel()); err != nil {
		return err
	}
	return units.Reopen[schemas.Document](ctx, t.Documents)
}

// Do implements units.Task.
func (t *parallelTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	attempt, err := dataset.Begin[schemas.Pair](env.Folder, env.Plan, unit.Ordinal,
		dataset.NewChain(chainBlocks, stepJoin), dataset.NewChain(chainPairs, stepPair))
	if err != nil {
		return err
	}
	defer attempt.Abort()
	group := pageGroup{task: t, attempt: attempt, seen: map[string]bool{}}
	err = units.DatasetRows(ctx, t.Documents, unit, func(d schemas.Document) error { return group.add(ctx, d) })
	if err != nil {
		return err
	}
	if err := group.flush(ctx); err != nil {
		return err
	}
	return attempt.Commit(ctx)
}

// pageGroup collects the versions of one page, which follow each other.
type pageGroup struct {
	task    *parallelTask
	attempt *dataset.Attempt[schemas.Pair]
	page    string
	pages   []parallel.Page
	seen    map[string]bool
	result  parallel.Result
}

func (g *pageGroup) add(ctx context.Context, d schemas.Document) error {
	stated, page, ok := g.task.layout.Read(d.Source)
	if !ok {
		return fmt.Errorf("document %s: its name does not match the layout %q", d.Source, g.task.Layout)
	}
	if page != g.page {
		if err := g.flush(ctx); err != nil {
			return err
		}
		if g.seen[page] {
			return fmt.Errorf("document %s: the versions of its page do not lie next to each other; make the documents anew by `sentweave corpus`", d.Source)
		}
		g.page, g.seen[page] = page, true
	}
	code, err := language.Parse(stated)
	if err != nil {
		code = d.Language
	}
	g.pages = append(g.pages, parallel.Page{Language: code, Document: d})
	return nil
}

// flush joins the collected versions.
func (g *pageGroup) flush(ctx context.Context) error {
	defer func() { g.pages = g.pages[:0] }()
	if len(g.pages) < 2 {
		return nil
	}
	r := &g.result
	g.task.joiner.Join(r, g.page, "corpus", g.pages)
	funnel := g.attempt.Funnel()
	joined := map[string]int64{}
	block := ""
	for _, row := range r.Pairs {
		pair := languagePair(row.LanguageA, row.LanguageB)
		if err := funnel.Keep(chainPairs, pair, 1); err != nil {
			return err
		}
		if err := g.attempt.Write(ctx, row); err != nil {
			return err
		}
		// With sentence pairs a block gives several rows, one after another.
		if this := fmt.Sprint(pair, *row.PositionA); this != block {
			joined[pair]++
			block = this
		}
	}
	for pair, n := range joined { // counting commutes
		if err := funnel.Keep(chainBlocks, pair, n); err != nil {
			return err
		}
	}
	for _, d := range r.Drops {
		pair := languagePair(d.LanguageA, d.LanguageB)
		if err := funnel.Drop(chainBlocks, pair, stepJoin, d.Reason, 1); err != nil {
			return err
		}
		id := schemas.DerivedID("pair", g.page, d.LanguageA, d.LanguageB, fmt.Sprint(d.Block))
		if g.attempt.Rejects().Wants(stepJoin, d.Reason, pair, id) {
			g.attempt.Rejects().Add(schemas.Reject{
				ID: id, Source: g.page, Offset: int64(d.Block), Step: stepJoin, Reason: d.Reason, Language: pair,
				Detail: fmt.Sprint(d.Measure), Sample: g.sample(d),
			})
		}
	}
	return nil
}

// sample is the text of a dropped block in both languages, each cut to half of
// what a reject holds.
func (g *pageGroup) sample(d parallel.Drop) string {
	sample := ""
	for _, p := range g.pages {
		if p.Language != d.LanguageA && p.Language != d.LanguageB {
			continue
		}
		text := p.Language + ":"
		for _, s := range p.Document.Sentences {
			if s.Block == d.Block {
				text += " " + s.Text
			}
		}
		sample += text[:min(len(text), schemas.MaxSample/2-1)] + "\n"
	}
	return sample
}
