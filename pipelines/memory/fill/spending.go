package fill

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/transforms/engines"
)

// Names in dataset.SpentFolder, which holds what each run of the job may have sent: one
// record a process. They are records of runs, as run.json is, and differ between runs of
// equal output.
const (
	spendingEnd  = ".run.json"
	spendingLock = "_run/journal/spent.lock" // which goes when the dataset is complete
)

// Spent is what was sent, and what it costs in US dollars at the engines' prices.
type Spent struct {
	Characters int64   `json:"characters"`
	Dollars    float64 `json:"dollars"`
}

func (s Spent) plus(characters int64, price float64) Spent {
	return Spent{Characters: s.Characters + characters, Dollars: s.Dollars + engines.Cost(characters, price)}
}

// within says whether it keeps to a bound; the rounding of sums is let pass.
func (s Spent) within(b budget) bool {
	return (b.characters == 0 || s.Characters <= b.characters) && (b.dollars == 0 || s.Dollars <= b.dollars*(1+1e-9))
}

// spending is what a job sends, in all its runs. What a process may send is on
// record before it is sent, so that a process that is killed has not spent more than
// its record says. The process takes what it may send in steps, so that few requests wait for
// the disk, and in the end the record has what was sent.
type spending struct {
	folder storage.Folder
	name   string // of the record of this process
	bound  budget
	ctx    context.Context // of reads and writes

	mutex          sync.Mutex
	sent, recorded Spent
}

func newSpending(ctx context.Context, folder storage.Folder, bound budget) *spending {
	return &spending{folder: folder, name: dataset.SpentFolder + rand.Text() + spendingEnd, bound: bound, ctx: context.WithoutCancel(ctx)}
}

// at is the budget of an engine with a price per million characters.
func (s *spending) at(price float64) engines.Budget { return account{s, price} }

type account struct {
	spending *spending
	price    float64
}

// step is what is taken on record beyond a request, which a killed process may have
// recorded and not sent: a hundredth of the budget, or a page.
func (s *spending) step(price float64) int64 {
	switch {
	case s.bound.characters > 0:
		return s.bound.characters / 100
	case s.bound.dollars > 0 && price > 0:
		return int64(s.bound.dollars / 100 / price * 1e6)
	}
	return 2_000
}

// lockWait bounds how long another process may keep the records locked.
const lockWait = time.Minute

// Reserve implements engines.Budget.
func (a account) Reserve(characters int64) error {
	s := a.spending
	s.mutex.Lock()
	defer s.mutex.Unlock()
	next := s.sent.plus(characters, a.price)
	if next.Characters <= s.recorded.Characters && next.Dollars <= s.recorded.Dollars {
		s.sent = next
		return nil
	}
	if local, ok := s.folder.(*storage.Local); ok { // in a bucket two runs at once may both take the last step
		ctx, cancel := context.WithTimeout(s.ctx, lockWait)
		defer cancel()
		unlock, err := local.Lock(ctx, spendingLock)
		if err != nil {
			return fmt.Errorf("record what is spent: %w", err)
		}
		defer unlock()
	}
	external, err := readSpent(s.ctx, s.folder, s.name)
	if err != nil {
		return err
	}
	total := func(spent Spent) Spent {
		return Spent{Characters: external.Characters + spent.Characters, Dollars: external.Dollars + spent.Dollars}
	}
	if !total(next).within(s.bound) {
		return overBudget(s.bound, total(s.sent), characters, a.price)
	}
	recorded := next.plus(s.step(a.price), a.price)
	if !total(recorded).within(s.bound) {
		recorded = next
	}
	if err := s.write(recorded); err != nil {
		return err
	}
	s.sent, s.recorded = next, recorded
	return nil
}

func overBudget(b budget, spent Spent, characters int64, price float64) error {
	const way = "raise the budget and run again, what was answered is kept"
	if b.characters > 0 && spent.Characters+characters > b.characters {
		return fmt.Errorf("%w: %d of %d characters, and the next request has %d; %s", engines.ErrBudget, spent.Characters, b.characters,
			characters, way)
	}
	return fmt.Errorf("%w: %.4g of %.4g dollars, and the next request costs %.2g; %s", engines.ErrBudget, spent.Dollars, b.dollars,
		engines.Cost(characters, price), way)
}

// Refund implements engines.Budget.
func (a account) Refund(characters int64) {
	s := a.spending
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.sent = s.sent.plus(-characters, a.price)
}

// settle records what was sent, when nothing is under way.
func (s *spending) settle() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.recorded == s.sent {
		return nil
	}
	var err error
	if s.sent.Characters == 0 {
		err = s.folder.Remove(s.ctx, s.name)
	} else {
		err = s.write(s.sent)
	}
	if err == nil {
		s.recorded = s.sent
	}
	return err
}

func (s *spending) write(spent Spent) error {
	data, err := json.Marshal(spent)
	if err == nil {
		err = storage.WriteFile(s.ctx, s.folder, s.name, data, storage.Replace)
	}
	if err != nil {
		return fmt.Errorf("record what is spent: %w", err)
	}
	return nil
}

// ReadSpent returns what all runs of the job that makes a dataset have sent to engines
// that cost money, or under a budget.
func ReadSpent(ctx context.Context, folder storage.Folder) (Spent, error) {
	return readSpent(ctx, folder, "")
}

func readSpent(ctx context.Context, folder storage.Folder, except string) (Spent, error) {
	var sum Spent
	for info, err := range folder.List(ctx, dataset.SpentFolder) {
		if err == nil && (info.Name == except || !strings.HasSuffix(info.Name, spendingEnd)) {
			continue
		}
		var data []byte
		if err == nil {
			data, err = storage.ReadFile(ctx, folder, info.Name, 1<<10)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var spent Spent
		if err == nil {
			err = jsonfile.Unmarshal(data, &spent)
		}
		if err != nil {
			return sum, fmt.Errorf("read what was spent: %w", err)
		}
		sum.Characters, sum.Dollars = sum.Characters+spent.Characters, sum.Dollars+spent.Dollars
	}
	return sum, nil
}
