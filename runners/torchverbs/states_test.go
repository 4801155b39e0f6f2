//go:build libtorch

package torchverbs

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/stages/train"
)

// A lens learns the same from the states of a dataset as from those that it computes, and from no others;
// trainings on it survive kills, and so does what makes it.
func TestStates(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	call(t, c.untrained(at("encoder"))...).expect(t, 0, nil, nil)
	call(t, c.untrained(at("other"), "--seed=9")...).expect(t, 0, nil, nil)
	line := func(out string, flags ...string) []string {
		return with([]string{"states", "--out=" + at(out), "--model=" + at("encoder"), "--examples=" + c.bitext, "--threads=1"}, flags...)
	}
	call(t, line("states")...).expect(t, 0, []string{at("states") + ": 240 texts in "}, nil)
	call(t, line("states")...).expect(t, 0, nil, []string{"states: " + at("states") + " is complete, nothing to do\n"})
	call(t, line("cut", "--tokens=6")...).expect(t, 0, nil, nil)
	for _, s := range pipelinetest.Rows[schemas.State](t, at("cut")) {
		if len(s.Tokens) > 6 || s.Size() != 16 {
			t.Fatalf("%s has %d bytes of %d tokens", s.ID, len(s.Vectors), len(s.Tokens))
		}
	}
	training := func(out string, flags ...string) []string {
		return append([]string{"train", "--out=" + at(out), "--preset=lens", "--lens-head=ranker", "--lens-size=24",
			"--from=" + at("encoder"), "--bitext=" + c.bitext, "--threads=1",
			"--steps=40", "--bitext-batch=8", "--optimizer=adamw", "--rate=0.01", "--log-every=2", "--checkpoint-every=3"}, flags...)
	}
	for _, cut := range [][]string{{"--lens-states=" + at("states")}, {"--lens-states=" + at("cut"), "--tokens=6"}} {
		name := filepath.Base(cut[0])
		call(t, training(name+"-computed", cut[1:]...)...).expect(t, 0, nil, nil)
		call(t, training(name+"-read", cut...)...).expect(t, 0, nil, []string{"train: lens/lens: reading the vectors of tokens from "})
		computed, read := resultOf(t, at(name+"-computed")), resultOf(t, at(name+"-read"))
		for i := range computed.Losses {
			if a, b := computed.Losses[i].Loss, read.Losses[i].Loss; math.Abs(a-b) > 1e-3*math.Abs(a) {
				t.Errorf("%s, step %d: loss %v, computed %v", name, computed.Losses[i].Step, b, a)
			}
		}
	}
	for _, test := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--lens-states=" + at("cut")},
			"has the states of sides of at most 6 tokens, the training takes 24: make the states anew with `sentweave states` with the same --tokens"},
		{[]string{"--lens-states=" + at("states"), "--from=" + at("other")}, "has the states of another encoder than that of --from"},
		{[]string{"--lens-states=" + c.bitext}, "example v1"},
	} {
		call(t, training("refused", test.flags...)...).expect(t, 1, nil, []string{test.want})
		if _, err := os.Stat(at("refused" + train.Suffix)); err == nil {
			t.Errorf("%v: a training was begun", test.flags)
		}
	}
	survives(t, 160, func(out string) []string {
		return with(training("x", "--lens-states="+at("states")), "--steps=160", "--out="+out)
	})
}

func TestStatesKilled(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	call(t, c.untrained(at("encoder"), "--hidden=128", "--heads=4", "--layers=2")...).expect(t, 0, nil, nil)
	line := func(out string, flags ...string) []string {
		return with([]string{"states", "--out=" + at(out), "--model=" + at("encoder"), "--examples=" + c.bitext, "--threads=1"}, flags...)
	}
	call(t, line("refused", "--examples="+c.consecutive)...).expect(
		t, 1, nil, []string{"holds examples of the kind consecutive, lens takes "})
	call(t, line("whole")...).expect(t, 0, nil, nil)
	random := rand.New(rand.NewPCG(3, 4))
	var moments []moment
	for range 4 {
		moments = append(moments, after(time.Duration(random.Int64N(int64(400*time.Millisecond)))))
	}
	killed(t, moments, line("killed"))
	if diff := cmp.Diff(pipelinetest.Digests(t, at("whole")), pipelinetest.Digests(t, at("killed"))); diff != "" {
		t.Error(diff)
	}
}
