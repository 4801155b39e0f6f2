package torchverbs

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"sentweave/runners/command"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/schemas/yamlfile"
	"sentweave/stages/objective"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
)

// The presets are the trainings that --preset names. Each names the settings of both objectives
// that have had flags from the beginning: the record of a training holds what is named,
// so that trainings of earlier versions go on.
//
//go:embed presets/*.yaml
var presets embed.FS

// What is in a training for the datasets of flags.
const (
	examplesGiven = "${examples}"
	bitextGiven   = "${bitext}"
)

// maxTraining bounds what is read of a training, in bytes.
const maxTraining = 256 << 10

// config returns the training of --config with what the flags say that are given, or
// that of --preset with what all flags say. What it lacks is left to datasets and to
// its own Validate.
func (t *Train) config() (train.Config, error) {
	var c train.Config
	name := t.Preset + ".yaml"
	data, err := presets.ReadFile("presets/" + name)
	if t.Config != "" {
		name = t.Config
		data, err = storage.ReadLocation(context.Background(), t.Config, maxTraining)
		t.text = data
	}
	if err == nil {
		err = yamlfile.Decode(name, data, &c)
	}
	if err != nil {
		return train.Config{}, fmt.Errorf("config: %w", err)
	}
	c = c.WithDefaults()
	errs := fault.List{t.counts(c), t.objectives(c), t.options(&c)}
	errs.Check(t.Config == "" || !slices.Contains(t.given, "preset"), "config and --preset exclude each other")
	errs.Add(t.unplaced(c))
	errs.Check(slices.ContainsFunc(c.Periods, train.Period.Caches) || !slices.Contains(t.given, "cache-chunk"),
		"cache-chunk caches the gradients of vectors of texts, and this training predicts masked tokens alone: raise accumulate instead")
	if errs[0] != nil {
		return train.Config{}, errs.Err()
	}
	set(t, "seed", &c.Seed, t.Seed)
	set(t, "log-every", &c.LogEvery, t.LogEvery)
	set(t, "checkpoint-every", &c.CheckpointEvery, t.CheckpointEvery)
	set(t, "keep", &c.Keep, t.Keep)
	set(t, "recompute", &c.Recompute, t.Recompute)
	set(t, "max-spike", &c.MaxSpike, t.MaxSpike)
	for i := range c.Periods {
		t.period(i, &c.Periods[i])
	}
	return c, errs.Err()
}

// set sets a field to the value of a flag that counts.
func set[T any](t *Train, flag string, field *T, value T) {
	if t.counted(flag) {
		*field = value
	}
}

// counted says whether a flag counts: all do for a preset, those that are given for a
// file.
func (t *Train) counted(flag string) bool { return t.Config == "" || slices.Contains(t.given, flag) }

// counts looks at the flags that may have a value for each period.
func (t *Train) counts(c train.Config) error {
	what, periods := "preset "+t.Preset, len(c.Periods)
	if t.Config != "" {
		what = "training " + t.Config
	}
	var errs fault.List
	for _, n := range []struct {
		flag   string
		values int
	}{
		{"accumulate", len(t.Accumulate)}, {"batch", len(t.Batch)}, {"batch-tokens", max(1, len(t.BatchTokens))},
		{"bitext-batch", len(t.BitextBatch)}, {"cache-chunk", len(t.CacheChunk)}, {"rate", len(t.Rate)}, {"steps", len(t.Steps)},
		{"warmup", len(t.Warmup)},
	} {
		switch {
		case n.values == 1 || n.values == periods || !t.counted(n.flag):
		case periods == 1:
			errs.Addf("%s has %d values, the %s has one period: give one value", n.flag, n.values, what)
		default:
			errs.Addf("%s has %d values, the %s has %d periods: give one value, or one a period", n.flag, n.values, what, periods)
		}
	}
	return errs.Err()
}

