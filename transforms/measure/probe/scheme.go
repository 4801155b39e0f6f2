package probe

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Result is what a scheme gives.
type Result struct {
	// Dev is the mean accuracy on development rows with the penalties that were chosen, and
	// Test that on the rows of the test, both from 0 to 1. Of a nested cross-validation Test
	// is the mean of the folds.
	Dev, Test float64
	// Predicted are the classes of the rows of the test.
	Predicted []int
	// Penalties are those that were chosen, of each fold.
	Penalties []float64
	// Also are the accuracies on other rows that were to be tested, and AlsoPredicted their
	// classes.
	Also          []float64
	AlsoPredicted [][]int
}

// tested sets the accuracies on other rows.
func (r *Result) tested(extra []Rows) {
	for k, rows := range extra {
		right := 0
		for i, class := range r.AlsoPredicted[k] {
			if class == rows.Classes[i] {
				right++
			}
		}
		r.Also = append(r.Also, float64(right)/float64(len(rows.Classes)))
	}
}

// Parted returns an error if the rows of the largest class are too few to be cut into the parts of a
// cross-validation, or of one inside of each part of another.
func (c Config) Parted(largest int, nested bool) error {
	remaining := largest
	if nested {
		remaining -= (largest + c.Folds - 1) / c.Folds
	}
	if remaining >= c.Folds {
		return nil
	}
	inside := ""
	if nested {
		inside = ", one inside of the other"
	}
	return fmt.Errorf("no class has enough rows for a cross-validation by %d parts%s: the largest one has %d", c.Folds, inside, largest)
}

// Nested measures rows that have no parts, such as MR: each of Folds parts is the test of a
// classifier trained on the others, which cross-validate the penalty among themselves.
// Predicted has a class for each row. Extra are other versions of the same rows, such as their
// translations: the classifier of a fold is tested on theirs, too.
func (c Config) Nested(ctx context.Context, seed uint64, rows Rows, classes int, extra ...Rows) (Result, error) {
	if err := c.check(classes, append([]Rows{rows}, extra...)...); err != nil {
		return Result{}, err
	}
	for i, variant := range extra {
		if len(variant.Classes) != len(rows.Classes) {
			return Result{}, fmt.Errorf("version %d has %d rows, the first one has %d", i+1, len(variant.Classes), len(rows.Classes))
		}
	}
	outer, err := folds(seed, "outer", rows.Classes, upTo(len(rows.Classes)), c.Folds)
	if err != nil {
		return Result{}, err
	}
	r := Result{Predicted: make([]int, len(rows.Classes)), Penalties: make([]float64, c.Folds)}
	for range extra {
		r.AlsoPredicted = append(r.AlsoPredicted, make([]int, len(rows.Classes)))
	}
	dev, test := make([]float64, c.Folds), make([]float64, c.Folds)
	g := group(ctx, c.Workers)
	for fold := range outer {
		g.Go(func(ctx context.Context) error {
			name := fmt.Sprint("fold ", fold)
			t := trainer{config: c, rows: rows, classes: classes, seed: seed, name: name}
			model, accuracy, err := t.crossValidated(ctx, rowsWithout(outer, fold), 1)
			if err != nil {
				return err
			}
			dev[fold], r.Penalties[fold] = accuracy, model.Penalty
			part := rows.at(outer[fold])
			right := 0
			for i, class := range model.Predict(part) {
				r.Predicted[outer[fold][i]] = class
				if class == part.Classes[i] {
					right++
				}
			}
			test[fold] = float64(right) / float64(len(part.Classes))
			for k, variant := range extra {
				for i, class := range model.Predict(variant.at(outer[fold])) {
					r.AlsoPredicted[k][outer[fold][i]] = class
				}
			}
			return nil
		})
	}
	err = g.Wait()
	r.Dev, r.Test = mean(dev), mean(test)
	r.tested(extra)
	return r, err
}

// Parts are the rows of a task that comes with a test of its own.
type Parts struct {
	// Dev are the development rows, which only Split reads.
	Train, Dev, Test Rows
	// Extra are other tests.
	Extra []Rows
}

// CrossValidated measures on a test of its own, such as that of TREC and MRPC: the training
// rows cross-validate the penalty.
func (c Config) CrossValidated(ctx context.Context, seed uint64, p Parts, classes int) (Result, error) {
	if err := c.check(classes, append([]Rows{p.Train, p.Test}, p.Extra...)...); err != nil {
		return Result{}, err
	}
	if c.Optimizer == lbfgs {
		c.Penalties = []float64{.5, 1, 2, 4, 8, 16, 32} // SentEval's for this scheme
	}
	t := trainer{config: c, rows: p.Train, classes: classes, seed: seed}
	model, accuracy, err := t.crossValidated(ctx, upTo(len(p.Train.Classes)), c.Workers)
	if err != nil {
		return Result{}, err
	}
	return result(model, accuracy, p), nil
}

