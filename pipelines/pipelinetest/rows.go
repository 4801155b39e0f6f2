package pipelinetest

import (
	"fmt"
	"path/filepath"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// WriteRows writes a dataset of given rows, shard by shard, and returns its folder.
func WriteRows[T schemas.Row](t testing.TB, shards ...[]T) string {
	t.Helper()
	location := filepath.Join(t.TempDir(), "rows")
	folder := storage.NewLocal(location)
	list := make([]dataset.Unit, len(shards))
	for i := range list {
		list[i].Ordinal = i
	}
	var zero T
	plan, err := dataset.Draft{
		Pipeline: "given", PipelineVersion: 1, Schema: zero.Schema(), Config: fmt.Sprint(shards), ShardBytes: 1, Units: list,
	}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Create(t.Context(), folder, list); err != nil {
		t.Fatal(err)
	}
	for unit, rows := range shards {
		out, err := dataset.Begin[T](folder, plan, unit)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if err := out.Write(t.Context(), row); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := plan.Finalize(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	return location
}

// DocumentOf returns a document with the id n and the given sentences.
func DocumentOf(n int, language string, sentences ...string) schemas.Document {
	d := schemas.Document{ID: fmt.Sprintf("%032x", n), Source: fmt.Sprint(n, ".txt"), Language: language, LanguageScore: 1}
	for i, text := range sentences {
		d.Sentences = append(d.Sentences, schemas.Sentence{Text: text, Language: language, LanguageScore: 1, Position: int32(i), Main: 1})
	}
	return d
}
