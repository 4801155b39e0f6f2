// Package probe trains the small classifiers by which SentEval measures sentence vectors
// (Conneau and Kiela, LREC 2018): logistic regression, or one hidden layer, on vectors
// that do not change, and the relatedness of two sentences from five bins.
//
// # Method
//
// Config follows the classifier of SentEval at 5d6dc11, with its quirks. The optimizer is
// Adam with the L2 penalty inside the gradient, also of the bias. Training makes
// EpochSize passes over the data, each in a new order, and then looks at the accuracy on
// the development rows: a strictly better model is kept. Tenacity counts all looks without
// improvement, and not those in a row.
//
// Vectors are float32, as in PyTorch. All penalties of a fold are trained side by side, so
// that a batch is read once for all of them.
//
// # Determinism
//
// Initial weights, orders and folds are pure functions of the seed. The result does not
// depend on the number of workers. Without a hidden layer and lbfgs, classifiers do not depend
// on the processor either: sums have one order, and products are rounded before they are
// added. Relatedness may differ between processors by the last bits of math.Exp.
package probe

import (
	"slices"

	"sentweave/schemas/fault"
)

// version of the random choices.
const version = 1

// Optimizer is how weights are moved.
type Optimizer string

// The optimizers of SentEval's presets.
const (
	adam    Optimizer = "adam"    // learning rate 0.001, moments 0.9 and 0.999
	rmsProp Optimizer = "rmsprop" // learning rate 0.01, smoothing 0.99
	lbfgs   Optimizer = "lbfgs"   // logistic regression to its optimum; penalties are C
)

// Config is what decides the result besides rows and seed.
type Config struct {
	Optimizer Optimizer
	// Batch is the number of rows of a batch.
	Batch int
	// EpochSize is the number of passes between two looks at the development rows.
	EpochSize int
	// MaxEpoch is the number of passes after which training ends.
	MaxEpoch int
	// Tenacity is the number of looks without improvement, over all, that do not yet end
	// the training.
	Tenacity int
	// Hidden is the size of the hidden layer; 0 is none.
	Hidden int
	// Dropout is the share of hidden values that are set to 0 while training.
	Dropout float64
	// Folds is the number of parts of a cross-validation.
	Folds int
	// Penalties are the L2 penalties to choose from; of equally good ones the first is taken.
	Penalties []float64
	// Workers is the number of fits at once; 0 is one for each processor.
	Workers int
}

// Literature returns the configuration by which published figures are made: ten folds,
// Adam, batches of 64.
func Literature() Config {
	return Config{Optimizer: adam, Batch: 64, EpochSize: 4, MaxEpoch: 200, Tenacity: 5, Folds: 10,
		Penalties: []float64{1e-5, 1e-4, 1e-3, 1e-2}}
}

// Prototyping returns SentEval's faster configuration: five folds, RMSprop, batches of 128.
func Prototyping() Config {
	c := Literature()
	c.Optimizer, c.Batch, c.EpochSize, c.Tenacity, c.Folds = rmsProp, 128, 2, 3, 5
	return c
}

// LBFGS returns SentEval's configuration for scikit-learn's logistic regression, which has no
// seed but that of the folds: all rows of a fold are trained on, and C is chosen from powers
// of 2.
func LBFGS() Config {
	c := Literature()
	c.Optimizer, c.Penalties = lbfgs, []float64{.25, .5, 1, 2, 4, 8}
	return c
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var faults fault.List
	faults.Check(c.Optimizer == adam || c.Optimizer == rmsProp || c.Optimizer == lbfgs, "optimizer %q is not one of %s, %s, %s",
		c.Optimizer, adam, rmsProp, lbfgs)
	faults.Check(c.Optimizer != lbfgs || c.Hidden == 0, "hidden %d: %s has no hidden layer", c.Hidden, lbfgs)
	for _, n := range []struct {
		name         string
		value, least int
	}{
		{"batch", c.Batch, 1}, {"epoch size", c.EpochSize, 1}, {"max epoch", c.MaxEpoch, 0}, {"tenacity", c.Tenacity, 0},
		{"hidden", c.Hidden, 0}, {"folds", c.Folds, 2}, {"workers", c.Workers, 0},
	} {
		faults.Check(n.value >= n.least, "%s %d: want at least %d", n.name, n.value, n.least)
	}
	faults.Check(c.Dropout >= 0 && c.Dropout < 1, "dropout %v: want 0 or more, and less than 1", c.Dropout)
	faults.Check(len(c.Penalties) > 0, "penalties: want at least one")
	for _, p := range c.Penalties {
		faults.Check(p >= 0, "penalty %v: want 0 or more", p)
	}
	return faults.Err()
}

