package objective

import (
	"sentweave/schemas"
)

// QuickThoughtName is the name of Quick-Thought.
const QuickThoughtName = "quickthought"

var quickThought = Objective{
	Name: QuickThoughtName, Kinds: []string{schemas.KindConsecutive}, Negatives: true, Weight: 1,
	Config: func() Config { return &QuickThought{Pooled: Pooled{"mean"}} }, Fill: fillQuickThought,
}

// QuickThought configures Quick-Thought (Logeswaran and Lee 2018, section 3): each text is
// told by its neighbour among all texts of the batch, by the product of its own vector and
// of the candidate's, which two encoders with weights of their own give. A text of the
// trained model has the vectors of both, one after the other. The paper's batches are runs
// of one book, with the texts before and after as neighbours; here they are pairs of
// neighbours, in the order of the examples.
type QuickThought struct {
	// Yang et al. 2021, section 3.1, have Transformers as encoders, too.
	Pooled `yaml:"-" kong:"-"`
}

// Check implements Config.
func (c *QuickThought) Check() error { return c.Pooled.check(QuickThoughtName) }

// QuickThoughtBatch is pairs of neighbours.
type QuickThoughtBatch struct {
	// ContrastiveBatch has the texts as its views: the other side of a pair is the
	// neighbour, and no text is a candidate for itself.
	ContrastiveBatch
}

// Objective is "quickthought".
func (*QuickThoughtBatch) Objective() string { return QuickThoughtName }

func fillQuickThought(f *Filler, list []Entry) (Batch, error) {
	b, err := fillContrastive(f, list)
	if err != nil {
		return nil, err
	}
	return &QuickThoughtBatch{*b.(*ContrastiveBatch)}, nil
}
