package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"sentweave/stages/train/batches"
)

const (
	// spikeMemory is the number of steps over which the mean and the variance of losses are taken, with weights that fall
	// by the age of a loss.
	spikeMemory = 100
	// spikeHistory is the number of losses of a source before the next one can be a spike.
	spikeHistory = 20
	// spikeFloor is the least deviation, as a share of the mean: losses that hardly vary have no spikes of rounding.
	spikeFloor = .01
	// maxRollbacks is how often a training goes back to one checkpoint. What spikes after that on other batches, too, is
	// not cured by leaving batches out.
	maxRollbacks = 3
)

// Spike is a loss of which a training went back to a checkpoint. The batches since then were left out: the steps after
// the checkpoint were taken again on the ones that come next.
type Spike struct {
	// Step is the one at which the spike showed.
	Step   int64  `json:"step"`
	Period string `json:"period"`
	// What is the name of a source, or of another number that was not finite.
	What string `json:"what"`
	// Value is what the loss was: a number, NaN, +Inf or -Inf, for which JSON has no numbers.
	Value string `json:"value"`
	// Limit is what the loss may have been at most; 0 where the value is not finite.
	Limit float64 `json:"limit,omitempty"`
	// Back is the step of the checkpoint that the training went back to, 0 for its beginning.
	Back int64 `json:"back"`
	// Batches is the number of steps of the period whose batches were left out.
	Batches int64 `json:"batches"`
	// Places are those of the sources after these batches, where the sizes of some are given in tokens.
	Places []batches.Place `json:"places,omitempty"`
}

// Moments are the mean and the variance of the losses of a source in a period.
type Moments struct {
	Count    int64   `json:"count"`
	Mean     float64 `json:"mean"`
	Variance float64 `json:"variance"`
}

func (m Moments) add(loss float64) Moments {
	m.Count++
	share, change := 1/float64(min(m.Count, spikeMemory)), loss-m.Mean
	m.Mean += share * change
	m.Variance = (1 - share) * (m.Variance + share*change*change)
	return m
}

// limit is what a loss may be at most, given how many deviations above the mean a spike is.
func (m Moments) limit(deviations float64) float64 {
	if m.Count < spikeHistory {
		return math.Inf(1)
	}
	return m.Mean + deviations*max(math.Sqrt(m.Variance), spikeFloor*math.Abs(m.Mean))
}

// judge returns an error if the loss of a source is a spike, given the shares of the sources in the items of the step.
func (r *run) judge(s Period, line Line, shares map[string]float64, ids []string) error {
	for _, source := range s.Mixture {
		sum, drawn := line.Losses[source.Name]
		if r.config.MaxSpike == 0 || !drawn {
			continue
		}
		loss := sum / shares[source.Name]
		if limit := r.record.Moments[source.Name].limit(r.config.MaxSpike); loss > limit {
			d := r.diverged(line.Step, s.Name, source.Name, loss, ids)
			d.Limit = limit
			return d
		}
	}
	return nil
}

// learn adds the losses of a step that was taken to what later ones are judged by.
func (r *run) learn(s Period, line Line, shares map[string]float64) {
	if r.config.MaxSpike == 0 {
		r.record.Moments = nil
		return
	}
	moments := make(map[string]Moments, len(s.Mixture)) // a new one: a copy of the record may have the old one
	for name, m := range r.record.Moments {
		moments[name] = m
	}
	for name, sum := range line.Losses {
		moments[name] = moments[name].add(sum / shares[name])
	}
	r.record.Moments = moments
}

// placesOf are those from which the sources of a period go on after so many steps of it.
func (r *Record) placesOf(s Period, completed int64) []batches.Place {
	places := make([]batches.Place, len(s.Mixture))
	if n := len(r.Spikes); n > 0 && r.Spikes[n-1].Period == s.Name && r.Spikes[n-1].Back == r.Step { // just gone back
		copy(places, r.Spikes[n-1].Places)
	} else if completed > 0 {
		for i, p := range r.Positions {
			if p.Place != nil {
				places[i] = *p.Place
			}
		}
	}
	return places
}

// leftOut is the number of steps of a period whose batches were left out.
func (r *Record) leftOut(period string) (sum int64) {
	for _, s := range r.Spikes {
		if s.Period == period {
			sum += s.Batches
		}
	}
	return sum
}

// rollBack has the training go on from the last checkpoint that no interruption wrote, without the batches since then.
// Where that one is damaged, the training goes on from the one before, to make it again; what it then takes are the same
// steps, with the same spike.
func (r *run) rollBack(ctx context.Context, plan *Record, d *divergedError) error {
	back := r.record.anchor()
	index := slices.IndexFunc(r.config.Periods, func(s Period) bool { return s.Name == d.Period })
	times := 0
	for _, s := range r.record.Spikes {
		if s.Back == back && s.Period == d.Period {
			times++
		}
	}
	if times == maxRollbacks {
		d.Advice = fmt.Sprintf(
			"the training went back to step %d %d times, each time without the batches since then, so they are not what is wrong: lower the rate, or raise --max-spike",
			back, times)
		return d
	}
	spikes := append(slices.Clone(r.record.Spikes), Spike{
		Step: d.Step, Period: d.Period, What: d.What, Value: strconv.FormatFloat(d.Value, 'g', -1, 64), Limit: d.Limit, Back: back,
		Batches: min(d.Step-back, d.Step-r.config.steps(index)),
	})
	if slices.ContainsFunc(r.config.Periods[index].Mixture, func(s batches.Source) bool { return s.BatchTokens > 0 }) {
		spikes[len(spikes)-1].Places = slices.Clone(r.places)
	}
	if _, err := r.restore(ctx, plan, back); err != nil {
		return err
	}
	if r.record.Step == back {
		r.record.Spikes = spikes
		r.notice(fmt.Sprintf("%s: going back to step %d, and leaving out the batches of %d steps", d.reason(), back,
			spikes[len(spikes)-1].Batches))
	}
	_, err := trimLosses(ctx, r.out.work, r.out.path(LossesName), r.record.Step)
	return err
}

// anchorHere makes the checkpoint of the record the one that a spike goes back to.
func (r *Record) anchorHere() {
	r.Anchors = nil
	if r.Config.MaxSpike > 0 {
		r.Anchors = []int64{r.Step}
		if v := r.Validated; v != nil && v.Best > 0 && v.Best != r.Step {
			r.Anchors = append(r.Anchors, v.Best)
		}
	}
}

// anchor is the step that a spike goes back to.
func (r *Record) anchor() int64 {
	if len(r.Anchors) == 0 {
		return 0
	}
	return r.Anchors[0]
}
