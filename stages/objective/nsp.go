package objective

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/transforms/random"
)

// NSPName is the name of BERT's pretraining, with the prediction of next sentences.
const NSPName = "nsp"

var nsp = Objective{
	Name: NSPName, Kinds: []string{schemas.KindConsecutive}, Negatives: true, Predicts: true, Weight: 1,
	Config: func() Config { return &NSP{} }, Fit: fitNSP, Fill: fillNSP,
	Apart: func(Config) bool { return true }, // it predicts masked tokens
}

// NSP configures BERT's pretraining (Devlin et al. 2019, section 3.1): both texts of a pair
// are in one sequence as its two segments; masked tokens of both are predicted, and
// whether the second follows the first, which is so for half of the pairs. In the others,
// the second text of another example of the batch is in its place, where the paper
// draws it from the corpus. The sum of both losses is trained.
type NSP struct {
	UnigramBias `yaml:",inline" prefix:"nsp-" set:"objective=Next sentences"`
}

// Check implements Config: every value is valid.
func (c *NSP) Check() error { return nil }

// Prepare implements Config. It notes examples of which some are in reverse order.
func (c *NSP) Prepare(ctx context.Context, g Facts) error {
	for _, location := range g.Examples {
		_, m, err := dataset.OpenAs[schemas.Example](ctx, location)
		if err != nil {
			return err
		}
		if share := swapped(m); share > 0 && g.Note != nil {
			g.Note(fmt.Sprintf("%s was made with --swap %v: so many of the texts that count as following each other are in reverse order; --swap 0 makes examples in order",
				location, share))
		}
	}
	return c.prepare(ctx, g, NSPName)
}

// swapped is the share of examples of documents whose order was turned round.
func swapped(m *dataset.Manifest) float64 {
	var c struct {
		Swap float64 `json:"swap"`
	}
	if m.Plan.InputHash("documents") == "" || jsonfile.Unmarshal(m.Plan.Config, &c) != nil {
		return 0
	}
	return c.Swap
}

// NSPBatch is pairs of texts, each in one sequence, with masks.
type NSPBatch struct {
	Texts Sequences
	// First has the number of tokens of the first segment of each sequence: [CLS], the
	// first text and [SEP].
	First []int32
	// Random is 1 for a sequence whose second text does not follow the first, else 0.
	Random []int32
	// Positions are indices into Texts.IDs, ascending. Targets are the ids that stood
	// there.
	Positions, Targets []int32
}

// Objective is "nsp".
func (*NSPBatch) Objective() string { return NSPName }

// Tokens counts all sequences.
func (b *NSPBatch) Tokens() int { return b.Texts.tokens() }

// Items counts masked tokens, and sequences.
func (b *NSPBatch) Items() []int { return []int{len(b.Targets), b.Texts.Count} }

func fitNSP(_ Config, e *Example, special []bool) error {
	if !maskable(e.A, special) && !maskable(e.B, special) {
		return errors.New("it has no token that can be masked")
	}
	return nil
}

// nspStreams is the version of the random choices.
const nspStreams = 1

// fillNSP chooses by hash of the example and the epoch whether a pair stays, and whose text
// else takes the place of its second one: that of another group, and another text. Where
// the batch has no such text, the pair stays.
func fillNSP(f *Filler, list []Entry) (Batch, error) {
	b := &NSPBatch{}
	var texts masked
	for i, e := range list {
		second, isRandom := e.B, int32(0)
		r := random.New(nspStreams, f.Seed, "next sentence", e.ID, e.Epoch)
		if r.Bool(.5) {
			for k, start := 0, r.IntN(len(list)); k < len(list); k++ {
				j := (start + k) % len(list)
				candidate := list[j]
				if j != i && candidate.ID != e.ID && !(e.Group != nil && candidate.Group != nil && *e.Group == *candidate.Group) &&
					!slices.Equal(candidate.B, e.B) && !slices.Equal(candidate.B, e.A) {
					second, isRandom = candidate.B, 1
					break
				}
			}
		}
		tokens, first := join(e.A, second, f.MaxTokens)
		b.First, b.Random = append(b.First, int32(first)), append(b.Random, isRandom)
		if err := texts.mask(f, tokens, e.ID, e.Epoch); err != nil {
			return nil, err
		}
	}
	var err error
	b.Texts, b.Positions, err = texts.pad(f)
	b.Targets = texts.targets
	return b, err
}

// join makes one sequence of two, each with [CLS] and [SEP], and says how many tokens its
// first segment has. Where there are more than limit, the longer side loses tokens before
// its [SEP], the second one if both are equally long, as in BERT.
func join(a, b []int32, limit int) (tokens []int32, first int) {
	b = b[1:]
	na, nb := len(a), len(b)
	for limit > 0 && na+nb > limit && max(na, nb+1) > 3 {
		if na > nb+1 {
			na--
		} else {
			nb--
		}
	}
	tokens = append(append(tokens, a[:na-1]...), a[len(a)-1])
	return append(append(tokens, b[:nb-1]...), b[len(b)-1]), na
}
