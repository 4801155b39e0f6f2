package objective

import (
	"context"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/stages/objective/joined"
)

// MSEName is the name of the mean squared error to a teacher's vectors.
const MSEName = "mse"

var mse = Objective{
	Name: MSEName, Kinds: []string{schemas.KindBitext, schemas.KindView, schemas.KindSingle}, Weight: 1,
	Config: func() Config { c := DefaultMSE(); return &c }, Fit: fitMSE, Fill: fillMSE,
	Join: func(c Config) Join {
		if v := c.(*MSE).vectors; v != nil { // it is prepared
			return v
		}
		return nil
	},
}

// Projections of the student's vectors.
const (
	ProjectionAuto    = "auto"
	ProjectionLinear  = "linear"
	ProjectionNetwork = "network"
)

// MSE configures the mean squared error to the vectors of a teacher (Reimers and
// Gurevych 2020): it draws both sides of a pair to the teacher's vector of one of
// them. With --from, the student begins as another encoder, or as the teacher.
type MSE struct {
	// Teacher is a dataset that the stage embed made: the teacher's embeddings of the
	// pairs from which the examples come. The record of the training holds its content
	// hash.
	Teacher string `json:"-" yaml:"teacher" help:"Mean squared error: dataset of a teacher's embeddings of the pairs that the examples were made of." placeholder:"DIR" group:"Objectives"`
	// Language is that of the side whose vector is the target. If it is empty, that is
	// the first side.
	Language string `json:"language,omitempty" yaml:"teacher_language" name:"teacher-language" help:"Mean squared error: language of the side whose embedding is the target; the first side if none is given." placeholder:"CODE" group:"Objectives"`
	// Projection of the student's vectors, which is saved as a head: "linear";
	// "network", two layers with batch norm and ReLU between them, of the form of
	// BYOL's predictor (Grill et al. 2020); or "auto" (default), linear if the sizes
	// of the vectors differ, and none if they are equal.
	Projection string `json:"projection" yaml:"projection" name:"teacher-projection" help:"Mean squared error: projection of the encoder's vectors (${enum}); auto is linear where the teacher's have another size, and none elsewhere." default:"auto" enum:"auto,linear,network" group:"Objectives"`

	// Prefixes are projected by themselves to the teacher's whole vectors.
	Matryoshka `yaml:",inline"`
	Pooled     `yaml:"-" kong:"-"`
	// Dimension is the size of the teacher's vectors.
	Dimension int `json:"dimension" yaml:"-" kong:"-"`

	vectors *joined.Teacher
}

// DefaultMSE returns the default configuration, without a teacher.
func DefaultMSE() MSE { return MSE{Projection: ProjectionAuto, Pooled: Pooled{"mean"}} }

// Check implements Config.
func (c *MSE) Check() error {
	var errs fault.List
	errs.Check(c.Teacher != "", "mse: teacher is empty: give a dataset of embeddings of the pairs; `sentweave embed` makes one")
	errs.Check(slices.Contains([]string{ProjectionAuto, ProjectionLinear, ProjectionNetwork}, c.Projection),
		"mse: projection %q is not one of auto, linear, network", c.Projection)
	errs.Add(c.Pooled.check(MSEName), c.Matryoshka.check(MSEName))
	return errs.Err()
}

// Prepare opens the teacher's vectors.
func (c *MSE) Prepare(ctx context.Context, g Facts) (err error) {
	c.Pooling = g.Pooling
	if c.vectors, err = joined.OpenTeacher(ctx, c.Teacher, c.Language); err == nil {
		c.Dimension = c.vectors.Dimension()
	}
	return err
}

// MSEBatch is sentences with the vectors that they are drawn to.
type MSEBatch struct {
	Texts Sequences
	// Vectors has Texts.Count × Dimension numbers, row after row.
	Vectors   []float32
	Dimension int
}

// Objective is "mse".
func (*MSEBatch) Objective() string { return MSEName }

// Tokens counts all sentences.
func (b *MSEBatch) Tokens() int { return b.Texts.tokens() }

// Items counts sentences.
func (b *MSEBatch) Items() []int { return []int{b.Texts.Count} }

func fitMSE(c Config, e *Example, _ []bool) error {
	_, err := joined.Side(e, c.(*MSE).Language)
	return err
}

func fillMSE(f *Filler, list []Entry) (Batch, error) {
	b := &MSEBatch{}
	var texts [][]int32
	for _, e := range list {
		for _, tokens := range [][]int32{e.A, e.B} {
			if len(tokens) > 0 {
				texts, b.Vectors = append(texts, tokens), append(b.Vectors, e.Joined...)
			}
		}
		b.Dimension = len(e.Joined)
	}
	b.Texts = f.pad(texts)
	return b, nil
}
