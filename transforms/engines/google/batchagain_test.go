package google

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sentweave/schemas/storage"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// Several launchers of the same have one batch, and what one was told but could not
// keep the next is told.
func TestBatchOfMany(t *testing.T) {
	s := &batches{calls: 8}
	_, open := s.serve(t)
	var group sync.WaitGroup
	for range 3 {
		e := open(nil)
		group.Go(func() {
			answers, err := e.Translate(t.Context(), enginetest.Pair, awkward)
			if diff := cmp.Diff(want(awkward), answers); diff != "" || err != nil {
				t.Errorf("%s, error %v", diff, err)
			}
		})
	}
	group.Wait()
	answers, err := open(nil).Translate(t.Context(), enginetest.Pair, awkward)
	check(t, awkward, answers, err)
	if starts, _ := s.count(); starts != 1 {
		t.Errorf("%d starts", starts)
	}
}

// remove deletes the files of a name.
func remove(t *testing.T, location, name string) {
	t.Helper()
	for object := range objects(t, location) {
		if folder, err := storage.Locate(location); filepath.Base(object) == name &&
			(err != nil || folder.Remove(t.Context(), object) != nil) {
			t.Fatal("cannot remove", object)
		}
	}
}

// A batch whose launcher is gone goes on, and is found by the next: nothing is
// started twice.
func TestBatchFoundAgain(t *testing.T) {
	for _, tt := range []struct {
		name string
		// between is what happens before the next launcher comes.
		between        func(t *testing.T, s *batches, folder string)
		starts, turned int
	}{
		{"under way", func(*testing.T, *batches, string) {}, 1, 0},
		{"done", func(_ *testing.T, s *batches, _ string) { s.finish() }, 1, 0},
		{"done and forgotten", func(_ *testing.T, s *batches, _ string) { s.finish(); s.operations = nil }, 1, 0},
		{"under way, its name lost", func(t *testing.T, s *batches, folder string) { remove(t, folder, markFile) }, 1, -1},
		{"done, its name lost", func(t *testing.T, s *batches, folder string) { s.finish(); remove(t, folder, markFile) }, 1, 0},
		{"failed, its name lost", func(t *testing.T, s *batches, folder string) {
			s.fail = func([]string) error { return status.Error(codes.Internal, "reason") }
			s.finish()
			s.fail = nil
			remove(t, folder, markFile)
		}, 2, 0},
		{"done, half deleted", func(t *testing.T, s *batches, folder string) {
			s.finish()
			remove(t, folder, markFile)
			remove(t, folder, "index.csv")
		}, 2, -1},
		{"done, its index deleted", func(t *testing.T, s *batches, folder string) { s.finish(); remove(t, folder, "index.csv") }, 2, 0},
		{"forgotten, nothing done", func(_ *testing.T, s *batches, _ string) { s.operations = nil }, 2, 0},
	} {
		for way, s := range map[string]*batches{"at once": {}, "late": {late: true}, "misleading": {misleading: true}} {
			t.Run(fmt.Sprint(tt.name, ", told ", way), func(t *testing.T) {
				s.calls = 1000
				folder, open := s.serve(t)
				ctx, kill := context.WithCancel(t.Context())
				s.polled = kill
				if _, err := open(nil).Translate(ctx, enginetest.Pair, awkward); !errors.Is(err, context.Canceled) {
					t.Fatalf("error %v", err)
				}
				s.mutex.Lock()
				s.polled, s.calls = nil, 3
				for _, o := range s.operations {
					o.left = 20
				}
				s.mutex.Unlock()
				tt.between(t, s, folder)
				answers, err := open(nil).Translate(t.Context(), enginetest.Pair, awkward)
				check(t, awkward, answers, err)
				if starts, turned := s.count(); starts != tt.starts || (turned > 0) != (tt.turned != 0) || s.cancels != 0 {
					t.Errorf("%d starts, %d turned away, %d cancelled", starts, turned, s.cancels)
				}
			})
		}
	}
}

