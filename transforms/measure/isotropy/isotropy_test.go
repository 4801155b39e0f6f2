package isotropy

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/random"
)

// drawn are rows whose columns have different means and variances, and depend on each other.
func drawn(n, dim int) neighbors.Matrix {
	draw := random.New(1, 1, "isotropy", fmt.Sprint(n, dim), 0)
	m := neighbors.Matrix{Data: make([]float32, n*dim), Dim: dim}
	for i := range n {
		row := m.Row(i)
		shared := draw.Float64()
		for k := range row {
			row[k] = float32(float64(k)*shared + draw.Float64()*float64(k+1)/4 + 2)
		}
	}
	return m
}

func TestCentreByHand(t *testing.T) {
	m := neighbors.Matrix{Data: []float32{1, 2, 3, 6, 10, 20}, Dim: 2}
	got, err := Centre(m, []string{"a", "a", "b"})
	if err != nil || fmt.Sprint(got.Data) != "[-1 -2 1 2 0 0]" {
		t.Errorf("%v, %v", got.Data, err)
	}
	if fmt.Sprint(m.Data) != "[1 2 3 6 10 20]" {
		t.Errorf("the vectors were changed: %v", m.Data)
	}
	if _, err := Centre(m, []string{"a"}); err == nil {
		t.Error("a group too few")
	}
}

func TestWhiten(t *testing.T) {
	for _, size := range [][2]int{{200, 6}, {4, 7}} { // also fewer rows than dimensions
		got, err := Whiten(drawn(size[0], size[1]))
		if err != nil {
			t.Fatal(err)
		}
		n := float64(got.Rows())
		rank := 0.0
		for a := range got.Dim {
			for b := range got.Dim {
				mean, product := 0.0, 0.0
				for i := range got.Rows() {
					mean += float64(got.Row(i)[a]) / n
					product += float64(got.Row(i)[a]) * float64(got.Row(i)[b]) / n
				}
				if math.Abs(mean) > 1e-5 {
					t.Errorf("%v: column %d has the mean %v", size, a, mean)
				}
				if want := map[bool]float64{true: 1}[a == b]; size[0] > size[1] && math.Abs(product-want) > 1e-4 {
					t.Errorf("%v: covariance %d %d is %v", size, a, b, product)
				}
				if a == b {
					rank += product
				}
			}
		}
		if want := math.Min(n-1, float64(got.Dim)); math.Abs(rank-want) > 1e-3 {
			t.Errorf("%v: the variances sum to %v, want %v", size, rank, want)
		}
	}
	for want, m := range map[string]neighbors.Matrix{
		"all rows are equal": {Data: []float32{1, 2, 1, 2}, Dim: 2},
		"1 rows":             {Data: []float32{1, 2}, Dim: 2},
		"row 1 holds NaN":    {Data: []float32{1, float32(math.NaN())}, Dim: 1},
		"0 columns":          {},
	} {
		if _, err := Whiten(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

const restated = `
import json, sys, numpy
task = json.load(sys.stdin)
x = numpy.asarray(task["x"], dtype=numpy.float32).astype(float)
groups = numpy.asarray(task["groups"])
centred = x.copy()
for g in set(groups):
    centred[groups == g] -= x[groups == g].mean(0)
u, s, _ = numpy.linalg.svd(numpy.cov(x.T, bias=True))
white = (x - x.mean(0)) @ u @ numpy.diag(s ** -.5)
def cosines(v):
    v = v / numpy.linalg.norm(v, axis=1, keepdims=True)
    return (v @ v.T).tolist()
json.dump({"centred": cosines(centred), "whitened": cosines(white)}, sys.stdout)
`

// Cosines are those of numpy, whose whitening is rotated.
func TestBesideNumpy(t *testing.T) {
	python := peertest.Python(t)
	m := drawn(60, 9)
	var rows [][]float32
	var groups []string
	for i := range m.Rows() {
		rows, groups = append(rows, m.Row(i)), append(groups, fmt.Sprint(i%3))
	}
	var want map[string][][]float64
	peertest.Answer(t, map[string]any{"x": rows, "groups": groups}, &want, python, "-c", restated)
	centred, errA := Centre(m, groups)
	whitened, errB := Whiten(m)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for name, got := range map[string]neighbors.Matrix{"centred": centred, "whitened": whitened} {
		for i := range m.Rows() {
			for j := range m.Rows() {
				if c := neighbors.Cosine(got.Row(i), got.Row(j)); math.Abs(c-want[name][i][j]) > 1e-5 {
					t.Fatalf("%s: cosine %d %d is %v, numpy has %v", name, i, j, c, want[name][i][j])
				}
			}
		}
	}
}
