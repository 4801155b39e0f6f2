package dedup

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/filters/dedup"
)

const chainPairs = "pairs"

// side is the sentence of a claim that a pair lays to one of its texts. Such a claim loses
// where another dataset has the text, or where as many better pairs of its languages have it as there may be.
const side = math.MaxUint32

// pairKeysTask spills the keys of a unit's pairs: one of both texts and, where there are
// datasets to compare with, one of each text.
type pairKeysTask struct {
	Config  Config
	Pairs   graph.Part[*units.Dataset]
	Against graph.Datasets
	graph.Nothing
}

// Setup implements graph.Task.
func (t *pairKeysTask) Setup(ctx context.Context) error {
	return graph.Reopen[schemas.Pair](ctx, graph.Datasets{t.Pairs}, t.Against)
}

// Chains implements graph.Task.
func (t *pairKeysTask) Chains() []dataset.Chain { return pairChains() }

// Spill implements graph.Spiller.
func (t *pairKeysTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	keyer, err := dedup.New(t.Config.keys())
	if err != nil {
		return err
	}
	input, number := t.Against.Of(unit.Ordinal)
	c := claim{own: number < 0}
	if c.own {
		input, c.unit = t.Pairs.From, uint32(unit.Ordinal-t.Pairs.First)
	}
	var key, value, content []byte
	put := func(k dedup.Key, sentence uint32) error {
		c.sentence = sentence
		key, value = appendKey(key[:0], k), c.append(value[:0])
		return output.Add(key, value)
	}
	return units.DatasetRows(ctx, input, unit.Unit, func(p schemas.Pair) error {
		if c.id, err = rawID(p.ID); err != nil {
			return err
		}
		sides := []dedup.Key{keyer.SentenceKey(p.TextA)}
		if p.TextB != "" {
			sides = append(sides, keyer.SentenceKey(p.TextB))
		}
		c.rank, c.language, c.pair = rankOf(p.Score), 0, 0
		if c.own {
			content = appendPair(content[:0], p, sides)
			sum := xxh3.Hash128(content)
			if err := put(dedup.Key{Hi: sum.Hi, Lo: sum.Lo}, 0); err != nil {
				return err
			}
			c.language, c.pair = xxh3.HashString(schemas.LanguagePair(p.LanguageA, p.LanguageB)), sum.Lo
		}
		if !c.own || len(t.Against) > 0 || t.Config.PerText > 0 {
			for _, k := range slices.Compact(sides) {
				if err := put(k, side); err != nil {
					return err
				}
			}
		}
		c.row++
		return nil
	})
}

// appendPair appends what makes two pairs equal: kind, label, languages and texts, those of
// translations in whichever order.
func appendPair(dst []byte, p schemas.Pair, sides []dedup.Key) []byte {
	languages := []string{p.LanguageA, p.LanguageB}
	if p.Kind == schemas.KindBitext &&
		(p.LanguageA > p.LanguageB || p.LanguageA == p.LanguageB &&
			cmp.Or(cmp.Compare(sides[0].Hi, sides[1].Hi), cmp.Compare(sides[0].Lo, sides[1].Lo)) > 0) {
		languages[0], languages[1] = languages[1], languages[0]
		sides = []dedup.Key{sides[1], sides[0]}
	}
	for _, text := range append(languages, p.Kind, p.Label) {
		dst = append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	}
	for _, k := range sides {
		dst = appendKey(dst, k)
	}
	return dst
}

// pairCopyTask copies a unit's pairs without the losers.
type pairCopyTask struct {
	Config Config
	Pairs  *units.Dataset
}

func pairChains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainPairs, stepDuplicates)}
}

// Setup implements graph.Task.
func (t *pairCopyTask) Setup(ctx context.Context) error {
	return units.Reopen[schemas.Pair](ctx, t.Pairs)
}

// Chains implements graph.Task.
func (t *pairCopyTask) Chains() []dataset.Chain { return pairChains() }

// Write implements graph.Writer.
func (t *pairCopyTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	losers, stop := newCursor(unit.Merge(ctx, nil))
	defer stop()
	row := uint32(0)
	err := units.DatasetRows(ctx, t.Pairs, unit.Unit, func(p schemas.Pair) error {
		reason, err := losers.take(loser{row, 0})
		if err != nil {
			return err
		}
		row++
		languages := schemas.LanguagePair(p.LanguageA, p.LanguageB)
		if reason == "" {
			if err := attempt.Funnel().Keep(chainPairs, languages, 1); err != nil {
				return err
			}
			return attempt.Write(ctx, p)
		}
		if attempt.Rejects().Wants(stepDuplicates, reason, languages, p.ID) {
			attempt.Rejects().Add(p.Reject(stepDuplicates, reason))
		}
		return attempt.Funnel().Drop(chainPairs, languages, stepDuplicates, reason, 1)
	})
	if err != nil {
		return err
	}
	return losers.finished()
}
