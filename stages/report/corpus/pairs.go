package corpus

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/transforms/pairs/judged"
	"sentweave/transforms/pairs/pairfilters"
	"sentweave/transforms/random"
)

// Bitext is what is known of a dataset of pairs of parallel texts, or of what pairfilter measured of them, and of those that it was made
// of.
type Bitext struct {
	history
	*pairCounts
	bytes int64
	// Judged says that the sheet of the folder has verdicts, and stays.
	Judged bool
	// scored says that filters measured all pairs, and dropped none.
	scored bool
}

const (
	judgedVersion = 1    // of the choice of pairs to judge
	mostJudged    = 100  // pairs to judge
	mostGroups    = 4096 // languages with an origin; all others are counted together
	mostSheetText = 4000 // characters of a text to judge
	others        = "others"
)

// measureNames are those of the filters of pairs.
var measureNames = pairfilters.Measuring().Measures()

// group are pairs of the same languages and origin.
type group struct{ languages, origin string }

// pairCounts are what is counted of pairs. The order of these changes nothing but which groups are counted apart, where there are too many.
type pairCounts struct {
	pairs      int64
	groups     map[group]*histogram // of scores; what has none is counted, too
	without    map[group]int64      // pairs without a score
	languages  map[string]int64
	characters histogram             // of a side
	measures   map[string]*histogram // by name
	reasons    map[string]int64      // for which filters would drop a pair
	// kept and dropped are some pairs of each two languages, and sheet is of all.
	kept, dropped map[string][]sampledPair
	sheet         []sampledPair
}

// sampledPair is a pair that is shown; the smallest ranks are.
type sampledPair struct {
	schemas.PairScore
	rank uint64
}

func (p sampledPair) languages() string { return schemas.LanguagePair(p.LanguageA, p.LanguageB) }

// ReadBitext reads datasets, each made of the one before: the manifests of all, and the pairs of the last, with up to so many samples of
// those that are kept of each two languages, and of what is dropped for each reason.
func ReadBitext(ctx context.Context, line []Dataset, kept, dropped int) (*Bitext, error) {
	h, err := readHistory(ctx, line, "pairs", dropped)
	if err != nil {
		return nil, err
	}
	last := line[len(line)-1]
	b := &Bitext{history: *h, bytes: last.Manifest.Bytes, scored: last.Manifest.Plan.Schema == schemas.PairScore{}.Schema().Name,
		pairCounts: &pairCounts{groups: map[group]*histogram{}, without: map[group]int64{}, languages: map[string]int64{},
			measures: map[string]*histogram{}, reasons: map[string]int64{}, kept: map[string][]sampledPair{},
			dropped: map[string][]sampledPair{}}}
	if b.scored {
		for row, err := range dataset.Rows[schemas.PairScore](ctx, last.Folder, last.Manifest) {
			if err != nil {
				return nil, err
			}
			b.add(row, kept, dropped)
		}
		return b, nil
	}
	for p, err := range dataset.Rows[schemas.Pair](ctx, last.Folder, last.Manifest) {
		if err != nil {
			return nil, err
		}
		b.add(schemas.PairScore{ID: p.ID, TextA: p.TextA, TextB: p.TextB, LanguageA: p.LanguageA, LanguageB: p.LanguageB, Origin: p.Origin,
			Score: p.Score}, kept, dropped)
	}
	return b, nil
}

func (c *pairCounts) add(row schemas.PairScore, kept, dropped int) {
	draw := random.New(judgedVersion, 1, "pairs to judge", row.ID, 0)
	p := sampledPair{row, draw.Uint64()}
	g := group{p.languages(), row.Origin}
	if _, ok := c.groups[g]; !ok && len(c.groups) >= mostGroups {
		g = group{others, others}
	}
	if c.groups[g] == nil {
		c.groups[g] = &histogram{}
	}
	if row.Score != nil {
		c.groups[g].add(*row.Score)
	} else {
		c.without[g]++
	}
	c.pairs++
	c.languages[g.languages]++
	c.characters.add(float32(utf8.RuneCountInString(row.TextA)))
	c.characters.add(float32(utf8.RuneCountInString(row.TextB)))
	for _, name := range measureNames {
		if value := *row.Measure(name); value != nil && !math.IsNaN(float64(*value)) {
			if c.measures[name] == nil {
				c.measures[name] = &histogram{}
			}
			c.measures[name].add(*value)
		}
	}
	rank := func(p sampledPair) uint64 { return p.rank }
	if row.TextB != "" {
		c.sheet = smallest(c.sheet, p, mostJudged, rank)
	}
	p.TextA, p.TextB = excerpt.Characters(row.TextA, mostCharacters), excerpt.Characters(row.TextB, mostCharacters)
	if row.Reason == "" {
		c.kept[g.languages] = smallest(c.kept[g.languages], p, kept, rank)
		return
	}
	c.reasons[row.Reason]++
	c.dropped[g.languages] = smallest(c.dropped[g.languages], p, max(kept, dropped), rank)
}

// Sheet has the pairs to judge, in the order of their ids, which says nothing about them.
func (b *Bitext) Sheet() []byte {
	var list []judged.Pair
	for _, p := range b.ordered() {
		list = append(list, judged.Pair{ID: p.ID, Languages: p.LanguageA + "-" + p.LanguageB,
			Source: excerpt.Characters(p.TextA, mostSheetText), Target: excerpt.Characters(p.TextB, mostSheetText)})
	}
	return judged.Encode(list)
}

func (b *Bitext) ordered() []sampledPair {
	return slices.SortedFunc(slices.Values(b.sheet), func(p, q sampledPair) int { return cmp.Compare(p.ID, q.ID) })
}

// groupsByCount are the groups, those with the most pairs first.
func (b *Bitext) groupsByCount() []group {
	total := func(g group) int64 { return b.groups[g].n + b.without[g] }
	return slices.SortedFunc(maps.Keys(b.groups), func(p, q group) int {
		return cmp.Or(cmp.Compare(total(q), total(p)), cmp.Compare(p.languages, q.languages), cmp.Compare(p.origin, q.origin))
	})
}
