// Package pairtrain is the stage that trains a classifier of pairs of parallel texts on what pairfilter --scores measured of good
// pairs and of those that pairnoise made wrong.
package pairtrain

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/transforms/pairs/pairclassifier"
	"sentweave/transforms/pairs/pairfilters"
	"sentweave/transforms/pairs/pairnoise"
	"sentweave/transforms/random"
)

const (
	// version of the choice of the pairs to measure with.
	version = 1
	// mostRows bounds the pairs, which are in memory.
	mostRows = 500_000
	// measuredShare of the pairs of the kinds of the training, and of the good ones, is kept out of it.
	measuredShare = .2
	// All is the kind of the figure on all bad pairs that were kept out of the training.
	All = "all"
)

// Config is the configuration of the stage. The tags are read by the command line.
type Config struct {
	Scores  string   `help:"Dataset that pairfilter --scores made of the pairs of pairnoise, at most 500,000. Of pairs whose origin is noise/KIND it learns what is bad, of all others what is good." placeholder:"DIR" group:"Input" required:""`
	Without []string `help:"Measures that are no features, such as cosine, without which the model needs no vectors." placeholder:"MEASURE,…" group:"Training"`
	HoldOut []string `help:"Kinds of noise that are only measured, never trained on." placeholder:"KIND,…" group:"Training"`
	C       float64  `name:"c" help:"How little large weights are punished: the penalty is their squared length over 2·C." default:"1" placeholder:"X" group:"Training"`
	Seed    uint64   `help:"Seed of the choice of the fifth of the pairs that is only measured." default:"1" group:"Training"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.Scores != "", "scores is empty: give the dataset of scores")
	errs.Check(c.C >= 1e-9 && c.C <= 1e9, "c is %v, it must be from 1e-9 to 1e9", c.C)
	names, _ := pairnoise.Kinds()
	for _, kind := range c.HoldOut {
		errs.Check(slices.Contains(names, kind), "hold-out: %q is not a kind of noise: the kinds are %s", kind, strings.Join(names, ", "))
	}
	measures := pairfilters.Measuring().Measures()
	for _, name := range c.Without {
		errs.Check(slices.Contains(measures, name), "without: %q is not a measure: the measures are %s", name, strings.Join(measures, ", "))
	}
	return errs.Err()
}

// Train trains and measures a model. It is a function of the rows, their order included, and of the configuration.
// Memory is some 150 bytes a pair.
func Train(ctx context.Context, c Config) (*pairclassifier.Model, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	folder, manifest, err := dataset.OpenAs[schemas.PairScore](ctx, c.Scores)
	if err != nil {
		return nil, fmt.Errorf("scores: %w", err)
	}
	if manifest.Rows > mostRows {
		return nil, fmt.Errorf("scores %s: %d pairs are more than %d: draw some pairs with `sentweave sample` before their scores are made",
			c.Scores, manifest.Rows, mostRows)
	}
	measures := slices.DeleteFunc(pairfilters.Measuring().Measures(), func(name string) bool {
		return name == pairfilters.LearnedMeasure || name == "score" || // which no pair of pairnoise has
			name == pairfilters.MarginMeasure || // which depends on the other pairs
			slices.Contains(c.Without, name)
	})
	train := pairclassifier.Rows{Measures: measures}
	others := map[string][]float32{} // by kind, values of the pairs that are only measured; of good ones by ""
	m := &pairclassifier.Model{PairFilter: manifest.Plan.PipelineVersion,
		Training: pairclassifier.Training{Scores: manifest.ContentXXH3, Seed: c.Seed, C: c.C}}
	for row, err := range dataset.Rows[schemas.PairScore](ctx, folder, manifest) {
		if err != nil {
			return nil, err
		}
		kind, bad := strings.CutPrefix(row.Origin, schemas.NoiseOrigin)
		if !bad {
			kind = ""
		}
		draw := random.New(version, c.Seed, "pairs to measure", row.ID, 0)
		only := slices.Contains(c.HoldOut, kind) || draw.Bool(measuredShare)
		values := train.Values
		if only {
			values = others[kind]
		}
		for _, name := range measures {
			x := float32(math.NaN())
			if value := *row.Measure(name); value != nil {
				x = *value
			}
			values = append(values, x)
		}
		if only {
			others[kind] = values
			continue
		}
		train.Values, train.Good = values, append(train.Good, !bad)
		if bad {
			if m.Training.Bad++; !slices.Contains(m.Training.Kinds, kind) {
				m.Training.Kinds = append(m.Training.Kinds, kind)
			}
		} else {
			m.Training.Good++
		}
	}
	r, err := pairclassifier.Fit(train, c.C)
	if err != nil {
		return nil, fmt.Errorf("scores %s: %w; `sentweave pairnoise` makes bad pairs of good ones", c.Scores, err)
	}
	m.Regression = *r
	slices.Sort(m.Training.Kinds)
	m.Figures = figures(m, others, measures)
	return m, nil
}

// Note returns a warning if a training had fewer than ten good or bad pairs for each weight, below which the weights of a
// logistic regression become unreliable (Peduzzi et al. 1996), and else "".
func Note(m *pairclassifier.Model) string {
	least := 10 * len(m.Features)
	if min(m.Training.Good, m.Training.Bad) >= least {
		return ""
	}
	return fmt.Sprintf("%d good and %d bad pairs are few for %d weights: train on at least %d of each, or leave measures out by --without",
		m.Training.Good, m.Training.Bad, len(m.Features), least)
}

// figures measures a model on the values of pairs that it has not seen: each kind, and all.
func figures(m *pairclassifier.Model, measured map[string][]float32, measures []string) (list []pairclassifier.Figure) {
	probabilities := func(kind string) (result []float64) {
		for values := range slices.Chunk(measured[kind], len(measures)) {
			result = append(result, m.Probability(func(i int) float32 { return values[slices.Index(measures, m.Features[i].Measure)] }))
		}
		return result
	}
	good, all := probabilities(""), []float64(nil)
	for _, kind := range slices.Sorted(maps.Keys(measured)) {
		if kind != "" {
			bad := probabilities(kind)
			all = append(all, bad...)
			list = append(list, pairclassifier.Figure{Kind: kind, Unseen: !slices.Contains(m.Training.Kinds, kind), Pairs: len(bad),
				Measured: pairclassifier.Measure(good, bad)})
		}
	}
	return append(list, pairclassifier.Figure{Kind: All, Pairs: len(all), Measured: pairclassifier.Measure(good, all)})
}
