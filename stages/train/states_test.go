package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/objective"
	"sentweave/stages/objective/joined"
	"sentweave/stages/train/batches"
)

const (
	frozenEncoder = "00000000000000aa" // its hash
	lensTokens    = 9
)

// storedOf makes the states of examples: a token's id and its place. Texts that several examples have
// are written twice.
func storedOf(t *testing.T, examples string, edit func(i int, s *schemas.State)) string {
	t.Helper()
	e, err := batches.OpenExamples(t.Context(), examples, fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	sides, err := e.Sides(objective.LensName, encoding(), lensTokens)
	if err != nil {
		t.Fatal(err)
	}
	units := e.Units(1)
	location := t.TempDir()
	folder := storage.NewLocal(location)
	plan, err := dataset.Draft{
		Pipeline: "states", PipelineVersion: 1, Schema: schemas.State{}.Schema(), Config: map[string]int{"tokens": lensTokens},
		ShardBytes: 1, Units: units,
		Inputs: []dataset.Input{e.Input(joined.StatesExamples), {Role: joined.StatesEncoder, XXH3: frozenEncoder}},
	}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	n, seen := 0, map[uint64]int{}
	_, _, err = plan.Complete(t.Context(), folder, units, false, func(u dataset.Unit) error {
		out, err := dataset.Begin[schemas.State](folder, plan, u.Ordinal, dataset.NewChain("texts", "states"))
		if err != nil {
			return err
		}
		defer out.Abort()
		for _, span := range u.Spans {
			for list, err := range sides.Of(t.Context(), span) {
				if err != nil {
					return err
				}
				for _, side := range list {
					key := joined.TextKey(side.Tokens)
					if seen[key]++; seen[key] > 2 {
						continue
					}
					var vectors []float32
					for i, id := range side.Tokens {
						vectors = append(vectors, float32(id), float32(i))
					}
					s := schemas.StateOf(side.ID, side.Tokens, vectors)
					if edit != nil {
						edit(n, &s)
					}
					n++
					if err := errors.Join(out.Write(t.Context(), s), out.Funnel().Keep("texts", "und", 1)); err != nil {
						return err
					}
				}
			}
		}
		return out.Commit(t.Context())
	})
	if err != nil {
		t.Fatal(err)
	}
	return location
}

// lensed is a training of a lens on known states, after one of bitext retrieval.
func lensed(t *testing.T, edit func(i int, s *schemas.State)) Config {
	t.Helper()
	bitext := batches.Source{Objective: objective.BitextName, Dataset: grouped(t, 40, 1, 2), BatchSize: 4}
	// Of 700 examples the second sides are few, so that most come again.
	texts := write(t, rows(schemas.KindBitext, 700, func(i int, e *schemas.Example) { e.TokensB = row("other", i%20).TokensB }), 3,
		fingerprint)
	lens := objective.DefaultLens()
	lens.Head, lens.States = objective.LensRanker, storedOf(t, texts, edit)
	if err := lens.Prepare(t.Context(),
		objective.Facts{Examples: []string{texts}, Tokens: lensTokens, Encoder: frozenEncoder}); err != nil {
		t.Fatal(err)
	}
	return Config{Seed: 3, Vocabulary: fingerprint, CheckpointEvery: 3, Keep: 2, LogEvery: 2, ShuffleGroups: 2, ReadAhead: 3,
		Objectives: objective.Settings{objective.LensName: &lens},
		Periods: []Period{
			{Name: "cmlm", Mixture: []batches.Source{bitext}, Schedule: Schedule{Steps: 3, Rate: 1}},
			{Name: "lens", Mixture: []batches.Source{{Objective: objective.LensName, Dataset: texts, BatchSize: 50, MaxTokens: lensTokens}},
				Schedule: Schedule{Steps: 16, Rate: 1}},
		}}
}

// Each batch of the lens has the vectors of its own tokens.
func TestStatesAreThoseOfTheBatch(t *testing.T) {
	c := lensed(t, nil)
	batches := 0
	o := options(func(f *fake) {
		f.loss = func(_ *fake, b objective.Batch) (float64, bool) {
			if b, ok := b.(*objective.LensBatch); ok {
				batches++
				for i, side := range []objective.Sequences{b.A, b.B} {
					var want []float32
					for k, id := range side.IDs {
						place := k % side.Length
						if int32(place) >= side.Lengths[k/side.Length] {
							want = append(want, 0, 0)
						} else {
							want = append(want, float32(id), float32(place))
						}
					}
					if diff := cmp.Diff(want, [][]float32{b.StatesA, b.StatesB}[i]); diff != "" {
						t.Errorf("side %d: %s", i, diff)
					}
				}
			}
			return 1, true
		}
	})
	var notices []string
	o.Observer.Notice = func(text string) { notices = append(notices, text) }
	out := filepath.Join(t.TempDir(), "out")
	result, _, err := Run(t.Context(), out, c, o)
	if err != nil {
		t.Fatal(err)
	}
	if batches != 16 {
		t.Errorf("%d batches", batches)
	}
	// 712 are different. Their tokens, 9 of most, have 8 bytes each.
	if len(notices) != 2 || !strings.HasPrefix(notices[0], "lens/lens: reading the vectors of tokens from ") ||
		!strings.HasPrefix(notices[1], "lens/lens: those of 712 texts, 0.0 MiB") {
		t.Errorf("%q", notices)
	}
	if inputs := result.Record.Inputs; len(inputs) != 3 || inputs[2].Role != "lens/lens/states" {
		t.Errorf("inputs %v", inputs)
	}
	if left, err := os.ReadDir(filepath.Join(out+Suffix, storage.TemporaryFolder)); err == nil && len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}

// A run that is killed, also while it reads states, ends as one that was not.
func TestStatesResume(t *testing.T) {
	c := lensed(t, nil)
	whole := filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(t.Context(), whole, c, options(nil)); err != nil {
		t.Fatal(err)
	}
	want := look(t, whole)
	for n := 0; n < 41; n += 2 * stride() {
		calls := 0
		killed := killedAfter(n, &calls)
		killed.intercept = func(storage.Step, string) error { // a killed process removes nothing
			if calls > n {
				return errKilled
			}
			return nil
		}
		out := filepath.Join(t.TempDir(), "out")
		if _, _, err := Run(context.Background(), out, c, killed); !errors.Is(err, errKilled) {
			t.Fatal(n, err)
		}
		if _, _, err := Run(context.Background(), out, c, options(nil)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, look(t, out)); diff != "" {
			t.Fatalf("killed after %d calls:\n%s", n, diff)
		}
		if left, err := os.ReadDir(filepath.Join(out+Suffix, storage.TemporaryFolder)); err == nil && len(left) > 0 {
			t.Fatalf("killed after %d calls: %s is left", n, left[0].Name())
		}
	}
}

func TestStatesThatCannotBeRead(t *testing.T) {
	for _, test := range []struct {
		edit func(i int, s *schemas.State)
		fail error // of the disk
		want string
	}{
		{func(i int, s *schemas.State) {
			if i == 20 {
				s.Vectors = s.Vectors[:4*len(s.Tokens)]
			}
		}, nil, "train %s: source lens: the vectors of the tokens of "},
		{func(_ int, s *schemas.State) { s.Tokens[0]++ }, nil, "train %s: step 1 of period lens: read the vectors of tokens: a text of "},
		{nil, syscall.ENOSPC, "train %s: source lens: no space left on device"},
	} {
		c := lensed(t, test.edit)
		c.Periods = c.Periods[1:]
		o := options(nil)
		o.Observer.Step = func(p Progress) { t.Errorf("step %d was taken", p.Step) }
		o.intercept = func(_ storage.Step, name string) error {
			if strings.HasSuffix(name, "/states") {
				return test.fail
			}
			return nil
		}
		out := filepath.Join(t.TempDir(), "out")
		if _, _, err := Run(t.Context(), out, c, o); err == nil || !strings.Contains(err.Error(), fmt.Sprintf(test.want, out)) {
			t.Errorf("%v, want %q", err, test.want)
		}
		if left, err := os.ReadDir(filepath.Join(out+Suffix, storage.TemporaryFolder)); err == nil && len(left) > 0 {
			t.Errorf("%s is left", left[0].Name())
		}
	}
}

// States of other data than those of the training are refused before it begins.
func TestStatesOfOthers(t *testing.T) {
	examples, others := write(t, rows(schemas.KindBitext, 20, nil), 1, fingerprint),
		write(t, rows(schemas.KindBitext, 21, nil), 1, fingerprint)
	stored := storedOf(t, examples, nil)
	for _, test := range []struct {
		states string
		given  objective.Facts
		want   string
	}{
		{stored, objective.Facts{Examples: []string{examples}, Tokens: lensTokens},
			"lens: states are of an encoder that stays as it is: give it by --from, and train none of it before the lens"},
		{stored, objective.Facts{Examples: []string{examples}, Tokens: lensTokens, Encoder: "00"},
			"has the states of another encoder than that of --from, or of a copy with other files: make the states anew with `sentweave states`"},
		{stored, objective.Facts{Examples: []string{others}, Tokens: lensTokens, Encoder: frozenEncoder},
			"has the states of other examples than those of " + others},
		{stored, objective.Facts{Examples: []string{examples}, Tokens: 64, Encoder: frozenEncoder},
			"has the states of sides of at most 9 tokens, the training takes 64: make the states anew with `sentweave states` with the same --tokens"},
		{stored, objective.Facts{Examples: []string{examples}, Tokens: lensTokens, Encoder: frozenEncoder, Precision: "bfloat16"},
			"has states of the precision , the training has bfloat16: give both the same --precision"},
		{stored, objective.Facts{Examples: []string{examples, others}, Tokens: lensTokens, Encoder: frozenEncoder},
			"has the states of one dataset of examples, and lenses learn from 2 here"},
		{examples, objective.Facts{Examples: []string{examples}, Tokens: lensTokens, Encoder: frozenEncoder}, "example v1"},
		{filepath.Join(stored, "none"), objective.Facts{Examples: []string{examples}, Tokens: lensTokens, Encoder: frozenEncoder},
			"lens: "},
	} {
		lens := objective.DefaultLens()
		lens.States = test.states
		if err := lens.Prepare(t.Context(), test.given); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}
