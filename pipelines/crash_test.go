package pipelines_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/decontaminate"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/index"
	"sentweave/pipelines/mine"
	"sentweave/pipelines/pairfilter"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// The disk stops at each step that changes it, one by one: every write, sync,
// rename, receipt and removal of a job with an exchange. The rerun gives the
// bytes of a run that was never stopped.
func TestCrashAtEachStep(t *testing.T) {
	input := pipelinetest.Corpus{Pages: 2, Paragraphs: 2, Languages: []string{"eng", "deu"}}.Write(t)
	documents, _ := pipelinetest.Run(t, pipelinetest.Parse[corpus.Config](t, "--input", input, "--layout", pipelinetest.Layout),
		pipelinetest.Settings(8<<10), pipelinetest.Plain(1))
	bitext := t.TempDir()
	for language, text := range map[string]string{"de": "eins\nzwei\neins\n", "en": "one\ntwo\none\n"} {
		pipelinetest.File(t, bitext, "c.de-en."+language, text)
	}
	bitextPairs := pipelinetest.Parse[pairs.Config](t, "--kind", "bitext", "--input", bitext)
	tests, _ := pipelinetest.Run(t, bitextPairs, pipelinetest.Settings(8<<10), pipelinetest.Plain(1))
	for name, config := range map[string]pipelinetest.Pipeline{
		"decontaminate": pipelinetest.Parse[decontaminate.Config](t, "--documents", documents, "--against", tests),
		"dedup":         pipelinetest.Parse[dedup.Config](t, "--documents", documents),
		"near":          pipelinetest.Parse[dedup.Config](t, "--documents", documents, "--near", "datatrove"),
		"mine": pipelinetest.Parse[mine.Config](t, "--source", pipelinetest.Vectors(t, "deu", 5, false), "--target",
			pipelinetest.Vectors(t, "eng", 5, false), "--k", "2", "--threshold", "1"),
		"index":  pipelinetest.Parse[index.Config](t, "--vectors", pipelinetest.Vectors(t, "eng", 5, false), "--lists", "3"),
		"bitext": bitextPairs,
		"margins": pipelinetest.Parse[pairfilter.Config](t, "--pairs", tests, "--embeddings",
			pipelinetest.VectorsOfPairs(t, tests, pipelinetest.VectorOfText), "--preset", "laser"),
	} {
		t.Run(name, func(t *testing.T) { crashAtEachStep(t, config) })
	}
}

func crashAtEachStep(t *testing.T, config pipelinetest.Pipeline) {
	settings := pipelinetest.Settings(16 << 10)
	whole, _ := pipelinetest.Run(t, config, settings, pipelinetest.Plain(1))
	want := pipelinetest.Digests(t, whole)
	for step := int64(0); ; step++ {
		if testing.Short() && step%7 != 0 {
			continue
		}
		output := filepath.Join(t.TempDir(), "out")
		job, err := config.Plan(t.Context(), output, settings)
		if err != nil {
			t.Fatal(err)
		}
		folder, steps := storagetest.CrashAt(output, step)
		_, err = pipelinetest.PlainIn(t.Context(), job, folder, 1)
		if err == nil && steps() <= step {
			if step < 40 {
				t.Errorf("the job takes only %d steps", step)
			}
			return
		}
		if err == nil || !errors.Is(err, storagetest.ErrCrash) {
			t.Fatalf("step %d: %v", step, err)
		}
		m, err := pipelinetest.Plain(2)(t.Context(), job)
		if err != nil {
			t.Fatalf("after a crash at step %d: %v", step, err)
		}
		if m == nil { // the manifest was written, cleaning was cut short
			if _, err = job.Plan.Finalize(t.Context(), mustFolder(t, job)); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, pipelinetest.Digests(t, output)); diff != "" {
			t.Fatalf("after a crash at step %d: %s", step, diff)
		}
	}
}

func mustFolder(t *testing.T, job *units.Job) storage.Folder {
	t.Helper()
	folder, err := job.Folder()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}
