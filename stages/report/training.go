package report

import (
	"math"

	"sentweave/schemas"
)

// prefixEffect is the loss of CMLM with its own prefix and with others: what the
// first sentence's vector tells of the second.
type prefixEffect struct {
	// Data names what it was measured on.
	Data string
	// N is the number of masked tokens.
	N int64
	// Own, Zeroed and Shuffled are mean losses with the vectors of the own first
	// sentence, with zeros, and with those of another pair. NaN where not measured.
	Own, Zeroed, Shuffled float64
	// ZeroedSpread and ShuffledSpread are halves of the intervals of the differences from Own; NaN where not measured.
	ZeroedSpread, ShuffledSpread float64
}

// prefixTask and its subtasks are those of `sentweave prefix`.
const prefixTask = "cmlm_prefix"

// prefixes takes the losses by prefix out of results.
func prefixes(results []schemas.Result) (effects []prefixEffect, remaining []schemas.Result) {
	places := map[string]int{}
	for _, r := range results {
		if r.Task != prefixTask {
			remaining = append(remaining, r)
			continue
		}
		i, ok := places[r.Model]
		if !ok {
			i = len(effects)
			places[r.Model] = i
			effects = append(effects, prefixEffect{Data: r.Model + ", held-out pages", N: r.N, Own: math.NaN(), Zeroed: math.NaN(), Shuffled: math.NaN(), ZeroedSpread: math.NaN(), ShuffledSpread: math.NaN()})
		}
		e := &effects[i]
		losses := map[string]*float64{"own": &e.Own, "zero": &e.Zeroed, "other": &e.Shuffled}
		spreads := map[string]*float64{"zero": &e.ZeroedSpread, "other": &e.ShuffledSpread}
		if target := losses[r.Subtask]; target != nil && r.Metric == "loss" {
			*target = r.Value
		}
		if target := spreads[r.Subtask]; target != nil && r.Metric == "loss_above_own" && r.Spread != nil {
			*target = *r.Spread
		}
	}
	return effects, remaining
}

// prefixTable shows the effect of the prefix.
func prefixTable(effects []prefixEffect) Table {
	t := Table{
		Caption: "CMLM's loss by prefix, in nats for each masked word",
		Columns: []Column{{Name: "Measured on"}, {"Own prefix", true}, {"Zeroed", true}, {"Shuffled", true}, {"Masked tokens", true}},
		Note:    "Below a loss, its difference from that with the own prefix. Shuffled: the prefix of another pair, in the same language if the batch has one. ± is half of the interval of 95 % of the difference, by batches.",
	}
	for _, p := range effects {
		show := func(v, spread float64) Cell {
			switch {
			case v != v:
				return Cell{Text: absent}
			case spread != spread:
				return Cell{Text: loss(v), Detail: signed(v-p.Own, 3)}
			}
			return Cell{Text: loss(v), Detail: signed(v-p.Own, 4) + " ± " + number(spread, 4)}
		}
		t.Rows = append(t.Rows, []Cell{{Text: p.Data}, {Text: loss(p.Own)}, show(p.Zeroed, p.ZeroedSpread),
			show(p.Shuffled, p.ShuffledSpread), {Text: number(float64(p.N), 0)}})
	}
	return t
}

// prefixBars shows the effect of the prefix on one kind of data.
func prefixBars(p prefixEffect) Bars {
	b := Bars{Title: "CMLM's loss on " + p.Data, Axis: Axis{Label: "loss, nats for each masked word"}}
	for i, v := range []float64{p.Own, p.Zeroed, p.Shuffled} {
		if name := []string{"Own prefix", "Zeroed prefix", "Shuffled prefix"}[i]; v == v {
			b.Bars = append(b.Bars, Bar{Name: name, Value: v, Low: math.NaN(), High: math.NaN(), Muted: i > 0})
		}
	}
	return b
}

// speed is how fast a period was trained.
type speed struct {
	Period  string
	Steps   int
	Seconds float64
	Tokens  int64
	// Waiting is the number of those seconds that were spent waiting for data.
	Waiting float64
	// PeakRSS is the greatest resident memory in bytes; 0 where not measured.
	PeakRSS int64
}

// speedTable shows the speed of training.
func speedTable(speeds []speed) Table {
	t := Table{
		Caption: "Speed of training",
		Columns: []Column{{Name: "Period"}, {"Steps", true}, {"Time", true}, {"ms a step", true}, {"Tokens/s", true}, {"Waiting for data", true}, {"Peak memory", true}},
	}
	ratio := func(a, b float64, digits int, unit string) string {
		if b <= 0 || !finite(a/b) {
			return absent
		}
		return number(a/b, digits) + unit
	}
	for _, s := range speeds {
		memory := absent
		if s.PeakRSS > 0 {
			memory = size(s.PeakRSS)
		}
		t.Rows = append(t.Rows, cells(s.Period, number(float64(s.Steps), 0), duration(s.Seconds), ratio(1000*s.Seconds, float64(s.Steps), 1, ""),
			ratio(float64(s.Tokens), s.Seconds, 0, ""), ratio(100*s.Waiting, s.Seconds, 1, " %"), memory))
	}
	return t
}