// Split measures rows with all three parts, such as SST: the development rows choose the
// penalty and end the training.
func (c Config) Split(ctx context.Context, seed uint64, p Parts, classes int) (Result, error) {
	if err := c.check(classes, append([]Rows{p.Train, p.Dev, p.Test}, p.Extra...)...); err != nil {
		return Result{}, err
	}
	rows := p.Train.and(p.Dev)
	t := trainer{config: c, rows: rows, classes: classes, seed: seed}
	indices := upTo(len(rows.Classes))
	training, development := indices[:len(p.Train.Classes)], indices[len(p.Train.Classes):]
	models, err := t.fit(ctx, training, development, c.Penalties)
	if err != nil {
		return Result{}, err
	}
	var w workspace
	accuracies := make([]float64, len(models))
	for i, m := range models {
		accuracies[i] = m.accuracies(&w, rows, development)[0]
	}
	// SentEval trains once more with the penalty that is best, from the same seed: that
	// gives the same model.
	best := choose(accuracies)
	return result(models[best], accuracies[best], p), nil
}

func (c Config) check(classes int, parts ...Rows) error {
	if err := c.Validate(); err != nil {
		return err
	}
	for i, rows := range parts {
		if err := rows.Validate(classes); err != nil {
			return err
		}
		if rows.dim() != parts[0].dim() {
			return fmt.Errorf("rows have %d features in part %d, and %d in part 0", rows.dim(), i, parts[0].dim())
		}
	}
	return nil
}

func result(m *model, dev float64, p Parts) Result {
	r := Result{Dev: dev, Predicted: m.Predict(p.Test), Penalties: []float64{m.Penalty}}
	for i, class := range r.Predicted {
		if class == p.Test.Classes[i] {
			r.Test++
		}
	}
	r.Test /= float64(len(p.Test.Classes))
	for _, rows := range p.Extra {
		r.AlsoPredicted = append(r.AlsoPredicted, m.Predict(rows))
	}
	r.tested(p.Extra)
	return r
}

// crossValidated chooses the penalty by folds of some rows, each of which also ends the
// training of its own fit, and trains on all of these rows with it. So many fits run at once.
func (t trainer) crossValidated(ctx context.Context, indices []int, workers int) (*model, float64, error) {
	parts, err := folds(t.seed, t.name+" inner", t.rows.Classes, indices, t.config.Folds)
	if err != nil {
		return nil, 0, err
	}
	scores := make([][]float64, len(parts))
	g := group(ctx, workers)
	for i := range parts {
		g.Go(func(ctx context.Context) error {
			inner := t
			inner.name = fmt.Sprint(t.name, " inner ", i)
			models, err := inner.fit(ctx, rowsWithout(parts, i), parts[i], t.config.Penalties)
			if err != nil {
				return err
			}
			var w workspace
			scores[i] = make([]float64, len(models))
			for p, m := range models {
				scores[i][p] = m.accuracies(&w, t.rows, parts[i])[0]
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, 0, err
	}
	means := make([]float64, len(t.config.Penalties))
	for p := range means {
		for i := range scores {
			means[p] += scores[i][p] / float64(len(scores))
		}
	}
	best := choose(means)
	train, dev := indices, []int(nil) // lbfgs needs no rows to end its training
	if t.config.Optimizer != lbfgs {
		if train, dev, err = holdOut(t.seed, t.name, indices); err != nil {
			return nil, 0, err
		}
	}
	models, err := t.fit(ctx, train, dev, t.config.Penalties[best:best+1])
	if err != nil {
		return nil, 0, err
	}
	return models[0], means[best], nil
}

// choose returns the place of the best accuracy, the first one of those that are equal
// when they are rounded to hundredths of a percent, as SentEval rounds them.
func choose(accuracies []float64) int {
	best := 0
	for i, a := range accuracies {
		if math.Round(1e4*a) > math.Round(1e4*accuracies[best]) {
			best = i
		}
	}
	return best
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// fits run side by side.
type fits struct {
	*errgroup.Group
	ctx context.Context
}

// group returns a group of so many fits at once; 0 is one for each processor.
func group(ctx context.Context, workers int) fits {
	g, ctx := errgroup.WithContext(ctx)
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g.SetLimit(workers)
	return fits{g, ctx}
}

// Go runs a fit when there is a place for it.
func (g fits) Go(f func(context.Context) error) {
	g.Group.Go(func() error { return f(g.ctx) })
}
