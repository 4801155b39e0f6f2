package corpus

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/langid/fasttext"
	"sentweave/transforms/filters"
)

// QualityRole is the role of the quality classifier among the plan's inputs.
const QualityRole = "quality-model"

// Quality are the flags of the filter fasttext.
type Quality struct {
	QualityModel string `help:"fastText model that tells good documents from others, as quality train makes it: the filter fasttext runs." placeholder:"FILE" group:"Filters" json:"-"`
	// QualityLabel is in the plan if the filter runs.
	QualityLabel string `help:"Label of good documents in --quality-model, without __label__; without it good, as quality train has it." placeholder:"LABEL" group:"Filters" json:"quality_label,omitempty"`
}

// used reports whether a configuration, or the record of one, has a model.
func (q *Quality) used() bool { return q.QualityModel != "" || q.QualityLabel != "" }

// resolve sets the label as the plan has it.
func (q *Quality) resolve() {
	if q.QualityModel != "" {
		q.QualityLabel = cmp.Or(q.QualityLabel, filters.QualityLabel)
	}
}

// checkQuality returns an error for a filter without a model, and for a model or a label without the filter.
func (c Config) checkQuality() error {
	var errs fault.List
	runs := slices.Contains(c.filterNames(), filters.FastTextName)
	errs.Check(!runs || c.QualityModel != "", "quality-model is empty: give the filter fasttext a model that quality train made, or another of fastText")
	errs.Check(runs || !c.used(), "quality-model has no effect without the filter fasttext: name it among the filters")
	return errs.Err()
}

// openQuality reads the model at a location; nil for none.
func (c Config) openQuality(ctx context.Context, location string) (*filters.Classifier, error) {
	if location == "" {
		return nil, nil
	}
	file, err := storage.OpenFile(ctx, location)
	if err != nil {
		return nil, fmt.Errorf("quality-model: %w", err)
	}
	defer file.Close()
	m, err := fasttext.Read(io.NewSectionReader(file, 0, file.Size()), file.Size())
	if err != nil {
		return nil, fmt.Errorf("quality-model: %s: %w", location, err)
	}
	classifier, err := filters.NewClassifier(m, c.QualityLabel)
	if err != nil {
		return nil, fmt.Errorf("quality-label: %s: %w", location, err)
	}
	return classifier, nil
}
