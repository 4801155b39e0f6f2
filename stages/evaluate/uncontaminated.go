package evaluate

import (
	"context"
	"fmt"
	"maps"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/lineage"
	"sentweave/stages/metrics"
	"sentweave/transforms/testsets/contamination"
)

// contaminations looks for the texts of the tests in the trainings of models. Memory is a key
// for each text of the tests; the texts of a training are read once and not kept.
type contaminations struct {
	*lineage.Archive
	// checks are the datasets of texts of each model, by its name.
	checks map[string][]string
	// index has the texts of the tests, and found the numbers of those that are in a dataset.
	index   *contamination.Index
	scanner *contamination.Scanner
	found   map[string]map[int]bool
}

// matching finds the texts of tests that are whole in a training, however common they are: a figure does not suffer
// where too many items are left out.
func matching() contamination.Config {
	c := contamination.DefaultConfig()
	c.WholeBits = 0
	return c
}

// newContaminations follows the manifests of all models; nil without folders to look in.
func newContaminations(ctx context.Context, c Config, models encoders.Models, note func(string)) (*contaminations, error) {
	if len(c.Contamination) == 0 {
		return nil, nil
	}
	a, err := lineage.Open(ctx, c.Contamination)
	if err != nil {
		return nil, fmt.Errorf("contamination: %w", err)
	}
	result := &contaminations{Archive: a, checks: map[string][]string{}, found: map[string]map[int]bool{}}
	for _, s := range models.Specs() {
		if !encoder.IsLocation(s.Location) {
			if note != nil {
				note(fmt.Sprintf("contamination: %s is a baseline, a program or an endpoint: its figures are not given once more", s.Name))
			}
			continue
		}
		checks, notes, ok, err := a.TextsBehind(ctx, s.Location)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", s.Name, err)
		}
		if !ok {
			notes = append(notes, fmt.Sprintf("contamination: no training of ours made the model %s: its figures are not given once more",
				s.Name))
		}
		for _, n := range notes {
			if note != nil {
				note(n)
			}
		}
		if ok {
			result.checks[s.Name] = checks
		}
	}
	return result, nil
}

// inputs name the texts that decide the figures.
func (c *contaminations) inputs(name string) (inputs []dataset.Input) {
	if c == nil {
		return nil
	}
	for _, check := range c.checks[name] {
		inputs = append(inputs, c.Datasets[check].Manifest.Input("contamination "+name))
	}
	return inputs
}

// present are the texts of the tests that are in the training of a model; ok is false if it is not
// known.
func (c *contaminations) present(ctx context.Context, name string, tasks []protocol.Loaded) (texts map[int]bool, ok bool, err error) {
	if c == nil {
		return nil, false, nil
	}
	checks, ok := c.checks[name]
	if !ok {
		return nil, false, nil
	}
	if c.index == nil {
		builder := contamination.NewBuilder(matching())
		for _, t := range tasks {
			for text := range protocol.TestedTexts(t.Protocol) {
				if err := builder.Add(contamination.Item{Language: text.Language, Text: text.Text}); err != nil {
					return nil, false, fmt.Errorf("contamination: %w", err)
				}
			}
		}
		c.index = builder.Index()
		c.scanner = c.index.NewScanner()
	}
	texts = map[int]bool{}
	for _, check := range checks {
		if c.found[check] == nil {
			if c.found[check], err = c.scan(ctx, c.Datasets[check]); err != nil {
				return nil, false, fmt.Errorf("contamination: %w", err)
			}
		}
		maps.Copy(texts, c.found[check])
	}
	return texts, true, nil
}

// scan reads a dataset of texts.
func (c *contaminations) scan(ctx context.Context, d lineage.Dataset) (map[int]bool, error) {
	folder, err := storage.Locate(d.Location)
	if err != nil {
		return nil, err
	}
	found := map[int]bool{}
	read, _ := lineage.TextsOfRows(d)
	for list, err := range read(ctx, folder) {
		if err != nil {
			return nil, err
		}
		for _, hit := range c.scanner.Scan(list...) {
			found[hit.Item] = true
		}
	}
	return found, ctx.Err()
}

// without returns the figures once more, without the items of which a text is among those given, as
// far as they follow from items and some are left.
func (c *contaminations) without(rows []schemas.Result, parts []protocol.Part, texts map[int]bool) (list []schemas.Result, err error) {
	contaminated := map[[2]string][]bool{} // by group
	for _, p := range parts {
		flags := make([]bool, len(p.A))
		for i := range p.A {
			a, ok := c.scanner.Find(p.A[i].Text)
			flags[i] = ok && texts[a]
			if p.B != nil && !flags[i] {
				b, ok := c.scanner.Find(p.B[i].Text)
				flags[i] = ok && texts[b]
			}
		}
		contaminated[[2]string{p.Subtask, p.Language}] = flags
	}
	groups := protocol.GroupsOf(parts)
	for _, r := range rows {
		composed, ok := metrics.Compose(r, []float64{r.Value}, rows, groups)
		if !ok {
			continue
		}
		remaining, removed, places := int64(0), int64(0), xxh3.New()
		retained := make([][]int, len(composed.Terms))
		values, ok := composed.Values(func(term, item int) bool {
			g, place := composed.At(term, item)
			if contaminated[[2]string{groups[g].Subtask, groups[g].Language}][place] {
				removed++
				fmt.Fprintf(places, "%q %q %d\n", groups[g].Subtask, groups[g].Language, place)
				return false
			}
			remaining++
			retained[term] = append(retained[term], item)
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
		for _, name := range []string{"low", "high", "interval", "spread", "ties", "undefined"} { // of all items
			delete(settings, name)
		}
		r.Metric, r.Value, r.N, r.Spread = r.Metric+metrics.UncontaminatedSuffix, values[0], remaining, nil
		if low, high, ok := composed.Interval(kind, groups, retained); ok {
			half := (high - low) / 2
			r.Spread, settings = &half, protocol.WithSetting(settings, "interval", kind)
			if kind == metrics.IntervalShares {
				settings = protocol.WithSetting(protocol.WithSetting(settings, "low", low), "high", high)
			}
		}
		r.Settings = protocol.EncodeSettings(
			protocol.WithSetting(protocol.WithSetting(settings, "contaminated", removed), "left_out", fmt.Sprintf("%016x", places.Sum64())))
		list = append(list, r)
	}
	return list, nil
}
