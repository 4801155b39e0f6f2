package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"sentweave/stages/objective"
)

// divergedError tells that a loss or the norm of the gradients is not a finite number, or a loss too high. The step was not
// taken. Or it tells that a step left such a number in the model, which was not written.
type divergedError struct {
	Step   int64
	Period string
	// What is the name of a source, or normName or modelName.
	What  string
	Value float64
	// Limit is what the value may be at most, 0 where it is not finite.
	Limit float64
	// IDs are those of the examples of the batch, or of all batches of the step.
	IDs []string
	// Checkpoint is the folder of the last good one, empty if there is none yet.
	Checkpoint string
	// Cause names the number of the model.
	Cause error
	// Advice is what to do about it, where that is known.
	Advice string
}

// ErrDiverged is matched by the error of a training that has diverged: the same training ends so each time.
var ErrDiverged = errors.New("the training has diverged")

// Is says that the error is ErrDiverged.
func (*divergedError) Is(target error) bool { return target == ErrDiverged }

// What else than a source may diverge.
const (
	normName  = "gradient_norm"
	modelName = "model"
)

func (r *run) diverged(step int64, period, what string, value float64, ids []string) *divergedError {
	return &divergedError{Step: step, Period: period, What: what, Value: value, IDs: ids, Checkpoint: r.out.work.Shown(r.checkpoint)}
}

// divergedModel returns what the error of a Trainer's Save tells of divergence, nil if it tells of something else.
func (r *run) divergedModel(err error) *divergedError {
	if !errors.Is(err, objective.ErrNotFinite) {
		return nil
	}
	d := r.diverged(r.record.Step, r.record.Period, modelName, math.NaN(), nil)
	d.Cause = err
	return d
}

// Error names the step, the first ids and the checkpoint.
func (e *divergedError) Error() string {
	const limit = 8
	examples := ""
	if len(e.IDs) > limit {
		examples = fmt.Sprintf(", on the examples %q and %d more", e.IDs[:limit], len(e.IDs)-limit)
	} else if len(e.IDs) > 0 {
		examples = fmt.Sprintf(", on the examples %q", e.IDs)
	}
	advice := "lower the rate, look at these examples, or give --max-spike to leave them out"
	if e.Step == 1 { // no rate has done that
		advice = "look at these examples, and at the weights that the training began with"
	}
	return fmt.Sprintf("%s%s; %s: %s", e.reason(), examples, lastGood(e.Checkpoint), cmp.Or(e.Advice, advice))
}

// reason is the error without examples and advice.
func (e *divergedError) reason() string {
	text := fmt.Sprintf("step %d of period %s: ", e.Step, e.Period)
	switch {
	case e.Cause != nil:
		return text + "after the step, " + e.Cause.Error()
	case e.What == normName:
		return fmt.Sprintf("%sthe norm of the gradients is %v", text, e.Value)
	case e.Limit > 0:
		return fmt.Sprintf("%sthe loss of %s is %.5g, above %.5g", text, e.What, e.Value, e.Limit)
	}
	return fmt.Sprintf("%sthe loss of %s is %v", text, e.What, e.Value)
}

func lastGood(checkpoint string) string {
	if checkpoint == "" {
		return "there is no checkpoint yet"
	}
	return "the last good checkpoint is " + checkpoint
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
