package retrieval

import (
	"context"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
	"sentweave/transforms/measure/neighbors"
)

// matching is the outcome of one direction: for each query whether it was right.
type matching struct {
	hits, textHits []bool
	found          []int // the places of the nearest candidates
	ties           int   // queries with more than one nearest candidate
}

// match finds the translation of each query among the candidates.
func match(ctx context.Context, queries, candidates encoder.Vectors, texts []encoder.Text) (matching, error) {
	nearest, err := queries.Nearest(ctx, candidates, neighbors.Options{})
	if err != nil {
		return matching{}, err
	}
	m := matching{hits: make([]bool, len(nearest)), textHits: make([]bool, len(nearest)), found: make([]int, len(nearest))}
	for i, f := range nearest {
		m.hits[i], m.found[i] = f.Index == i, f.Index
		m.textHits[i] = f.Index >= 0 && texts[f.Index].Text == texts[i].Text
		if f.Ties > 0 {
			m.ties++
		}
	}
	return m, nil
}

// part is the items of a direction.
func (m matching) part(subtask, language string, queries, candidates []encoder.Text) protocol.Part {
	return protocol.Part{Subtask: subtask, Language: language, A: queries, B: candidates, Found: m.found, Candidates: candidates,
		Score: protocol.Hits(m.hits)}
}

// matchingSum adds directions over the same items up.
type matchingSum struct {
	directions, ties int
	hits, textHits   []float64 // for each item: how often it was right
}

func (s *matchingSum) add(m matching) {
	if s.hits == nil {
		s.hits, s.textHits = make([]float64, len(m.hits)), make([]float64, len(m.hits))
	}
	for i := range m.hits {
		if m.hits[i] {
			s.hits[i]++
		}
		if m.textHits[i] {
			s.textHits[i]++
		}
	}
	s.directions, s.ties = s.directions+1, s.ties+m.ties
}

// results gives both measures: of one direction with the interval of Wilson, of
// several with that over items, since the directions of an item are not
// independent.
func (s *matchingSum) results(base schemas.Result, settings map[string]any) []schemas.Result {
	var list []schemas.Result
	for _, m := range []struct {
		name string
		hits []float64
	}{{metrics.Accuracy, s.hits}, {metrics.TextAccuracy, s.textHits}} {
		shares := make([]float64, len(m.hits))
		for i, h := range m.hits {
			shares[i] = h / float64(s.directions)
		}
		list = append(list, share(base, m.name, shares, s.directions, protocol.WithSetting(settings, "ties", s.ties)))
	}
	return list
}

// share is the result of a mean of shares with its interval.
func share(base schemas.Result, metric string, shares []float64, trials int, settings map[string]any) schemas.Result {
	value, low, high := metrics.ShareInterval(shares, trials)
	half := (high - low) / 2
	base.Metric, base.Value, base.N, base.Spread = metric, value, int64(len(shares)*trials), &half
	settings = protocol.WithSetting(protocol.WithSetting(settings, "low", low), "high", high)
	base.Settings = protocol.EncodeSettings(
		protocol.WithSetting(protocol.WithSetting(settings, "similarity", "cosine"), "interval", metrics.IntervalShares))
	return base
}
