package ordered

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var errBroken = errors.New("broken")

// numbers yields the numbers below n, and an error in the place of one of them if that is not below 0.
func numbers(n, broken int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if i == broken {
				yield(0, fmt.Errorf("item %d: %w", i, errBroken))
				return
			}
			if !yield(i, nil) {
				return
			}
		}
	}
}

// collect returns the results before the first error.
func collect(results iter.Seq2[int, error]) (list []int, err error) {
	for r, err := range results {
		if err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

// slowly squares numbers, each in a time of its own, and fails for one of them.
func slowly(broken int) func(context.Context, int) (int, error) {
	return func(_ context.Context, i int) (int, error) {
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
		if i == broken {
			return 0, fmt.Errorf("work %d: %w", i, errBroken)
		}
		return i * i, nil
	}
}

// Results and the first error are those of a loop, however many workers there are, in one stage or several.
func TestMapIsALoop(t *testing.T) {
	tests := []struct {
		name                string
		items, item, worked int
		results             int
		err                 string
	}{
		{"nothing", 0, -1, -1, 0, ""},
		{"all", 50, -1, -1, 50, ""},
		{"a broken item", 50, 20, -1, 20, "item 20: broken"},
		{"broken work", 50, -1, 20, 20, "work 20: broken"},
		{"the first one counts", 50, 30, 7, 7, "work 7: broken"},
		{"the first item", 50, 0, 7, 0, "item 0: broken"},
	}
	for _, test := range tests {
		for _, workers := range []int{1, 2, 4, 16} {
			t.Run(fmt.Sprint(test.name, workers), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					squares := Map(t.Context(), workers, numbers(test.items, test.item), slowly(test.worked))
					list, err := collect(Map(t.Context(), 2, squares, slowly(-1)))
					if test.err == "" && err != nil || test.err != "" && (err == nil || err.Error() != test.err) {
						t.Errorf("error %v, want %q", err, test.err)
					}
					var want []int
					for i := range test.results {
						want = append(want, i*i*i*i)
					}
					if !slices.Equal(list, want) {
						t.Errorf("got %v", list)
					}
				})
			})
		}
	}
}

// A slow consumer stops the reading, so that memory is bounded; no more workers work than were asked for, and no fewer.
func TestMapIsBounded(t *testing.T) {
	for _, workers := range []int{1, 3, 16} {
		synctest.Test(t, func(t *testing.T) {
			var read, running, most atomic.Int64
			items := func(yield func(int, error) bool) {
				for i := range 100 {
					if read.Add(1); !yield(i, nil) {
						return
					}
				}
			}
			used := int64(0)
			for range Map(t.Context(), workers, items, func(context.Context, int) (int, error) {
				most.Store(max(most.Load(), running.Add(1)))
				defer running.Add(-1)
				time.Sleep(time.Second)
				return 0, nil
			}) {
				time.Sleep(time.Minute)
				if waiting := read.Load() - used; waiting > int64(workers)+3 {
					t.Fatalf("%d items are in memory", waiting)
				}
				used++
			}
			if used != 100 || most.Load() != int64(workers) {
				t.Errorf("%d results, %d workers at once", used, most.Load())
			}
		})
	}
}

// Whoever wants no more, or whose context ends, leaves no work under way and no goroutine.
func TestMapStops(t *testing.T) {
	stopped := errors.New("the user wants no more")
	before := runtime.NumGoroutine()
	synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
		ctx, cancel := context.WithCancelCause(t.Context())
		waiting := func(ctx context.Context, i int) (int, error) {
			if i >= 3 {
				<-ctx.Done()
			}
			return i, nil
		}
		for i := range Map(ctx, 4, Map(ctx, 2, numbers(100, -1), slowly(-1)), waiting) {
			if i == 1 {
				break
			}
		}
		time.AfterFunc(time.Second, func() { cancel(stopped) })
		if list, err := collect(Map(ctx, 4, numbers(100, -1), waiting)); !errors.Is(err, stopped) {
			t.Errorf("got %v, %v", list, err)
		}
	})
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
}
