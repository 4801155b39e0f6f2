package pipelinetest

import (
	"fmt"
	"path/filepath"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Documents is a dataset of English documents that is written without a
// pipeline, for tests of size.
type Documents struct {
	// Shards and PerShard give the number of documents, Sentences that of the
	// different sentences in each.
	Shards, PerShard, Sentences int
	// Repeated sentences, the same everywhere, follow them in every document.
	Repeated int
	// Giant is how many times as many documents the last shard has, if it is not 0.
	Giant int
	// Long is the number of different sentences of the last document, if it is not 0.
	Long int
	// Layout stands in the plan, as if documents had been read by it.
	Layout string `json:"-"`
}

// Total returns the number of documents and of their different sentences.
func (d Documents) Total() (documents, sentences int) {
	for unit := range d.Shards {
		documents += d.documents(unit)
	}
	sentences = documents * d.Sentences
	if d.Long > 0 {
		sentences += d.Long - d.Sentences
	}
	if d.Repeated > 0 {
		sentences++
	}
	return documents, sentences
}

func (d Documents) documents(unit int) int {
	if d.Giant > 0 && unit == d.Shards-1 {
		return d.PerShard * d.Giant
	}
	return d.PerShard
}

// repeated is the sentence that Documents repeats.
const repeated = "The same sentence stands on every page."

// Write writes the dataset into a new folder and returns the folder and the size
// of its sentences in bytes.
func (d Documents) Write(t testing.TB) (location string, bytes int64) {
	t.Helper()
	location = filepath.Join(t.TempDir(), "documents")
	folder := storage.NewLocal(location)
	list := make([]dataset.Unit, d.Shards)
	for i := range list {
		list[i].Ordinal = i
	}
	plan, err := dataset.Draft{
		Pipeline: "synthetic", PipelineVersion: 1, Schema: schemas.Document{}.Schema(), Config: d, ShardBytes: 1, Units: list,
		Layout: d.Layout,
	}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Create(t.Context(), folder, list); err != nil {
		t.Fatal(err)
	}
	for unit := range list {
		n, err := d.write(t, folder, plan, unit)
		if err != nil {
			t.Fatal(err)
		}
		bytes += n
	}
	if _, err := plan.Finalize(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	return location, bytes
}

func (d Documents) write(t testing.TB, folder storage.Folder, plan *dataset.Plan, unit int) (bytes int64, err error) {
	attempt, err := dataset.Begin[schemas.Document](folder, plan, unit, dataset.NewChain("documents", "make"))
	if err != nil {
		return 0, err
	}
	defer attempt.Abort()
	var row schemas.Document
	n := d.documents(unit)
	for i := range n {
		source := fmt.Sprintf("eng/%06d-%06d.txt", unit, i)
		row = schemas.Document{ID: schemas.ID(source, 0), Source: source, Language: "eng", LanguageScore: 1, Sentences: row.Sentences[:0]}
		different := d.Sentences
		if d.Long > 0 && unit == d.Shards-1 && i == n-1 {
			different = d.Long
		}
		for k := range different + d.Repeated {
			text := repeated
			if k < different {
				// Some hundred thousand words, and no sentence twice.
				text = fmt.Sprintf("Sentence %d of document %d in shard %d speaks of %x.", k, i, unit,
					(k*7919+i*104729+unit*1299709)%200_000)
			}
			bytes += int64(len(text))
			row.Sentences = append(row.Sentences, schemas.Sentence{Text: text, Language: "eng", LanguageScore: 1, Position: int32(k),
				Main: 1})
		}
		if err := attempt.Write(t.Context(), row); err != nil {
			return 0, err
		}
	}
	if err := attempt.Funnel().Keep("documents", "eng", int64(n)); err != nil {
		return 0, err
	}
	return bytes, attempt.Commit(t.Context())
}
