package enginetest

import (
	"fmt"
	"sync"

	"sentweave/transforms/engines"
)

// Ledger is a budget of characters, and one of money at a price per million. Zero of
// either is no bound.
type Ledger struct {
	Characters   int64
	Money, Price float64

	mutex sync.Mutex
	spent int64
}

// Spent returns the characters that were sent, and what they cost.
func (l *Ledger) Spent() (characters int64, money float64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.spent, engines.Cost(l.spent, l.Price)
}

// Reserve implements engines.Budget.
func (l *Ledger) Reserve(characters int64) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	next := l.spent + characters
	if l.Characters > 0 && next > l.Characters || l.Money > 0 && engines.Cost(next, l.Price) > l.Money {
		return fmt.Errorf("%w: %d characters", engines.ErrBudget, l.spent)
	}
	l.spent = next
	return nil
}

// Refund implements engines.Budget.
func (l *Ledger) Refund(characters int64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.spent -= characters
}
