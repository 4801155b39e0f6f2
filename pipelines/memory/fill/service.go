package fill

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/transforms/engines"
)

// service is the engines of a job in this process: rate, slots and budget are those
// of all its units.
type service struct {
	pairs   []pairEngine
	callers []*engines.Caller // by pair; one for each engine
	opened  map[string]engines.Engine
	// answered counts the texts that the engines have answered in this process.
	answered *atomic.Int64
	// trials are those of the pairs whose answers are checked.
	trials *trials
	// busy is held for reading by the calls of callers.
	busy sync.RWMutex
}

// translate is that of a caller. When the budget is spent it waits for what others
// have sent: the end of one unit ends the others.
func (s *service) translate(ctx context.Context, caller *engines.Caller, pair engines.Pair, texts []string) ([]engines.Answer, error) {
	s.busy.RLock()
	answers, err := caller.Translate(ctx, pair, texts)
	s.busy.RUnlock()
	if errors.Is(err, engines.ErrBudget) {
		s.idle()
	}
	return answers, err
}

// idle returns when no request is under way.
func (s *service) idle() {
	s.busy.Lock()
	defer s.busy.Unlock()
}

// identities opens the engines of the pairs, and returns who translates each. A pair
// that its engine does not support is an error.
func (e Engines) identities(ctx context.Context, pairs []engines.Pair, estimate bool) ([]pairEngine, error) {
	s, err := e.start(ctx, pairs, nil, estimate)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.pairs, nil
}

// start opens the engines of the pairs. All faults of pairs are told at once.
func (e Engines) start(ctx context.Context, pairs []engines.Pair, money *spending, estimate bool) (*service, error) {
	s := &service{pairs: make([]pairEngine, len(pairs)), callers: make([]*engines.Caller, len(pairs)), opened: map[string]engines.Engine{}}
	callers := map[string]*engines.Caller{}
	bound, err := parseBudget(e.Budget)
	if err != nil {
		return nil, err
	}
	var errs fault.List
	for i, p := range pairs {
		s.pairs[i].Pair = p
		name, err := e.of(p.Target)
		if err != nil {
			errs.Add(err)
			continue
		}
		engine := s.opened[name]
		if engine == nil {
			if engine, err = e.open(ctx, name, estimate); err != nil {
				s.close()
				return nil, fmt.Errorf("engine %s: %w", name, err)
			}
			config := e.caller(name)
			if money != nil && (engine.Price() > 0 || money.bound != (budget{})) {
				config.Budget = money.at(engine.Price())
			}
			s.opened[name] = engine
			if callers[name], err = engines.NewCaller(engine, config); err != nil {
				s.close()
				return nil, fmt.Errorf("engine %s: %w", name, err)
			}
		}
		s.callers[i] = callers[name]
		if bound.dollars > 0 && e.Settings.Named(name).Describe().Unpriced {
			errs.Addf("budget %s: engine %s has no price, so that money does not bound it: give --%s-price, or a budget in characters",
				e.Budget, name, name)
			break
		}
		if err := engine.Supports(p); err != nil {
			errs.Addf("engine %s, %s: %w", name, p, err)
			continue
		}
		if s.pairs[i].Identity, err = engine.Identity(p); err != nil {
			errs.Addf("engine %s: %w", name, err)
		}
	}
	if err := errs.Err(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func pairsOf(list []pairEngine) []engines.Pair {
	pairs := make([]engines.Pair, len(list))
	for i, p := range list {
		pairs[i] = p.Pair
	}
	return pairs
}

// price returns what a million characters of a pair cost.
func (s *service) price(pair int) float64 { return s.opened[s.pairs[pair].Identity.Engine].Price() }

func (s *service) close() {
	for _, engine := range s.opened {
		engine.Close()
	}
}

// running are the services of this process, by job: a runner may make several
// instances of a task, whose units share one.
var (
	runningMutex sync.Mutex
	running      = map[string]*use{}
)

// use counts the units that use a service. What was spent outlives them, and what the
// engines have shown.
type use struct {
	mutex    sync.Mutex
	service  *service
	money    *spending
	trials   *trials
	units    int
	answered atomic.Int64
}

// useOf returns the use of a job's engines in this process.
func useOf(output string, plan *dataset.Plan, e Engines) *use {
	job := output + " " + plan.Hash + " " + e.Budget
	runningMutex.Lock()
	defer runningMutex.Unlock()
	u := running[job]
	if u == nil {
		u = &use{}
		running[job] = u
	}
	return u
}

// working says what the engines have done for a job in this process, and what keeps
// them.
func working(output string, plan *dataset.Plan, e Engines) string {
	u := useOf(output, plan, e)
	var parts []string
	if n := u.answered.Load(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d texts answered", n))
	}
	if u.mutex.TryLock() { // whoever starts the engines may wait for them
		defer u.mutex.Unlock()
		if u.service != nil {
			for _, caller := range u.service.callers {
				if trouble := caller.Trouble(); trouble != "" && !slices.Contains(parts, trouble) {
					parts = append(parts, trouble)
				}
			}
		}
	}
	return strings.Join(parts, ", ")
}

// acquire returns the service of the job, which is started if no unit of this process
// uses it, and closed when the last one releases it.
func (t *translateTask) acquire(ctx context.Context, env units.Env) (*service, func(), error) {
	u := useOf(t.Output, env.Plan, t.Engines)
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.service == nil {
		if err := u.start(ctx, t, env); err != nil {
			return nil, nil, err
		}
	}
	u.units++
	return u.service, func() {
		u.mutex.Lock()
		defer u.mutex.Unlock()
		if u.units--; u.units == 0 {
			u.service.close()
			u.service = nil
			if u.trials.verdict() != nil {
				u.trials = nil // the engine may be another when the work is begun again
			}
			_ = u.money.settle() // otherwise the record has more than was sent
		}
	}, nil
}

func (u *use) start(ctx context.Context, t *translateTask, env units.Env) error {
	if u.money == nil {
		bound, err := parseBudget(t.Engines.Budget)
		if err != nil {
			return err
		}
		u.money = newSpending(ctx, env.Folder, bound)
	}
	planned := slices.Concat(t.Pairs, t.Back)
	s, err := t.Engines.start(ctx, pairsOf(planned), u.money, false)
	if err != nil {
		return err
	}
	for i, p := range s.pairs {
		if p != planned[i] {
			s.close()
			return fmt.Errorf("engine of %s is %+v here, and %+v where the job was planned: have the same one everywhere", p.Pair,
				p.Identity, planned[i].Identity)
		}
	}
	s.answered = &u.answered
	if u.trials == nil {
		var onTrial []pairEngine
		if t.Trial {
			onTrial = t.Pairs
		}
		u.trials = newTrials(onTrial)
	}
	s.trials = u.trials
	u.service = s
	return nil
}

// Wait waits for the requests that are under way in this process: a runner that is
// interrupted does not, and they were paid for.
func Wait() {
	runningMutex.Lock()
	uses := slices.Collect(maps.Values(running))
	runningMutex.Unlock()
	for _, u := range uses {
		u.mutex.Lock()
		s := u.service
		u.mutex.Unlock()
		if s != nil {
			s.idle()
		}
		u.mutex.Lock()
		if u.money != nil {
			_ = u.money.settle() // otherwise the record has more than was sent
		}
		u.mutex.Unlock()
	}
}
