package torchverbs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/stages/objective"
)

// What a size stands for, beside flags that are given, for every preset.
func TestSize(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--vocabulary v --preset br --bitext b", "12×768 512 0.1; br 100000 lamb 0.001/0 bitext 512 0; checkpoint 1000, bias false"},
		{"--vocabulary v --preset br --bitext b --size base",
			"12×768 512 0.1; br 100000 lamb 0.001/0 bitext 512 0; checkpoint 1000, bias false"},
		{"--vocabulary v --preset br --bitext b --size tiny",
			"2×128 128 0; br 2000 adamw 0.003/30 bitext 64 48; checkpoint 100, bias true"},
		{"--vocabulary v --examples e --bitext b --size tiny",
			"2×128 128 0; cmlm 150 adamw 0.002/0 cmlm 16 48; cmlm+br 500 adamw 0.003/30 cmlm 16 48 bitext 64 48; checkpoint 100, bias true"},
		{"--vocabulary v --preset cmlm --examples e --size small",
			"4×256 256 0.1; cmlm 2000 adamw 0.001/200 cmlm 64 96; checkpoint 250, bias true"},
		{"--preset cmlm-then-br --examples e --bitext b --from f --size small",
			"4×256 256 0.1; cmlm 2000 adamw 0.001/200 cmlm 64 96; br 5000 adamw 0.001/300 bitext 128 96; checkpoint 250, bias false"},
		{"--vocabulary v --preset br --bitext b --size tiny --layers 0 --steps 10 --bitext-batch 8 --optimizer lamb --checkpoint-every 5",
			"0×128 128 0; br 10 lamb 0.003/10 bitext 8 48; checkpoint 5, bias true"},
		{"--steps 10 --rate .1 --size=tiny --vocabulary v --examples e --bitext b",
			"2×128 128 0; cmlm 10 adamw 0.1/0 cmlm 16 48; cmlm+br 10 adamw 0.1/10 cmlm 16 48 bitext 64 48; checkpoint 100, bias true"},
	} {
		flags := trainFlags(t, strings.Fields(test.args)...)
		c, err := flags.config()
		if err != nil {
			t.Fatal(err)
		}
		a := flags.architecture
		got := fmt.Sprintf("%d×%d %d %v", a.Layers, a.Hidden, a.Positions, a.Dropout)
		for _, p := range c.Periods {
			got += fmt.Sprintf("; %s %d %s %v/%d", p.Name, p.Steps, p.Optimizer.Name, p.Rate, p.Warmup)
			for _, m := range p.Mixture {
				got += fmt.Sprintf(" %s %d %d", m.Objective, m.BatchSize, m.MaxTokens)
			}
		}
		got += fmt.Sprintf("; checkpoint %d, bias %t", c.CheckpointEvery, c.Objectives["cmlm"].(*objective.CMLM).LogUnigramBias)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.args, diff)
		}
	}
	// A training by a file has its own schedule; the encoder may be of a size.
	flags := trainFlags(t, "--vocabulary=v", "--size=tiny", "--config="+file(t, "run.yaml", ran), "--examples=e", "--bitext=b")
	if c, err := flags.config(); err != nil || c.Periods[0].Steps != 150 || c.Periods[1].Mixture[1].BatchSize != 4 ||
		c.Periods[0].Warmup != 0 || flags.Layers != 2 {
		t.Errorf("%+v, %v", c.Periods, err)
	}
}
