package train

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"sentweave/stages/objective"
	"sentweave/stages/train/batches"
)

func TestRates(t *testing.T) {
	tests := []struct {
		s    Schedule
		want map[int64]float64
	}{
		// Up by quarters in 4 steps, then down from step 4 to nothing at step 11: sevenths.
		{Schedule{Rate: 8, Steps: 10, Warmup: 4, Decay: decayLinear}, map[int64]float64{1: 2, 2: 4, 3: 6, 4: 8, 5: 8 * 6. / 7, 10: 8. / 7}},
		{Schedule{Rate: 8, Steps: 10, Warmup: 4, Decay: decayNone}, map[int64]float64{1: 2, 3: 6, 4: 8, 5: 8, 10: 8}},
		{Schedule{Rate: 6, Steps: 3, Decay: decayLinear}, map[int64]float64{1: 6, 2: 4, 3: 2}},
		{Schedule{Rate: 6, Steps: 3, Warmup: 3, Decay: decayLinear}, map[int64]float64{1: 2, 2: 4, 3: 6}},
		{Schedule{Rate: 6, Steps: 1, Decay: decayNone}, map[int64]float64{1: 6}},
		// Half a cosine from step 3 to nothing at step 9: the cosines of 60, 90 and 120 degrees.
		{Schedule{Rate: 8, Steps: 8, Warmup: 3, Decay: decayCosine}, map[int64]float64{1: 8. / 3, 3: 8, 5: 6, 6: 4, 7: 2}},
		// By the paper's formula with vectors of 4 numbers, 4^-.5 × min(t^-.5, t × 4^-1.5), whose greatest value is .25.
		{Schedule{Rate: .25, Steps: 99, Warmup: 4, Decay: decayNoam}, map[int64]float64{1: .5 / 8, 4: .25, 16: .125, 25: .1}},
		{Schedule{Rate: 6, Steps: 3, Decay: decayNoam}, map[int64]float64{1: 6}},
		// The demo's second period: 3e-3, warm-up 30 of 500.
		{Schedule{Rate: 3e-3, Steps: 500, Warmup: 30, Decay: decayLinear},
			map[int64]float64{1: 1e-4, 15: 1.5e-3, 30: 3e-3, 265: 3e-3 * 236 / 471, 500: 3e-3 / 471}},
	}
	for _, tt := range tests {
		for step, want := range tt.want {
			if got := tt.s.at(step); got < want*(1-1e-12) || got > want*(1+1e-12) {
				t.Errorf("%+v: rate %v at step %d, want %v", tt.s, got, step, want)
			}
		}
	}
}

func valid() Config {
	return Config{Periods: []Period{
		{Name: "cmlm", Mixture: []batches.Source{{Dataset: "a", Objective: "cmlm", BatchSize: 4}}, Schedule: Schedule{Steps: 10, Rate: 1}},
		{Name: "cmlm+br", Mixture: []batches.Source{{Dataset: "a", Objective: "cmlm", BatchSize: 4},
			{Dataset: "b", Objective: "bitext", BatchSize: 4}}, Schedule: Schedule{Steps: 10, Rate: 1}},
	}}
}

