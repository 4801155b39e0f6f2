package objective

import (
	"sentweave/schemas"
	"sentweave/schemas/fault"
)

// ClassifyName is the name of the classification of single texts.
const ClassifyName = "classify"

var classify = Objective{
	Name: ClassifyName, Alone: true, Kinds: []string{schemas.KindSingle}, Gold: true, Weight: 1,
	Config: func() Config { c := DefaultClassify(); return &c }, Fit: fitClassify, Fill: fillClassify,
}

// Classify configures the classification of single texts, such as reviews: softmax over a
// linear layer on the vector of a text. Yang et al. 2021, section 4.5.2, train it with an
// encoder that is trained, too, or is frozen, which `freeze` of a period does. They name
// features of pairs for it; a single text has its vector alone.
type Classify struct {
	// Classes is the number of classes; labels are from 0. Default 2.
	Classes int `json:"classes" yaml:"classes" help:"Classification of single texts: number of classes, whose labels are from 0." default:"2" group:"Objectives"`

	Matryoshka `yaml:",inline"`
	Pooled     `yaml:"-" kong:"-"`
}

// DefaultClassify returns two classes, as the paper's reviews have.
func DefaultClassify() Classify { return Classify{Classes: 2, Pooled: Pooled{"mean"}} }

// Check implements Config.
func (c *Classify) Check() error {
	var errs fault.List
	errs.Check(c.Classes >= 2 && c.Classes <= 1<<16, "classify: classes is %d, it must be from 2 to %d", c.Classes, 1<<16)
	errs.Add(c.Matryoshka.check(ClassifyName))
	errs.Add(c.Pooled.check(ClassifyName))
	return errs.Err()
}

// ClassifyBatch is texts with their classes.
type ClassifyBatch struct {
	Texts  Sequences
	Labels []int32
}

// Objective is "classify".
func (*ClassifyBatch) Objective() string { return ClassifyName }

// Tokens counts all texts.
func (b *ClassifyBatch) Tokens() int { return b.Texts.tokens() }

// Items counts texts.
func (b *ClassifyBatch) Items() []int { return []int{b.Texts.Count} }

func fitClassify(c Config, e *Example, _ []bool) error { return fitLabel(e, c.(*Classify).Classes) }

func fillClassify(f *Filler, list []Entry) (Batch, error) {
	b := &ClassifyBatch{}
	var texts [][]int32
	for _, e := range list {
		texts, b.Labels = append(texts, e.A), append(b.Labels, *e.Label)
	}
	b.Texts = f.pad(texts)
	return b, nil
}
