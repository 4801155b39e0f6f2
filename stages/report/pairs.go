package report

import (
	"context"
	"errors"
	"io/fs"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/lineage"
	"sentweave/stages/report/corpus"
	"sentweave/transforms/pairs/judged"
)

// bitext reads the dataset of pairs, or of scores of pairs, and what it was made of as far as that lies in folders of the configuration.
func (c Config) bitext(ctx context.Context) (*corpus.Bitext, []lineage.Ancestor, error) {
	if c.Pairs == "" {
		return nil, nil, nil
	}
	_, m, err := dataset.Open(ctx, c.Pairs)
	if err == nil && m.Plan.Schema == (schemas.PairScore{}).Schema().Name {
		_, m, err = dataset.OpenAs[schemas.PairScore](ctx, c.Pairs)
	} else if err == nil {
		_, m, err = dataset.OpenAs[schemas.Pair](ctx, c.Pairs)
	}
	if err != nil {
		return nil, nil, err
	}
	line, origins, err := c.line(ctx, c.Pairs, "pairs", m)
	if err != nil {
		return nil, nil, err
	}
	read, err := corpus.ReadBitext(ctx, line, c.Samples, c.RejectedSamples)
	return read, origins, err
}

// pairFiles are the counts of pairs, and the sheet to judge them, unless one is there in which somebody has written.
func (e experiment) pairFiles(ctx context.Context, folder storage.Folder) ([]storage.File, error) {
	if e.Bitext == nil {
		return nil, nil
	}
	table, err := e.Bitext.CSV()
	if err != nil {
		return nil, err
	}
	files := []storage.File{{Name: corpus.PairTableName, Data: table}}
	sheet, err := storage.ReadFile(ctx, folder, corpus.SheetName, judged.MaxBytes)
	if err == nil {
		_, err = judged.Decode(sheet)
	}
	e.Bitext.Judged = !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, judged.ErrNone)
	if !e.Bitext.Judged {
		files = append(files, storage.File{Name: corpus.SheetName, Data: e.Bitext.Sheet()})
	}
	return files, nil
}
