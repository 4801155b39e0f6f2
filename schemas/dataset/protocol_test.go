package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// arena is the storage of a race.
type arena interface {
	// view is the folder as a launcher sees it; nil sees it without waiting for turns.
	view(r *runner) storage.Folder
}

// private says whether nobody but launchers of one plan touches a file.
func private(name string) bool { return strings.HasPrefix(name, layout.PlanFolder) }

type bucketArena struct{ *storagetest.Bucket }

func (a bucketArena) view(r *runner) storage.Folder {
	if r == nil {
		return a.View(nil, nil)
	}
	return a.View(func(operation, name string) error {
		if private(name) {
			return nil
		}
		return r.before(operation, name)
	}, func(operation, name, outcome string) {
		if !private(name) {
			r.after(operation, name, outcome)
		}
	})
}

type diskArena struct{ *storagetest.Disk }

func (a diskArena) view(r *runner) storage.Folder {
	const root = "/out"
	if r == nil {
		return storage.NewLocalOn(a.View(nil, nil, 0), root)
	}
	unseen := func(operation, path string) bool {
		name := strings.TrimPrefix(path, root+"/")
		switch {
		case private(name), strings.HasPrefix(name, "_run/tmp"), operation == "mkdir", operation == "sync", operation == "lock",
			!strings.Contains(path[1:], "/"):
			return true
		case operation == "stat" || operation == "open":
			return !strings.Contains(name, ".") // a folder, on the way to a file
		}
		return false
	}
	number := uint64(1)
	for i, other := range r.race.runners {
		if other == r {
			number = uint64(i+1) << 32
		}
	}
	return storage.NewLocalOn(a.View(func(operation, path string) error {
		if unseen(operation, path) {
			return nil
		}
		return r.before(operation, path)
	}, func(operation, path, found string) {
		if !unseen(operation, path) {
			r.after(operation, path, found)
		}
	}, number), root)
}

// contest is a race with its rules.
type contest struct {
	name  string
	arena func() arena
	// jobs are those of the launchers; overwrite tells which of them overwrite.
	jobs      []*job
	overwrite []bool
}

// reader looks as a reader does: whoever sees a manifest finds its shards whole.
type reader struct {
	manifests map[uint64]*Manifest
}

func (d *reader) look(ctx context.Context, folder storage.Folder) error {
	data, err := storage.ReadFile(ctx, folder, ManifestName, maxManifest)
	if err != nil {
		return nil // none
	}
	hash := xxh3.Hash(data)
	m := d.manifests[hash]
	if m == nil {
		m = new(Manifest)
		if err := sealed.Unseal(data, m); err != nil {
			return err
		}
		d.manifests[hash] = m
	}
	plan, err := storage.ReadFile(ctx, folder, layout.PlanName, maxPlan)
	if err != nil || !bytes.Contains(plan, []byte(m.Plan.Hash)) {
		return nil // Load does not take it
	}
	for _, f := range m.files() {
		data, err := storage.ReadFile(ctx, folder, f.Name, 1<<20)
		if err != nil {
			return fmt.Errorf("the manifest lists %s: %w", f.Name, err)
		}
		if got := HashString(xxh3.Hash(data)); got != f.XXH3 {
			return fmt.Errorf("the manifest lists %s with hash %s, there it has %s", f.Name, f.XXH3, got)
		}
	}
	return nil
}

// hold holds a contest once; whole is false if it was ended on its way. An error tells what
// went wrong.
func (c contest) hold(t *testing.T, decide decision) (whole bool, err error) {
	synctest.Test(t, func(t *testing.T) {
		ctx, arena := t.Context(), c.arena()
		turns := &race{}
		var launch []func(r *runner) error
		for i, j := range c.jobs {
			launch = append(launch, func(r *runner) error { return j.launch(ctx, arena.view(r), c.overwrite[i]) })
		}
		watcher := reader{manifests: map[uint64]*Manifest{}}
		quiet := arena.view(nil)
		turns.run(launch, func(r *race, ready []int) (int, bool) {
			if lookErr := watcher.look(ctx, quiet); lookErr != nil {
				err = fmt.Errorf("before step %d: %w", r.steps, lookErr)
				return -1, false
			}
			return decide(r, ready)
		})
		if err != nil || turns.aborted {
			return
		}
		whole = true
		err = c.check(ctx, turns, quiet)
	})
	return whole, err
}

// check looks what the launchers have left, after another run of the last one if one was
// killed.
func (c contest) check(ctx context.Context, turns *race, folder storage.Folder) error {
	killed := false
	for _, r := range turns.runners {
		killed = killed || r.killed
	}
	last := len(c.jobs) - 1
	if killed {
		for i, r := range turns.runners {
			if !r.killed && r.err != nil && !errors.Is(r.err, ErrOtherPlan) {
				return fmt.Errorf("launcher %d, which was not killed: %w", i, r.err)
			}
		}
		if err := c.jobs[last].launch(ctx, folder, c.overwrite[last]); err != nil {
			return fmt.Errorf("again: %w", err)
		}
	}
	plan, err := LoadPlan(ctx, folder)
	if err != nil {
		return err
	}
	won := killed
	var want map[string]string
	for i, r := range turns.runners {
		if c.jobs[i].plan.Hash == plan.Hash {
			want = c.jobs[i].want
			won = won || r.err == nil
			if r.err != nil && !killed {
				return fmt.Errorf("launcher %d, whose plan is there: %w", i, r.err)
			}
		} else if r.err != nil && !r.killed && !errors.Is(r.err, ErrOtherPlan) {
			return fmt.Errorf("launcher %d: %w", i, r.err)
		}
	}
	if !won {
		return errors.New("nobody has made the dataset")
	}
	if got := left(ctx, folder); !maps.Equal(want, got) {
		diff := cmp.Diff(slim(want), slim(got))
		return fmt.Errorf("the dataset is another one:\n%s", diff)
	}
	return nil
}

