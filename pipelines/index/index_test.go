package index_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sentweave/pipelines/index"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/transforms/measure/neighbors"
)

func vectorsOf(t *testing.T, vectors ...[]float32) string {
	t.Helper()
	var rows []schemas.Embedding
	for i, v := range vectors {
		rows = append(rows, schemas.Embedding{ID: fmt.Sprint("t", i), Language: "eng", Text: "a", Vector: v})
	}
	return datasettest.Write(t, nil, rows)
}

// Each vector that can be taken is once in the list whose centroid is nearest, as it was, in the order of rows.
func TestLists(t *testing.T) {
	location := pipelinetest.Vectors(t, "eng", 60, false)
	rows := pipelinetest.Rows[schemas.Embedding](t, location)
	output, m := pipelinetest.Run(t, pipelinetest.Parse[index.Config](t, "--vectors", location, "--lists", "7"),
		pipelinetest.Settings(2000), pipelinetest.Plain(2))
	var centroids [][]float32
	last, seen := int32(0), map[int32]bool{}
	for _, l := range pipelinetest.Rows[schemas.InvertedList](t, output) {
		numbers := schemas.Floats(nil, l.Vectors)
		if len(l.Rows) == 0 {
			centroids = append(centroids, numbers)
			continue
		}
		if l.List < last {
			t.Errorf("list %d comes after list %d", l.List, last)
		}
		last = l.List
		for i, row := range l.Rows {
			vector := numbers[16*i:][:16]
			if seen[row] = true; !reflect.DeepEqual(vector, rows[row].Vector) {
				t.Errorf("the vector of row %d is %v, want %v", row, vector, rows[row].Vector)
			}
			for n, c := range centroids {
				if neighbors.Cosine(vector, c) > neighbors.Cosine(vector, centroids[l.List]) {
					t.Errorf("row %d is in list %d, nearer to %d", row, l.List, n)
				}
			}
		}
	}
	zeros := pipelinetest.Dropped(m)["vectors index zero_vector"]
	if len(centroids) != 7 || zeros == 0 || int64(len(seen))+zeros != int64(len(rows)) {
		t.Errorf("%d centroids and %d of %d rows, %d of zeros", len(centroids), len(seen), len(rows), zeros)
	}
}

func TestRefuses(t *testing.T) {
	four := vectorsOf(t, []float32{1, 0}, []float32{0, 1}, []float32{0, 0}, []float32{1})
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"more lists":     {[]string{"--vectors", four, "--lists", "5"}, "lists is 5, and " + four + " has 4 vectors"},
		"usable vectors": {[]string{"--vectors", four, "--lists", "3"}, "lists is 3, and only 2 vectors can be taken"},
	} {
		t.Run(name, func(t *testing.T) {
			err := pipelinetest.Fails(t, pipelinetest.Parse[index.Config](t, test.args...), pipelinetest.Settings(0))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}
