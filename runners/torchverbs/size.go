package torchverbs

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"sentweave/stages/objective"
)

// size is an encoder with the schedules that suit it. What --preset names is trained when;
// how large the encoder is and how long it is trained is another choice, which init makes, too.
type size struct {
	layers, hidden, heads, intermediate, positions int
	dropout                                        float64

	optimizer       string
	tokens          int
	bitextWeight    float64
	checkpointEvery int
	// periods are the schedules of periods by their names.
	periods map[string]schedule
}

// schedule is that of a period.
type schedule struct {
	steps, warmup      int64
	batch, bitextBatch int
	rate               float64
}

// sizes are those of --size but base, whose values are the defaults of the flags: BERT base
// and the schedule of CMLM's paper, for which a GPU is needed. Of the others the bitext weighs
// as much as CMLM, where the paper has .2 over hundreds of times as many steps.
var sizes = map[string]size{
	// For two cores: minutes. Retrieval alone takes four times the steps of the recipe handbook,
	// with which its loss on 30,000 pairs is half of that after two times.
	"tiny": {
		layers: 2, hidden: 128, heads: 4, intermediate: 256, positions: 128,
		optimizer: "adamw", tokens: 48, bitextWeight: 1, checkpointEvery: 100,
		periods: map[string]schedule{
			"cmlm":    {steps: 150, batch: 16, rate: .002},
			"br":      {steps: 2000, warmup: 30, batch: 16, bitextBatch: 64, rate: .003},
			"cmlm+br": {steps: 500, warmup: 30, batch: 16, bitextBatch: 64, rate: .003},
		},
	},
	// For eight cores: an hour or two.
	"small": {
		layers: 4, hidden: 256, heads: 4, intermediate: 1024, positions: 256, dropout: .1,
		optimizer: "adamw", tokens: 96, bitextWeight: 1, checkpointEvery: 250,
		periods: map[string]schedule{
			"cmlm":    {steps: 2000, warmup: 200, batch: 64, rate: .001},
			"br":      {steps: 5000, warmup: 300, batch: 64, bitextBatch: 128, rate: .001},
			"cmlm+br": {steps: 5000, warmup: 300, batch: 64, bitextBatch: 128, rate: .001},
		},
	},
}

// sized returns the size that a command line names; false for base and names that are none.
func sized(k *kong.Context) (size, bool) {
	name, _ := valueOf(k, "size").(string)
	s, ok := sizes[name]
	return s, ok
}

// valueOf is the value of a flag of the verb, before flags are set.
func valueOf(k *kong.Context, name string) any {
	for _, f := range k.Flags() {
		if f.Name == name {
			return k.FlagValue(f)
		}
	}
	return nil
}

// resize sets the flags of an encoder to those of a size; flags that are given are set later.
func (a *architecture) resize(s size) {
	a.Layers, a.Hidden, a.Heads, a.Intermediate, a.Positions, a.Dropout = s.layers, s.hidden, s.heads, s.intermediate, s.positions,
		s.dropout
}

// resize sets the flags of a training of a preset to those of a size. The vocabulary's bias
// begins with the words' frequencies, without which small encoders collapse, where it is new.
func (t *Train) resize(s size, preset string, begins bool) {
	t.Optimizer, t.Tokens, t.BitextWeight, t.CheckpointEvery = s.optimizer, s.tokens, s.bitextWeight, s.checkpointEvery
	t.Steps, t.Warmup, t.Batch, t.BitextBatch, t.Rate = nil, nil, nil, nil, nil
	for _, period := range strings.Split(preset, "-then-") {
		p, ok := s.periods[period]
		if !ok { // of another objective on pairs
			p = s.periods["br"]
		}
		t.Steps, t.Warmup, t.Rate = append(t.Steps, p.steps), append(t.Warmup, p.warmup), append(t.Rate, p.rate)
		t.Batch, t.BitextBatch = append(t.Batch, p.batch), append(t.BitextBatch, max(2, p.bitextBatch))
	}
	for i, o := range objective.List() {
		if c, ok := t.Objectives[i].(*objective.CMLM); ok && o.Name == objective.CMLMName && begins {
			c.LogUnigramBias = true
		}
	}
}

// isGiven says whether a command line names a flag.
func isGiven(k *kong.Context, name string) bool {
	return slices.ContainsFunc(k.Path, func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == name })
}
