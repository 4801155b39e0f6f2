package losses

import (
	"errors"
	"fmt"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// checkSequences returns an error for sequences that a model has no embeddings
// for; libtorch would name neither the sequence nor the number. Positions count
// from first.
func checkSequences(c model.Config, side string, q *objective.Sequences, first int) error {
	if q.Count < 1 || q.Length < 1 || len(q.IDs) != q.Count*q.Length || len(q.Lengths) != q.Count {
		return fmt.Errorf("%s has %d ids and %d lengths for %d sequences of %d tokens", side, len(q.IDs), len(q.Lengths), q.Count, q.Length)
	}
	if first+q.Length > c.MaxTokens() {
		return fmt.Errorf("%s has sequences of %d tokens from position %d on, the model has %d positions", side, q.Length, first,
			c.MaxTokens())
	}
	for i, id := range q.IDs {
		if id < 0 || int(id) >= c.VocabularySize {
			return fmt.Errorf("%s holds the id %d in sequence %d, the model has %d ids", side, id, i/q.Length, c.VocabularySize)
		}
	}
	for i, n := range q.Lengths {
		if n < 1 || int(n) > q.Length {
			return fmt.Errorf("%s has %d tokens in sequence %d, it must have from 1 to %d", side, n, i, q.Length)
		}
	}
	return nil
}

func checkCMLM(c model.Config, o *objective.CMLM, b *objective.CMLMBatch) error {
	first := 0
	if o.PrefixPositions == "own" {
		first = o.Vectors
	}
	if err := errors.Join(checkSequences(c, "side A", &b.A, 0), checkSequences(c, "side B", &b.B, first)); err != nil {
		return err
	}
	if b.A.Count != b.B.Count {
		return fmt.Errorf("%d first and %d second sentences are not pairs", b.A.Count, b.B.Count)
	}
	for _, sentence := range b.Others {
		if sentence < 0 || int(sentence) >= b.A.Count {
			return fmt.Errorf("another sentence is %d of %d", sentence, b.A.Count)
		}
	}
	return checkMasks(c, &b.B, b.Positions, b.Targets)
}

// checkMasks returns an error for masks that sequences do not have.
func checkMasks(c model.Config, q *objective.Sequences, positions, targets []int32) error {
	if len(positions) == 0 || len(positions) != len(targets) {
		return fmt.Errorf("%d masked positions with %d targets: there must be as many of both, and one at least", len(positions),
			len(targets))
	}
	for i, position := range positions {
		if position < 0 || int(position) >= len(q.IDs) || int(position)%q.Length >= int(q.Lengths[int(position)/q.Length]) ||
			targets[i] < 0 || int(targets[i]) >= c.VocabularySize {
			return fmt.Errorf("masked position %d with the target %d: there are %d positions, without those of padding, and %d ids",
				position, targets[i], len(q.IDs), c.VocabularySize)
		}
	}
	return nil
}

func checkBitext(c model.Config, b *objective.BitextBatch) error {
	if err := errors.Join(checkSequences(c, "side A", &b.A, 0), checkSequences(c, "side B", &b.B, 0)); err != nil {
		return err
	}
	if b.A.Count != b.B.Count || len(b.Excluded) != b.A.Count*b.A.Count {
		return fmt.Errorf("%d and %d sentences with %d exclusions are not pairs", b.A.Count, b.B.Count, len(b.Excluded))
	}
	if len(b.ExcludedNegatives) != b.A.Count*b.Negatives.Count {
		return fmt.Errorf("%d exclusions for %d sentences and %d hard negatives", len(b.ExcludedNegatives), b.A.Count, b.Negatives.Count)
	}
	if b.Negatives.Count > 0 {
		return checkSequences(c, "the negatives", &b.Negatives, 0)
	}
	return nil
}