// What a run that was killed has paid for is collected without a budget; nothing is
// started without one.
func TestBatchIsPaidOnce(t *testing.T) {
	characters := int64(0)
	for _, text := range awkward {
		characters += int64(engines.Characters(text))
	}
	for _, tt := range []struct {
		name    string
		between func(t *testing.T, s *batches, folder string)
		paid    bool
	}{
		{"under way", func(*testing.T, *batches, string) {}, true},
		{"done", func(_ *testing.T, s *batches, _ string) { s.finish() }, true},
		{"done and forgotten", func(_ *testing.T, s *batches, _ string) { s.finish(); s.operations = nil }, true},
		{"done, its name lost", func(t *testing.T, s *batches, folder string) { s.finish(); remove(t, folder, markFile) }, true},
		{"forgotten, nothing done", func(_ *testing.T, s *batches, _ string) { s.operations = nil }, false},
		{"done, its index deleted", func(t *testing.T, s *batches, folder string) { s.finish(); remove(t, folder, "index.csv") }, false},
		{"failed", func(_ *testing.T, s *batches, _ string) {
			s.fail = func([]string) error { return status.Error(codes.Internal, "reason") }
			s.finish()
			s.fail = nil
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &batches{calls: 1000}
			folder, open := s.serve(t)
			ledger := &enginetest.Ledger{Characters: characters}
			translate := func(ctx context.Context) ([]engines.Answer, error) {
				config := enginetest.Quick()
				config.Timeout, config.Budget = time.Minute, ledger
				c, err := engines.NewCaller(open(nil), config)
				if err != nil {
					t.Fatal(err)
				}
				return c.Translate(ctx, enginetest.Pair, awkward)
			}
			ctx, kill := context.WithCancel(t.Context())
			s.polled = kill
			if _, err := translate(ctx); !errors.Is(err, context.Canceled) {
				t.Fatalf("error %v", err)
			}
			s.mutex.Lock()
			s.polled, s.calls = nil, 3
			for _, o := range s.operations {
				o.left = 5
			}
			s.mutex.Unlock()
			tt.between(t, s, folder)
			answers, err := translate(t.Context())
			if tt.paid {
				check(t, awkward, answers, err)
			} else if !errors.Is(err, engines.ErrBudget) {
				t.Errorf("error %v, want one of the budget", err)
			}
			spent, _ := ledger.Spent()
			if starts, _ := s.count(); starts != 1 || spent != characters {
				t.Errorf("%d starts, %d characters spent", starts, spent)
			}
		})
	}
}

// finish ends all operations.
func (s *batches) finish() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, o := range s.operations {
		if !o.Done {
			s.work(context.Background(), o)
		}
	}
}

// The answer to a start is lost: the batch is the same when it is asked for again.
func TestBatchStartLost(t *testing.T) {
	s := &batches{calls: 5, lose: true}
	_, open := s.serve(t)
	e := open(nil)
	if _, err := e.Translate(t.Context(), enginetest.Pair, awkward); engines.KindOf(err) != engines.Unavailable {
		t.Fatalf("error %v", err)
	}
	answers, err := e.Translate(t.Context(), enginetest.Pair, awkward)
	check(t, awkward, answers, err)
	if starts, turned := s.count(); starts != 1 || turned == 0 {
		t.Errorf("%d starts, %d turned away", starts, turned)
	}
}

// Files in the way are removed, but not those of an operation that may be ours.
func TestBatchOutputNotEmpty(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := &batches{calls: 2, late: late}
		folder, open := s.serve(t)
		s.refuse = func([]string) error { // once: somebody is faster
			s.refuse = nil
			name := strings.Split(strings.TrimSuffix(folder, "/"), "/")
			for object := range objects(t, folder) {
				at, err := storage.Locate(storage.Join(folder, filepath.Dir(object), "output"))
				if err != nil || storage.WriteFile(t.Context(), at, "rubbish.tsv", []byte(strings.Join(name, "")), storage.Replace) != nil {
					t.Error("cannot write", object, err)
				}
			}
			return nil
		}
		answers, err := open(nil).Translate(t.Context(), enginetest.Pair, awkward)
		check(t, awkward, answers, err)
		if starts, turned := s.count(); starts != 1 || turned != 1 {
			t.Errorf("%d starts, %d turned away", starts, turned)
		}
	}
}

// A service that cannot be satisfied is not asked for ever.
func TestBatchOutputNeverEmpty(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := &batches{late: late, always: true}
		_, open := s.serve(t)
		_, err := open(nil).Translate(t.Context(), enginetest.Pair, awkward)
		if err == nil || engines.KindOf(err) != engines.Fatal || !strings.Contains(err.Error(), "must be an empty bucket") {
			t.Errorf("error %v", err)
		}
	}
}
