package train

import (
	"errors"
	"fmt"
)

// divergedError tells that a loss or the norm of the gradients is no finite number.
// The step was not taken.
type divergedError struct {
	Step   int64
	Period string
	// What is the name of a source, or "gradient_norm".
	What  string
	Value float64
	// IDs are those of the examples of the batch, or of all batches of the step.
	IDs []string
	// Checkpoint is the folder of the last good one, empty if there is none yet.
	Checkpoint string
}

// ErrDiverged is matched by the error of a training whose loss or gradients are no finite numbers: the same training
// ends so each time.
var ErrDiverged = errors.New("the training has diverged")

// Is says that the error is ErrDiverged.
func (*divergedError) Is(target error) bool { return target == ErrDiverged }

// Error names the step, the first ids and the checkpoint.
func (e *divergedError) Error() string {
	const limit = 8
	ids, remainder := e.IDs, ""
	if len(ids) > limit {
		ids, remainder = ids[:limit], fmt.Sprintf(" and %d more", len(ids)-limit)
	}
	what := "the loss of " + e.What
	if e.What == normName {
		what = "the norm of the gradients"
	}
	advice := "lower the rate, or look at these examples"
	if e.Step == 1 { // no rate has done that
		advice = "look at these examples, and at the weights that the training began with"
	}
	return fmt.Sprintf("step %d of period %s: %s is %v, on the examples %q%s; %s: %s",
		e.Step, e.Period, what, e.Value, ids, remainder, lastGood(e.Checkpoint), advice)
}

const normName = "gradient_norm"

func lastGood(checkpoint string) string {
	if checkpoint == "" {
		return "there is no checkpoint yet"
	}
	return "the last good checkpoint is " + checkpoint
}
