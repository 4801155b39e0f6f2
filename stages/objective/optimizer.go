package objective

import (
	"cmp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"sentweave/schemas/fault"
)

// Optimizer configures an optimizer's steps.
type Optimizer struct {
	// Name is "adam" (Kingma and Ba 2015), "adamw" (Loshchilov and Hutter 2019) or "lamb"
	// (You et al. 2020). Default lamb.
	Name string `json:"name" yaml:"name"`
	// Beta1 and Beta2 are the decays of the moments. Defaults .9 and .999.
	Beta1 float64 `json:"beta1" yaml:"beta1"`
	Beta2 float64 `json:"beta2" yaml:"beta2"`
	// Epsilon is added outside of the root. Defaults 1e-6 for LAMB, 1e-8 for the others.
	Epsilon float64 `json:"epsilon" yaml:"epsilon"`
	// Decay is the weight decay of matrices. Biases and LayerNorms have none, and LAMB
	// does not adapt their rates. That of Adam is added to the gradient after clipping, as
	// the L2 penalty is; that of the others does not pass through the moments. Default .01.
	Decay float64 `json:"decay" yaml:"decay"`
	// Clip is the greatest norm of all gradients together; 0 does not clip. Default 1.
	Clip float64 `json:"clip" yaml:"clip"`
}

// DefaultOptimizer is LAMB.
func DefaultOptimizer() Optimizer { return OptimizerOf(lamb) }

// OptimizerOf is the named optimizer with its defaults, or LAMB if the name is empty.
func OptimizerOf(name string) Optimizer {
	o := Optimizer{Name: cmp.Or(name, lamb), Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .01, Clip: 1}
	if o.Name == lamb {
		o.Epsilon = 1e-6
	}
	return o
}

// UnmarshalYAML reads an optimizer. Keys that are left out have the defaults of the one that is named.
func (o *Optimizer) UnmarshalYAML(n ast.Node) error {
	var choice struct {
		Name string `yaml:"name"`
	}
	if err := yaml.NodeToValue(n, &choice); err != nil {
		return err
	}
	type plain Optimizer // without this method
	settings := plain(OptimizerOf(choice.Name))
	err := yaml.NodeToValue(n, &settings, yaml.Strict())
	*o = Optimizer(settings)
	return err
}

// Optimizers lists the names of all.
func Optimizers() []string { return []string{lamb, "adamw", "adam"} }

const lamb = "lamb"

// Validate returns all faults at once.
func (o Optimizer) Validate() error {
	var errs fault.List
	errs.Check(slices.Contains(Optimizers(), o.Name), "optimizer %q is not one of %s", o.Name, strings.Join(Optimizers(), ", "))
	for _, b := range []struct {
		name  string
		value float64
	}{{"beta1", o.Beta1}, {"beta2", o.Beta2}} {
		errs.Check(b.value >= 0 && b.value < 1, "optimizer: %s is %v, it must be in [0, 1)", b.name, b.value)
	}
	errs.Check(o.Epsilon > 0, "optimizer: epsilon is %v, it must be above 0", o.Epsilon)
	for _, p := range []struct {
		name  string
		value float64
	}{{"decay", o.Decay}, {"clip", o.Clip}} {
		errs.Check(p.value >= 0, "optimizer: %s is %v, it must not be negative", p.name, p.value)
	}
	return errs.Err()
}
