package filters

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/transforms/clean/langid/fasttext"
	"sentweave/transforms/filters/choice"
)

const (
	// FastTextName is the name of the filter that asks a quality classifier.
	FastTextName = "fasttext"
	// QualityLabel is the label of good documents of the classifiers that `quality train` makes, OtherLabel that of bad ones.
	QualityLabel, OtherLabel = "good", "bad"

	reasonLowQuality = "low_quality"
)

// fastText drops documents that a fastText classifier takes for bad ones (Joulin et al. 2016), as DCLM and datatrove do. Their threshold
// is a rank, the best tenth of a crawl; the default here is the surer label of two. The classifier is that of the chain; a chain
// without one has no measure.
var fastText = Filter{
	Name:    FastTextName,
	Drops:   "documents that the classifier of --quality-model takes for bad ones",
	Source:  "Li et al. 2024, DataComp-LM",
	Reasons: []string{reasonLowQuality},
	New: func() Rules {
		least := .5
		return Rules{
			Settings: []Setting{
				choice.Threshold("min-quality", "Least probability of the label of good documents.", &least),
			},
			Document: func(d *Document, v *Verdict) {
				if d.quality == nil && !v.listing {
					return
				}
				v.least("fasttext_quality", reasonLowQuality, d.Quality(), least)
			},
		}
	},
}

// Classifier is a fastText model that tells good documents from others. It is immutable.
type Classifier struct {
	model *fasttext.Model
	label string
}

// NewClassifier returns a classifier that takes the probability of a label, without the prefix "__label__", for the quality of a document.
// It is an error if the model lacks the label.
func NewClassifier(m *fasttext.Model, label string) (*Classifier, error) {
	if labels := m.Labels(); !slices.Contains(labels, label) {
		return nil, fmt.Errorf("the model has no label %q: give one of %s", label, strings.Join(labels[:min(len(labels), 9)], ", "))
	}
	return &Classifier{model: m, label: label}, nil
}

// quality is a classifier with its scratch memory.
type quality struct {
	*fasttext.Classifier
	label string
}

func newQuality(c *Classifier) *quality {
	if c == nil {
		return nil
	}
	return &quality{c.model.NewClassifier(), c.label}
}

// Quality returns the probability, in [0, 1], that a document is good, by its sentences with spaces between them; 0 without a classifier
// and where the model knows no part of the text.
func (d *Document) Quality() float64 {
	q := d.quality
	if q == nil {
		return 0
	}
	for i := range d.Sentences {
		q.Add(d.Sentences[i].Text)
	}
	return q.Probability("", q.label)
}
