package pairclassifier

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Rows are pairs to learn from: Values has a value of each measure for each row, row by row, which is not a number where the
// measure does not apply. Good says which rows are good.
type Rows struct {
	Measures []string
	Values   []float32
	Good     []bool
}

// row returns the values of a row.
func (r *Rows) row(i int) []float32 {
	n := len(r.Measures)
	return r.Values[i*n : (i+1)*n]
}

// standardised returns the features, without weights, of the measures that vary.
func (r *Rows) standardised() (features []Feature, columns []int) {
	for k, name := range r.Measures {
		var n, sum, square float64
		for i := range r.Good {
			if x := float64(r.row(i)[k]); !math.IsNaN(x) {
				n, sum = n+1, sum+x
			}
		}
		mean := sum / n
		for i := range r.Good {
			if x := float64(r.row(i)[k]); !math.IsNaN(x) {
				square += (x - mean) * (x - mean)
			}
		}
		if scale := math.Sqrt(square / n); scale > 1e-6*math.Abs(mean) {
			features, columns = append(features, Feature{Measure: name, Mean: mean, Scale: scale}), append(columns, k)
		}
	}
	return features, columns
}

const (
	// iterations and tolerance end Newton's method: few are enough, since the loss is convex and its minimum regularised.
	iterations = 100
	tolerance  = 1e-10
)

// Fit returns the regression with the least log loss on the rows, plus the squared length of the weights, without the bias,
// over 2·C: the optimum that scikit-learn's LogisticRegression looks for, too. Rows of both classes count the same, however many
// they are (class_weight "balanced"). The result is a function of the rows. It is found by Newton's method (iteratively reweighted
// least squares: Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.4.1) in rows × measures² time a step.
func Fit(rows Rows, c float64) (*Regression, error) {
	features, columns := rows.standardised()
	if len(features) == 0 {
		return nil, errors.New("no measure varies among the pairs")
	}
	good := 0
	for _, g := range rows.Good {
		if g {
			good++
		}
	}
	n, d := len(rows.Good), len(features)+1
	if good == 0 || good == n {
		return nil, fmt.Errorf("%d of %d pairs are good: both good and bad ones are needed", good, n)
	}
	r := &Regression{Features: features}
	x, gradient, hessian := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil), mat.NewSymDense(d, nil)
	evaluate := func(weights *mat.VecDense, derive bool) (loss float64) {
		if derive {
			gradient.Zero()
			hessian.Zero()
		}
		for k := range features {
			w := weights.AtVec(k)
			loss += w * w / (2 * c)
			if derive {
				gradient.SetVec(k, w/c)
				hessian.SetSym(k, k, 1/c)
			}
		}
		x.SetVec(d-1, 1)
		for i, g := range rows.Good {
			values := rows.row(i)
			for k := range features {
				x.SetVec(k, features[k].standard(float64(values[columns[k]])))
			}
			sign, share := -1., float64(n)/float64(2*(n-good))
			if g {
				sign, share = 1, float64(n)/float64(2*good)
			}
			margin := sign * mat.Dot(weights, x)
			loss += share * (math.Log1p(math.Exp(-math.Abs(margin))) + max(-margin, 0))
			if derive {
				p := 1 / (1 + math.Exp(margin)) // of the wrong class
				gradient.AddScaledVec(gradient, -share*sign*p, x)
				hessian.SymRankOne(hessian, share*p*(1-p), x)
			}
		}
		return loss
	}
	weights, next, step := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
	var factor mat.Cholesky
	for range iterations {
		loss := evaluate(weights, true)
		if !factor.Factorize(hessian) {
			return nil, errors.New("the pairs do not determine the weights")
		}
		if err := factor.SolveVecTo(step, gradient); err != nil {
			return nil, err
		}
		length := 1.
		for next.AddScaledVec(weights, -length, step); length > tolerance && evaluate(next, false) > loss; {
			length /= 2
			next.AddScaledVec(weights, -length, step)
		}
		weights, next = next, weights
		if mat.Norm(step, math.Inf(1)) < tolerance {
			break
		}
	}
	for k := range features {
		features[k].Weight = weights.AtVec(k)
	}
	r.Bias = weights.AtVec(d - 1)
	return r, r.Validate()
}
