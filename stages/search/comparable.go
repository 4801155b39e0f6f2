package search

import (
	"fmt"
	"reflect"

	"sentweave/stages/objective"
	"sentweave/stages/train"
)

// Comparable returns an error that says why the values of two trainings by their validation tell nothing of which is the
// better one, nil if they do.
func Comparable(a, b train.Config) error {
	a, b = a.WithDefaults(), b.WithDefaults()
	v := a.Validation
	switch {
	case v == nil || b.Validation == nil:
		return fmt.Errorf(
			"trials are compared by a validation: give --validate-every, and --validate-share or --validate with what is held out")
	case !reflect.DeepEqual(v, b.Validation):
		return fmt.Errorf("trials have different validations, so that their values do not compare")
	case v.OfTask():
		return nil
	}
	if why := differentLoss(a, b); why != "" {
		return fmt.Errorf("%s, so that %s on held-out examples does not tell which is better: give a task by --metric, and by --validate what it reads",
			why, v.Metric)
	}
	return nil
}

// differentLoss says why the losses of two trainings are not the same measure of the same examples.
func differentLoss(a, b train.Config) string {
	if len(a.Periods) != len(b.Periods) {
		return "trials have different numbers of periods"
	}
	for i, p := range a.Periods {
		if len(p.Mixture) != len(b.Periods[i].Mixture) {
			return "trials are trained by different numbers of losses"
		}
		for k, m := range p.Mixture {
			n := b.Periods[i].Mixture[k]
			o, _ := objective.Find(m.Objective)
			one, other := a.Objectives.Of(m.Objective), b.Objectives.Of(n.Objective)
			switch {
			case m.Objective != n.Objective:
				return fmt.Sprintf("%s and %s are different losses", m.Objective, n.Objective)
			case m.Weight != n.Weight:
				return fmt.Sprintf("the loss of %s weighs %v and %v", m.Name, m.Weight, n.Weight)
			case a.Validation.Share > 0 && m.Dataset != n.Dataset:
				return fmt.Sprintf("%s and %s are different examples", m.Dataset, n.Dataset)
			case m.MaxTokens != n.MaxTokens:
				return fmt.Sprintf("texts are cut after %d and %d tokens", m.MaxTokens, n.MaxTokens)
			}
			if setting := objective.ChangedLoss(one, other); setting != "" {
				return fmt.Sprintf("the setting %s changes the loss of %s itself", setting, m.Objective)
			}
			if o != nil && o.Negatives && (o.Apart == nil || !o.Apart(one)) && m.BatchSize != n.BatchSize {
				return fmt.Sprintf("the loss of %s has as many negatives as a batch has, %d and %d", m.Objective, m.BatchSize, n.BatchSize)
			}
		}
	}
	return ""
}
