package dataset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// stopAt is a view of a disk that works for so many operations; -1 is all of them.
func stopAt(d *storagetest.Disk, n int) (folder storage.Folder, steps func() int) {
	var taken atomic.Int64 // Verify reads shards side by side
	return storage.NewLocalOn(d.View(func(operation, path string) error {
		if at := taken.Add(1); n >= 0 && at > int64(n) {
			return fmt.Errorf("%s %s: %w", operation, path, storagetest.ErrCrash)
		}
		return nil
	}, nil, 0), "/made/later/out"), func() int { return int(taken.Load()) }
}

// powerCut is a run that the power cuts, of what is there before.
type powerCut struct {
	before, run *job
}

// start returns a disk with what is there before the run.
func (c powerCut) start(ctx context.Context) (*storagetest.Disk, error) {
	d := storagetest.NewDisk()
	if c.before == nil {
		return d, nil
	}
	folder, _ := stopAt(d, -1)
	return d, c.before.launch(ctx, folder, false)
}

// again runs once more and checks what is there then, and what is there when the power
// fails right after.
func (c powerCut) again(ctx context.Context, d *storagetest.Disk) error {
	folder, _ := stopAt(d, -1)
	if m, err := Load(ctx, folder); err == nil && m.Plan.Hash == c.run.plan.Hash {
		if _, err := Verify(ctx, folder); err != nil && !onlyLeft(err) {
			return fmt.Errorf("it claims to be complete, but: %w", err)
		}
	}
	if err := c.run.launch(ctx, folder, true); err != nil {
		return fmt.Errorf("again: %w", err)
	}
	return c.whole(ctx, d)
}

// whole checks what is there, and what is there when the power fails just now.
func (c powerCut) whole(ctx context.Context, d *storagetest.Disk) error {
	folder, _ := stopAt(d, -1)
	for _, when := range []string{"after another run", "after that and another cut"} {
		if got := left(ctx, folder); !maps.Equal(c.run.want, got) {
			return fmt.Errorf("%s it is another dataset:\n%s", when, cmp.Diff(slim(c.run.want), slim(got)))
		}
		if _, err := Verify(ctx, folder); err != nil {
			return fmt.Errorf("%s: %w", when, err)
		}
		folder, _ = stopAt(d.Cut(nil), -1)
	}
	return nil
}

// onlyLeft says whether Verify has found nothing but files too many.
func onlyLeft(err error) bool {
	for {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				if !errors.Is(e, ErrLeftover) {
					return false
				}
			}
			return true
		}
		if err = errors.Unwrap(err); err == nil {
			return false
		}
	}
}

func powerCuts(t *testing.T) map[string]powerCut {
	p := newJob(t, 1, [3]int{3, 5, 0}, -1, true)
	q := newJob(t, 2, [3]int{3, 0, 7}, -1, false)
	s := newJob(t, 3, [3]int{0, 4, 6}, 0, true)
	return map[string]powerCut{"rows": {nil, p}, "spills": {nil, s}, "overwrite": {p, q}, "overwrite spills": {q, s},
		"nothing to do": {p, p}}
}

// The power fails at operations of a run, someSteps apart. What was not synced is lost, or some of it
// at random: names without their files' bytes, later changes without earlier ones. Then
// the same command gives the bytes of a run that nothing has stopped.
func TestPowerCuts(t *testing.T) {
	ctx := t.Context()
	lucky := 1
	if testing.Short() {
		lucky = 0
	}
	for name, c := range powerCuts(t) {
		t.Run(name, func(t *testing.T) {
			cuts := 0
			for n := 0; ; n += someSteps() {
				d, err := c.start(ctx)
				if err != nil {
					t.Fatal(err)
				}
				folder, steps := stopAt(d, n)
				err = c.run.launch(ctx, folder, true)
				if err != nil && !errors.Is(err, storagetest.ErrCrash) {
					t.Fatalf("operation %d: %v", n, err)
				}
				for seed := range lucky + 1 {
					var keep func() bool
					if seed > 0 {
						source := rand.New(rand.NewPCG(uint64(seed), uint64(n)))
						keep = func() bool { return source.IntN(2) == 0 }
					}
					if err := c.again(ctx, d.Cut(keep)); err != nil {
						t.Fatalf("the power fails at operation %d, seed %d: %v", n, seed, err)
					}
					cuts++
				}
				if steps() <= n {
					t.Logf("%d cuts at %d operations", cuts, n)
					return
				}
			}
		})
	}
}

// A run is killed at operations someSteps apart, and what the one that goes on from there says is
// complete outlasts a power cut: what the first one has made, and did not come to sync, is
// not taken for durable. Then the second one is cut off from power, too.
func TestPowerCutAfterKill(t *testing.T) {
	ctx := t.Context()
	rounds := 100
	if testing.Short() {
		rounds = 30
	}
	for name, c := range powerCuts(t) {
		t.Run(name, func(t *testing.T) {
			whole, err := c.start(ctx)
			if err != nil {
				t.Fatal(err)
			}
			folder, steps := stopAt(whole, -1)
			if err := c.run.launch(ctx, folder, true); err != nil {
				t.Fatal(err)
			}
			for n := 0; n <= steps(); n += someSteps() {
				d, err := c.start(ctx)
				if err != nil {
					t.Fatal(err)
				}
				for _, stop := range []int{n, -1} {
					folder, _ := stopAt(d, stop)
					if err := c.run.launch(ctx, folder, true); err != nil && !errors.Is(err, storagetest.ErrCrash) {
						t.Fatalf("killed at operation %d: %v", n, err)
					}
				}
				if err := c.whole(ctx, d); err != nil {
					t.Fatalf("killed at operation %d: %v", n, err)
				}
			}
			for seed := range rounds {
				source := rand.New(rand.NewPCG(uint64(seed), 7))
				d, err := c.start(ctx)
				if err != nil {
					t.Fatal(err)
				}
				killed, cut := source.IntN(steps()+1), source.IntN(steps()+1)
				for _, n := range []int{killed, cut} {
					folder, _ := stopAt(d, n)
					if err := c.run.launch(ctx, folder, true); err != nil && !errors.Is(err, storagetest.ErrCrash) {
						t.Fatalf("seed %d: killed at operation %d, cut at %d: %v", seed, killed, cut, err)
					}
				}
				keep := func() bool { return source.IntN(3) == 0 }
				if seed%2 == 0 {
					keep = nil
				}
				if err := c.again(ctx, d.Cut(keep)); err != nil {
					t.Fatalf("seed %d: killed at operation %d, the power fails at %d: %v", seed, killed, cut, err)
				}
			}
		})
	}
}
