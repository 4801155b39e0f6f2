package torchverbs

import (
	"context"
	"errors"
	"fmt"

	"sentweave/runners/command"
	"sentweave/stages/embed"
	"sentweave/stages/evaluate"
	"sentweave/stages/train"
)

// task opens the task by which a training is validated; nil where a loss is the metric. An
// encoder is measured as evaluate would measure the folder that it is in. An interrupt
// waits for the figure, so that a validation is never left out.
func (t *Train) task(ctx context.Context, v *train.Validation) (*train.Task, error) {
	if !v.OfTask() {
		return nil, nil
	}
	figure, err := evaluate.OpenFigure(ctx, v.Metric, v.Datasets)
	if errors.As(err, new(evaluate.NameError)) {
		err = command.Usage(err)
	}
	if err != nil {
		return nil, err
	}
	return &train.Task{
		Input: figure.Input("validation/" + v.Metric), Better: figure.Better,
		Measure: func(folder string) (value float64, err error) {
			m, err := embed.Open(embed.ModelConfig{Model: folder, Layer: -1, Compute: t.Compute})
			if err != nil {
				return 0, err
			}
			defer func() { err = errors.Join(err, m.Close()) }()
			return figure.Measure(context.WithoutCancel(ctx), m)
		},
	}, nil
}

// measuredBy names the metric of a validation.
func measuredBy(v *train.Validation) string {
	if v.OfTask() {
		return v.Metric
	}
	return v.Metric + " on held-out examples"
}

// judged says what a validation makes of a model, whose metric is a value.
func judged(step int64, value float64, validated train.Validated, minimum float64, task *train.Task) string {
	better, comparative := -1, "less"
	if task != nil && task.Better > 0 {
		better, comparative = 1, "greater"
	}
	how := "the best so far"
	switch {
	case validated.Best == step:
	case float64(better)*(value-validated.Value) > 0:
		how = fmt.Sprintf("the best stays %.4f after step %s, since a better one is %s by more than the least change of %v",
			validated.Value, command.Count(validated.Best), comparative, minimum)
	default:
		how = fmt.Sprintf("the best is %.4f after step %s", validated.Value, command.Count(validated.Best))
	}
	if validated.Stopped {
		how += ", and the patience ends"
	}
	return how
}
