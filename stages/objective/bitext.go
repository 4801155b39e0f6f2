package objective

import (
	"context"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/stages/objective/joined"
)

// BitextName is the name of bitext retrieval.
const BitextName = "bitext"

var bitext = Objective{
	// The weight is the paper's alpha, beside CMLM.
	Name: BitextName, Kinds: []string{schemas.KindBitext, schemas.KindView}, Negatives: true, Weight: .2,
	Config: func() Config { c := DefaultBitext(); return &c }, Fill: fillBitext,
	Apart: func(c Config) bool { return c.(*Bitext).Negatives != "" },
	Join: func(c Config) Join {
		if n := c.(*Bitext).Found; n != nil { // it is prepared
			return n
		}
		return nil
	},
}

// Bitext configures bitext retrieval with additive margin, in both directions
// (Yang et al. 2021, section 3.1; Yang et al. 2019).
type Bitext struct {
	// Margin is subtracted from the score of the true pair. Default .3.
	Margin float64 `json:"margin" yaml:"margin" help:"Bitext retrieval: margin." default:"0.3" group:"Objectives" changes:"loss"`
	// Scale multiplies scores and margin; vectors have unit length. Default 20: at 1
	// the softmax over a batch is nearly flat.
	Scale float64 `json:"scale" yaml:"scale" help:"Bitext retrieval: factor of cosines and margin." default:"20" group:"Objectives" changes:"loss"`
	// Negatives is a dataset of examples whose first sides are first sides of the training's
	// examples, and whose second sides are hard negatives of them, such as contradictions
	// (Gao et al. 2021, section 4). They are candidates for all examples of a batch. The
	// record of the training holds its content hash.
	Negatives string `json:"-" yaml:"negatives,omitempty" name:"hard-negatives" help:"Bitext retrieval: dataset of examples with the same first sides, whose second sides are hard negatives of them; those that are second sides of the training, too, are left out." placeholder:"DIR" group:"Objectives" changes:"loss"`

	Matryoshka `yaml:",inline"`
	Pooled     `yaml:"-" kong:"-"`
	// Found are the negatives, when it is prepared.
	Found *joined.Negatives `json:"-" yaml:"-" kong:"-"`
}

// DefaultBitext returns the configuration of the paper, with a scale.
func DefaultBitext() Bitext { return Bitext{Margin: .3, Scale: 20, Pooled: Pooled{"mean"}} }

// Check implements Config.
func (c *Bitext) Check() error {
	var errs fault.List
	errs.Check(c.Margin >= 0 && c.Margin < 2, "bitext: margin is %v, it must be in [0, 2)", c.Margin)
	errs.Check(c.Scale > 0 && c.Scale <= 1000, "bitext: scale is %v, it must be above 0 and at most 1000", c.Scale)
	errs.Add(c.Matryoshka.check(BitextName))
	errs.Add(c.Pooled.check(BitextName))
	return errs.Err()
}

// Prepare implements Config.
func (c *Bitext) Prepare(ctx context.Context, g Facts) (err error) {
	c.Pooling = g.Pooling
	if c.Negatives == "" {
		return nil
	}
	if c.Found, err = joined.OpenNegatives(ctx, c.Negatives, g.Vocabulary); err != nil {
		return err
	}
	total := c.Found.Len()
	if err := c.Found.Drop(ctx, g.Examples); err != nil {
		return err
	}
	if remaining := c.Found.Len(); remaining < total && g.Note != nil {
		g.Note(fmt.Sprintf("%d of %d hard negatives in %s are second sides of the same texts in the training: they are left out",
			total-remaining, total, c.Found))
	}
	return nil
}

// BitextBatch is pairs of sentences that mean the same. Every other sentence of the
// batch is a negative, except those that are excluded.
type BitextBatch struct {
	A, B Sequences
	// Excluded has Count × Count entries. The entry [i, j], i ≠ j, is true if B's j
	// must not count as a negative of A's i, because both have one group or one text.
	Excluded []bool
	// Negatives are hard negatives, candidates for all of A, and ExcludedNegatives, Count ×
	// the number of negatives, says like Excluded which of them do not count.
	Negatives         Sequences
	ExcludedNegatives []bool
}

// Objective is "bitext".
func (*BitextBatch) Objective() string { return BitextName }

// Tokens counts both sides and the negatives.
func (b *BitextBatch) Tokens() int { return b.A.tokens() + b.B.tokens() + b.Negatives.tokens() }

// Items counts pairs.
func (b *BitextBatch) Items() []int { return []int{b.A.Count} }

// fillBitext excludes negatives of an equal group, and those of an equal text on
// either side: as the other side of one text, or as the text itself.
func fillBitext(f *Filler, list []Entry) (Batch, error) {
	n := len(list)
	hashA, hashB := make([]uint64, n), make([]uint64, n)
	for i, e := range list {
		hashA[i], hashB[i] = hashIDs(e.A), hashIDs(e.B)
	}
	b := &BitextBatch{Excluded: make([]bool, n*n)}
	b.A, b.B = f.padSides(list)
	for i, x := range list {
		for j, y := range list {
			if i == j {
				continue
			}
			b.Excluded[i*n+j] = x.Group != nil && y.Group != nil && *x.Group == *y.Group ||
				hashA[i] == hashA[j] && slices.Equal(x.A, y.A) || hashB[i] == hashB[j] && slices.Equal(x.B, y.B) ||
				hashA[i] == hashB[j] && slices.Equal(x.A, y.B)
		}
	}
	b.hardNegatives(f, list)
	return b, nil
}

// hardNegatives adds those that the examples have. One that is a text of a pair does not
// count for it.
func (b *BitextBatch) hardNegatives(f *Filler, list []Entry) {
	var texts [][]int32
	for _, e := range list {
		if len(e.Negative) > 0 {
			texts = append(texts, e.Negative)
		}
	}
	if len(texts) == 0 {
		return
	}
	b.Negatives = f.pad(texts)
	for _, e := range list {
		for _, text := range texts {
			b.ExcludedNegatives = append(b.ExcludedNegatives, slices.Equal(text, e.B) || slices.Equal(text, e.A))
		}
	}
}

func hashIDs(ids []int32) uint64 {
	var buffer [4 * 512]byte
	data := buffer[:0]
	for _, id := range ids {
		data = append(data, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
	}
	return xxh3.Hash(data)
}