// slim shortens contents for messages.
func slim(files map[string]string) map[string]string {
	short := maps.Clone(files)
	for name, content := range short {
		if !json.Valid([]byte(content)) {
			short[name] = fmt.Sprintf("%d bytes %s", len(content), HashString(xxh3.HashString(content)))
		}
	}
	return short
}

// contests are the races of the tests below.
func contests(t *testing.T) []contest {
	zstd := rowfile.Codec
	rowfile.Codec = &parquet.Uncompressed // the encoders of the other may not leave the race that made them
	t.Cleanup(func() { rowfile.Codec = zstd })
	collect := debug.SetGCPercent(800) // a race leaves much, and holds little
	t.Cleanup(func() { debug.SetGCPercent(collect) })
	p := newJob(t, 1, [3]int{3, 5, 0}, -1, true)
	q := newJob(t, 2, [3]int{3, 0, 7}, -1, false) // of which the first shard has the same bytes
	s := newJob(t, 3, [3]int{0, 4, 6}, 0, false)
	var list []contest
	for _, a := range []struct {
		name string
		open func() arena
	}{
		{"bucket", func() arena { return bucketArena{storagetest.NewBucket()} }},
		{"disk", func() arena { return diskArena{storagetest.NewDisk()} }},
	} {
		add := func(name string, over []bool, jobs ...*job) {
			list = append(list, contest{a.name + "/" + name, a.open, jobs, over})
		}
		add("same plan", []bool{false, false}, s, s)
		add("overwritten", []bool{false, true}, p, q)
		add("both overwrite", []bool{true, true}, s, p)
	}
	return list
}

// fail tells how to hold a contest again.
func (c contest) fail(t *testing.T, how string, err error) {
	t.Helper()
	t.Errorf("%s, %s: %v\nto hold it again: SENTWEAVE_RACE='%s' SENTWEAVE_SCHEDULE=%s go test ./schemas/dataset -run TestOneSchedule",
		c.name, how, err, c.name, how)
}

// All schedules of two launchers with three units in which at most once one of them is
// held up in favour of the other, at any operation on the storage, or killed at the last
// of these. SENTWEAVE_SWITCHES says how often instead: one more makes 20 to 35 times as many.
func TestAllSchedules(t *testing.T) {
	for _, c := range contests(t) {
		most := 1
		if text := os.Getenv("SENTWEAVE_SWITCHES"); text != "" {
			var err error
			if most, err = strconv.Atoi(text); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			whole, joined, states := explore(most, true, func(s schedule, decide decision) bool {
				if t.Failed() {
					return false
				}
				whole, err := c.hold(t, decide)
				if err != nil {
					c.fail(t, s.String(), err)
				}
				return whole
			})
			t.Logf("%d schedules with at most %d switches and kills; %d more came into a state in which one of these was, of %d", whole,
				most, joined, states)
		})
	}
}

// Launchers take turns at random, and some are killed. SENTWEAVE_SEEDS says how often.
func TestRandomSchedules(t *testing.T) {
	races := 5_000
	if testing.Short() {
		races = 500
	}
	if text := os.Getenv("SENTWEAVE_SEEDS"); text != "" {
		var err error
		if races, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	list := contests(t)
	var held, failed atomic.Int64
	t.Run("workers", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for seed := worker; seed < races && failed.Load() < 5; seed += runtime.GOMAXPROCS(0) {
					c := list[seed%len(list)]
					if _, err := c.hold(t, random(uint64(seed), seed/len(list)%2 == 1)); err != nil {
						failed.Add(1)
						c.fail(t, fmt.Sprint("seed", seed), err)
					}
					held.Add(1)
				}
			})
		}
	})
	t.Logf("%d schedules", held.Load())
}

// One schedule that SENTWEAVE_SCHEDULE names, of the race that SENTWEAVE_RACE does: the
// numbers that TestAllSchedules tells, or the seed of TestRandomSchedules.
func TestOneSchedule(t *testing.T) {
	text := os.Getenv("SENTWEAVE_SCHEDULE")
	if text == "" {
		t.Skip("skipped: SENTWEAVE_SCHEDULE names no schedule")
	}
	list := contests(t)
	for _, c := range list {
		if c.name != os.Getenv("SENTWEAVE_RACE") {
			continue
		}
		decide := parseSchedule(t, "0").follow(nil)
		if seed, ok := strings.CutPrefix(text, "seed"); ok {
			n, err := strconv.Atoi(seed)
			if err != nil {
				t.Fatal(err)
			}
			decide = random(uint64(n), n/len(list)%2 == 1)
		} else {
			decide = parseSchedule(t, text).follow(nil)
		}
		_, err := c.hold(t, func(r *race, ready []int) (int, bool) {
			next, kill := decide(r, ready)
			for i, other := range r.runners {
				for _, o := range other.pending {
					mark := " "
					if i == next && !kill {
						mark = ">"
					}
					t.Logf("%4d %s launcher %d: %s", r.steps, mark, i, o.name)
				}
			}
			if kill {
				t.Logf("%4d   launcher %d is killed", r.steps, r.current)
			}
			return next, kill
		})
		if err != nil {
			t.Error(err)
		}
	}
}
