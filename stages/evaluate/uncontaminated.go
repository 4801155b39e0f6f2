package evaluate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/transforms/measure/bootstrap"
	"sentweave/transforms/testsets/contamination"
)

// contaminations looks for the texts of the tests in the trainings of models. Memory is a key
// for each text of the tests; the texts of a training are read once and not kept.
type contaminations struct {
	*archive
	// checks are the datasets of texts of each model, by its name.
	checks map[string][]string
	// found are the texts of the tests that stand in a dataset.
	tests contamination.Set
	found map[string]contamination.Set
	keyer *contamination.Keyer
}

// newContaminations follows the manifests of all models; nil without folders to look in.
func newContaminations(ctx context.Context, c Config, models Models, note func(string)) (*contaminations, error) {
	if len(c.Contamination) == 0 {
		return nil, nil
	}
	a, err := openArchive(ctx, c.Contamination)
	if err != nil {
		return nil, fmt.Errorf("contamination: %w", err)
	}
	all := &contaminations{archive: a, checks: map[string][]string{}, found: map[string]contamination.Set{}, keyer: contamination.NewKeyer()}
	for _, s := range models.models() {
		if encoder.IsBaseline(s.location) {
			if note != nil {
				note(fmt.Sprintf("contamination: %s is a baseline: its figures are not given once more", s.name))
			}
			continue
		}
		checks, notes, ok, err := a.of(ctx, s.location)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", s.name, err)
		}
		if !ok {
			notes = append(notes, fmt.Sprintf("contamination: no training of ours made the model %s: its figures are not given once more", s.name))
		}
		for _, n := range notes {
			if note != nil {
				note(n)
			}
		}
		if ok {
			all.checks[s.name] = checks
		}
	}
	return all, nil
}

// inputs name the texts that decide the figures.
func (c *contaminations) inputs(name string) (inputs []dataset.Input) {
	if c == nil {
		return nil
	}
	for _, check := range c.checks[name] {
		inputs = append(inputs, c.datasets[check].manifest.Input("contamination "+name))
	}
	return inputs
}

// keys are the texts of the tests that stand in the training of a model; ok is false if it is not
// known.
func (c *contaminations) keys(ctx context.Context, name string, tasks []loaded) (keys contamination.Set, ok bool, err error) {
	if c == nil {
		return nil, false, nil
	}
	checks, ok := c.checks[name]
	if !ok {
		return nil, false, nil
	}
	if c.tests == nil {
		c.tests = contamination.Set{}
		for _, t := range tasks {
			for text := range testedBy(t.protocol) {
				c.tests.Add(c.keyer, text.Text)
			}
		}
	}
	keys = contamination.Set{}
	for _, check := range checks {
		if c.found[check] == nil {
			if c.found[check], err = c.scan(ctx, c.datasets[check]); err != nil {
				return nil, false, fmt.Errorf("contamination: %w", err)
			}
		}
		for key := range c.found[check] {
			keys[key] = true
		}
	}
	return keys, true, nil
}

// scan reads a dataset of texts.
func (c *contaminations) scan(ctx context.Context, d archived) (contamination.Set, error) {
	folder, err := storage.At(d.location)
	if err != nil {
		return nil, err
	}
	found := contamination.Set{}
	each, _ := textsOfRows(d)
	for list, err := range each(ctx, folder) {
		if err != nil {
			return nil, err
		}
		c.tests.Mark(found, c.keyer, list...)
	}
	return found, ctx.Err()
}

// without returns the figures once more, without the items of which a text is among the keys, as
// far as they follow from items and some are left.
func (c *contaminations) without(rows []schemas.Result, parts []part, keys contamination.Set) (list []schemas.Result, err error) {
	contaminated := map[[2]string][]bool{} // by group
	for _, p := range parts {
		of := make([]bool, len(p.a))
		for i := range p.a {
			a, okA := c.keyer.Key(p.a[i].Text)
			of[i] = okA && keys[a]
			if p.b != nil && !of[i] {
				b, okB := c.keyer.Key(p.b[i].Text)
				of[i] = okB && keys[b]
			}
		}
		contaminated[[2]string{p.subtask, p.language}] = of
	}
	groups := groupsOf(parts)
	for _, r := range rows {
		composed, ok := Compose(r, []float64{r.Value}, rows, groups)
		if !ok {
			continue
		}
		left, gone, places := int64(0), int64(0), xxh3.New()
		kept := make([][]int, len(composed.Terms))
		values, ok := composed.Values(func(term, item int) bool {
			g, at := composed.At(term, item)
			if contaminated[[2]string{groups[g].Subtask, groups[g].Language}][at] {
				gone++
				fmt.Fprintf(places, "%q %q %d\n", groups[g].Subtask, groups[g].Language, at)
				return false
			}
			left++
			kept[term] = append(kept[term], item)
			return true
		})
		if !ok {
			continue
		}
		var settings map[string]any
		if err := jsonfile.Unmarshal([]byte(r.Settings), &settings); err != nil {
			return nil, err
		}
		kind := settings["interval"]
		if settings["pairs_of_languages"] != nil { // their items are other ones, at the same places
			kind = nil
		}
		for _, of := range []string{"low", "high", "interval", "spread", "ties", "undefined"} { // of all items
			delete(settings, of)
		}
		r.Metric, r.Value, r.N, r.Spread = r.Metric+metricUncontaminated, values[0], left, nil
		if low, high, ok := composed.interval(kind, groups, kept); ok {
			half := (high - low) / 2
			r.Spread, settings = &half, with(settings, "interval", kind)
			if kind == intervalShares {
				settings = with(with(settings, "low", low), "high", high)
			}
		}
		r.Settings = encode(with(with(settings, "contaminated", gone), "left_out", fmt.Sprintf("%016x", places.Sum64())))
		list = append(list, r)
	}
	return list, nil
}

// interval is that of a mean of shares of the first model over the items that are kept, by their
// places in each term, as share and languageMean have it over all; ok is false of other figures,
// and where directions of the same items keep other ones.
func (c Composition) interval(kind any, groups []Group, kept [][]int) (low, high float64, ok bool) {
	if kind != intervalShares && kind != intervalLanguages {
		return 0, 0, false
	}
	var sets [][]int // terms of the same items: all, or those of a language
	for t := range c.Terms {
		set := slices.IndexFunc(sets, func(set []int) bool {
			return kind == intervalShares || groups[c.groups[set[0]][0]].Language == groups[c.groups[t][0]].Language
		})
		if set < 0 {
			set, sets = len(sets), append(sets, nil)
		}
		sets[set] = append(sets[set], t)
	}
	middle, squares := c.Constant, 0.
	for _, set := range sets {
		first := set[0]
		shares, weight := make([]float64, len(kept[first])), 0.
		for _, t := range set {
			term := c.Terms[t]
			if term.Metric != bootstrap.Mean || term.Weight != c.Terms[first].Weight || !slices.Equal(kept[t], kept[first]) {
				return 0, 0, false
			}
			for i, item := range kept[t] {
				shares[i] += term.Scores[0][0][item] / float64(len(set))
			}
			weight += term.Weight
		}
		_, l, h := shareInterval(shares, len(set))
		middle += weight * (l + h) / 2
		squares += weight * weight * (h - l) * (h - l) / 4
	}
	half := math.Sqrt(squares)
	return middle - half, middle + half, true
}
