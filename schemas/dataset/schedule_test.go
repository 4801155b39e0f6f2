package dataset

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/zeebo/xxh3"
)

// errKilled ends every operation of a launcher that was killed.
var errKilled = errors.New("killed")

// schedule says how two launchers take turns: the first of them runs, and at so many
// steps, counted over both, the other one goes on. At the last of these a launcher may
// be killed instead, and never goes on.
type schedule struct {
	first    int
	switches []int
	killed   bool
}

// String is the form in which SENTWEAVE_SCHEDULE takes it.
func (s schedule) String() string {
	text := strconv.Itoa(s.first)
	for _, at := range s.switches {
		text += "," + strconv.Itoa(at)
	}
	if s.killed {
		text += "k"
	}
	return text
}

func parseSchedule(t *testing.T, text string) (s schedule) {
	t.Helper()
	text, s.killed = strings.CutSuffix(text, "k")
	for i, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			s.first = n
		} else {
			s.switches = append(s.switches, n)
		}
	}
	return s
}

// race is a run of several launchers, of which one goes on at a time, from one operation
// on the storage to the next.
type race struct {
	mutex   sync.Mutex
	steps   int
	runners []*runner
	current int
	aborted bool
}

// runner is one launcher in a race.
type runner struct {
	race    *race
	pending []*operation
	done    bool
	killed  bool
	// history is the hash of all that it has done and learned: it goes on from there in
	// one way alone.
	history uint64
	err     error
}

type operation struct {
	name string
	turn chan struct{}
}

// before waits for the runner's turn.
func (r *runner) before(kind, name string) error {
	r.race.mutex.Lock()
	if r.killed || r.race.aborted {
		r.race.mutex.Unlock()
		return errKilled
	}
	o := &operation{kind + " " + name, make(chan struct{})}
	r.pending = append(r.pending, o)
	r.race.mutex.Unlock()
	<-o.turn
	r.race.mutex.Lock()
	defer r.race.mutex.Unlock()
	if r.killed || r.race.aborted {
		return errKilled
	}
	return nil
}

// after takes an outcome into the history.
func (r *runner) after(kind, name, outcome string) {
	r.history = xxh3.HashStringSeed(kind+" "+name+" "+outcome, r.history)
}

// state tells how far the race is: equal states go on equally. It counts who is next.
func (c *race) state(next int) uint64 {
	h := xxh3.New()
	for _, r := range c.runners {
		fmt.Fprintln(h, r.history, r.killed, !r.killed && r.done)
	}
	fmt.Fprint(h, next)
	return h.Sum64()
}

// decision says at a step who goes on, of those who are ready, and whether the one that
// went before is killed; a negative answer ends the race.
type decision = func(c *race, ready []int) (next int, kill bool)

// run lets the launchers race.
func (c *race) run(launch []func(r *runner) error, decide decision) {
	for range launch {
		c.runners = append(c.runners, &runner{race: c})
	}
	for i, f := range launch {
		go func() {
			err := f(c.runners[i])
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.runners[i].err, c.runners[i].done = err, true
		}()
	}
	for {
		synctest.Wait()
		c.mutex.Lock()
		var ready []int
		for i, r := range c.runners {
			if len(r.pending) > 0 {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			c.mutex.Unlock()
			return
		}
		next, kill := decide(c, ready)
		switch {
		case next < 0:
			c.aborted = true
			for _, i := range ready {
				c.runners[i].release(-1)
			}
		case kill:
			victim := c.runners[c.current]
			victim.killed = true
			victim.release(-1)
			c.current = next
		default:
			c.current = next
			c.steps++
			r := c.runners[next]
			// Of those that one launcher does at once, in an order of their own.
			i, o := 0, r.pending[0]
			for j, other := range r.pending {
				if other.name < o.name {
					i, o = j, other
				}
			}
			r.release(i)
		}
		c.mutex.Unlock()
	}
}

// release lets one pending operation go on, or all.
func (r *runner) release(i int) {
	if i < 0 {
		for _, o := range r.pending {
			close(o.turn)
		}
		r.pending = nil
		return
	}
	close(r.pending[i].turn)
	r.pending = slices.Delete(r.pending, i, i+1)
}

// follow decides by a schedule. Where it leads to is told to visit before each step.
func (s schedule) follow(visit func(c *race, ready []int, next, switched int) bool) decision {
	switched := 0
	return func(c *race, ready []int) (int, bool) {
		if c.steps == 0 && switched == 0 && slices.Contains(ready, s.first) {
			c.current = s.first
		}
		next, kill := c.current, false
		if switched < len(s.switches) && c.steps == s.switches[switched] {
			switched++
			if len(ready) > 1 {
				next = ready[(slices.Index(ready, c.current)+1)%len(ready)]
				kill = s.killed && switched == len(s.switches)
			}
		}
		if !slices.Contains(ready, next) {
			next = ready[0]
		}
		if kill {
			return next, true
		}
		if visit != nil && !visit(c, ready, next, switched) {
			return -1, false
		}
		return next, false
	}
}

// random decides by a seed: it changes over at one step in so many, and may kill.
func random(seed uint64, kills bool) decision {
	source := rand.New(rand.NewPCG(seed, 1))
	often := 2 + source.IntN(12)
	killAt := -1
	if kills {
		killAt = source.IntN(120)
	}
	return func(c *race, ready []int) (int, bool) {
		if !slices.Contains(ready, c.current) {
			c.current = ready[source.IntN(len(ready))]
		}
		if len(ready) == 1 {
			return ready[0], false
		}
		if c.steps == killAt {
			killAt = -1
			others := slices.DeleteFunc(slices.Clone(ready), func(i int) bool { return i == c.current })
			return others[source.IntN(len(others))], true
		}
		if source.IntN(often) == 0 {
			return ready[source.IntN(len(ready))], false
		}
		return c.current, false
	}
}

// explore runs all schedules of two launchers with so many switches at most, but those
// that differ from another one in nothing that anybody can tell: where both launchers
// have done and learned the same, and the same one is next, what follows is the same.
// Race runs one and checks it, unless it was ended. It returns how many ran whole, how
// many ended where another one had been, and how many states there were.
func explore(most int, kills bool, run func(s schedule, decide decision) bool) (whole, joined, states int) {
	deaths := []bool{false}
	if kills {
		deaths = append(deaths, true)
	}
	seen := map[uint64]int8{} // the most switches left with which a state was met
	var branch func(s schedule)
	branch = func(s schedule) {
		left := int8(most - len(s.switches))
		var children []schedule
		done := run(s, s.follow(func(c *race, ready []int, next, switched int) bool {
			if switched < len(s.switches) {
				return true // on the way there
			}
			state := c.state(next)
			if met, ok := seen[state]; ok && met >= left {
				return false
			}
			seen[state] = left
			if len(ready) > 1 && left > 0 && (len(s.switches) == 0 || c.steps > s.switches[len(s.switches)-1]) && !s.killed {
				child := schedule{s.first, append(slices.Clone(s.switches), c.steps), false}
				other := ready[(slices.Index(ready, next)+1)%len(ready)]
				for _, child.killed = range deaths {
					c.runners[next].killed = child.killed
					if met, ok := seen[c.state(other)]; !ok || met < left-1 {
						children = append(children, child)
					}
					c.runners[next].killed = false
				}
			}
			return true
		}))
		if done {
			whole++
		} else {
			joined++
		}
		for _, child := range children {
			branch(child)
		}
	}
	for first := range 2 {
		branch(schedule{first: first})
	}
	return whole, joined, len(seen)
}
