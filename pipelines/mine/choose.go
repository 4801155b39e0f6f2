package mine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/schemas"
	"sentweave/transforms/measure/mining"
)

// Reasons to take no candidate.
const (
	// ReasonThreshold: the score is below the threshold.
	ReasonThreshold = "below_threshold"
	// ReasonRetrieval: the retrieval takes another pair, such as the other direction or a better one of a sentence.
	ReasonRetrieval = "not_retrieved"
	reasonMissed    = "not_mined"
)

// unknown is the language of true pairs, of which those that are absent may have any.
const unknown = "und"

// chooseTask chooses the pairs among the candidates, or the negatives of their sources, and spills
// them by target. It reads the candidates twice to find a threshold, and holds a bit for each
// sentence, or 4 bytes for each source where negatives are wanted.
type chooseTask struct {
	Config Config
	Work
}

// Setup implements graph.Task: the datasets are not read.
func (t *chooseTask) Setup(context.Context) error { return nil }

// choice is the work on the unit.
type choice struct {
	*chooseTask
	output    *exchange.Output
	threshold float64
	// gold is the number of true pairs that can be found, of which correct are, and absent is that of the others.
	gold, absent, correct int64
	chosen                []uint32 // the target of each source, from 1 on, where negatives are wanted
	key, value            []byte
}

// Spill implements graph.Spiller.
func (t *chooseTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	c := &choice{chooseTask: t, output: output, threshold: t.Config.least()}
	if err := c.tune(ctx, unit); err != nil {
		return err
	}
	if t.Config.Negatives > 0 {
		c.chosen = make([]uint32, t.Sides[source].Len())
	}
	selection := t.selection()
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		switch rest := record.Key[5:]; record.Key[4] {
		case partCandidates:
			err = c.take(selection, parseCandidate(rest), record.Value[0] == 1, string(record.Value[1:]))
		case partNeighborhoods:
			err = c.negatives(rowOf(rest), record.Value)
		}
		if err != nil {
			return err
		}
	}
	if t.Gold == nil || t.Config.Negatives > 0 {
		return nil
	}
	if err := output.Funnel().Keep(mining.ChainGold, unknown, c.correct); err != nil {
		return err
	}
	if err := output.Funnel().Drop(mining.ChainGold, unknown, stepMine, mining.ReasonAbsent, c.absent); err != nil {
		return err
	}
	return output.Funnel().Drop(mining.ChainGold, unknown, stepMine, reasonMissed, c.gold-c.correct)
}

func (t *chooseTask) selection() *mining.Selection {
	return mining.NewSelection(t.Config.Retrieval, t.Sides[source].Len(), t.Sides[target].Len())
}

// tune reads the number of true pairs and finds the threshold, if there are any.
func (c *choice) tune(ctx context.Context, unit graph.Unit) error {
	var tuning *mining.Tuning
	selection := c.selection()
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		switch record.Key[4] {
		case partGold:
			c.gold = exchange.Count(record.Value)
			c.absent = exchange.Count(record.Value[8:]) - c.gold
			tuning = mining.NewTuning(int(c.gold))
			continue
		case partCandidates:
			if tuning != nil {
				if candidate := parseCandidate(record.Key[5:]); selection.Take(candidate) {
					tuning.Add(candidate.Score, record.Value[0] == 1)
				}
				continue
			}
		}
		break
	}
	if tuning == nil {
		return nil
	}
	threshold, _, ok := tuning.Best()
	if !ok {
		return fmt.Errorf("gold: none of the pairs that are found is among its %d true ones: are their texts those of source and target?",
			c.gold)
	}
	c.threshold = threshold
	return nil
}

// take takes a candidate that is a pair, or counts for its languages why it is none.
func (c *choice) take(selection *mining.Selection, x mining.Candidate, correct bool, languages string) error {
	reason := ""
	switch {
	case x.Score < c.threshold: // as all that follow
		reason = ReasonThreshold
	case !selection.Take(x):
		reason = ReasonRetrieval
	}
	if reason != "" {
		id := schemas.DerivedID("candidate", fmt.Sprint(x.Source), fmt.Sprint(x.Target), fmt.Sprint(x.Backward))
		if c.output.Rejects().Wants(stepMine, reason, languages, id) {
			c.output.Rejects().Add(schemas.Reject{ID: id, Offset: int64(x.Source), Step: stepMine, Reason: reason, Language: languages,
				Detail: fmt.Sprintf("threshold %.6f, score %.6f of source %d and target %d", c.threshold, x.Score, x.Source, x.Target)})
		}
		return c.output.Funnel().Drop(chainPairs, languages, stepMine, reason, 1)
	}
	if correct {
		c.correct++
	}
	if c.chosen != nil {
		c.chosen[x.Source] = uint32(x.Target) + 1
		return nil
	}
	return c.tell(uint32(x.Source), uint32(x.Target), 0, x.Score)
}

// negatives takes of the neighbours of a source those that do not translate it: where gold knows
// the source, all that are left, else those below the threshold of a source that is in a pair.
func (c *choice) negatives(row uint32, value []byte) error {
	known, below := value[0] == 1, math.Inf(1)
	if !known {
		if c.chosen[row] == 0 {
			return nil
		}
		below = c.threshold
	}
	if c.Config.To != nil {
		below = *c.Config.To
	}
	rank := byte(0)
	for rest := value[1:]; len(rest) >= 12 && int(rank) < c.Config.Negatives; rest = rest[12:] {
		other, score := rowOf(rest), floatOf(rest[4:])
		if score < c.Config.From || score >= below || !known && c.chosen[row] == other+1 {
			continue
		}
		if err := c.tell(row, other, rank, score); err != nil {
			return err
		}
		rank++
	}
	return nil
}

// tell spills a pair for the unit of its target.
func (c *choice) tell(row, other uint32, rank byte, score float64) error {
	c.key = exchange.UnitKey(c.key[:0], c.Sides[target].unitOf(other))
	c.key = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(c.key, other), row)
	c.value = appendFloat(append(c.value[:0], rank), score)
	return c.output.Add(c.key, c.value)
}
