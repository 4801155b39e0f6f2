package mine_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"sentweave/pipelines/knn"
	"sentweave/pipelines/mine"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
	"sentweave/transforms/measure/neighbors"
)

// counted are products in float32, whose calls are counted.
type counted struct{ calls atomic.Int64 }

func (p *counted) Top(_ context.Context, queries, candidates neighbors.Matrix, count int) (products []float32, places []int32, err error) {
	p.calls.Add(1)
	row, order := make([]float32, candidates.Rows()), make([]int32, candidates.Rows())
	for q := range queries.Rows() {
		for c := range row {
			row[c], order[c] = 0, int32(c)
			for i, x := range queries.Row(q) {
				row[c] += x * candidates.Row(c)[i]
			}
		}
		slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(row[j], row[i]) })
		for _, place := range order[:count] {
			products, places = append(products, row[place]), append(places, place)
		}
	}
	return products, places, nil
}

// The units give the same bytes by the products of another library, at any parallelism, of vectors with many equal cosines and others.
func TestProductsOfOthers(t *testing.T) {
	for _, exact := range []bool{true, false} {
		german, english := pipelinetest.Vectors(t, "deu", 250, exact), pipelinetest.Vectors(t, "eng", 250, exact)
		config := pipelinetest.Parse[mine.Config](t, "--source", german, "--target", english)
		want, _ := pipelinetest.Run(t, config, pipelinetest.Settings(20_000), pipelinetest.Local(2))
		for _, parallelism := range []int{1, 4} {
			var products counted
			run := func(ctx context.Context, job *units.Job) (*dataset.Manifest, error) {
				return pipelinetest.Local(parallelism)(knn.WithProducts(ctx, &products), job)
			}
			location, _ := pipelinetest.Run(t, config, pipelinetest.Settings(20_000), run)
			if diff := gocmp.Diff(pipelinetest.Digests(t, want), pipelinetest.Digests(t, location)); diff != "" {
				t.Errorf("exact %t, parallelism %d: %s", exact, parallelism, diff)
			}
			if products.calls.Load() == 0 {
				t.Error(fmt.Sprint(parallelism), " units at once did not ask for products")
			}
		}
	}
}
