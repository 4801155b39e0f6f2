package train

import (
	"math"
	"path/filepath"
	"testing"

	"sentweave/schemas"
	"sentweave/stages/objective"
	"sentweave/stages/train/batches"
)

// itemLosses gives each batch its number of items as its loss.
func itemLosses(f *fake) {
	f.loss = func(_ *fake, b objective.Batch) (float64, bool) { return float64(b.Items()[0]), true }
}

// The loss of an accumulated step is that of one batch of all examples: with the number of masked
// tokens as the loss of each token, it is Σ n² / Σ n over the batches.
func TestAccumulatedStepIsOneBatch(t *testing.T) {
	for _, turns := range []bool{false, true} {
		c := twoPeriods(t)
		c.Periods = c.Periods[:1]
		p := &c.Periods[0]
		p.Accumulate = 5
		if turns {
			other := p.Mixture[0]
			other.Name, other.Dataset = "other", write(t, rows(schemas.KindConsecutive, 40, nil), 1, fingerprint)
			p.Mixture = append(p.Mixture, other)
			c.Sampling = &batches.Sampling{By: "source", Alpha: .5}
		}
		var counts []float64 // of the step at hand
		o := options(func(f *fake) {
			f.loss = func(_ *fake, b objective.Batch) (float64, bool) {
				counts = append(counts, float64(b.Items()[0]))
				return counts[len(counts)-1], true
			}
		})
		o.Observer.Step = func(l Progress) {
			sum, squares := 0., 0.
			for _, n := range counts {
				sum, squares = sum+n, squares+n*n
			}
			if len(counts) != 5 || math.Abs(l.Loss-squares/sum) > 1e-12 || squares/sum == sum/5 {
				t.Errorf("step %d: loss %v, want %v from batches of %v", l.Step, l.Loss, squares/sum, counts)
			}
			for name, loss := range l.Losses { // of the source's own batches
				if turns == (loss == l.Loss) {
					t.Errorf("step %d: the loss of %s is %v of %v", l.Step, name, loss, l.Loss)
				}
			}
			counts = nil
		}
		if _, _, err := Run(t.Context(), filepath.Join(t.TempDir(), "out"), c, o); err != nil {
			t.Fatal(err)
		}
	}
}

// What is held out counts once, the part of a batch that is left over, too, and its loss is that
// of one batch of it all.
func TestHeldLossIsOfOneBatch(t *testing.T) {
	for rows, sizes := range map[int]int{13: 4, 15: 5, 12: 4, 150: 50} { // in batches of 3, of 2 at least
		c := twoPeriods(t)
		c.Periods = c.Periods[1:]
		for i := range c.Periods[0].Mixture {
			c.Periods[0].Mixture[i].BatchSize = 3
		}
		pairs, consecutives := grouped(t, rows, 1, 1), consecutive(t, rows, 1)
		c.Validation = &Validation{Every: 100, Datasets: []string{pairs, consecutives}}
		r := &run{config: c.WithDefaults(), options: options(nil), vocabulary: fingerprint}
		_, held, err := r.open(t.Context(), r.config.Periods[0])
		if err != nil {
			t.Fatal(err)
		}
		for i, source := range r.config.Periods[0].Mixture {
			seen := map[string]bool{}
			sum, squares := 0., 0.
			for _, b := range held[i].batches {
				for _, id := range b.IDs {
					seen[id] = true
				}
				n := float64(b.Items()[0])
				sum, squares = sum+n, squares+n*n
				if len(b.IDs) < 2 && source.Objective == objective.BitextName {
					t.Errorf("%s: a batch of %d has no negatives", source.Name, len(b.IDs))
				}
			}
			want := sizes
			if rows == 13 && source.Objective == objective.CMLMName {
				want++
			}
			if len(seen) != rows || len(held[i].batches) != want {
				t.Errorf("%s: %d of %d examples in %d batches, want %d", source.Name, len(seen), rows, len(held[i].batches), want)
			}
			f := &fake{}
			itemLosses(f)
			if got, err := r.heldLoss(f, r.config.Periods[0], source, held[i], 1); err != nil || math.Abs(got-squares/sum) > 1e-12 {
				t.Errorf("%s: loss %v, want %v, %v", source.Name, got, squares/sum, err)
			}
		}
	}
}
