package dataset

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/rowtest"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// The disk is full for one step, at each step in turn. Either the run is not
// touched by it, or it says what is wrong and what to do; the same command again
// gives the bytes of a run on an empty disk.
func TestDiskFull(t *testing.T) {
	ctx := t.Context()
	p, units := testPlan(t, 3)
	root := t.TempDir()
	counting, steps := storagetest.FailAt(root, -1, nil)
	if _, err := runAll(ctx, counting, p, units); err != nil {
		t.Fatal(err)
	}
	want := snapshot(t, root)
	for n := range steps() {
		root := t.TempDir()
		full, _ := storagetest.FailAt(root, n, syscall.ENOSPC)
		_, err := runAll(ctx, full, p, units)
		switch {
		case err == nil: // nothing was lost, and nothing is missing
			if _, err := Verify(ctx, full); err != nil {
				t.Errorf("full at step %d without an error, but: %v", n, err)
			}
		case !errors.Is(err, syscall.ENOSPC):
			t.Errorf("full at step %d: %v", n, err)
		case strings.Count(err.Error(), "make room and run the same command again") > 1:
			t.Errorf("full at step %d says it twice: %v", n, err)
		case !strings.Contains(err.Error(), "make room") && !strings.Contains(err.Error(), "remove "):
			t.Errorf("full at step %d gives no way out: %v", n, err)
		}
		if _, err := runAll(ctx, full, p, units); err != nil {
			t.Fatalf("full at step %d, then run again: %v", n, err)
		}
		if diff := cmp.Diff(want, snapshot(t, root)); diff != "" {
			t.Errorf("full at step %d, then run again, gives other files:\n%s", n, diff)
		}
	}
}

// What a user can do depends on what the disk refuses.
func TestWayOut(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.ENOSPC: "make room and run the same command again",
		syscall.EDQUOT: "make room and run the same command again",
		syscall.EFBIG:  "raise the limit of a file's size (`ulimit -f`) and run",
		syscall.EIO:    "",
	} {
		folder, _ := storagetest.FailAt(t.TempDir(), 0, errno)
		p, units := testPlan(t, 1)
		_, err := runAll(t.Context(), folder, p, units)
		if !errors.Is(err, errno) || !strings.Contains(err.Error(), want) || want == "" && strings.Contains(err.Error(), "again") {
			t.Errorf("%v: %v", errno, err)
		}
	}
}

// A caller that passes over the error of a write cannot commit what is left.
func TestFailedWriteCannotBeCommitted(t *testing.T) {
	ctx := t.Context()
	p, units := testPlan(t, 3)
	row := schemas.WordCount{Word: "a", Language: "eng", Count: 1}
	t.Run("create", func(t *testing.T) {
		root := t.TempDir()
		if _, err := p.Create(ctx, storage.NewLocal(root), units); err != nil {
			t.Fatal(err)
		}
		full, _ := storagetest.FailAt(root, 0, syscall.ENOSPC)
		a, err := Begin[schemas.WordCount](full, p, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Write(ctx, row); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("write: %v", err)
		}
		if err := a.Write(ctx, row); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("second write: %v", err)
		}
		checkNotCommitted(t, p, full, a.Commit(ctx), syscall.ENOSPC)
	})
	t.Run("invalid row", func(t *testing.T) {
		folder := storage.NewLocal(t.TempDir())
		a, err := Begin[schemas.WordCount](folder, p, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Write(ctx, schemas.WordCount{Word: "\xff", Language: "eng", Count: 1}); err == nil ||
			!strings.Contains(err.Error(), "row 0 is not a valid wordcount v1: word is not UTF-8") {
			t.Errorf("write: %v", err)
		}
		checkNotCommitted(t, p, folder, a.Commit(ctx), nil)
	})
	t.Run("spill", func(t *testing.T) {
		full, _ := storagetest.FailAt(t.TempDir(), 1, syscall.ENOSPC)
		a, err := BeginSpill(ctx, full, p, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := a.Write([]byte("1234")); n != 2 || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("write: %d, %v", n, err)
		}
		if _, err := a.Write([]byte("5678")); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("second write: %v", err)
		}
		checkNotCommitted(t, p, full, a.Commit(ctx), syscall.ENOSPC)
	})
	t.Run("aborted", func(t *testing.T) {
		folder := storage.NewLocal(t.TempDir())
		a, err := Begin[schemas.WordCount](folder, p, 1) // no rows: nothing else would stop it
		if err != nil {
			t.Fatal(err)
		}
		a.Abort()
		checkNotCommitted(t, p, folder, a.Commit(ctx), errSpent)
	})
	t.Run("committed", func(t *testing.T) {
		folder := storage.NewLocal(t.TempDir())
		if _, err := p.Create(ctx, folder, units); err != nil {
			t.Fatal(err)
		}
		a, err := Begin[schemas.WordCount](folder, p, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		if err := a.Write(ctx, row); !errors.Is(err, errSpent) {
			t.Errorf("write after commit: %v", err)
		}
		if err := a.Commit(ctx); !errors.Is(err, errSpent) {
			t.Errorf("commit after commit: %v", err)
		}
	})
	t.Run("reject that cannot be written", func(t *testing.T) {
		folder := storage.NewLocal(t.TempDir())
		a, err := Begin[schemas.WordCount](folder, p, 1)
		if err != nil {
			t.Fatal(err)
		}
		a.Rejects().Add(schemas.Reject{ID: "x", Step: "s", Reason: "r"})
		err = a.Commit(ctx)
		checkNotCommitted(t, p, folder, err, nil)
		if !strings.Contains(err.Error(), `the reject "x" of step s is not valid: language is empty`) {
			t.Errorf("got %v", err)
		}
	})
}

