//go:build libtorch && unix

package models

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"sentweave/stages/model/safetensors"
	"sentweave/stages/torch"
	"sentweave/stages/train"
)

// saving is a model whose saving is done by a function.
type saving struct {
	train.Model
	save func(inner train.Model, folder string) error
}

func (s saving) Save(folder string) error { return s.save(s.Model, folder) }

// bslRun trains BSL, which has heads with batch norm and a target that follows the encoder, with
// a validation and a patience.
func bslRun(t *testing.T, c corpus, out string, save func(inner train.Model, folder string) error) error {
	t.Helper()
	line := c.tiny(out, "--preset=bsl", "--bitext="+c.bitext, "--steps=12", "--validate-every=4", "--validate-share=0.2", "--validate-examples=16", "--patience=9", "--keep=3")
	v := trainFlags(t, slices.DeleteFunc(line[1:], func(flag string) bool { return flag == "--vectors=3" })...)
	config, err := v.config()
	if err != nil {
		t.Fatal(err)
	}
	e, err := v.open(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := v.prepare(t.Context(), config, e, func(text string) { t.Log(text) }); err != nil {
		t.Fatal(err)
	}
	config.Vocabulary = e.fingerprint
	if err := torch.Use(v.Compute); err != nil {
		t.Fatal(err)
	}
	open := opener(torch.TrainerConfig{Folder: e.folder, Vocabulary: e.vocabulary, Objectives: config.Objectives, Seed: config.Seed})
	_, err = train.Run(t.Context(), out, config, train.Options{
		Encoding: e.encoding(),
		Open: func(period int, s train.Period, from string) (train.Model, error) {
			m, err := open(period, s, from)
			return saving{m, save}, err
		},
		Private: []string{"optimizer.safetensors"},
	})
	return err
}

// These have the output of a process that may write no longer files than some bytes while it saves
// its second checkpoint, those bytes, and its corpus.
const (
	cutVariable        = "SENTWEAVE_TEST_CUT"
	outVariable        = "SENTWEAVE_TEST_CUT_OUT"
	vocabularyVariable = "SENTWEAVE_TEST_CUT_VOCABULARY"
	bitextVariable     = "SENTWEAVE_TEST_CUT_BITEXT"
)

// TestCutProcess is that process. The limit is one of a whole process, and what go test writes of this one
// would be cut, too.
func TestCutProcess(t *testing.T) {
	bytes, err := strconv.ParseUint(os.Getenv(cutVariable), 10, 64)
	if err != nil {
		t.Skip("skipped: this is no process of another test")
	}
	saves := 0
	c := corpus{vocabulary: os.Getenv(vocabularyVariable), bitext: os.Getenv(bitextVariable)}
	t.Fatal(bslRun(t, c, os.Getenv(outVariable), func(inner train.Model, folder string) error {
		if saves++; saves == 2 {
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes}); err != nil {
				return err
			}
		}
		return inner.Save(folder)
	}))
}

// The second checkpoint ends in the midst of a weight, of a running statistic of batch norm, of a moment
// or of a weight that follows. The first one stays byte for byte, and the run that goes on from it ends as
// one that was not cut.
func TestCheckpointCutInTheMidstOfEachState(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	whole, first := filepath.Join(base, "whole"), filepath.Join(base, "first")
	middles := map[string]int64{} // of tensors in their files
	if err := bslRun(t, c, whole, func(inner train.Model, folder string) error {
		if len(middles) > 0 {
			return inner.Save(folder)
		}
		if err := inner.Save(folder); err != nil {
			return err
		}
		for _, name := range []string{"model.safetensors", "heads.safetensors", "optimizer.safetensors"} {
			f, err := safetensors.Open(filepath.Join(folder, name))
			if err != nil {
				return err
			}
			for _, tensor := range f.Tensors {
				middles[name+" "+tensor.Name] = tensor.Offset + tensor.Bytes/2
			}
			if err := f.Close(); err != nil {
				return err
			}
		}
		return os.CopyFS(first, os.DirFS(folder))
	}); err != nil {
		t.Fatal(err)
	}
	want := resultOf(t, whole)
	for _, at := range []string{
		"model.safetensors embeddings.word_embeddings.weight",
		"heads.safetensors bsl.predictor.0.1.BatchNorm.running_var",
		"optimizer.safetensors bsl.target.embeddings.word_embeddings.weight",
		"optimizer.safetensors second.encoder.layer.0.output.dense.weight",
	} {
		t.Run(at, func(t *testing.T) {
			file, _, _ := strings.Cut(at, " ")
			if middles[at] == 0 {
				t.Fatalf("there is no such tensor among %v", middles)
			}
			out := filepath.Join(t.TempDir(), "out")
			process := exec.Command(os.Args[0], "-test.run=^TestCutProcess$")
			process.Env = append(os.Environ(), fmt.Sprintf("%s=%d", cutVariable, middles[at]), outVariable+"="+out, vocabularyVariable+"="+c.vocabulary, bitextVariable+"="+c.bitext)
			said, err := process.CombinedOutput()
			for _, want := range []string{syscall.EFBIG.Error(), file, "the last good checkpoint is " + filepath.Join(out+train.Suffix, "checkpoints", "000004")} {
				if err == nil || !strings.Contains(string(said), want) {
					t.Fatalf("%v, without %q: %s", err, want, said)
				}
			}
			for _, name := range []string{"model.safetensors", "heads.safetensors", "optimizer.safetensors"} {
				a, errA := os.ReadFile(filepath.Join(first, name))
				b, errB := os.ReadFile(filepath.Join(out+train.Suffix, "checkpoints", "000004", name))
				if err := errors.Join(errA, errB); err != nil || string(a) != string(b) {
					t.Errorf("%s of the checkpoint before differs: %v", name, err)
				}
			}
			if err := bslRun(t, c, out, func(inner train.Model, folder string) error { return inner.Save(folder) }); err != nil {
				t.Fatal(err)
			}
			same(t, at, want, resultOf(t, out))
		})
	}
}
