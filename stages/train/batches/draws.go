package batches

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sentweave/schemas/fault"
)

// Mixture are the sources of a period.
type Mixture struct {
	Period  string
	Sources []Source
}

// Draws says which sources of a period give a batch. Sources of one objective that are drawn by
// p^alpha take turns; every other one gives a batch each time. The turns are spread evenly: a
// source has given, after any number of batches, the whole number below or above its share of
// them. They follow from the numbers of examples alone, so that a run goes on with them, also
// for more steps.
type Draws struct {
	mixture []Source
	// groups are places in the mixture: those of a group take turns.
	groups [][]int
	// Shares are those of each source in the batches of its group.
	Shares []float64
	rows   []int64 // of each source
	// Taken counts the batches that each source has given.
	Taken   []int64
	batches int64 // that each group has given
}

// Draws returns the draws of a mixture before its first batch, by the examples that are trained on.
func (s *Sampling) Draws(mixture []Source, loaders []*Loader) *Draws {
	n := len(loaders)
	d := &Draws{
		mixture: mixture, groups: s.groups(mixture), Shares: make([]float64, n), rows: make([]int64, n), Taken: make([]int64, n),
	}
	for _, group := range d.groups {
		total, sum := 0., 0.
		for _, i := range group {
			d.rows[i] = loaders[i].examples.Rows()
			total += float64(d.rows[i])
		}
		for _, i := range group {
			d.Shares[i] = 1
			if len(group) > 1 {
				d.Shares[i] = math.Pow(float64(d.rows[i])/total, s.Alpha)
			}
			sum += d.Shares[i]
		}
		for _, i := range group {
			d.Shares[i] /= sum
		}
	}
	return d
}

// groups are the places of the sources that take turns: those of one objective, or each alone.
func (s *Sampling) groups(mixture []Source) (groups [][]int) {
	for i, source := range mixture {
		place := slices.IndexFunc(groups, func(group []int) bool {
			return s.Sources() && mixture[group[0]].Objective == source.Objective
		})
		if place < 0 {
			groups = append(groups, []int{i})
			continue
		}
		groups[place] = append(groups[place], i)
	}
	return groups
}

// Groups is the number of groups of sources that take turns, or stand alone.
func (d *Draws) Groups() int { return len(d.groups) }

// Next returns the places of the sources that give the next batches, one of each group: of those
// that have given less than their share with the next batch, the one that would be the first to
// have given less than that without it (the quota method of Balinski and Young 1975).
func (d *Draws) Next() []int {
	d.batches++
	places := make([]int, len(d.groups))
	for g, group := range d.groups {
		earliest := math.Inf(1)
		for _, i := range group {
			deadline := float64(d.Taken[i]+1) / d.Shares[i]
			if float64(d.Taken[i]) < d.Shares[i]*float64(d.batches) && deadline < earliest {
				earliest, places[g] = deadline, i
			}
		}
		d.Taken[places[g]]++
	}
	return places
}

// Describe says for the log how sources take turns; empty where none do.
func (d *Draws) Describe() (list []string) {
	for _, group := range d.groups {
		if len(group) == 1 {
			continue
		}
		var parts []string
		for _, i := range group {
			parts = append(parts, fmt.Sprintf("%.2f %% from %s (of %d)", 100*d.Shares[i], d.mixture[i].Name, d.rows[i]))
		}
		list = append(list, fmt.Sprintf("of the batches for %s it draws %s", d.mixture[group[0]].Objective, strings.Join(parts, ", ")))
	}
	return list
}

// validateDraws returns the faults of sources that cannot take turns.
func (s *Sampling) validateDraws(mixtures []Mixture) error {
	if !s.Sources() {
		return nil
	}
	var errs fault.List
	shared := false
	for _, m := range mixtures {
		for _, group := range s.groups(m.Sources) {
			shared = shared || len(group) > 1
			first := m.Sources[group[0]]
			for _, i := range group[1:] {
				source := m.Sources[i]
				errs.Check(source.BatchSize == first.BatchSize,
					"period %s: batch_size of %s is %d and that of %s is %d: sources that are drawn need one",
					m.Period, source.Name, source.BatchSize, first.Name, first.BatchSize)
				errs.Check(source.BatchTokens == first.BatchTokens,
					"period %s: batch_tokens of %s is %d and that of %s is %d: sources that are drawn need one",
					m.Period, source.Name, source.BatchTokens, first.Name, first.BatchTokens)
			}
		}
	}
	errs.Check(shared, "by is %q, and no period has two datasets for one objective", s.By)
	return errs.Err()
}