// checkNotCommitted checks the error of the commit of unit 1, and that the folder shows nothing of that unit.
func checkNotCommitted(t *testing.T, p *Plan, folder storage.Folder, err, want error) {
	t.Helper()
	if err == nil || want != nil && !errors.Is(err, want) {
		t.Errorf("commit: %v, want %v", err, want)
	}
	if committed, err := p.Committed(context.Background(), folder, 1); committed || err != nil {
		t.Errorf("committed: %t, %v", committed, err)
	}
	for info, err := range folder.List(context.Background(), "data/") {
		t.Errorf("published: %v, %v", info, err)
	}
}

func TestBeginRefusesMisuse(t *testing.T) {
	ctx := t.Context()
	folder := storage.NewLocal(t.TempDir())
	p, _ := testPlan(t, 3)
	tests := []struct {
		name   string
		unit   int
		chains []Chain
		want   string
	}{
		{"unit below", -1, nil, "begin unit -1: the plan"},
		{"unit above", 3, nil, "has 3 units"},
		{"two chains of a name", 0, []Chain{NewChain("a", "x"), NewChain("a", "x")}, `items "a"`},
		{"chain without a name", 0, []Chain{NewChain("", "x")}, "a chain of the funnel has no name"},
		{"two steps of a name", 0, []Chain{NewChain("a", "x", "y", "x")}, `two steps of the chain of a have the name "x"`},
		{"step without a name", 0, []Chain{NewChain("a", "")}, "a step of the chain of a has no name"},
	}
	for _, test := range tests {
		if _, err := Begin[schemas.WordCount](folder, p, test.unit, test.chains...); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
		if _, err := BeginSpill(ctx, folder, p, test.unit, test.chains...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, spilling: %v", test.name, err)
		}
	}
	if _, err := Begin[schemas.Pair](folder, p, 0); err == nil ||
		!strings.Contains(err.Error(), "rows are pair v1, the plan's are wordcount v1") {
		t.Errorf("other rows: %v", err)
	}
}

// Attempts of one unit may share their chains: each counts by itself.
func TestAttemptsDoNotShareCounts(t *testing.T) {
	folder := storage.NewLocal(t.TempDir())
	p, _ := testPlan(t, 2)
	chains := []Chain{NewChain("wordcounts", "read")}
	a, err := Begin[schemas.WordCount](folder, p, 0, chains...)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Begin[schemas.WordCount](folder, p, 1, chains...)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Funnel().Keep("wordcounts", "eng", 5); err != nil {
		t.Fatal(err)
	}
	if got := b.Funnel().Out("wordcounts"); len(got) != 0 {
		t.Errorf("the other attempt counts %v", got)
	}
	if got := chains[0].Steps[0].Languages; len(got) != 0 {
		t.Errorf("the chain that was handed over counts %v", got)
	}
}

