package train

import "sentweave/stages/train/batches"

// turn is a batch of a step.
type turn struct {
	*batches.Batch
	// source is the place in the mixture, and draw counts the batches of the step that its
	// group gave before.
	source int
	draw   int64
	// items are those of all batches of the group in the step.
	items *items
}

// turns returns the batches of the next step, whose losses need to know the items of all of
// them.
func (r *run) turns(s Period, loaders []*batches.Loader) (list []turn, err error) {
	groups := make([]items, r.draws.Groups())
	for i := range s.Accumulate {
		for g, j := range r.draws.Next() {
			wait := r.options.Now()
			batch, err := loaders[j].Next()
			r.meter.wait += r.options.Now().Sub(wait)
			if err != nil {
				return nil, err
			}
			r.places[j] = batch.Next
			groups[g].add(j, batch.Items())
			list = append(list, turn{batch, j, int64(i), &groups[g]})
		}
	}
	return list, nil
}

// items sums what the parts of a loss are means over, of batches that count as one.
type items struct {
	parts    []int
	bySource map[int]int // of all parts
}

// add adds those of a batch of a source.
func (total *items) add(source int, parts []int) {
	if total.parts == nil {
		total.parts, total.bySource = make([]int, len(parts)), map[int]int{}
	}
	for i, n := range parts {
		total.parts[i] += n
		total.bySource[source] += n
	}
}

// shares are those of a batch in each part of the loss.
func (total *items) shares(parts []int) []float64 {
	shares := make([]float64, len(parts))
	for i, n := range parts {
		shares[i] = float64(n) / float64(total.parts[i])
	}
	return shares
}

// sharesOf are those of each source that gave batches in the items of those that it takes turns with.
func sharesOf(s Period, turns []turn) map[string]float64 {
	shares := map[string]float64{}
	for _, t := range turns {
		shares[s.Mixture[t.source].Name] = t.items.share(t.source)
	}
	return shares
}

// share is that of a source in all items.
func (total *items) share(source int) float64 {
	sum := 0
	for _, n := range total.parts {
		sum += n
	}
	return float64(total.bySource[source]) / float64(sum)
}
