//go:build libtorch

package torchverbs

import (
	"fmt"
	"testing"
)

const mlmTraining = `
masks: {ratio: 0.15, max_predictions: 20}
objectives:
  mlm: {unigram_bias: true}
  bsl: {stop_gradient: false, width: 2}
  lens: {head: ranker, size: 20}
periods:
- name: mlm
  steps: 40
  rate: 0.01
  optimizer: {name: adamw}
  mixture:
  - {objective: mlm, dataset: "${examples}", batch_size: 8}
  - {name: pairs, objective: mlm, dataset: "${bitext}", batch_size: 4}
  - {objective: bsl, dataset: "${bitext}", batch_size: 8}
- name: ranked
  steps: 20
  rate: 0.01
  optimizer: {name: adamw}
  mixture:
  - {objective: lens, dataset: "${bitext}", batch_size: 8}
`

// A masked language model on stored masks and on those of the trainer, beside BSL without a
// target, and a ranked lens on it survive kills.
func TestMLMKilled(t *testing.T) {
	c := newCorpus(t)
	config := file(t, "mlm.yaml", mlmTraining)
	whole, outs := survives(t, 60, func(out string) []string {
		return []string{"train", "--out=" + out, "--config=" + config, "--examples=" + c.consecutive, "--bitext=" + c.bitext, "--threads=1",
			"--vocabulary=" + c.vocabulary,
			"--layers=1", "--hidden=16", "--heads=2", "--intermediate=32", "--positions=48", "--log-every=2", "--checkpoint-every=3"}
	})
	for i, out := range outs {
		same(t, fmt.Sprint("mlm of attempt ", i), periodOf(t, whole, "mlm"), periodOf(t, out, "mlm"))
	}
	r := resultOf(t, whole)
	if r.Losses[19].Loss >= r.Losses[0].Loss || r.Losses[29].Loss >= r.Losses[20].Loss {
		t.Errorf("losses %+v", r.Losses)
	}
}