// A row may be changed after Write: the slices of the next one may be its own.
func TestWriteKeepsNothing(t *testing.T) {
	want, _ := shardOf(t, rowtest.List(rowtest.Example, 0, 200))
	var got []byte
	{
		var b strings.Builder
		w := rowfile.NewWriter[schemas.Example](&b)
		var tokens []int32
		for i := range 200 {
			row := rowtest.Example(i)
			tokens = append(tokens[:0], row.TokensA...)
			row.TokensA = tokens
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
			for j := range tokens {
				tokens[j] = -7
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got = []byte(b.String())
	}
	if string(got) != string(want) {
		t.Error("the shard holds what was changed after Write")
	}
}

// Many attempts of all units run at once, some abort in the middle, and all the
// while finalizers run and clean up: one result, the same as of a quiet run.
func TestConcurrentAttempts(t *testing.T) {
	for _, spills := range []bool{false, true} {
		t.Run(fmt.Sprint("spills ", spills), func(t *testing.T) {
			ctx := t.Context()
			p, units := testPlan(t, 6)
			run := func(ctx context.Context, folder storage.Folder, p *Plan, unit int) error {
				if spills && unit < 3 {
					return spillUnit(ctx, folder, p, unit)
				}
				return runUnitAlways(ctx, folder, p, unit)
			}
			quiet := t.TempDir()
			folder := storage.NewLocal(quiet)
			if _, err := p.Create(ctx, folder, units); err != nil {
				t.Fatal(err)
			}
			for unit := range p.Units {
				if err := run(ctx, folder, p, unit); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := p.Finalize(ctx, folder); err != nil {
				t.Fatal(err)
			}
			want := snapshot(t, quiet)

			for round := range 5 {
				root := t.TempDir()
				folder := storage.NewLocal(root)
				if _, err := p.Create(ctx, folder, units); err != nil {
					t.Fatal(err)
				}
				var group sync.WaitGroup
				for unit := range p.Units {
					for attempt := range 4 {
						group.Go(func() {
							if attempt == 1 {
								if err := abortUnit(ctx, folder, p, unit); err != nil {
									t.Errorf("round %d, unit %d: abort: %v", round, unit, err)
								}
								return
							}
							if err := run(ctx, folder, p, unit); err != nil {
								t.Errorf("round %d, unit %d, attempt %d: %v", round, unit, attempt, err)
							}
						})
					}
				}
				for range 3 {
					group.Go(func() {
						for range 1000 {
							if _, err := p.Finalize(ctx, folder); err == nil {
								return
							} else if !errors.Is(err, ErrIncomplete) {
								t.Errorf("round %d: finalize: %v", round, err)
								return
							}
						}
					})
				}
				group.Wait()
				if _, err := p.Finalize(ctx, folder); err != nil {
					t.Fatal(err)
				}
				if _, err := Verify(ctx, folder); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, snapshot(t, root)); diff != "" {
					t.Fatalf("round %d gives other files:\n%s", round, diff)
				}
			}
		})
	}
}

// runUnitAlways is runUnit without a look at the receipt.
func runUnitAlways(ctx context.Context, folder storage.Folder, p *Plan, unit int) error {
	a, err := Begin[schemas.WordCount](folder, p, unit, NewChain("wordcounts", "read", "length"))
	if err != nil {
		return err
	}
	defer a.Abort()
	for i := range unit * 100 {
		if err := a.Write(ctx, schemas.WordCount{Word: fmt.Sprint("w", i), Language: "eng", Count: int64(unit)}); err != nil {
			return err
		}
	}
	if err := a.Funnel().Keep("wordcounts", "eng", int64(unit*100)); err != nil {
		return err
	}
	a.Rejects().Add(schemas.Reject{ID: fmt.Sprint("r", unit), Step: "length", Reason: "too_long", Language: "deu"})
	return a.Commit(ctx)
}

func spillUnit(ctx context.Context, folder storage.Folder, p *Plan, unit int) error {
	a, err := BeginSpill(ctx, folder, p, unit, NewChain("wordcounts", "read", "length"))
	if err != nil {
		return err
	}
	defer a.Abort()
	if _, err := fmt.Fprintf(a, "keys of unit %d", unit); err != nil {
		return err
	}
	return a.Commit(ctx)
}

func abortUnit(ctx context.Context, folder storage.Folder, p *Plan, unit int) error {
	a, err := Begin[schemas.WordCount](folder, p, unit, NewChain("wordcounts", "read", "length"))
	if err != nil {
		return err
	}
	if err := a.Write(ctx, schemas.WordCount{Word: "other", Language: "eng", Count: 1}); err != nil {
		return err
	}
	a.Abort()
	a.Abort()
	return nil
}
