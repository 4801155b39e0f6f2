package probe

import (
	"errors"
	"math"
)

const (
	// memory is the number of steps from which the curvature is estimated.
	memory = 10
	// enough is the share of the promised descent that a step must give (Armijo).
	enough = 1e-4
	// halvings bounds the search along a direction.
	halvings = 40
)

// errNotFinite ends a search in a function that has no value.
var errNotFinite = errors.New("the loss is not finite")

// minimize finds the minimum of a smooth convex function by L-BFGS (Liu and Nocedal 1989) from
// a point, which it changes. It ends when the greatest component of the gradient is small, or
// when rounding leaves nothing to gain. F returns the value and sets the gradient.
func minimize(x []float64, f func(x, gradient []float64) float64) ([]float64, error) {
	n := len(x)
	gradient, next, nextGradient := make([]float64, n), make([]float64, n), make([]float64, n)
	direction := make([]float64, n)
	type step struct {
		s, y []float64
		rho  float64
	}
	var steps []step
	value := f(x, gradient)
	for range logisticIterations {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, errNotFinite
		}
		if greatest(gradient) <= logisticGradient {
			break
		}
		// The direction is minus the gradient, by the curvature of the last steps.
		for i, g := range gradient {
			direction[i] = -g
		}
		alpha := make([]float64, len(steps))
		for i := len(steps) - 1; i >= 0; i-- {
			alpha[i] = steps[i].rho * product(steps[i].s, direction)
			add(direction, -alpha[i], steps[i].y)
		}
		if len(steps) > 0 {
			last := steps[len(steps)-1]
			scale := 1 / (last.rho * product(last.y, last.y))
			for i := range direction {
				direction[i] *= scale
			}
		}
		for i, s := range steps {
			add(direction, alpha[i]-s.rho*product(s.y, direction), s.s)
		}
		slope := product(gradient, direction)
		length, better := 1.0, 0.0
		if len(steps) == 0 {
			length = 1 / math.Max(1, math.Sqrt(product(gradient, gradient)))
		}
		moved := false
		for range halvings {
			for i := range next {
				next[i] = x[i] + length*direction[i]
			}
			if better = f(next, nextGradient); better <= value+enough*length*slope {
				moved = true
				break
			}
			if math.IsNaN(better) {
				return nil, errNotFinite
			}
			length /= 2
		}
		if !moved {
			break
		}
		s := step{s: make([]float64, n), y: make([]float64, n)}
		for i := range next {
			s.s[i], s.y[i] = next[i]-x[i], nextGradient[i]-gradient[i]
		}
		if curvature := product(s.s, s.y); curvature > 0 {
			s.rho = 1 / curvature
			if steps = append(steps, s); len(steps) > memory {
				steps = steps[1:]
			}
		}
		x, next, gradient, nextGradient, value = next, x, nextGradient, gradient, better
	}
	return x, nil
}

func product(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

func add(dst []float64, factor float64, what []float64) {
	for i, x := range what {
		dst[i] += factor * x
	}
}

func greatest(list []float64) float64 {
	g := 0.0
	for _, x := range list {
		g = math.Max(g, math.Abs(x))
	}
	return g
}
