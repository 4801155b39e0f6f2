// Package chain runs every pipeline in a row, from pages to examples, for tests that
// compare ways to run them.
package chain

import (
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/benchmarks"
	"sentweave/pipelines/benchmarks/translation"
	"sentweave/pipelines/corpus"
	"sentweave/pipelines/crosslingual"
	"sentweave/pipelines/decontaminate"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/erase"
	"sentweave/pipelines/examples"
	"sentweave/pipelines/index"
	"sentweave/pipelines/memory/fill"
	"sentweave/pipelines/memory/ingest"
	"sentweave/pipelines/mine"
	"sentweave/pipelines/pairfilter"
	"sentweave/pipelines/pairnoise"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/sample"
	"sentweave/pipelines/units"
	"sentweave/pipelines/views"
	"sentweave/pipelines/wordcounts"
	"sentweave/schemas/dataset"
)

// Link is a pipeline of the chain: it reads the outputs of earlier ones.
type Link struct {
	Name string
	// Config is given the folder in which the outputs of the chain stand.
	Config func(t testing.TB, root string) pipelinetest.Pipeline
	// Rows says that every unit makes its rows alone.
	Rows bool
	// Fixed says that the units do not depend on the size of shards.
	Fixed bool
}

// Links is every pipeline, in several ways, from the pages on.
func Links(input, vocabulary string) []Link {
	join := filepath.Join
	return []Link{
		{"documents", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[corpus.Config](t, "--input", input, "--layout", pipelinetest.Layout)
		}, true, false},
		{"heldout", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[corpus.Config](t, "--input", input, "--layout", pipelinetest.Layout, "--pages-modulus", "2",
				"--pages-ranks", "1")
		}, true, false},
		{"extended", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[corpus.Config](t, "--input", input, "--layout", pipelinetest.Layout, "--extend",
				join(root, "documents"))
		}, true, false},
		{"dedup", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[dedup.Config](t, "--documents", join(root, "documents"))
		}, false, false},
		{"dedup-extended", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[dedup.Config](t, "--documents", join(root, "extended"), "--extend", join(root, "dedup"))
		}, false, false},
		{"dedup-sentences", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[dedup.Config](t, "--documents", join(root, "documents"), "--level", "sentence", "--loose",
				"--against",
				join(root, "heldout"))
		}, false, false},
		{"dedup-near", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[dedup.Config](t, "--documents", join(root, "documents"), "--near", "datatrove", "--against",
				join(root, "heldout"))
		}, false, false},
		{"dedup-spans", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[dedup.Config](t, "--documents", join(root, "documents"), "--level", "span")
		}, false, false},
		{"wordcounts", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[wordcounts.Config](t, "--documents", join(root, "dedup"))
		}, false, false},
		{"wordcounts-extended", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[wordcounts.Config](t, "--documents", join(root, "dedup-extended"), "--extend",
				join(root, "wordcounts"))
		}, false, false},
		{"parallel", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairs.Config](t, "--documents", join(root, "documents"), "--kind", "parallel", "--align")
		}, true, false},
		{"parallel-vectors", func(t testing.TB, root string) pipelinetest.Pipeline {
			documents := join(root, "documents")
			return pipelinetest.Parse[pairs.Config](t, "--documents", documents, "--kind", "parallel", "--align", "--embeddings",
				pipelinetest.VectorsOf(t, documents, nil))
		}, true, false},
		{"parallel-sentences", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairs.Config](t, "--documents", join(root, "dedup"), "--kind", "parallel", "--sentences", "--pivot",
				"en")
		}, true, false},
		{"consecutive", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairs.Config](t, "--documents", join(root, "dedup"), "--sliding")
		}, true, false},
		{"bitext", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairs.Config](t, "--input", pipelinetest.Bitext(t), "--kind", "bitext")
		}, false, false},
		{"tatoeba", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairs.Config](t, "--input", pipelinetest.Tatoeba(t, 300), "--kind", "bitext", "--heldout-share", ".3",
				"--part", "heldout")
		}, false, false},
		{"mine", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[mine.Config](t, "--source", pipelinetest.Vectors(t, "deu", 60, false), "--target",
				pipelinetest.Vectors(t, "eng", 60, false))
		}, false, false},
		{"index", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[index.Config](t, "--vectors", pipelinetest.Vectors(t, "eng", 60, false), "--lists", "12")
		}, false, false},
		{"mine-indexed", func(t testing.TB, root string) pipelinetest.Pipeline {
			deu, eng := pipelinetest.Vectors(t, "deu", 60, false), pipelinetest.Vectors(t, "eng", 60, false)
			lists := pipelinetest.Parse[index.Config](t, "--vectors", deu, "--lists", "9")
			location, _ := pipelinetest.Run(t, lists, pipelinetest.Settings(0), pipelinetest.Plain(1))
			return pipelinetest.Parse[mine.Config](t, "--source", deu, "--target", eng, "--source-index", location, "--target-index",
				join(root, "index"), "--probes", "3")
		}, false, false},
		{"mine-negatives", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[mine.Config](t, "--source", pipelinetest.Vectors(t, "spa", 40, true), "--target",
				pipelinetest.Vectors(t, "eng", 40, true), "--retrieval", "fwd", "--threshold", "1", "--negatives", "2")
		}, false, false},
		{"dedup-pairs", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[dedup.Config](t, "--pairs", join(root, "parallel"), "--against",
				join(root, "parallel-sentences")+","+join(root, "bitext"), "--max-per-text", "2")
		}, false, false},
		{"sample", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[sample.Config](t, "--documents", join(root, "documents"), "--rows", "9", "--by", "language")
		}, false, false},
		{"sample-pairs", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[sample.Config](t, "--pairs", join(root, "bitext"), "--share", ".4", "--by", "language", "--alpha",
				".5")
		}, false, false},
		{"erase", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[erase.Config](t, "--documents", join(root, "documents"), "--domains", pipelinetest.Domains(t))
		}, true, false},
		{"erase-pairs", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[erase.Config](t, "--documents", join(root, "documents"), "--pairs", join(root, "parallel"),
				"--domains", pipelinetest.Domains(t))
		}, true, false},
		{"pairfilter", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairfilter.Config](t, "--pairs", join(root, "bitext"), "--preset", "opusfilter")
		}, true, false},
		{"pair-scores", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairfilter.Config](t, "--pairs", join(root, "parallel"), "--scores")
		}, true, false},
		{"pair-margins", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairfilter.Config](t, "--pairs", join(root, "parallel"), "--embeddings",
				pipelinetest.VectorsOfPairs(t, join(root, "parallel"), pipelinetest.VectorOfText), "--scores")
		}, false, false},
		{"pairnoise", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairnoise.Config](t, "--pairs", join(root, "bitext"))
		}, false, true},
		{"pair-wordcounts", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[wordcounts.Config](t, "--pairs", join(root, "bitext"))
		}, false, false},
		{"examples", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[examples.Config](t, "--documents", join(root, "dedup"), "--vocabulary", vocabulary, "--max-tokens",
				"64",
				"--copies", "2")
		}, true, false},
		{"pair-examples", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[examples.Config](t, "--pairs", join(root, "parallel"), "--vocabulary", vocabulary, "--mask",
				"trainer")
		}, true, false},
		{"views", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[views.Kind[views.Synonym]](t, "--texts", join(root, "documents"), "--wordnet",
				pipelinetest.Synsets(t),
				"--preset", "paper")
		}, true, false},
		{"entailment", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[views.Kind[views.Entailment]](t, "--texts", pipelinetest.Inference(t, 120))
		}, true, false},
		{"crosslingual", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[crosslingual.Config](t, "--benchmarks", pipelinetest.Inference(t, 120), "--languages", "en,de,es")
		}, false, false},
		{"benchmarks", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[benchmarks.Format[benchmarks.SentEval]](t, "--input", pipelinetest.TestSets(t), "--partial",
				"--folds", "3")
		}, true, true},
		{"decontaminate", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[decontaminate.Config](t, "--documents", join(root, "documents"), "--against",
				join(root, "benchmarks")+","+join(root, "bitext"), "--whole-bits", "0")
		}, true, false},
		{"decontaminate-pairs", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[decontaminate.Config](t, "--pairs", join(root, "parallel"), "--against", join(root, "bitext"))
		}, true, false},
		{"contaminations", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[decontaminate.Config](t, "--pairs", join(root, "parallel"), "--against",
				join(root, "parallel-sentences"), "--hits")
		}, true, false},
		{"memories", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[ingest.Config](t, "--input", pipelinetest.Memories(t), "--both")
		}, true, false},
		{"translations", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[fill.Config](t, "--texts", join(root, "documents")+","+join(root, "benchmarks"), "--memory",
				join(root, "memories"),
				"--reuse", "any", "--targets", "de,es", "--engine", "identity", "--accept", "copied")
		}, false, false},
		{"translations-back", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[fill.Config](t, "--texts", join(root, "translations"), "--sources", "de,es", "--targets", "en",
				"--engine", "identity", "--accept", "copied")
		}, false, false},
		{"translate", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[translation.Config](t, "--benchmarks", join(root, "benchmarks"), "--memory",
				join(root, "translations"),
				"--targets", "de,es")
		}, false, false},
		{"back-translation", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[views.Kind[views.BackTranslation]](t, "--texts", join(root, "documents"), "--there",
				join(root, "translations"),
				"--back", join(root, "translations-back"), "--through", "de")
		}, false, false},
		{"translation", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[views.Kind[views.Translation]](t, "--texts", join(root, "documents"), "--there",
				join(root, "translations"),
				"--targets", "de,es")
		}, false, false},
	}
}

// Run makes all datasets of the chain in a folder and returns their manifests.
func Run(t testing.TB, links []Link, root string, settings units.Settings, run pipelinetest.Runner) map[string]*dataset.Manifest {
	t.Helper()
	manifests := map[string]*dataset.Manifest{}
	reduced := settings // datasets are smaller than pages; translations are as large again
	if settings.ShardBytes > 0 {
		reduced.ShardBytes = max(1, settings.ShardBytes/16)
	}
	for i, l := range links {
		chosen := reduced
		if i < 2 || strings.HasPrefix(l.Name, "trans") || l.Name == "back-translation" {
			chosen = settings
		}
		manifests[l.Name] = pipelinetest.RunTo(t, l.Config(t, root), filepath.Join(root, l.Name), chosen, run)
	}
	return manifests
}
