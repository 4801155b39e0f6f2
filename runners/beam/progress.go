package beam

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"sentweave/pipelines/units"
	"sentweave/schemas/storage"
)

// watcher reports how far a job is. Doing holds what the runner is at, a string.
type watcher struct {
	job     *units.Job
	folder  storage.Folder
	started time.Time
	doing   *atomic.Value
	observe func(Progress)
}

// watch counts receipts until stop is called, and reports what progress becomes. It lists
// less often where a listing takes long.
func (w watcher) watch(ctx context.Context, progress Progress) (stop func()) {
	if w.observe == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	w.observe(progress)
	wg.Go(func() {
		shortest := 500 * time.Millisecond
		if storage.IsRemote(w.job.Output) { // a listing costs money
			shortest = 3 * time.Second
		}
		pause := shortest
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			begin := time.Now()
			if err := progress.count(ctx, w.job, w.folder); err != nil {
				continue // the work itself will report what is wrong
			}
			pause = max(shortest, 10*time.Since(begin))
			progress.State, _ = w.doing.Load().(string)
			progress.Elapsed = time.Since(w.started)
			if w.job.Working != nil {
				progress.Working = w.job.Working()
			}
			w.observe(progress)
		}
	})
	return func() { cancel(); wg.Wait() }
}

// count counts the units that are done and what this process does of others.
func (p *Progress) count(ctx context.Context, job *units.Job, folder storage.Folder) error {
	slow := job.Slow
	if slow.Count == 0 {
		slow = units.Range{Count: job.Plan.Units}
	}
	partial, read := job.Within(slow) // before the receipts: no unit counts twice for long
	committed, slowCommitted, err := job.Plan.CountReceiptsOf(ctx, folder, slow.First, slow.Count)
	if err != nil {
		return err
	}
	share := 1.0
	if slow.Count > 0 {
		share = min(1, (float64(slowCommitted)+partial)/float64(slow.Count))
	}
	p.Done, p.Read, p.Share = committed, read, max(p.Share, share)
	return nil
}

// revision is the version control revision that the program was built from.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
