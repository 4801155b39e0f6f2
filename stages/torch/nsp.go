//go:build libtorch

package torch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

var nspLoss = define(objective.NSPName, nspParameters, newNSP)

// Names of the head that predicts next sentences, as Hugging Face has them.
const (
	poolerName = "pooler.dense"
	nextName   = "cls.seq_relationship"
)

func nspParameters(f *model.Folder, o *objective.NSP) ([]parameter, error) {
	if f.Config.TokenTypes < 2 {
		return nil, fmt.Errorf("nsp: the encoder has %d kind of tokens, two segments need 2: type_vocab_size in its config.json", f.Config.TokenTypes)
	}
	list, err := headParameters(f.Config, o.Unigrams)
	h := int64(f.Config.HiddenSize)
	return append(list,
		parameter{shape: shape{poolerName + ".weight", []int64{h, h}}}, parameter{shape: shape{poolerName + ".bias", []int64{h}}},
		parameter{shape: shape{nextName + ".weight", []int64{2, h}}}, parameter{shape: shape{nextName + ".bias", []int64{2}}}), err
}

// newNSP is the mean negative log likelihood of the masked tokens of both segments and
// that of whether the second follows the first, summed (Devlin et al. 2019, section 3.1): two parts.
// The last layer is finished at masks and at [CLS] only.
func newNSP(n network, _ *objective.NSP) func(*scope, *objective.NSPBatch) *ts.Tensor {
	head, pooler, next := newHead(n), n.weights.linear(poolerName), n.weights.linear(nextName)
	return func(s *scope, batch *objective.NSPBatch) *ts.Tensor {
		if s.err = checkNSP(n.config, batch); s.err != nil {
			return nil
		}
		q := &batch.Texts
		p := packAll(q, 0)
		kinds := make([]int64, len(p.ids))
		for i, start := range p.starts {
			for k := int64(batch.First[i]); k < int64(q.Lengths[i]); k++ {
				kinds[start+k] = 1
			}
		}
		masks, count := int64(len(batch.Positions)), int64(q.Count)
		rows := s.arrangement(append(p.rows(q, batch.Positions), p.starts...), len(p.ids))
		ids, positions := s.integers(p.ids, int64(len(p.ids))), s.integers(p.positions, int64(len(p.ids)))
		x := n.embedKinds(s, ids, positions, s.embedding(n.kinds, s.integers(kinds, int64(len(kinds)))))
		x = n.through(s, x, p, &rows)
		follows := s.linear(s.tanh(s.linear(s.narrow(x, 0, masks, count), pooler)), next)
		masked := s.reshape(head.loss(s, s.narrow(x, 0, 0, masks), batch.Targets), 1)
		return s.concatenate(0, masked, s.reshape(s.crossEntropy(follows, s.classes(batch.Random)), 1))
	}
}

func checkNSP(c model.Config, b *objective.NSPBatch) error {
	if err := errors.Join(checkSequences(c, "the batch", &b.Texts, 0), checkMasks(c, &b.Texts, b.Positions, b.Targets), checkLabels(b.Random, 2)); err != nil {
		return err
	}
	if len(b.First) != b.Texts.Count || len(b.Random) != b.Texts.Count || slices.Min(b.First) < 0 || int(slices.Max(b.First)) > b.Texts.Length {
		return fmt.Errorf("%d first segments and %d answers for %d sequences of %d tokens", len(b.First), len(b.Random), b.Texts.Count, b.Texts.Length)
	}
	return nil
}
