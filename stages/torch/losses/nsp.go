//go:build libtorch

package losses

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

var nspLoss = define(objective.NSPName, nspParameters, newNSP)

// Names of the head that predicts next sentences, as Hugging Face has them.
const (
	poolerName = "pooler.dense"
	nextName   = "cls.seq_relationship"
)

func nspParameters(f *model.Folder, o *objective.NSP) ([]Parameter, error) {
	if f.Config.TokenTypes < 2 {
		return nil, fmt.Errorf(
			"nsp: the encoder is a %s whose type_vocab_size is %d, two segments need 2: begin with a bert, or train mlm",
			f.Config.ModelType, f.Config.TokenTypes,
		)
	}
	list, err := headParameters(f.Config, o.Unigrams)
	h := int64(f.Config.HiddenSize)
	return slices.Concat(list, layerParameters(poolerName, h, h), layerParameters(nextName, 2, h)), err
}

// newNSP is the mean negative log likelihood of the masked tokens of both segments and
// that of whether the second follows the first, summed (Devlin et al. 2019, section 3.1): two parts.
// The last layer is finished at masks and at [CLS] only.
func newNSP(n Network, _ *objective.NSP) func(*native.Scope, *objective.NSPBatch) *ts.Tensor {
	head, pooler, next := transformer.NewHead(n.BERT, n.Weights), n.Weights.Linear(poolerName), n.Weights.Linear(nextName)
	return func(s *native.Scope, batch *objective.NSPBatch) *ts.Tensor {
		if s.Err = checkNSP(n.Config, batch); s.Err != nil {
			return nil
		}
		q := &batch.Texts
		p := transformer.PackAll(q, 0)
		kinds := make([]int64, len(p.IDs))
		for i, start := range p.Starts {
			for k := int64(batch.First[i]); k < int64(q.Lengths[i]); k++ {
				kinds[start+k] = 1
			}
		}
		masks, count := int64(len(batch.Positions)), int64(q.Count)
		rows := s.Arrangement(append(p.Rows(q, batch.Positions), p.Starts...), len(p.IDs))
		x := n.EmbedKinds(s, p, s.Embedding(n.Kinds, s.Integers(kinds, int64(len(kinds)))))
		x = n.Through(s, x, p, &rows)
		follows := s.Linear(s.Tanh(s.Linear(s.Narrow(x, 0, masks, count), pooler)), next)
		masked := s.Reshape(head.Loss(s, s.Narrow(x, 0, 0, masks), batch.Targets), 1)
		return s.Concatenate(0, masked, s.Reshape(s.CrossEntropy(follows, s.Classes(batch.Random)), 1))
	}
}

func checkNSP(c model.Config, b *objective.NSPBatch) error {
	if err := errors.Join(checkSequences(c, "the batch", &b.Texts, 0), checkMasks(c, &b.Texts, b.Positions, b.Targets),
		checkLabels(b.Random, 2)); err != nil {
		return err
	}
	if len(b.First) != b.Texts.Count || len(b.Random) != b.Texts.Count || slices.Min(b.First) < 0 ||
		int(slices.Max(b.First)) > b.Texts.Length {
		return fmt.Errorf(
			"%d first segments and %d answers for %d sequences of %d tokens",
			len(b.First),
			len(b.Random),
			b.Texts.Count,
			b.Texts.Length,
		)
	}
	return nil
}
