package dataset

import (
	"context"

	"golang.org/x/sync/errgroup"

	"sentweave/schemas/storage"
)

// readers is the number of objects that are read at once: reading waits for the disk,
// or for the answers of a service, each of which takes some ten milliseconds.
const readers = 64

// receiptsAhead is the number of receipts that are held at once: some 3 kB each.
const receiptsAhead = readers

// loaded is what was found of a unit's receipt: err is that of loadSettled, spill that
// of the look for the spill file.
type loaded struct {
	receipt    *Receipt
	err, spill error
}

// receipts loads the receipts of all units and gives them in their order. It lists
// the files that they name instead of looking for each.
func (p *Plan) receipts(ctx context.Context, folder storage.Folder, do func(unit int, l loaded) error) error {
	sizes := map[string]int64{}
	for _, prefix := range []string{dataFolder, spillFolder, countsFolder, samplesFolder} {
		for info, err := range folder.List(ctx, prefix) {
			if err != nil {
				continue // it is looked for by its name
			}
			sizes[info.Name] = info.Size
		}
	}
	stat := func(name string) (int64, error) {
		if size, ok := sizes[name]; ok {
			return size, nil
		}
		info, err := folder.Stat(ctx, name) // it may have come since
		return info.Size, err
	}
	ahead := make([]loaded, min(receiptsAhead, p.Units))
	for first := 0; first < p.Units; first += len(ahead) {
		batch := ahead[:min(len(ahead), p.Units-first)]
		var group errgroup.Group
		group.SetLimit(readers)
		for i := range batch {
			group.Go(func() error {
				l := loaded{}
				if l.receipt, l.err = p.loadSettled(ctx, folder, first+i, stat); l.err == nil {
					l.spill = l.receipt.checkFile(folder, l.receipt.Spill, stat)
				}
				batch[i] = l
				return ctx.Err()
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for i, l := range batch {
			if err := do(first+i, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// CommittedOf says for each of count units, from first on, whether it is committed. It
// sends many requests at once.
func (p *Plan) CommittedOf(ctx context.Context, folder storage.Folder, first, count int) ([]bool, error) {
	committed := make([]bool, count)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for i := range committed {
		group.Go(func() (err error) {
			committed[i], err = p.Committed(ctx, folder, first+i)
			return err
		})
	}
	return committed, group.Wait()
}
