//go:build libtorch

package torch

import (
	"math"
	"testing"
	"unsafe"

	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// trace is an optimizer over parameters of a few numbers, whose gradients are
// what a test wants.
type trace struct {
	*testing.T
	weights   *transformer.Weights
	optimizer *optimizer
}

func newTrace(t *testing.T, o objective.Optimizer, parameters map[string][]float32) *trace {
	t.Helper()
	onThread()
	w := transformer.NewWeights()
	for _, name := range []string{"dense.weight", "dense.bias", "LayerNorm.weight"} {
		list, ok := parameters[name]
		if !ok {
			continue
		}
		tensor, err := native.NewTensor(unsafe.Pointer(unsafe.SliceData(list)), []int64{int64(len(list))}, native.Float32s)
		if err == nil {
			err = native.RequireGradient(tensor)
		}
		if err != nil {
			t.Fatal(err)
		}
		w.Put(name, tensor)
	}
	optimizer, err := newOptimizer(o, w, w.Names, []float64{1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { optimizer.free(); w.Free() })
	return &trace{t, w, optimizer}
}

// step gives the parameters gradients, those of a weighted sum, and updates.
func (t *trace) step(rate float64, gradients map[string][]float32) (norm float64) {
	t.Helper()
	for name, g := range gradients {
		var s native.Scope
		sum := s.Sum(s.Multiply(t.weights.Tensors[name], s.Floats(g, int64(len(g)))), 0, false)
		if s.Err != nil {
			t.Fatal(s.Err)
		}
		if err := sum.Backward(); err != nil {
			t.Fatal(err)
		}
		s.Free()
	}
	norm, err := t.optimizer.update(rate)
	if err != nil {
		t.Fatal(err)
	}
	return norm
}

func (t *trace) want(name string, want ...float64) {
	t.Helper()
	for i, got := range values(t, t.weights.Tensors[name]) {
		if math.Abs(float64(got)-want[i]) > 2e-6*max(1, math.Abs(want[i])) {
			t.Errorf("%s is %v at %d, by hand it is %.7f", name, got, i, want[i])
		}
	}
}

type named = map[string][]float32

// The first step needs no machine: both corrected moments are the gradient and its
// square, so their quotient is the gradient's sign.
func TestLAMBByHand(t *testing.T) {
	o := objective.Optimizer{Name: "lamb", Beta1: .9, Beta2: .99, Epsilon: 1e-12, Decay: .1}
	tr := newTrace(t, o, named{"dense.weight": {3, 4}, "dense.bias": {3, 4}, "LayerNorm.weight": {1, 1}})
	tr.step(.1, named{"dense.weight": {2, -5}, "dense.bias": {2, -5}, "LayerNorm.weight": {-.25, .5}})
	// Update (1, −1) + .1 (3, 4) = (1.3, −.6) of norm √2.05 = 1.4317821; the weight's norm is 5,
	// their ratio 3.4921515: (3, 4) − .1 × 3.4921515 × (1.3, −.6).
	tr.want("dense.weight", 2.5460203, 4.2095291)
	// Neither decay nor ratio.
	tr.want("dense.bias", 2.9, 4.1)
	tr.want("LayerNorm.weight", 1.1, .9)

	// Second moments: first .9 (.2, −.5) + .1 (1, 5) = (.28, −.05 + .1), second .99 (.04, .25) + .01 (1, 25);
	// corrected by 1 − .81 = .19 and 1 − .9801 = .0199.
	tr.step(.1, named{"dense.weight": {1, 5}, "dense.bias": {1, 5}})
	r0 := (.28 / .19) / math.Sqrt((.99*.04+.01)/.0199)
	r1 := ((.9*-.5 + .5) / .19) / math.Sqrt((.99*.25+.25)/.0199)
	u0, u1 := r0+.1*2.5460203, r1+.1*4.2095291
	ratio := math.Hypot(2.5460203, 4.2095291) / math.Hypot(u0, u1)
	tr.want("dense.weight", 2.5460203-.1*ratio*u0, 4.2095291-.1*ratio*u1)
	tr.want("dense.bias", 2.9-.1*r0, 4.1-.1*r1)
	// Without a gradient nothing happens to a parameter.
	tr.want("LayerNorm.weight", 1.1, .9)
}

func TestLAMBRatioOfZeros(t *testing.T) {
	o := objective.Optimizer{Name: "lamb", Beta1: .9, Beta2: .99, Epsilon: 1e-6, Decay: .1}
	tr := newTrace(t, o, named{"dense.weight": {0, 0}})
	tr.step(.1, named{"dense.weight": {0, 0}})
	tr.want("dense.weight", 0, 0)
	tr = newTrace(t, o, named{"dense.weight": {0, 0}})
	tr.step(.1, named{"dense.weight": {1, -1}}) // the ratio is 1 where the weights are 0
	tr.want("dense.weight", -.1, .1)
}

func TestAdamWByHand(t *testing.T) {
	o := objective.Optimizer{Name: "adamw", Beta1: .9, Beta2: .99, Epsilon: 1e-12, Decay: .1}
	tr := newTrace(t, o, named{"dense.weight": {3, 4}, "dense.bias": {3, 4}, "LayerNorm.weight": {1, 1}})
	tr.step(.1, named{"dense.weight": {2, -5}, "dense.bias": {2, -5}, "LayerNorm.weight": {-.25, .5}})
	// Decay is decoupled: (3, 4) × (1 − .1 × .1) − .1 × (1, −1).
	tr.want("dense.weight", 2.87, 4.06)
	tr.want("dense.bias", 2.9, 4.1)
	tr.want("LayerNorm.weight", 1.1, .9)
	tr.step(.2, named{"dense.weight": {1, 5}, "dense.bias": {1, 5}})
	r0 := (.28 / .19) / math.Sqrt((.99*.04+.01)/.0199)
	r1 := ((.9*-.5 + .5) / .19) / math.Sqrt((.99*.25+.25)/.0199)
	tr.want("dense.weight", 2.87*.98-.2*r0, 4.06*.98-.2*r1)
	tr.want("dense.bias", 2.9-.2*r0, 4.1-.2*r1)
	tr.want("LayerNorm.weight", 1.1, .9)
}

// The penalty is a part of the gradient, so that it shows in the moments alone.
func TestAdamByHand(t *testing.T) {
	o := objective.Optimizer{Name: "adam", Beta1: .9, Beta2: .99, Epsilon: 1e-12, Decay: .1}
	tr := newTrace(t, o, named{"dense.weight": {3, 4}, "dense.bias": {3, 4}})
	tr.step(.1, named{"dense.weight": {2, -5}, "dense.bias": {2, -5}})
	// Gradients (2 + .3, -5 + .4), of which the first step sees the signs.
	tr.want("dense.weight", 2.9, 4.1)
	tr.want("dense.bias", 2.9, 4.1)
	tr.step(.2, named{"dense.weight": {1, 5}, "dense.bias": {1, 5}})
	// Gradients (1.29, 5.41) after (2.3, -4.6): first moments .9 (.23, -.46) + .1 (1.29, 5.41) = (.336, .127),
	// second ones .99 (.0529, .2116) + .01 (1.6641, 29.2681) = (.069012, .502165).
	tr.want("dense.weight", 2.9-.2*(.336/.19)/math.Sqrt(.069012/.0199), 4.1-.2*(.127/.19)/math.Sqrt(.502165/.0199))
	tr.want("dense.bias", 2.9-.2*(.28/.19)/math.Sqrt(.0496/.0199), 4.1-.2*(.05/.19)/math.Sqrt(.4975/.0199))
}

// adam and its relatives over one number a parameter, in float64, as the papers
// write them: Loshchilov and Hutter 2019, algorithm 2, with and without what it marks;
// You et al. 2020, algorithm 2 with the corrections of its moments.
type byPaper struct {
	o       objective.Optimizer
	w, m, v map[string][]float64
	step    int
	decays  map[string]bool
}

func newByPaper(o objective.Optimizer, parameters named) *byPaper {
	p := &byPaper{o: o, w: map[string][]float64{}, m: map[string][]float64{}, v: map[string][]float64{},
		decays: map[string]bool{"dense.weight": true}}
	for name, list := range parameters {
		for _, x := range list {
			p.w[name] = append(p.w[name], float64(x))
		}
		p.m[name], p.v[name] = make([]float64, len(list)), make([]float64, len(list))
	}
	return p
}

func (p *byPaper) update(rate float64, gradients named) (norm float64) {
	for _, g := range gradients {
		for _, x := range g {
			norm += float64(x) * float64(x)
		}
	}
	norm = math.Sqrt(norm)
	factor := 1.
	if p.o.Clip > 0 && norm > p.o.Clip {
		factor = p.o.Clip / norm
	}
	p.step++
	for name, list := range gradients {
		w, m, v := p.w[name], p.m[name], p.v[name]
		u := make([]float64, len(w))
		var wNorm, uNorm float64
		for i := range w {
			g := factor * float64(list[i])
			if p.o.Name == "adam" && p.decays[name] {
				g += p.o.Decay * w[i]
			}
			m[i] = p.o.Beta1*m[i] + (1-p.o.Beta1)*g
			v[i] = p.o.Beta2*v[i] + (1-p.o.Beta2)*g*g
			first := m[i] / (1 - math.Pow(p.o.Beta1, float64(p.step)))
			u[i] = first / (math.Sqrt(v[i]/(1-math.Pow(p.o.Beta2, float64(p.step)))) + p.o.Epsilon)
			if p.o.Name != "adam" && p.decays[name] {
				u[i] += p.o.Decay * w[i]
			}
			wNorm, uNorm = wNorm+w[i]*w[i], uNorm+u[i]*u[i]
		}
		ratio := 1.
		if p.o.Name == "lamb" && p.decays[name] {
			ratio = math.Sqrt(wNorm / uNorm)
		}
		for i := range w {
			w[i] -= rate * ratio * u[i]
		}
	}
	return norm
}

// Three steps with clipping by the norm of all gradients together: large, small
// and large again, so that the moments tell whether it was clipped.
func TestOptimizersFollowThePapers(t *testing.T) {
	parameters := named{"dense.weight": {.5, -1.5, 2}, "dense.bias": {.3, -.2}, "LayerNorm.weight": {1, .9}}
	gradients := []named{
		{"dense.weight": {3, -4, 12}, "dense.bias": {.5, -.25}, "LayerNorm.weight": {1, 2}},
		{"dense.weight": {.1, .2, -.3}, "dense.bias": {-.1, .2}, "LayerNorm.weight": {.1, .01}},
		{"dense.weight": {-2, 1, 1}, "dense.bias": {3, 4}, "LayerNorm.weight": {0, -1}},
	}
	for _, o := range []objective.Optimizer{
		{Name: "lamb", Beta1: .9, Beta2: .999, Epsilon: 1e-6, Decay: .01, Clip: 1},
		{Name: "lamb", Beta1: .8, Beta2: .95, Epsilon: 1e-3, Decay: 0},
		{Name: "adamw", Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .01, Clip: 1},
		{Name: "adamw", Beta1: .8, Beta2: .95, Epsilon: 1e-3, Decay: .3, Clip: 2},
		{Name: "adam", Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .01, Clip: 1},
		{Name: "adam", Beta1: .8, Beta2: .95, Epsilon: 1e-3, Decay: .3, Clip: 2},
		{Name: "adamw", Beta1: 0, Beta2: 0, Epsilon: .1},
	} {
		t.Run(o.Name, func(t *testing.T) {
			tr, paper := newTrace(t, o, parameters), newByPaper(o, parameters)
			for i, g := range gradients {
				rate := []float64{.1, .05, .02}[i]
				norm, want := tr.step(rate, g), paper.update(rate, g)
				if math.Abs(norm-want) > 1e-6*want {
					t.Errorf("step %d: the norm is %v, by hand %v", i+1, norm, want)
				}
				for name := range parameters {
					tr.want(name, paper.w[name]...)
				}
			}
		})
	}
}

// After a gradient that is not a number everything is as if it had not been.
func TestNoStepWithoutANumber(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, name := range objective.Optimizers() {
		for _, bad := range []float32{nan, inf, -inf} {
			o := objective.Optimizer{Name: name, Beta1: .9, Beta2: .999, Epsilon: 1e-6, Decay: .01, Clip: 1}
			start := named{"dense.weight": {1, 2}, "dense.bias": {1, 2}}
			tr, paper := newTrace(t, o, start), newByPaper(o, start)
			good := named{"dense.weight": {1, -2}, "dense.bias": {.5, 0}}
			tr.step(.1, good)
			paper.update(.1, good)
			if norm := tr.step(.1, named{"dense.weight": {1, 1}, "dense.bias": {bad, 1}}); !math.IsNaN(norm) && !math.IsInf(norm, 0) {
				t.Errorf("%s: the norm of a gradient with %v is %v", name, bad, norm)
			}
			tr.want("dense.weight", paper.w["dense.weight"]...)
			tr.want("dense.bias", paper.w["dense.bias"]...)
			tr.step(.1, good)
			paper.update(.1, good)
			tr.want("dense.weight", paper.w["dense.weight"]...)
			tr.want("dense.bias", paper.w["dense.bias"]...)
		}
	}
}

func TestDecays(t *testing.T) {
	for name, want := range map[string]bool{
		"embeddings.word_embeddings.weight": true, "encoder.layer.0.output.dense.weight": true, "cmlm.projection.2.weight": true,
		"encoder.layer.0.output.dense.bias": false, "embeddings.LayerNorm.weight": false, "embeddings.LayerNorm.bias": false,
		"cls.predictions.bias": false, "cls.predictions.transform.LayerNorm.weight": false,
	} {
		if decays(name) != want {
			t.Errorf("%s: decays is %v", name, !want)
		}
	}
}
