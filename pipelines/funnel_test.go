package pipelines_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/pipelinetest/chain"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// What the funnel says comes out is what is in the rows, language by
// language, and every reason with a count has samples.
func TestFunnelRecounted(t *testing.T) {
	links := chain.Links(small.Write(t), pipelinetest.Vocabulary(t))
	root := t.TempDir()
	manifests := chain.Run(t, links, root, pipelinetest.Settings(32<<10), pipelinetest.Plain(2))
	documents := func(name string) (documents, sentences map[string]int64) {
		documents, sentences = map[string]int64{}, map[string]int64{}
		for _, d := range pipelinetest.Rows[schemas.Document](t, filepath.Join(root, name)) {
			documents[d.Language]++
			for _, s := range d.Sentences {
				sentences[s.Language]++
			}
		}
		return documents, sentences
	}
	pairs := func(name string) map[string]int64 {
		n := map[string]int64{}
		for _, p := range pipelinetest.Rows[schemas.Pair](t, filepath.Join(root, name)) {
			n[both(p.LanguageA, p.LanguageB)]++
		}
		return n
	}
	examples := func(name string) map[string]int64 {
		n := map[string]int64{}
		for _, e := range pipelinetest.Rows[schemas.Example](t, filepath.Join(root, name)) {
			n[both(e.LanguageA, e.LanguageB)]++
		}
		return n
	}
	words := func(name string) map[string]int64 {
		n := map[string]int64{}
		for _, w := range pipelinetest.Rows[schemas.WordCount](t, filepath.Join(root, name)) {
			n[w.Language]++
		}
		return n
	}
	items := map[string]int64{}
	for _, b := range pipelinetest.Rows[schemas.Benchmark](t, filepath.Join(root, "benchmarks")) {
		items[b.LanguageA]++
	}
	translations := map[string]int64{}
	for _, r := range pipelinetest.Rows[schemas.Translation](t, filepath.Join(root, "memories")) {
		translations[r.SourceLanguage+"-"+r.TargetLanguage]++
	}
	segments := func(name string) map[string]int64 {
		n := map[string]int64{}
		for _, r := range pipelinetest.Rows[schemas.Translation](t, filepath.Join(root, name)) {
			n[r.SourceLanguage+"-"+r.TargetLanguage]++
		}
		return n
	}
	translated := map[string]int64{}
	for _, b := range pipelinetest.Rows[schemas.Benchmark](t, filepath.Join(root, "translate")) {
		translated[b.LanguageA]++
	}
	want := map[string]map[string]map[string]int64{
		"translations":       {"texts": segments("translations")},
		"translations-back":  {"texts": segments("translations-back")},
		"translate":          {"rows": translated},
		"memories":           {"translations": translations},
		"benchmarks":         {"items": items},
		"wordcounts":         {"wordcounts": words("wordcounts")},
		"views":              {"texts": pairs("views")},
		"entailment":         {"texts": pairs("entailment")},
		"crosslingual":       {"items": pairs("crosslingual")},
		"parallel":           {"pairs": pairs("parallel")},
		"parallel-sentences": {"pairs": pairs("parallel-sentences")},
		"consecutive":        {"pairs": pairs("consecutive")},
		"bitext":             {"pairs": pairs("bitext")},
		"tatoeba":            {"pairs": pairs("tatoeba")},
		"dedup-pairs":        {"pairs": pairs("dedup-pairs")},
		"pair-wordcounts":    {"wordcounts": words("pair-wordcounts")},
		"examples":           {"examples": examples("examples")},
		"pair-examples":      {"examples": examples("pair-examples")},
	}
	for _, name := range []string{"documents", "heldout", "dedup", "dedup-sentences", "dedup-spans", "dedup-near"} {
		d, s := documents(name)
		want[name] = map[string]map[string]int64{"documents": d}
		if name != "dedup" && name != "dedup-near" {
			want[name]["sentences"] = s
		}
	}
	for _, l := range links {
		m := manifests[l.Name]
		if err := m.Funnel.Check(); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
		for name, counts := range want[l.Name] {
			if diff := cmp.Diff(counts, m.Funnel.Out(name)); diff != "" {
				t.Errorf("%s, %s: %s", l.Name, name, diff)
			}
		}
		checkRejects(t, filepath.Join(root, l.Name), m)
		if _, err := dataset.Verify(t.Context(), storage.NewLocal(filepath.Join(root, l.Name))); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
	}
	// What one pipeline reads is what another wrote.
	in := func(name, chain string) map[string]int64 {
		for _, c := range manifests[name].Funnel.Chains {
			if c.Items == chain {
				n := map[string]int64{}
				for language, count := range c.Steps[0].Languages {
					n[language] = count.In
				}
				return n
			}
		}
		return nil
	}
	_, sentences := documents("dedup")
	for _, name := range []string{"wordcounts", "consecutive", "examples"} {
		if diff := cmp.Diff(sentences, in(name, "sentences")); diff != "" {
			t.Errorf("sentences that %s reads: %s", name, diff)
		}
	}
	if diff := cmp.Diff(want["documents"]["documents"], in("dedup", "documents")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want["parallel"]["pairs"], in("pair-examples", "pairs")); diff != "" {
		t.Error(diff)
	}
}

func both(a, b string) string {
	if b == "" || a == b {
		return a
	}
	return min(a, b) + "-" + max(a, b)
}

// uncounted are reasons of which no sample is kept: sentences go with their document,
// and a text that is repeated, or known to a memory, is not lost.
var uncounted = map[string]bool{"document_dropped": true, "repeated": true, "known": true}

// checkRejects compares the samples with the counts: as many as there were drops, up to
// the number that is kept, and one at least of each language. Sentences that go with their
// document have no samples; two chains may have a step of the same name.
func checkRejects(t *testing.T, location string, m *dataset.Manifest) {
	t.Helper()
	type kind struct{ step, reason string }
	dropped, languages := map[kind]int64{}, map[kind]map[string]bool{}
	for _, c := range m.Funnel.Chains {
		for _, step := range c.Steps {
			for language, n := range step.Languages {
				for reason, count := range n.Dropped {
					if !uncounted[reason] {
						k := kind{step.Name, reason}
						if dropped[k] += count; languages[k] == nil {
							languages[k] = map[string]bool{}
						}
						if !strings.Contains(language, "-") {
							languages[k][language] = true
						}
					}
				}
			}
		}
	}
	sampled := map[kind]int64{}
	for _, r := range pipelinetest.Rejects(t, location) {
		k := kind{r.Step, r.Reason}
		sampled[k]++
		delete(languages[k], r.Language)
	}
	for k, n := range dropped {
		if got := sampled[k]; got < min(n, dataset.SamplesKept) || got > min(n, dataset.SamplesKept+dataset.FloorLanguages) ||
			len(languages[k]) > 0 {
			t.Errorf("%s: %d of %v are dropped and %d sampled, none of %v", m.Plan.Pipeline, n, k, got, languages[k])
		}
		delete(sampled, k)
	}
	if len(sampled) > 0 {
		t.Errorf("%s: samples of what no step counts: %v", m.Plan.Pipeline, sampled)
	}
}
