//go:build libtorch

package transformer

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
)

// Lists of batches hold their sequences, and have the tokens that give rows the same bits, and few sizes.
func TestPackedBatches(t *testing.T) {
	c := model.Config{VocabularySize: 1000, MaxPositions: 64, Layers: 1}
	for _, n := range []int{1, 2, 300, 1000} {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		sequences := make([][]int32, n)
		for i := range sequences {
			for range 1 + r.IntN(c.MaxTokens()) {
				sequences[i] = append(sequences[i], int32(r.IntN(c.VocabularySize)))
			}
		}
		const least = 100
		var mutex sync.Mutex
		times := make([]int, n)
		if err := PackedBatches(t.Context(), c, sequences, least, func(batch []int, p Packed) error {
			mutex.Lock()
			defer mutex.Unlock()
			var ids, positions []int64
			for k, i := range batch {
				times[i]++
				if p.Starts[k] != int64(len(ids)) {
					t.Errorf("of %d, sequence %d begins at %d, want %d", n, i, p.Starts[k], len(ids))
				}
				for position, id := range sequences[i] {
					ids, positions = append(ids, int64(id)), append(positions, int64(position))
				}
			}
			if !slices.Equal(p.IDs[:len(ids)], ids) || !slices.Equal(p.Positions[:len(ids)], positions) {
				t.Errorf("of %d, a list does not begin with the sequences of its batch", n)
			}
			tokens := len(p.IDs)
			if tokens < least || len(p.Positions) != tokens || int(p.tokens()) != tokens ||
				slices.Max(p.Positions) >= int64(c.MaxTokens()) {
				t.Errorf("of %d, a list of %d tokens in groups of %d has %d positions", n, tokens, p.tokens(), len(p.Positions))
			}
			if native.OnCPU() && (tokens%fillTokens != 0 || tokens >= max(len(ids), least)+fillTokens) {
				t.Errorf("of %d, a list of %d tokens is filled to %d", n, len(ids), tokens)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if slices.Min(times) != 1 || slices.Max(times) != 1 {
			t.Errorf("of %d, sequences are in batches %v times", n, times)
		}
	}
}
