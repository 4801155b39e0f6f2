//go:build libtorch && unix

package torchverbs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/model/safetensors"
	"sentweave/stages/torch"
	"sentweave/stages/train"
)

// saving is a model whose saving is done by a function.
type saving struct {
	*torch.Trainer
	save func(inner train.Trainer, folder string) error
}

func (s saving) Save(folder string) error { return s.save(s.Trainer, folder) }

// cutRun trains by a command line, whose models save by a function.
func cutRun(t *testing.T, line []string, save func(inner train.Trainer, folder string) error) error {
	t.Helper()
	v := trainFlags(t, line[1:]...)
	config, err := v.config()
	if err != nil {
		t.Fatal(err)
	}
	e, err := v.open(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := v.prepare(t.Context(), config, e, "", func(text string) { t.Log(text) }); err != nil {
		t.Fatal(err)
	}
	config.Vocabulary = e.fingerprint
	if err := torch.Use(v.Compute); err != nil {
		t.Fatal(err)
	}
	open := opener(torch.TrainerConfig{Folder: e.folder, Vocabulary: e.vocabulary, Objectives: config.Objectives, Seed: config.Seed})
	_, _, err = train.Run(t.Context(), v.Out, config, train.Options{
		Encoding: e.encoding(),
		Open: func(period int, s train.Period, from string) (train.Trainer, error) {
			m, err := open(period, s, from)
			return saving{m.(*torch.Trainer), save}, err
		},
		Private: []string{model.OptimizerName},
	})
	return err
}

// These have a file of the second checkpoint of a process with the bytes that it may have, and the
// command line of that process.
const (
	cutVariable  = "SENTWEAVE_TEST_CUT"
	lineVariable = "SENTWEAVE_TEST_CUT_LINE"
)

// TestCutProcess is that process. The limit is one of a whole process, and what go test writes of this one
// would be cut, too.
func TestCutProcess(t *testing.T) {
	var bytes uint64
	var cut string
	if n, _ := fmt.Sscan(os.Getenv(cutVariable), &bytes, &cut); n != 2 {
		return // this is not a process of another test
	}
	saves := 0
	t.Fatal(cutRun(t, strings.Split(os.Getenv(lineVariable), "\n"), func(inner train.Trainer, folder string) error {
		if saves++; saves == 2 {
			for _, other := range weights { // of which none is cut before
				if other == cut {
					continue
				}
				if err := os.Symlink(os.DevNull, filepath.Join(folder, other)); err != nil {
					return err
				}
			}
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes}); err != nil {
				return err
			}
		}
		return inner.Save(folder)
	}))
}

// weights are the files with weights that every encoder has.
var weights = []string{model.WeightsName, model.HeadsName, model.OptimizerName}

// The second checkpoint ends in the midst of a weight, of a running statistic of batch norm, of a moment, of
// a weight that follows, of a lens or of a second encoder. The first one stays byte for byte, and the run that
// goes on from it ends as one that was not cut, with its validation and its patience.
func TestCheckpointCutInTheMidstOfEachState(t *testing.T) {
	c := newCorpus(t)
	for _, test := range []struct {
		flags []string
		at    []string // a file and a tensor in it
	}{
		{[]string{"--preset=bsl", "--bitext=" + c.bitext}, []string{
			"model.safetensors embeddings.word_embeddings.weight",
			"heads.safetensors bsl.predictor.0.1.BatchNorm.running_var",
			"optimizer.safetensors bsl.target.embeddings.word_embeddings.weight",
			"optimizer.safetensors second.encoder.layer.0.output.dense.weight",
		}},
		{[]string{"--preset=lens", "--lens-head=ranker", "--lens-size=900", "--bitext=" + c.bitext},
			[]string{model.LensWeightsName + " lens.weight"}},
		{[]string{"--preset=quickthought", "--examples=" + c.consecutive},
			[]string{model.SecondWeightsName + " embeddings.word_embeddings.weight"}},
	} {
		t.Run(test.flags[0], func(t *testing.T) { cutInTheMidst(t, c, test.flags, test.at) })
	}
}

func cutInTheMidst(t *testing.T, c corpus, flags, places []string) {
	base := t.TempDir()
	lineTo := func(out string) []string {
		line := c.tiny(out, append(flags, "--steps=12", "--validate-every=4", "--validate-share=0.2", "--validate-examples=16",
			"--patience=9", "--keep=3")...)
		return slices.DeleteFunc(line, func(flag string) bool { return flag == "--vectors=3" })
	}
	whole, first := filepath.Join(base, "whole"), filepath.Join(base, "first")
	middles := map[string]int64{} // of tensors in their files
	if err := cutRun(t, lineTo(whole), func(inner train.Trainer, folder string) error {
		if len(middles) > 0 {
			return inner.Save(folder)
		}
		if err := inner.Save(folder); err != nil {
			return err
		}
		for _, at := range places {
			name, _, _ := strings.Cut(at, " ")
			f, err := safetensors.Open(filepath.Join(folder, filepath.FromSlash(name)))
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
	for _, at := range places {
		t.Run(at, func(t *testing.T) {
			file, _, _ := strings.Cut(at, " ")
			if middles[at] == 0 {
				t.Fatalf("there is no such tensor among %v", middles)
			}
			out := filepath.Join(t.TempDir(), "out")
			process := exec.Command(os.Args[0], "-test.run=^TestCutProcess$")
			process.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", cutVariable, middles[at], file),
				lineVariable+"="+strings.Join(lineTo(out), "\n"))
			said, err := process.CombinedOutput()
			checkpoint := filepath.Join(out+train.Suffix, "checkpoints", "000004")
			for _, want := range []string{"/" + file + ": " + syscall.EFBIG.Error(), "the last good checkpoint is " + checkpoint} {
				if err == nil || !strings.Contains(string(said), want) {
					t.Fatalf("%v, without %q: %s", err, want, said)
				}
			}
			for _, name := range append(weights, file) {
				a, errA := os.ReadFile(filepath.Join(first, filepath.FromSlash(name)))
				b, errB := os.ReadFile(filepath.Join(checkpoint, filepath.FromSlash(name)))
				if err := errors.Join(errA, errB); err != nil || string(a) != string(b) {
					t.Errorf("%s of the checkpoint before differs: %v", name, err)
				}
			}
			if err := cutRun(t, lineTo(out), func(inner train.Trainer, folder string) error { return inner.Save(folder) }); err != nil {
				t.Fatal(err)
			}
			same(t, at, want, resultOf(t, out))
		})
	}
}
