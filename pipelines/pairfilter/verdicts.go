package pairfilter

import (
	"context"
	"fmt"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/pairs/judged"
)

// Of the funnel: pairs that people have judged, as the filters take them.
const (
	chainGood = "pairs judged good"
	chainBad  = "pairs judged bad"
)

// reasonJudged: people took the pair for a bad one, and the filters kept it.
const reasonJudged = "judged_bad"

// openVerdicts reads a sheet of judged pairs.
func openVerdicts(ctx context.Context, location string) (map[string]bool, error) {
	data, err := storage.ReadLocation(ctx, location, judged.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("verdicts: %w", err)
	}
	verdicts, err := judged.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("verdicts %s: %w", location, err)
	}
	return verdicts, nil
}

// Shortfalls says of how many verdicts there is no pair.
func (Config) Shortfalls(m *dataset.Manifest) []string {
	var c Config
	if err := c.UnmarshalJSON(m.Plan.Config); err != nil || c.Judged == 0 {
		return nil
	}
	missing := int64(c.Judged)
	for _, chain := range m.Funnel.Chains {
		if chain.Items == chainGood || chain.Items == chainBad {
			missing -= chain.Steps[0].Total().In
		}
	}
	if missing == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d verdicts are of no pair here, by their ids: is the sheet of another dataset?", missing, c.Judged)}
}

// compare counts what the filters do with a pair that people have judged, and returns the reason to drop a pair that counts: of a good
// one none.
func (w *Work) compare(funnel *dataset.Funnel, p *schemas.Pair, reason string) (string, error) {
	good, ok := w.verdicts[p.ID]
	if !ok {
		return reason, nil
	}
	chain, final, languages := chainGood, "", schemas.LanguagePair(p.LanguageA, p.LanguageB)
	if !good {
		chain, final = chainBad, reason
		if final == "" {
			final = reasonJudged
		}
	}
	if reason == "" {
		return final, funnel.Keep(chain, languages, 1)
	}
	return final, funnel.Drop(chain, languages, stepFilter, reason, 1)
}