// unplaced looks at the flags that are for the datasets of --examples and --bitext, for which
// the training may have no place. A file that names its datasets has none.
func (t *Train) unplaced(c train.Config) error {
	var errs fault.List
	weighs := false
	t.places, t.unused = map[string]bool{}, nil
	for _, p := range c.Periods {
		for _, m := range p.Mixture {
			t.places[m.Dataset], weighs = true, weighs || weighed(p, m)
		}
	}
	for _, n := range []struct{ flag, place, data string }{
		{"batch", examplesGiven, "examples"}, {"batch-tokens", examplesGiven, "examples"}, {"bitext-batch", bitextGiven, "bitext"},
	} {
		switch {
		case t.places[n.place] || !slices.Contains(t.given, n.flag):
		case t.Config != "":
			errs.Addf("%s is for %s, the dataset of --%s, which %s does not have: change batch_size there", n.flag, n.place, n.data,
				t.Config)
		default:
			t.unused = append(t.unused, n.flag)
		}
	}
	switch {
	case weighs || !slices.Contains(t.given, "bitext-weight"):
	case t.Config != "":
		errs.Addf("bitext-weight is for %s beside another objective, which %s does not have: change weight there", bitextGiven, t.Config)
	default:
		errs.Addf("bitext-weight weighs --bitext against another objective in the same step, and this training has no such step: leave it out")
	}
	return errs.Err()
}

// objectives sets what the flags say of the objectives that the training names. Flags of
// those that no period trains are faults, also where the training names their settings.
func (t *Train) objectives(c train.Config) error {
	var errs fault.List
	for i, o := range objective.List() {
		flags, err := command.FlagNames(t.Objectives[i])
		if err != nil {
			return err
		}
		flags = slices.DeleteFunc(flags, func(flag string) bool { return !t.counted(flag) })
		if settings, ok := c.Objectives[o.Name]; ok {
			errs.Add(command.CopyFlags(settings, t.Objectives[i], flags))
		}
		trained := slices.ContainsFunc(c.Periods, func(p train.Period) bool {
			return slices.ContainsFunc(p.Mixture, func(m batches.Source) bool { return m.Objective == o.Name })
		})
		for _, flag := range flags {
			errs.Check(trained || !slices.Contains(t.given, flag), "%s is a setting of the objective %s, which is not trained", flag,
				o.Name)
		}
	}
	return errs.Err()
}

// OfSome says whether a flag has an effect on some objectives alone.
func (t *Train) OfSome(flag string) bool { return objectiveOf()[flag] != "" }

// objectiveOf names the objectives that flags are settings of.
var objectiveOf = sync.OnceValue(func() map[string]string {
	names := map[string]string{"bitext-weight": objective.BitextName}
	for _, o := range objective.List() {
		flags, err := command.FlagNames(o.Config())
		if err != nil { // which objectives says
			continue
		}
		for _, flag := range flags {
			names[flag] = o.Name
		}
	}
	return names
})

// Takes says whether a flag has an effect on what is trained: a setting of an objective that is not
// trained has none, nor has the weight of one that stands alone.
func (t *Train) Takes(flag string) bool {
	name := objectiveOf()[flag]
	c, err := t.config()
	if name == "" || err != nil { // which Validate says
		return true
	}
	return slices.ContainsFunc(c.Periods, func(p train.Period) bool {
		return slices.ContainsFunc(p.Mixture, func(m batches.Source) bool {
			return m.Objective == name && (flag != "bitext-weight" || p.Mixture[0].Objective != name)
		})
	})
}

// options sets what flags that are given say of what a training may have or not.
func (t *Train) options(c *train.Config) error {
	if slices.Contains(t.given, "validate") || slices.Contains(t.given, "validate-share") { // each takes the other's place
		if c.Validation != nil {
			v := *c.Validation
			v.Datasets, v.Share = nil, 0
			c.Validation = &v
		}
	}
	err := errors.Join(option(t, &c.Validation, &t.Validation), option(t, &c.Sampling, &t.Sampling))
	*c = c.WithDefaults()
	return err
}

// option sets the fields of one of them whose flags are given.
func option[T any](t *Train, field **T, flags *T) error {
	names, err := command.FlagNames(flags)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(t.given, name) })
	if len(names) == 0 {
		return nil
	}
	var v T
	if *field != nil {
		v = **field
	}
	*field = &v
	return command.CopyFlags(&v, flags, names)
}

