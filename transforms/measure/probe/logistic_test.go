package probe

import (
	"math"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
)

// newton finds the optimum of the same loss by Newton's method, which needs the second
// derivatives, and prints the scores of the rows.
const newton = `
import json, sys, numpy
task = json.load(sys.stdin)
x = numpy.asarray(task["x"], dtype=numpy.float32).astype(float)
y, c, k = numpy.asarray(task["y"]), task["c"], task["classes"]
n, d = x.shape
z = numpy.hstack([x, numpy.ones((n, 1))])
w = numpy.zeros((k, d + 1))
penalty = numpy.ones((k, d + 1)); penalty[:, d] = 1e-10
for _ in range(50):
    s = z @ w.T
    p = numpy.exp(s - s.max(1, keepdims=True)); p /= p.sum(1, keepdims=True)
    g = c * (p - numpy.eye(k)[y]).T @ z + penalty * w
    h = numpy.zeros((k * (d + 1),) * 2)
    for i in range(n):
        h += c * numpy.kron(numpy.diag(p[i]) - numpy.outer(p[i], p[i]), numpy.outer(z[i], z[i]))
    w -= numpy.linalg.solve(h + numpy.diag(penalty.ravel()), g.ravel()).reshape(w.shape)
s = z @ w.T
json.dump((s - s.mean(1, keepdims=True)).tolist(), sys.stdout)
`

// scikit chooses C by the development rows, as SentEval does, and prints the accuracy on the
// test.
const scikit = `
import json, sys, numpy
from sklearn.linear_model import LogisticRegression
task = json.load(sys.stdin)
x = [numpy.asarray(part["x"], dtype=numpy.float32).astype(float) for part in task["parts"]]
y = [numpy.asarray(part["y"]) for part in task["parts"]]
models = [LogisticRegression(C=c, max_iter=10000).fit(x[0], y[0]) for c in task["penalties"]]
best = max(models, key=lambda m: round(100 * m.score(x[1], y[1]), 2))
print(best.score(x[2], y[2]))
`

// The accuracy is within half a point of scikit-learn's.
func TestBesideScikit(t *testing.T) {
	python := peertest.PyTorch(t)
	for _, deviations := range []float64{.3, .6} {
		all := clusters(4000, 24, deviations)
		for i := range all.Classes { // three classes
			if all.Vectors[i][0] > .8 {
				all.Classes[i] = 2
			}
		}
		var parts []Rows
		var data []map[string]any
		for _, ends := range [][2]int{{0, 2000}, {2000, 2500}, {2500, 4000}} {
			part := all.at(upTo(ends[1])[ends[0]:])
			parts, data = append(parts, part), append(data, map[string]any{"x": part.Vectors, "y": part.Classes})
		}
		var want float64
		peertest.Answer(t, map[string]any{"parts": data, "penalties": LBFGS().Penalties}, &want, python, "-c", scikit)
		r, err := LBFGS().Split(t.Context(), 1, Parts{Train: parts[0], Dev: parts[1], Test: parts[2]}, 3)
		if err != nil || math.Abs(r.Test-want) > .005 || want < .5 || want > .97 {
			t.Errorf("deviations %v: accuracy %v, scikit-learn's is %v (%v)", deviations, r.Test, want, err)
		}
	}
}

// The optimum is that of another method.
func TestLogisticBesideNumpy(t *testing.T) {
	python := peertest.Python(t)
	for _, c := range []float64{.25, 1, 8} {
		rows := clusters(300, 5, .7)
		for i := range rows.Classes { // three classes
			if rows.Vectors[i][0] > .8 {
				rows.Classes[i] = 2
			}
		}
		var want [][]float64
		peertest.Answer(t, map[string]any{"x": rows.Vectors, "y": rows.Classes, "c": c, "classes": 3}, &want, python, "-c", newton)
		m, err := logistic(t.Context(), rows, upTo(300), 3, c)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range rows.Vectors {
			var scores [3]float64
			sum := 0.0
			for k := range scores {
				scores[k] = float64(m.first.bias[k])
				for j, x := range v {
					scores[k] += float64(m.first.weights[k*5+j]) * float64(x)
				}
				sum += scores[k] / 3
			}
			for k, s := range scores { // a constant for all classes changes no probability
				if math.Abs(s-sum-want[i][k]) > 2e-3 {
					t.Fatalf("C %v, row %d: score %d is %v, the optimum has %v", c, i, k, s-sum, want[i][k])
				}
			}
		}
	}
}

// The accuracy is that of the best classifier, in each scheme, and does not depend on a seed.
func TestLBFGS(t *testing.T) {
	c := LBFGS()
	c.Folds = 5
	want := .5 * math.Erfc(-1/math.Sqrt2)
	rows := clusters(4000, 10, 1)
	a, b := rows.at(upTo(4000)[:2000]), rows.at(upTo(4000)[2000:])
	nested, err := c.Nested(t.Context(), 1, a, 2)
	if err != nil || math.Abs(nested.Test-want) > .03 {
		t.Errorf("nested: %v, %v", nested.Test, err)
	}
	parts := Parts{Train: a, Test: b}
	first, err := c.CrossValidated(t.Context(), 1, parts, 2)
	if err != nil || math.Abs(first.Test-want) > .03 {
		t.Errorf("cross-validated: %v, %v", first.Test, err)
	}
	parts.Train, parts.Dev = a.at(upTo(1000)), a.at(upTo(2000)[1000:])
	split, err := c.Split(t.Context(), 1, parts, 2)
	if other, errOther := c.Split(t.Context(), 2, parts, 2); err != nil || errOther != nil ||
		math.Abs(split.Test-want) > .03 || split.Test != other.Test {
		t.Errorf("split: %v, with another seed %v; %v, %v", split.Test, other.Test, err, errOther)
	}
	c.Hidden = 5
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "no hidden layer") {
		t.Errorf("a hidden layer: %v", err)
	}
	if _, err := Logistic(t.Context(), a, 2, 0); err == nil {
		t.Error("C 0 passes")
	}
	if _, err := Logistic(t.Context(), a, 1, 1); err == nil {
		t.Error("one class passes")
	}
	// A class that no row has is never predicted.
	predict, err := Logistic(t.Context(), a, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range predict(b) {
		if class > 1 {
			t.Fatalf("class %d, of which there is no row", class)
		}
	}
}
