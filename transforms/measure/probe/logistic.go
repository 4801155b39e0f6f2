package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/optimize"
)

const (
	// logisticBlock is the number of rows that are converted to float64 at once.
	logisticBlock = 256
	// logisticIterations and logisticGradient end the search, as max_iter and tol do in
	// scikit-learn; the gradient is that of the mean over rows.
	logisticIterations = 1000
	logisticGradient   = 1e-5
)

// Logistic trains multinomial logistic regression, whose penalty is the squared length of the
// weights, without the bias, over 2·C: the optimum that scikit-learn's LogisticRegression
// looks for, too. It returns the classifier, which gives the class of each row. The result
// is a function of the rows.
func Logistic(ctx context.Context, train Rows, classes int, c float64) (predict func(Rows) []int, err error) {
	if err := train.Validate(classes); err != nil {
		return nil, err
	}
	m, err := logistic(ctx, train, upTo(len(train.Classes)), classes, c)
	if err != nil {
		return nil, err
	}
	return m.Predict, nil
}

// logistic trains on some of the rows by L-BFGS, from weights of 0.
func logistic(ctx context.Context, rows Rows, indices []int, classes int, c float64) (*model, error) {
	if !(c > 0) {
		return nil, fmt.Errorf("penalty C %v: want more than 0", c)
	}
	dim := rows.dim()
	l := &logLoss{ctx: ctx, rows: rows, indices: indices, classes: classes, dim: dim, scale: 1 / float64(len(indices)),
		penalty: 1 / (c * float64(len(indices)))}
	l.row = make([]float32, dim)
	l.block, l.scores = make([]float64, min(logisticBlock, len(indices))*dim), make([]float64, min(logisticBlock, len(indices))*classes)
	found, err := optimize.Minimize(l.problem(), make([]float64, classes*(dim+1)),
		&optimize.Settings{MajorIterations: logisticIterations, GradientThreshold: logisticGradient, Converger: optimize.NeverTerminate{}},
		&optimize.LBFGS{Linesearcher: &optimize.MoreThuente{DecreaseFactor: 1e-4}, Store: 10})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !errors.Is(err, optimize.ErrLinesearcherFailure) { // by rounding, where nothing is left to gain
		return nil, fmt.Errorf("logistic regression: %w", err)
	}
	weights := found.X
	first := layer{in: dim, out: classes, weights: make([]float32, classes*dim), bias: make([]float32, classes)}
	for i := range first.weights {
		first.weights[i] = float32(weights[i])
	}
	for i := range first.bias {
		first.bias[i] = float32(weights[classes*dim+i])
	}
	return &model{stack{size: 1, classes: classes, first: first}, c}, nil
}

// logLoss is the mean log loss of rows with its penalty, as a function of weights, class by
// class, and of the biases after them.
type logLoss struct {
	ctx            context.Context
	rows           Rows
	indices        []int
	classes, dim   int
	scale, penalty float64
	block, scores  []float64
	row            []float32
}

// problem returns what is minimised.
func (l *logLoss) problem() optimize.Problem {
	n := l.classes * (l.dim + 1)
	point, gradient, value := make([]float64, n), make([]float64, n), math.NaN()
	evaluate := func(x []float64) {
		if math.IsNaN(value) || !slices.Equal(x, point) {
			copy(point, x)
			value = l.evaluate(point, gradient)
		}
	}
	return optimize.Problem{
		Func:   func(x []float64) float64 { evaluate(x); return value },
		Grad:   func(g, x []float64) { evaluate(x); copy(g, gradient) },
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, l.ctx.Err() },
	}
}

// evaluate returns the value at a point and sets the gradient.
func (l *logLoss) evaluate(point, gradient []float64) (value float64) {
	d, c := l.dim, l.classes
	weights := blas64.General{Rows: c, Cols: d, Stride: d, Data: point[:c*d]}
	bias := point[c*d:]
	clear(gradient)
	slope := blas64.General{Rows: c, Cols: d, Stride: d, Data: gradient[:c*d]}
	for part := range slices.Chunk(l.indices, logisticBlock) {
		if l.ctx.Err() != nil {
			return math.NaN() // which ends the search
		}
		x := blas64.General{Rows: len(part), Cols: d, Stride: d, Data: l.block[:len(part)*d]}
		s := blas64.General{Rows: len(part), Cols: c, Stride: c, Data: l.scores[:len(part)*c]}
		for i, index := range part {
			l.rows.fill(index, l.row)
			for k, v := range l.row {
				x.Data[i*d+k] = float64(v)
			}
			copy(s.Data[i*c:], bias)
		}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, weights, 1, s)
		for i, index := range part {
			row, class := s.Data[i*c:(i+1)*c], l.rows.Classes[index]
			top, sum := slices.Max(row), 0.0
			logit := row[class]
			for k, score := range row {
				row[k] = math.Exp(score - top)
				sum += row[k]
			}
			value += (math.Log(sum) + top - logit) * l.scale
			for k := range row {
				row[k] *= l.scale / sum
			}
			row[class] -= l.scale
			for k, g := range row {
				gradient[c*d+k] += g
			}
		}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, s, x, 1, slope)
	}
	for i, w := range weights.Data {
		value += w * w * l.penalty / 2
		gradient[i] += w * l.penalty
	}
	return value
}
