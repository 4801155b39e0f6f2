//go:build libtorch

package models

import "testing"

const mlmTraining = `
masks: {ratio: 0.15, max_predictions: 20}
objectives:
  mlm: {unigram_bias: true}
periods:
- name: mlm
  steps: 60
  rate: 0.01
  optimizer: {name: adamw}
  mixture:
  - {objective: mlm, dataset: "${examples}", batch_size: 8}
  - {name: pairs, objective: mlm, dataset: "${bitext}", batch_size: 4}
`

// A masked language model on stored masks and on those of the trainer survives kills.
func TestMLMKilled(t *testing.T) {
	c := newCorpus(t)
	config := file(t, "mlm.yaml", mlmTraining)
	whole, _ := survives(t, 60, func(out string) []string {
		return []string{"train", "--out=" + out, "--config=" + config, "--examples=" + c.consecutive, "--bitext=" + c.bitext, "--threads=1", "--vocabulary=" + c.vocabulary,
			"--layers=1", "--hidden=16", "--heads=2", "--intermediate=32", "--positions=48", "--log-every=2", "--checkpoint-every=3"}
	})
	if r := resultOf(t, whole); r.Losses[len(r.Losses)-1].Loss >= r.Losses[0].Loss {
		t.Errorf("losses %+v", r.Losses)
	}
}
