//go:build libtorch

package torchverbs

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
)

// What training by CMLM leaves makes views: the same ones whatever the units, and
// after kills.
func TestReplace(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	encoder := filepath.Join(base, "encoder")
	call(t, c.cmlm(encoder)...).expect(t, 0, nil, nil)
	line := func(name string, flags ...string) []string {
		return with([]string{"replace", "--out=" + filepath.Join(base, name), "--model=" + encoder, "--texts=" + c.documents, "--threads=1",
			"--language=all", "--min-tokens=3"}, flags...)
	}
	call(t, line("whole")...).expect(t, 0, []string{filepath.Join(base, "whole") + ": ", " views", " in 1 shard"}, nil)
	call(t, line("whole")...).expect(t, 0, nil, []string{"is complete, nothing to do"})
	call(t, line("whole", "--share=0.5")...).expect(t, 1, nil, []string{"another plan", "share"})
	call(t, line("split", "--shard-bytes=1")...).expect(t, 0, []string{" in 2 shards"}, nil)
	whole := pipelinetest.Rows[schemas.Pair](t, filepath.Join(base, "whole"))
	if diff := cmp.Diff(whole, pipelinetest.Rows[schemas.Pair](t, filepath.Join(base, "split"))); diff != "" || len(whole) < 100 {
		t.Errorf("%d views; in other units they are others: %s", len(whole), diff)
	}
	for _, p := range whole {
		if p.Kind != schemas.KindView || p.TextA == p.TextB || p.LanguageA != p.LanguageB {
			t.Fatalf("%+v", p)
		}
	}
	call(t, line("drawn", "--top=5", "--seed=7")...).expect(t, 0, []string{" views"}, nil)
	call(t, line("deu", "--language=fra")...).expect(t, 0, nil, nil)

	untrained := filepath.Join(base, "untrained")
	call(t, c.untrained(untrained)...).expect(t, 0, nil, nil)
	call(t, line("x", "--model="+untrained)...).expect(t, 1, nil, []string{untrained + " has no head of a masked language model"})
	call(t, line("x", "--share=2", "--top=0")...).expect(t, 2, nil, []string{"share is 2", "top is 0"})
}

func TestReplaceKilled(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	encoder := filepath.Join(base, "encoder")
	call(t, c.cmlm(encoder, "--hidden=64", "--layers=2", "--steps=1", "--warmup=0")...).expect(t, 0, nil, nil)
	texts, _ := pipelinetest.Documents{Shards: 12, PerShard: 20, Sentences: 8}.Write(t)
	line := func(name string) []string {
		return []string{"replace", "--out=" + filepath.Join(base, name), "--model=" + encoder, "--texts=" + texts, "--threads=1",
			"--shard-bytes=1", "--language=all"}
	}
	call(t, line("whole")...).expect(t, 0, []string{"in 12 shards"}, nil)
	units := func() int {
		entries, err := os.ReadDir(filepath.Join(base, "killed", "_run", "units"))
		if err != nil {
			return 0
		}
		return len(entries)
	}
	random := rand.New(rand.NewPCG(3, 4))
	var moments []moment
	for i := range 3 {
		moments = append(moments, when(units, 3*i+1, time.Duration(random.IntN(10))*time.Millisecond))
	}
	if kills := killed(t, moments, line("killed")); kills < 2 {
		t.Errorf("only %d of 3 kills came while it worked", kills)
	}
	call(t, line("killed")...).expect(t, 0, []string{"in 12 shards"}, nil)
	if diff := cmp.Diff(pipelinetest.Digests(t, filepath.Join(base, "whole")),
		pipelinetest.Digests(t, filepath.Join(base, "killed"))); diff != "" {
		t.Error(diff)
	}
}