// period sets what the flags say of a period.
func (t *Train) period(i int, s *train.Period) {
	set(t, "steps", &s.Steps, ofPeriod(t.Steps, i))
	set(t, "rate", &s.Rate, ofPeriod(t.Rate, i))
	set(t, "warmup", &s.Warmup, ofPeriod(t.Warmup, i))
	if t.Config == "" && !slices.Contains(t.given, "warmup") { // that of a size, with fewer steps
		s.Warmup = min(s.Warmup, max(0, s.Steps))
	}
	set(t, "accumulate", &s.Accumulate, ofPeriod(t.Accumulate, i))
	if s.Caches() || len(t.CacheChunk) > 1 { // one value is for the periods that it can be for
		set(t, "cache-chunk", &s.CacheChunk, ofPeriod(t.CacheChunk, i))
	}
	set(t, "decay", &s.Decay, t.Decay)
	if t.counted("optimizer") {
		s.Optimizer = objective.Optimizer{Name: t.Optimizer} // with the defaults of that one
		s.Schedule = s.Schedule.WithDefaults()
	}
	if t.Epsilon != 0 {
		set(t, "epsilon", &s.Optimizer.Epsilon, t.Epsilon)
	}
	set(t, "weight-decay", &s.Optimizer.Decay, t.WeightDecay)
	set(t, "clip", &s.Optimizer.Clip, t.Clip)
	set(t, "freeze", &s.Freeze, t.Freeze)
	set(t, "layer-decay", &s.LayerDecay, t.LayerDecay)
	s.Schedule = s.Schedule.WithDefaults()
	var extra []batches.Source
	for k := range s.Mixture {
		m := &s.Mixture[k]
		set(t, "tokens", &m.MaxTokens, t.Tokens)
		switch {
		case m.Dataset == examplesGiven:
			set(t, "batch", &m.BatchSize, ofPeriod(t.Batch, i))
			if slices.Contains(t.given, "batch") {
				m.BatchTokens = 0
			}
			if len(t.BatchTokens) > 0 {
				m.BatchSize, m.BatchTokens = 0, ofPeriod(t.BatchTokens, i)
			}
			if t.Examples != "" {
				m.Dataset = t.Examples
			}
		case m.Dataset == bitextGiven:
			set(t, "bitext-batch", &m.BatchSize, ofPeriod(t.BitextBatch, i))
			if weighed(*s, *m) {
				set(t, "bitext-weight", &m.Weight, t.BitextWeight)
			}
			for n, dataset := range t.Bitext {
				if n == 0 {
					m.Dataset = dataset
					continue
				}
				source := *m
				source.Name, source.Dataset = fmt.Sprintf("%s-%d", m.Name, n+1), dataset
				extra = append(extra, source)
			}
		}
	}
	s.Mixture = append(s.Mixture, extra...)
}

// weighed says whether a source takes --bitext-weight: it weighs against another one, which
// comes first.
func weighed(p train.Period, m batches.Source) bool {
	return m.Dataset == bitextGiven && p.Mixture[0].Objective != m.Objective
}

// ofPeriod is the value of a period, where there may be one for all.
func ofPeriod[T any](values []T, i int) T { return values[min(i, len(values)-1)] }

// datasets says which flags of datasets the training lacks, and which it does not take.
func (t *Train) datasets(c train.Config) error {
	what := "preset " + t.Preset
	if t.Config != "" {
		what = "training " + t.Config
	}
	var errs fault.List
	for _, input := range []struct {
		flag, place string
		values      []string
	}{{"examples", examplesGiven, compact(t.Examples)}, {"bitext", bitextGiven, t.Bitext}} {
		var lacking []string
		for _, s := range c.Periods {
			for _, m := range s.Mixture {
				if o, ok := objective.Find(m.Objective); ok && m.Dataset == input.place {
					lacking = o.Kinds
				}
			}
		}
		if lacking != nil {
			errs.Addf("%s needs --%s, a dataset of %s examples; `sentweave examples` makes one", what, input.flag, lacking[0])
		} else if len(input.values) > 0 && !t.places[input.place] {
			errs.Addf("%s takes no --%s", what, input.flag)
		}
	}
	return errs.Err()
}

func compact(values ...string) []string {
	return slices.DeleteFunc(values, func(v string) bool { return v == "" })
}

// printTraining writes a training as --config reads it.
func printTraining(w io.Writer, c train.Config) error {
	text, err := yaml.MarshalWithOptions(c, yaml.IndentSequence(false))
	if err != nil {
		return err
	}
	lines := []string{"# A training, for sentweave train --config. The encoder is not part of it: give --from, or",
		"# --size, --layers and their like, once more."}
	if strings.Contains(string(text), examplesGiven) || strings.Contains(string(text), bitextGiven) {
		lines = append(lines, "# "+examplesGiven+" and "+bitextGiven+" are the datasets of --examples and --bitext.")
	}
	_, err = fmt.Fprintf(w, "%s\n%s", strings.Join(lines, "\n"), text)
	return err
}
