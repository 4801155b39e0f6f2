// Package datasettest makes datasets for tests.
package datasettest

import (
	"errors"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Write makes a complete dataset of the given rows, shard by shard, and returns
// its folder. The configuration is in its plan; nil is an empty one. The
// funnel's chain is "items" with the step "read", all of language und.
func Write[T schemas.Row](t testing.TB, config any, shards ...[]T) string {
	t.Helper()
	if config == nil {
		config = struct{}{}
	}
	return WriteDraft(t, dataset.Draft{Config: config}, shards...)
}

// WriteDraft is Write with what a draft says besides the pipeline, the schema and the units.
func WriteDraft[T schemas.Row](t testing.TB, draft dataset.Draft, shards ...[]T) string {
	t.Helper()
	location := t.TempDir()
	folder := storage.NewLocal(location)
	units := make([]dataset.Unit, len(shards))
	for i := range units {
		units[i].Ordinal = i
	}
	var zero T
	draft.Pipeline, draft.PipelineVersion, draft.Schema, draft.ShardBytes, draft.Units = "test", 1, zero.Schema(), 1, units
	plan, err := draft.Plan()
	if err == nil {
		_, err = plan.Create(t.Context(), folder, units)
	}
	for i, rows := range shards {
		if err == nil {
			err = commit(t, folder, plan, i, rows)
		}
	}
	if err == nil {
		_, err = plan.Finalize(t.Context(), folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	return location
}

func commit[T schemas.Row](t testing.TB, folder storage.Folder, plan *dataset.Plan, unit int, rows []T) error {
	a, err := dataset.Begin[T](folder, plan, unit, dataset.NewChain("items", "read"))
	if err != nil {
		return err
	}
	defer a.Abort()
	for _, r := range rows {
		if err := errors.Join(a.Write(t.Context(), r), a.Funnel().Keep("items", "und", 1)); err != nil {
			return err
		}
	}
	return a.Commit(t.Context())
}
