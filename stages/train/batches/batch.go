package batches

import "sentweave/stages/objective"

// Batch is a batch of a source with what messages need.
type Batch struct {
	objective.Batch
	// IDs are those of the examples, in the batch's order.
	IDs []string
	// Drawn counts the examples by class, where they are drawn by class.
	Drawn map[string]int64
	// Next is the place after the batch.
	Next Place
}

func (l *Loader) fill(list []entry) (*Batch, error) {
	batch := &Batch{IDs: make([]string, len(list))}
	entries := make([]objective.Entry, len(list))
	if l.order.sample != nil {
		batch.Drawn = map[string]int64{}
	}
	for i, e := range list {
		if batch.Drawn != nil {
			batch.Drawn[e.class()]++
		}
		batch.IDs[i] = e.ID
		entries[i] = objective.Entry{Example: &e.Example, Epoch: e.epoch}
	}
	var err error
	batch.Batch, err = l.fit.objective.Fill(&l.filler, entries)
	return batch, err
}