func TestValidate(t *testing.T) {
	if err := valid().Validate(); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		edit func(*Config)
		want []string
	}{
		{func(c *Config) { c.Periods = nil }, []string{"periods is empty"}},
		{func(c *Config) { c.Periods[1].Name = "cmlm" }, []string{`periods[1]: the name "cmlm" occurs twice`}},
		{func(c *Config) { c.Periods[0].Name = "_run" }, []string{`periods[0]: name "_run" must be of lower-case letters`}},
		{func(c *Config) { c.Periods[0].Name = "training.json" }, []string{`periods[0]: name "training.json"`}},
		{func(c *Config) { c.Periods[0].Name = ".." }, []string{`periods[0]: name ".."`}},
		{func(c *Config) { c.Periods[0].Mixture = nil }, []string{"periods[0]: mixture is empty"}},
		{func(c *Config) { c.Periods[1].Mixture[1].Name = "cmlm" }, []string{`periods[1].mixture[1]: the name "cmlm" occurs twice`}},
		{func(c *Config) { c.Periods[1].Mixture[1] = batches.Source{Objective: "skip", MaxTokens: 2, Weight: -1} }, []string{
			"periods[1].mixture[1]: dataset is empty", `objective "skip" is not one of cmlm, bitext`, "batch_size is 0", "max_tokens is 2",
			"weight is -1"}},
		{func(c *Config) { c.Periods[1].Mixture[1].BatchSize = 1 }, []string{"bitext needs at least 2"}},
		{func(c *Config) {
			c.Periods[1].Mixture[1] = batches.Source{Objective: "bsl", Dataset: "d", BatchSize: 7}
		}, []string{"batch_size is 7, bsl needs at least 8"}},
		{func(c *Config) { c.Periods[1].Mixture[1].Objective = "lens" },
			[]string{"periods[1]: lens leaves the encoder as it is and cmlm trains it: give each a period of its own"}},
		{func(c *Config) {
			c.Periods[0].Schedule = Schedule{Warmup: 5, Decay: "stairs", Accumulate: -1, Optimizer: objective.Optimizer{Name: "sgd"}}
		}, []string{
			`periods[0]: optimizer "sgd" is not one of`, "steps is 0", "rate is 0",
			`decay "stairs" is not one of linear, cosine, noam, none`, "accumulate is -1"}},
		{func(c *Config) {
			c.Keep, c.LogEvery, c.CheckpointEvery, c.ReadAhead, c.ShuffleGroups = -1, -1, -1, -1, -1
		}, []string{"keep is -1", "log_every is -1", "checkpoint_every is -1", "read_ahead is -1", "shuffle_groups is -1"}},
		{func(c *Config) { c.Periods[0].CacheChunk, c.Periods[1].CacheChunk = 8, -1 }, []string{
			"periods[0]: cache_chunk is 8, and cmlm predicts masked tokens", "periods[1]: cache_chunk is -1"}},
		{func(c *Config) { c.Masks.Ratio = 2 }, []string{"masks: ratio 2"}},
	}
	for _, tt := range tests {
		c := valid()
		tt.edit(&c)
		err := c.Validate()
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want %q in: %v", want, err)
			}
		}
	}
}

func TestDefaults(t *testing.T) {
	c := valid()
	got := c.WithDefaults()
	if !cmp.Equal(c, valid()) {
		t.Error("WithDefaults changes its receiver")
	}
	if again := got.WithDefaults(); !cmp.Equal(again, got) {
		t.Error("the defaults of the defaults differ")
	}
	s := got.Periods[1]
	if s.Optimizer != objective.DefaultOptimizer() || s.Accumulate != 1 || s.Decay != decayLinear || s.Mixture[0].Weight != 1 ||
		s.Mixture[1].Weight != .2 || s.Mixture[1].Name != "bitext" {
		t.Errorf("%+v", s)
	}
	c.Periods[0].Optimizer.Name = "adamw"
	o := c.WithDefaults().Periods[0].Optimizer
	if o != (objective.Optimizer{Name: "adamw", Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .01, Clip: 1}) {
		t.Errorf("%+v", o)
	}
}

func TestYAML(t *testing.T) {
	const text = `
seed: 4
checkpoint_every: 50
masks: {ratio: 0.31}
periods:
- name: cmlm
  steps: 150
  rate: 2e-3
  optimizer: {name: adamw, beta1: 0.9, beta2: 0.98, epsilon: 1e-8, decay: 0.01, clip: 1}
  mixture:
  - {dataset: examples/eng, objective: cmlm, batch_size: 16, max_tokens: 48}
`
	var c Config
	if err := yaml.UnmarshalWithOptions([]byte(text), &c, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	want := Config{Seed: 4, CheckpointEvery: 50, Masks: batches.Masks{Ratio: .31}, Periods: []Period{{
		Name: "cmlm", Mixture: []batches.Source{{Dataset: "examples/eng", Objective: "cmlm", BatchSize: 16, MaxTokens: 48}},
		Schedule: Schedule{Steps: 150, Rate: 2e-3, Optimizer: objective.Optimizer{Name: "adamw", Beta1: .9, Beta2: .98, Epsilon: 1e-8,
			Decay: .01, Clip: 1}},
	}}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}