// Form is how the features of a row are made of the vectors of its texts.
type Form int

// The forms: u, of one text; and of two, by components, |u−v| with u·v, or u, v, |u−v| and u·v.
const (
	Alone Form = iota
	Compared
	Joined
)

// Rows are vectors of one dimension with their classes, from 0 on. The features of two vectors
// are made batch by batch: they take no memory.
type Rows struct {
	Vectors [][]float32
	// Second are the vectors of the second texts, nil for Alone.
	Second  [][]float32
	Form    Form
	Classes []int
}

// at returns the rows of some indices. Vectors are shared.
func (r Rows) at(indices []int) Rows {
	s := Rows{Vectors: make([][]float32, len(indices)), Classes: make([]int, len(indices)), Form: r.Form}
	for i, k := range indices {
		s.Vectors[i], s.Classes[i] = r.Vectors[k], r.Classes[k]
		if r.Form != Alone {
			s.Second = append(s.Second, r.Second[k])
		}
	}
	return s
}

// and returns the rows of both.
func (r Rows) and(rows Rows) Rows {
	return Rows{
		slices.Concat(r.Vectors, rows.Vectors), slices.Concat(r.Second, rows.Second), r.Form,
		slices.Concat(r.Classes, rows.Classes),
	}
}

// dim is the number of features.
func (r Rows) dim() int {
	return map[Form]int{Alone: 1, Compared: 2, Joined: 4}[r.Form] * len(r.Vectors[0])
}

// fill sets the features of row i.
func (r Rows) fill(i int, features []float32) {
	u := r.Vectors[i]
	if r.Form == Alone {
		copy(features, u)
		return
	}
	v, n := r.Second[i], len(u)
	if r.Form == Joined {
		copy(features, u)
		copy(features[n:], v)
		features = features[2*n:]
	}
	for k := range u {
		features[k], features[n+k] = max(u[k]-v[k], v[k]-u[k]), u[k]*v[k]
	}
}

// expanded returns rows whose vectors are the features of r, which take memory.
func (r Rows) expanded() Rows {
	if r.Form == Alone {
		return r
	}
	e := Rows{Vectors: make([][]float32, len(r.Vectors)), Classes: r.Classes}
	for i := range e.Vectors {
		e.Vectors[i] = make([]float32, r.dim())
		r.fill(i, e.Vectors[i])
	}
	return e
}

// Validate returns an error unless there are rows, all of one dimension, finite, and of
// the given number of classes.
func (r Rows) Validate(classes int) error {
	var faults fault.List
	faults.Check(len(r.Vectors) == len(r.Classes), "%d vectors have %d classes", len(r.Vectors), len(r.Classes))
	faults.Check(len(r.Vectors) > 0, "there are no rows")
	faults.Check(r.Form >= Alone && r.Form <= Joined, "form %d is not known", r.Form)
	faults.Check(len(r.Second) == len(r.Vectors) || r.Form == Alone && r.Second == nil, "%d first vectors have %d second ones",
		len(r.Vectors), len(r.Second))
	faults.Check(classes >= 2, "%d classes: want at least 2", classes)
	if faults.Err() != nil {
		return faults.Err()
	}
	for n, v := range slices.Concat(r.Vectors, r.Second) {
		i := n % len(r.Vectors)
		if len(v) == 0 || len(v) != len(r.Vectors[0]) {
			faults.Addf("row %d has %d values, row 0 has %d", i, len(v), len(r.Vectors[0]))
		}
		for _, x := range v {
			if x-x != 0 {
				faults.Addf("row %d has a value that is not finite", i)
				break
			}
		}
		if c := r.Classes[i]; c < 0 || c >= classes {
			faults.Addf("row %d is of class %d, there are %d", i, c, classes)
		}
		if len(faults) >= 5 {
			break
		}
	}
	return faults.Err()
}
