// Package traintest makes datasets of examples for tests of training.
package traintest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Ids of the vocabulary of the tests: 0 [PAD], 1 [CLS], 2 [SEP], 3 [MASK], words from 4 on.
const (
	VocabularySize = 50
	Classify       = 1
	Separate       = 2
	Mask           = 3
)

// Row is the example i: a pure function of it.
func Row(kind string, i int) schemas.Example {
	r := rand.New(rand.NewPCG(5, uint64(i)))
	side := func() []int32 {
		ids := []int32{Classify}
		for range 1 + r.IntN(30) {
			ids = append(ids, 4+r.Int32N(VocabularySize-4))
		}
		return append(ids, Separate)
	}
	e := schemas.Example{ID: schemas.DerivedID("example", kind, fmt.Sprint(i)), Kind: kind, LanguageA: "eng", LanguageB: "deu",
		TokensA: side(), TokensB: side()}
	e.LengthA, e.LengthB = int32(len(e.TokensA)), int32(len(e.TokensB))
	return e
}

func Rows(kind string, n int, edit func(i int, e *schemas.Example)) []schemas.Example {
	list := make([]schemas.Example, n)
	for i := range list {
		list[i] = Row(kind, i)
		if edit != nil {
			edit(i, &list[i])
		}
		list[i].LengthA, list[i].LengthB = int32(len(list[i].TokensA)), int32(len(list[i].TokensB))
	}
	return list
}

// Write makes a dataset of so many shards, with the Fingerprint of a vocabulary.
func Write(t testing.TB, list []schemas.Example, shards int, vocabulary string) string {
	t.Helper()
	path := t.TempDir()
	ctx, folder := context.Background(), storage.NewLocal(path)
	d := dataset.Draft{Pipeline: "examples", PipelineVersion: 1, Schema: schemas.Example{}.Schema(), ShardBytes: 1, Config: struct{}{},
		Inputs: []dataset.Input{{Role: "documents", XXH3: dataset.HashString(1)}, {Role: "vocabulary", Files: 1, XXH3: vocabulary}}}
	for i := range shards {
		d.Units = append(d.Units, dataset.Unit{Ordinal: i, Spans: []dataset.Span{}})
	}
	p, err := d.Plan()
	if err == nil {
		_, err = p.Create(ctx, folder, d.Units)
	}
	for i := range shards {
		if err != nil {
			break
		}
		var a *dataset.Attempt[schemas.Example]
		if a, err = dataset.Begin[schemas.Example](folder, p, i, dataset.NewChain("examples", "write")); err != nil {
			break
		}
		for _, r := range list[len(list)*i/shards : len(list)*(i+1)/shards] {
			err = errors.Join(err, a.Write(ctx, r), a.Funnel().Keep("examples", "und", 1))
		}
		err = errors.Join(err, a.Commit(ctx))
		a.Abort()
	}
	if err == nil {
		_, err = p.Finalize(ctx, folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

const Fingerprint = "00000000000000aa"

func Consecutive(t testing.TB, n, shards int) string {
	return Write(t, Rows(schemas.KindConsecutive, n, nil), shards, Fingerprint)
}

// Grouped makes bitext of groups of size members.
func Grouped(t testing.TB, n, shards, size int) string {
	return Write(t, Rows(schemas.KindBitext, n, func(i int, e *schemas.Example) {
		g := uint64(i / size)
		e.Group = &g
	}), shards, Fingerprint)
}

// Tongues are examples of pairs: 81 of English and German, either side first, 9 of French
// and English, and one of Icelandic and English.
func Tongues(t testing.TB, shards int) string {
	return Write(t, Rows(schemas.KindBitext, 91, func(i int, e *schemas.Example) {
		switch {
		case i == 40:
			e.LanguageA, e.LanguageB = "isl", "eng"
		case i%10 == 3:
			e.LanguageA, e.LanguageB = "eng", "fra"
		case i%2 == 1:
			e.LanguageA, e.LanguageB = "deu", "eng"
		}
	}), shards, Fingerprint)
}
