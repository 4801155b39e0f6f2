package units

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

var chains = []dataset.Chain{dataset.NewChain("refs", "gather")}

// spread is a task whose units each hand one ref to every gathering unit.
type spread struct {
	// To is the number of gathering units, whose ordinals count from 0.
	To int

	mu   sync.Mutex
	done map[int]int // how often Do was called for a unit
	fail func(unit int) error
	wait func(ctx context.Context)
}

func (s *spread) Setup(context.Context) error { return nil }

func (s *spread) Do(ctx context.Context, env Env, unit dataset.Unit, refs []Ref) error {
	if len(refs) > 0 {
		return errors.New("refs in the first phase")
	}
	s.mu.Lock()
	if s.done == nil {
		s.done = map[int]int{}
	}
	s.done[unit.Ordinal]++
	s.mu.Unlock()
	if s.fail != nil {
		if err := s.fail(unit.Ordinal); err != nil {
			return err
		}
	}
	if s.wait != nil {
		s.wait(ctx)
	}
	attempt, err := dataset.BeginSpill(ctx, env.Folder, env.Plan, unit.Ordinal, chains...)
	if err != nil {
		return err
	}
	defer attempt.Abort()
	if _, err := fmt.Fprintln(attempt, unit.Ordinal); err != nil {
		return err
	}
	return attempt.Commit(ctx)
}

func (s *spread) Routes(_ context.Context, _ Env, unit int) ([]Route, error) {
	routes := make([]Route, s.To)
	for i := range routes {
		routes[i] = Route{To: int64(i), Ref: Ref{Unit: int64(unit), Offset: int64(i), Length: 1, Records: 1, Block: 1}}
	}
	return routes, nil
}

// gather is a task whose units write a row for every ref that they are given.
type gather struct{}

func (gather) Setup(context.Context) error { return nil }

func (gather) Do(ctx context.Context, env Env, unit dataset.Unit, refs []Ref) error {
	attempt, err := dataset.Begin[schemas.WordCount](env.Folder, env.Plan, unit.Ordinal, chains...)
	if err != nil {
		return err
	}
	defer attempt.Abort()
	for _, r := range refs {
		row := schemas.WordCount{Word: fmt.Sprint("of ", r.Unit, " at ", r.Offset), Language: "eng", Count: 1}
		if err := errors.Join(attempt.Write(ctx, row), attempt.Funnel().Keep("refs", "eng", 1)); err != nil {
			return err
		}
	}
	return attempt.Commit(ctx)
}

func init() {
	Register[*spread]()
	Register[gather]()
}

// newJob plans units that gather, then units that spread, into a new folder.
func newJob(t *testing.T, gathering, spreading int, task *spread) (*Job, Env) {
	t.Helper()
	task.To = gathering
	return newJobOf(t, NewPhase("spread", Range{First: gathering, Count: spreading}, task),
		NewPhase("gather", Range{First: 0, Count: gathering}, gather{}))
}

// newJobOf plans the units of phases, of which the last one owns the first units.
func newJobOf(t *testing.T, phases ...Phase) (*Job, Env) {
	t.Helper()
	count := 0
	for _, p := range phases {
		count += p.Count
	}
	list := make([]dataset.Unit, count)
	for i := range list {
		list[i].Ordinal = i
	}
	plan, err := dataset.Draft{
		Pipeline: "test", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Config: struct{}{}, ShardBytes: 1, Units: list,
	}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(t.TempDir(), "out")
	folder := storage.NewLocal(output)
	if _, err := plan.Create(t.Context(), folder, list); err != nil {
		t.Fatal(err)
	}
	return &Job{Output: output, Plan: plan, Units: list, Phases: phases}, Env{Folder: folder, Plan: plan}
}

// wordsOf returns the words of a dataset in the order of its rows.
func wordsOf(t *testing.T, env Env) (list []string) {
	t.Helper()
	m, err := dataset.LoadAs[schemas.WordCount](t.Context(), env.Folder)
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range dataset.Rows[schemas.WordCount](t.Context(), env.Folder, m) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row.Word)
	}
	return list
}
