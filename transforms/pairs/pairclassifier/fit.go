package pairclassifier

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
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

// Fit returns the regression with the least log loss on the rows, plus the squared length of the weights, without the bias,
// over 2·C: the optimum that scikit-learn's LogisticRegression looks for, too. Rows of both classes count the same, however many
// they are (class_weight "balanced"). The result is a function of the rows. Newton's method finds it (iteratively reweighted
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
	x := mat.NewVecDense(d, nil)
	x.SetVec(d-1, 1) // of the bias
	// each calls use with each row in x, its sign, what it counts, and its margin, which is positive where the row is taken for what it is.
	each := func(weights []float64, use func(sign, share, margin float64)) {
		for i, g := range rows.Good {
			values := rows.row(i)
			for k := range features {
				x.SetVec(k, features[k].standard(float64(values[columns[k]])))
			}
			sign, share := -1., float64(n)/float64(2*(n-good))
			if g {
				sign, share = 1, float64(n)/float64(2*good)
			}
			use(sign, share, sign*mat.Dot(mat.NewVecDense(d, weights), x))
		}
	}
	problem := optimize.Problem{
		Func: func(weights []float64) float64 {
			loss := floats.Dot(weights[:d-1], weights[:d-1]) / (2 * c)
			each(weights, func(_, share, margin float64) {
				loss += share * (math.Log1p(math.Exp(-math.Abs(margin))) + max(-margin, 0))
			})
			return loss
		},
		Grad: func(gradient, weights []float64) {
			floats.ScaleTo(gradient, 1/c, weights)
			gradient[d-1] = 0
			g := mat.NewVecDense(d, gradient)
			each(weights, func(sign, share, margin float64) { g.AddScaledVec(g, -share*sign/(1+math.Exp(margin)), x) })
		},
		Hess: func(hessian *mat.SymDense, weights []float64) {
			hessian.Zero()
			for k := range features {
				hessian.SetSym(k, k, 1/c)
			}
			each(weights, func(_, share, margin float64) {
				p := 1 / (1 + math.Exp(margin)) // of the wrong class
				hessian.SymRankOne(hessian, share*p*(1-p), x)
			})
		},
	}
	found, err := optimize.Minimize(problem, make([]float64, d), nil, &optimize.Newton{GradStopThreshold: 1e-9 * float64(n)})
	if err != nil {
		return nil, fmt.Errorf("logistic regression: %w", err)
	}
	r := &Regression{Features: features, Bias: found.X[d-1]}
	for k := range features {
		features[k].Weight = found.X[k]
	}
	return r, r.Validate()
}
