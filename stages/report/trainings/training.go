// Package trainings shows how trainings went: their losses, speed and figures of validation.
package trainings

import (
	"math"

	"sentweave/schemas"
	"sentweave/stages/report/markup"
)

// PrefixEffect is the loss of CMLM with its own prefix and with others: what the
// first sentence's vector tells of the second.
type PrefixEffect struct {
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

// PrefixTask and its subtasks are those of `sentweave prefix`.
const PrefixTask = "cmlm_prefix"

// Prefixes takes the losses by prefix out of results.
func Prefixes(results []schemas.Result) (effects []PrefixEffect, remaining []schemas.Result) {
	places := map[string]int{}
	for _, r := range results {
		if r.Task != PrefixTask {
			remaining = append(remaining, r)
			continue
		}
		i, ok := places[r.Model]
		if !ok {
			i = len(effects)
			places[r.Model] = i
			effects = append(effects, PrefixEffect{Data: r.Model + ", held-out pages", N: r.N, Own: math.NaN(), Zeroed: math.NaN(),
				Shuffled: math.NaN(), ZeroedSpread: math.NaN(), ShuffledSpread: math.NaN()})
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

// PrefixTable shows the effect of the prefix.
func PrefixTable(effects []PrefixEffect) markup.Table {
	t := markup.Table{
		Caption: "CMLM's loss by prefix, in nats for each masked word",
		Columns: []markup.Column{{Name: "Measured on"}, {Name: "Own prefix", Number: true}, {Name: "Zeroed", Number: true},
			{Name: "Shuffled", Number: true}, {Name: "Masked tokens", Number: true}},
		Note: "Below a loss, its difference from that with the own prefix. Shuffled: the prefix of another pair, in the same language if the batch has one. ± is half of the interval of 95 % of the difference, by batches.",
	}
	for _, p := range effects {
		show := func(v, spread float64) markup.Cell {
			switch {
			case v != v:
				return markup.Cell{Text: markup.Absent}
			case spread != spread:
				return markup.Cell{Text: markup.LossText(v), Detail: markup.Signed(v-p.Own, 3)}
			}
			return markup.Cell{Text: markup.LossText(v), Detail: markup.Signed(v-p.Own, 4) + " ± " + markup.Number(spread, 4)}
		}
		t.Rows = append(t.Rows, []markup.Cell{{Text: p.Data}, {Text: markup.LossText(p.Own)}, show(p.Zeroed, p.ZeroedSpread),
			show(p.Shuffled, p.ShuffledSpread), {Text: markup.Number(float64(p.N), 0)}})
	}
	return t
}

// PrefixBars shows the effect of the prefix on one kind of data.
func PrefixBars(p PrefixEffect) markup.Bars {
	b := markup.Bars{Title: "CMLM's loss on " + p.Data, Axis: markup.Axis{Label: "loss, nats for each masked word"}}
	for i, v := range []float64{p.Own, p.Zeroed, p.Shuffled} {
		if name := []string{"Own prefix", "Zeroed prefix", "Shuffled prefix"}[i]; v == v {
			b.Bars = append(b.Bars, markup.Bar{Name: name, Value: v, Low: math.NaN(), High: math.NaN(), Muted: i > 0})
		}
	}
	return b
}

// Speed is how fast a period was trained.
type Speed struct {
	Period  string
	Steps   int
	Seconds float64
	Tokens  int64
	// Waiting is the number of those seconds that were spent waiting for data.
	Waiting float64
	// PeakRSS is the greatest resident memory in bytes; 0 where not measured.
	PeakRSS int64
}

// SpeedTable shows the speed of training.
func SpeedTable(speeds []Speed) markup.Table {
	t := markup.Table{
		Caption: "Speed of training",
		Columns: []markup.Column{{Name: "Period"}, {Name: "Steps", Number: true}, {Name: "Time", Number: true},
			{Name: "ms a step", Number: true}, {Name: "Tokens/s", Number: true}, {Name: "Waiting for data", Number: true},
			{Name: "Peak memory", Number: true}},
	}
	ratio := func(a, b float64, digits int, unit string) string {
		if b <= 0 || !markup.Finite(a/b) {
			return markup.Absent
		}
		return markup.Number(a/b, digits) + unit
	}
	for _, s := range speeds {
		memory := markup.Absent
		if s.PeakRSS > 0 {
			memory = markup.Size(s.PeakRSS)
		}
		t.Rows = append(t.Rows, markup.Cells(s.Period, markup.Number(float64(s.Steps), 0), markup.Duration(s.Seconds),
			ratio(1000*s.Seconds, float64(s.Steps), 1, ""),
			ratio(float64(s.Tokens), s.Seconds, 0, ""), ratio(100*s.Waiting, s.Seconds, 1, " %"), memory))
	}
	return t
}
