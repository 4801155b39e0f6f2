package train

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"sentweave/schemas/storage/workspace"
	"sentweave/stages/objective"
	"sentweave/stages/train/batches"
	"sentweave/stages/train/traintest"
	"sentweave/transforms/tokens/masking"
)

func encoding() batches.Encoding {
	return batches.Encoding{Vocabulary: masking.Vocabulary{Size: vocabularySize, Mask: mask, Special: []int32{0, classify, separate, mask}},
		MaxTokens: 64}
}

// What tests of batches have, too.
var (
	row, rows, write     = traintest.Row, traintest.Rows, traintest.Write
	consecutive, grouped = traintest.Consecutive, traintest.Grouped
	tongues              = traintest.Tongues
)

const (
	fingerprint    = traintest.Fingerprint
	vocabularySize = traintest.VocabularySize
	classify       = traintest.Classify
	separate       = traintest.Separate
	mask           = traintest.Mask
)

// fake is a model whose state is a hash of everything that it saw.
type fake struct {
	state  uint64
	steps  int64
	parts  uint64 // since the last update
	opened string
	// fail, if set, is asked before each call.
	fail func(call string, f *fake) error
	// loss and norm replace what is returned, if set.
	loss func(f *fake, b objective.Batch) (float64, bool)
	norm func(f *fake) (float64, bool)
}

func mix(list ...any) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, list...)
	return h.Sum64()
}

func number(h uint64) float64 { return float64(h>>11) / (1 << 53) * 10 }

func (f *fake) asked(call string) error {
	if f.fail != nil {
		return f.fail(call, f)
	}
	return nil
}

func (f *fake) Accumulate(b objective.Batch, weight float64, shares []float64, seed uint64) (float64, error) {
	if err := f.asked("accumulate"); err != nil {
		return 0, err
	}
	data, err := json.Marshal(b)
	if err != nil {
		return 0, err
	}
	f.parts = mix(f.parts, " ", b.Objective(), " ", string(data), " ", weight, " ", shares, " ", seed)
	if f.loss != nil {
		if loss, ok := f.loss(f, b); ok {
			return shares[0] * loss, nil
		}
	}
	return shares[0] * number(mix(f.state, " ", f.parts)), nil
}

func (f *fake) Loss(b objective.Batch, shares []float64) (float64, error) {
	if err := f.asked("loss"); err != nil {
		return 0, err
	}
	data, err := json.Marshal(b)
	if f.loss != nil {
		if loss, ok := f.loss(f, b); ok {
			return shares[0] * loss, err
		}
	}
	return shares[0] * number(mix(f.state, " ", string(data))), err
}

func (f *fake) Update(rate float64) (float64, error) {
	if err := f.asked("update"); err != nil {
		return 0, err
	}
	f.state = mix(f.state, " ", f.parts, " ", rate)
	f.parts = 0
	f.steps++
	if f.norm != nil {
		if norm, ok := f.norm(f); ok {
			return norm, nil
		}
	}
	return number(f.state), nil
}

func (f *fake) Save(folder string) error {
	if err := os.Mkdir(filepath.Join(folder, "1_Pooling"), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "1_Pooling", "config.json"), []byte("{}"), 0o666); err != nil {
		return err
	}
	if err := f.asked("save"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "model.json"), fmt.Appendf(nil, "%d %d %s", f.state, f.steps, f.opened), 0o666)
}

func (f *fake) read(folder string) error {
	data, err := os.ReadFile(filepath.Join(folder, "model.json"))
	if err != nil {
		return err
	}
	_, err = fmt.Sscanf(string(data), "%d %d %s", &f.state, &f.steps, &f.opened)
	return err
}

func (f *fake) Load(folder string) error {
	if err := f.asked("load"); err != nil {
		return err
	}
	return f.read(folder)
}

func (f *fake) Close() {}

// opener opens fakes, which begin with the state of the folder and a new optimizer.
func opener(edit func(*fake)) Opener {
	return func(period int, s Period, from string) (Trainer, error) {
		f := &fake{state: uint64(period) + 1}
		if from != "" {
			if err := f.read(from); err != nil {
				return nil, err
			}
		}
		f.steps, f.opened = 0, fmt.Sprintf("%d:%s:%s", period, s.Name, s.Optimizer.Name)
		if edit != nil {
			edit(f)
		}
		return f, nil
	}
}

func options(edit func(*fake)) Options {
	return Options{Open: opener(edit), Encoding: encoding(), unsynced: true}
}

// twoPeriods is a training of 7 and 9 steps.
func twoPeriods(t testing.TB) Config {
	t.Helper()
	cmlm := batches.Source{Objective: objective.CMLMName, Dataset: consecutive(t, 103, 3), BatchSize: 4, MaxTokens: 24}
	bitext := batches.Source{Objective: objective.BitextName, Dataset: grouped(t, 90, 2, 3), BatchSize: 6, Weight: .2}
	periods := []Period{
		{Name: "cmlm", Mixture: []batches.Source{cmlm},
			Schedule: Schedule{Steps: 7, Rate: 1, Warmup: 2, Optimizer: objective.Optimizer{Name: "adamw"}}},
		{Name: "cmlm+br", Mixture: []batches.Source{cmlm, bitext}, Schedule: Schedule{Steps: 9, Rate: 2, Decay: decayNone, Accumulate: 2}},
	}
	return Config{Seed: 3, Vocabulary: fingerprint, Periods: periods, CheckpointEvery: 3, Keep: 2, LogEvery: 2, ShuffleGroups: 2,
		ReadAhead: 3}
}

// worked is a workspace of a folder.
func worked(t testing.TB, root string) *workspace.Workspace {
	t.Helper()
	w, err := workspace.Open(t.Context(), root, workspace.Config{Suffix: Suffix, Unsynced: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// outcome is what must be equal between runs: the lines without what the clock
// decides, the final model and its record.
type outcome struct {
	Lines  []Line
	Models map[string]string
}

func look(t testing.TB, out string) outcome {
	t.Helper()
	lines, err := ReadLosses(filepath.Join(out, LossesName))
	if err != nil {
		t.Fatal(err)
	}
	for i := range lines {
		l := &lines[i]
		l.Seconds, l.TokensPerSecond, l.WaitShare, l.RemainingSeconds, l.RSSBytes = 0, 0, 0, 0, 0
	}
	o := outcome{Lines: lines, Models: map[string]string{}}
	for _, name := range []string{"model.json", "1_Pooling/config.json", RecordName, "cmlm/model.json", "cmlm/" + RecordName} {
		data, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		o.Models[name] = string(data)
	}
	return o
}
