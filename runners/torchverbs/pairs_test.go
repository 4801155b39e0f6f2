//go:build libtorch

package torchverbs

import (
	"fmt"
	"strings"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

const pairsTraining = `
objectives:
  cosine: {loss: cosent}
  bsl: {momentum: 0.9, width: 2}
  lens: {size: 20, hidden: 8, gate: 6, layers: 2}
  bitext: {negatives: "LABELLED"}
  nli: {dimensions: [4, 16], dimension_weights: [0.5, 1]}
periods:
- name: views
  steps: 24
  rate: 0.005
  decay: noam
  warmup: 4
  optimizer: {name: adamw}
  mixture:
  - {objective: bsl, dataset: "BITEXT", batch_size: 8}
  - {objective: contrastive, dataset: "BITEXT", batch_size: 4}
  - {objective: bitext, dataset: "BITEXT", batch_size: 4}
  - {objective: nsp, dataset: "CONSECUTIVE", batch_size: 4}
  - {objective: quickthought, dataset: "CONSECUTIVE", batch_size: 4}
- name: labelled
  steps: 60
  rate: 0.01
  decay: cosine
  optimizer: {name: adamw}
  mixture:
  - {objective: nli, dataset: "LABELLED", batch_size: 8}
  - {objective: cosine, dataset: "SCORED", batch_size: 8}
  - {objective: classify, dataset: "CLASSES", batch_size: 8}
- name: lens
  steps: 30
  rate: 0.01
  optimizer: {name: adamw}
  mixture:
  - {objective: lens, dataset: "LABELLED", batch_size: 8}
`

// Objectives on pairs beside bitext retrieval survive kills: with the target of BSL, its
// running statistics, the classifiers of inference over prefixes and of single texts, and the
// two heads of BERT's pretraining.
func TestPairObjectivesKilled(t *testing.T) {
	c := newCorpus(t)
	var labelled, scored []schemas.Pair
	var classes []schemas.Benchmark
	for i := range 60 {
		p := schemas.Pair{Origin: "test", LanguageA: "eng", LanguageB: "eng", TextA: pipelinetest.Sentence("eng", i),
			TextB: pipelinetest.Sentence("eng", i%3*1000+i)}
		p.ID, p.Kind, p.Label = schemas.DerivedID("nli", fmt.Sprint(i)), schemas.KindNLI, schemas.Labels()[i%3]
		labelled = append(labelled, p)
		gold := float64(5 - 2*(i%3))
		p.ID, p.Kind, p.Label, p.Target = schemas.DerivedID("sts", fmt.Sprint(i)), schemas.KindSTS, "", &gold
		scored = append(scored, p)
		classes = append(classes, schemas.Benchmark{ID: schemas.DerivedID("class", fmt.Sprint(i)), Task: "MR", Split: "train",
			Row: int32(i), File: "f",
			LanguageA: "eng", TextA: pipelinetest.Sentence("eng", i%6), Label: fmt.Sprint(i % 2)})
	}
	config := file(t, "pairs.yaml", strings.NewReplacer("BITEXT", c.bitext, "CONSECUTIVE", c.consecutive,
		"CLASSES", examplesOf(t, c.vocabulary, "--benchmarks", datasettest.Write(t, nil, classes)),
		"LABELLED", examplesOf(t, c.vocabulary, "--pairs", datasettest.Write(t, nil, labelled)),
		"SCORED", examplesOf(t, c.vocabulary, "--pairs", datasettest.Write(t, nil, scored))).Replace(pairsTraining))
	whole, outs := survives(t, 114, func(out string) []string {
		return []string{"train", "--out=" + out, "--config=" + config, "--threads=1", "--vocabulary=" + c.vocabulary,
			"--layers=1", "--hidden=16", "--heads=2", "--intermediate=32", "--positions=48", "--log-every=2", "--checkpoint-every=3"}
	})
	for i, out := range outs {
		for _, period := range []string{"views", "labelled"} {
			same(t, fmt.Sprint(period, " of attempt ", i), periodOf(t, whole, period), periodOf(t, out, period))
		}
	}
	r := resultOf(t, whole)
	first, last := r.Losses[12], r.Losses[41] // of the period of both
	if last.Losses["nli"] >= .9*first.Losses["nli"] || last.Losses["cosine"] >= .9*first.Losses["cosine"] ||
		last.Losses["classify"] >= .9*first.Losses["classify"] {
		t.Errorf("losses %+v, at last %+v", first, last)
	}
}
