// Package corpus counts a dataset of documents, and shows what of the pages came so far: the funnels of the dataset and of those that
// it was made of, rejects to read, lengths, scores, domains, dates, rights and near duplicates.
//
// The documents are read once, or twice if they have more than 262,144 domains. Memory does not grow with them, and neither their order nor
// that of the shards changes anything. Of pairs of parallel texts the package does the same, by languages and origins, and draws a sheet of
// pairs to judge.
package corpus

import (
	"context"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Dataset is a dataset of documents or of pairs.
type Dataset struct {
	Name     string
	Folder   storage.Folder
	Manifest *dataset.Manifest
}

// Corpus is what is known of a dataset of documents and of those that it was made of.
type Corpus struct {
	history
	counts *counts
	bytes  int64
}

// Read reads datasets, each made of the one before: the manifests of all, with up to so many rejects of each step and reason, and the
// documents of the last.
func Read(ctx context.Context, line []Dataset, samples int) (*Corpus, error) {
	h, err := readHistory(ctx, line, "documents", samples)
	if err != nil {
		return nil, err
	}
	last := line[len(line)-1]
	c := &Corpus{history: *h, bytes: last.Manifest.Bytes}
	c.counts, err = count(ctx, last)
	return c, err
}
