package model

import (
	"errors"
	"fmt"
	"path/filepath"

	"sentweave/schemas/fault"
)

// Dense is a layer through which vectors go after the pooling, as sentence-transformers
// has it: activation(W x + b).
type Dense struct {
	// Path is the folder of its weights below that of the encoder. WriteSettings and
	// DensePath name it by its place.
	Path string
	// In and Out are the sizes of vectors before and after it.
	In, Out int
	// Bias says whether it has a b.
	Bias       bool
	Activation Activation
}

// Activation is what a Dense layer does last.
type Activation string

// Activations, as sentence-transformers names them.
const (
	Identity  Activation = "torch.nn.modules.linear.Identity"
	ReLU      Activation = "torch.nn.modules.activation.ReLU"
	Tanh      Activation = "torch.nn.modules.activation.Tanh"
	DenseGELU Activation = "torch.nn.modules.activation.GELU" // exact, as layers have it by default
)

// DensePath is the folder of the layer at a place, counted from 0.
func DensePath(i int) string { return fmt.Sprintf("%d_Dense", 2+i) }

// Dimension is the size of the vectors.
func (f *Folder) Dimension() int {
	if dimension := f.wholeDimension(); f.Truncate == 0 || f.Truncate > dimension {
		return dimension
	}
	return f.Truncate
}

// wholeDimension is their size before they are truncated.
func (f *Folder) wholeDimension() int {
	switch {
	case f.Pooling == Lens:
		return f.LensSize
	case f.Second:
		return 2 * f.Config.HiddenSize
	case len(f.Dense) > 0:
		return f.Dense[len(f.Dense)-1].Out
	}
	return f.pooledDimension()
}

// pooledDimension is the size of what the pooling of tokens gives.
func (f *Folder) pooledDimension() int { return f.Config.HiddenSize * len(f.Pooling.Parts()) }

type denseJSON struct {
	In         int        `json:"in_features"`
	Out        int        `json:"out_features"`
	Bias       *bool      `json:"bias"`
	Activation Activation `json:"activation_function"`
	// What follows is of newer versions, which also change vectors of tokens, or add
	// what comes in.
	Input    string  `json:"module_input_name,omitempty"`
	Output   *string `json:"module_output_name,omitempty"`
	Residual bool    `json:"use_residual,omitempty"`
}

// dense reads the settings of one more layer.
func (f *Folder) dense(path string) error {
	name := filepath.Join(path, "config.json")
	j := denseJSON{Activation: Tanh} // as sentence-transformers has it
	if err := f.read(name, &j); err != nil {
		return err
	}
	const vector = "sentence_embedding"
	if j.Residual || j.Input != "" && j.Input != vector || j.Output != nil && *j.Output != vector {
		return fmt.Errorf("%s: only a layer from the vector of a text to the next one is supported, without a residual",
			filepath.Join(f.Path, name))
	}
	d := Dense{Path: path, In: j.In, Out: j.Out, Bias: j.Bias == nil || *j.Bias, Activation: j.Activation}
	if err := f.fits(d); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(f.Path, name), err)
	}
	f.Dense = append(f.Dense, d)
	return nil
}

// fits returns all faults of a layer that comes after those that are there.
func (f *Folder) fits(d Dense) error {
	var errs fault.List
	errs.Check(d.In == f.wholeDimension(), "in_features is %d, the vectors before it have %d", d.In, f.wholeDimension())
	errs.Check(d.Out >= 1 && d.Out <= 1<<20, "out_features is %d, it must be from 1 to %d", d.Out, 1<<20)
	switch d.Activation {
	case Identity, ReLU, Tanh, DenseGELU:
	default:
		errs.Addf("activation_function %q is not supported, only %s, %s, %s and %s", d.Activation, Identity, ReLU, Tanh, DenseGELU)
	}
	return errs.Err()
}

// checkDense returns an error for layers that do not follow from each other.
func (f *Folder) checkDense() error {
	if (f.Pooling == Lens || f.Second) && len(f.Dense) > 0 || f.Pooling == Lens && f.Second {
		return errors.New("Dense layers cannot follow a lens or a second encoder, and a lens and a second encoder exclude each other")
	}
	prefix := *f
	prefix.Dense = nil
	for i, d := range f.Dense {
		if err := prefix.fits(d); err != nil {
			return fmt.Errorf("Dense layer %d: %w", i, err)
		}
		prefix.Dense = f.Dense[:i+1]
	}
	return nil
}
