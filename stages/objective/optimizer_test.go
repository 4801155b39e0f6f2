package objective

import (
	"math"
	"testing"

	"github.com/goccy/go-yaml"
)

func TestOptimizerFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Optimizer)
		reason string // "" is valid
	}{
		{"default", func(*Optimizer) {}, ""},
		{"AdamW", func(o *Optimizer) { o.Name, o.Epsilon = "adamw", 1e-8 }, ""},
		{"Adam", func(o *Optimizer) { o.Name = "adam" }, ""},
		{"no moments, decay, clipping", func(o *Optimizer) { o.Beta1, o.Beta2, o.Decay, o.Clip = 0, 0, 0, 0 }, ""},
		{"name", func(o *Optimizer) { o.Name = "sgd" }, `optimizer "sgd" is not one of lamb, adamw, adam`},
		{"beta1", func(o *Optimizer) { o.Beta1 = 1 }, "optimizer: beta1 is 1, it must be in [0, 1)"},
		{"beta2", func(o *Optimizer) { o.Beta2 = -.5 }, "optimizer: beta2 is -0.5, it must be in [0, 1)"},
		{"beta NaN", func(o *Optimizer) { o.Beta2 = math.NaN() }, "optimizer: beta2 is NaN, it must be in [0, 1)"},
		{"epsilon", func(o *Optimizer) { o.Epsilon = 0 }, "optimizer: epsilon is 0, it must be above 0"},
		{"decay", func(o *Optimizer) { o.Decay = -1 }, "optimizer: decay is -1, it must not be negative"},
		{"decay NaN", func(o *Optimizer) { o.Decay = math.NaN() }, "optimizer: decay is NaN, it must not be negative"},
		{"clip", func(o *Optimizer) { o.Clip = -1 }, "optimizer: clip is -1, it must not be negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := DefaultOptimizer()
			test.change(&o)
			wantFault(t, o.Validate(), test.reason)
		})
	}
	wantFaults(t, Optimizer{Beta1: 1, Beta2: 1, Decay: -1, Clip: -2}.Validate(), `optimizer "" is not one of lamb, adamw, adam`,
		"optimizer: beta1 is 1, it must be in [0, 1)", "optimizer: beta2 is 1, it must be in [0, 1)",
		"optimizer: epsilon is 0, it must be above 0",
		"optimizer: decay is -1, it must not be negative", "optimizer: clip is -2, it must not be negative")
}

// TestOptimizerInFile: what a file leaves out has the defaults of the optimizer that it names.
func TestOptimizerInFile(t *testing.T) {
	for text, want := range map[string]Optimizer{
		"{name: adamw, decay: .1}":    {"adamw", .9, .999, 1e-8, .1, 1},
		"{clip: 0}":                   {"lamb", .9, .999, 1e-6, .01, 0},
		"{name: adam, epsilon: 1e-4}": {"adam", .9, .999, 1e-4, .01, 1},
		"{beta1: 0, name: adamw}":     {"adamw", 0, .999, 1e-8, .01, 1},
	} {
		var got struct {
			Optimizer Optimizer `yaml:"optimizer"`
		}
		if err := yaml.Unmarshal([]byte("optimizer: "+text), &got); err != nil || got.Optimizer != want {
			t.Errorf("%s: %+v, error %v, want %+v", text, got.Optimizer, err, want)
		}
	}
}
