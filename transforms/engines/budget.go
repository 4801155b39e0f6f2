package engines

import (
	"fmt"
	"sync"
)

// Budget bounds what is spent. It may be asked by many goroutines at once.
type Budget interface {
	// Reserve takes the characters of a request that is about to be sent. An error
	// ends the work before it; it should wrap ErrBudget.
	Reserve(characters int64) error
	// Refund gives back those of a request that was not billed.
	Refund(characters int64)
}

// Ledger is a Budget of characters and money. It counts what may have been billed:
// a request whose answer was lost counts, one that was refused does not.
type Ledger struct {
	characters int64
	money      float64
	price      float64

	mutex sync.Mutex
	spent int64
}

// NewLedger returns a budget of that many characters, and that much money in US
// dollars at a price per million characters. Zero of either is no bound. Spent is
// what earlier runs have used of it.
func NewLedger(characters int64, money, price float64, spent int64) (*Ledger, error) {
	if characters < 0 || money < 0 || price < 0 || spent < 0 {
		return nil, fmt.Errorf("budget of %d characters and %v dollars at %v a million, %d spent: want no negative numbers", characters, money, price, spent)
	}
	return &Ledger{characters: characters, money: money, price: price, spent: spent}, nil
}

// Cost returns what characters cost at a price per million.
func Cost(characters int64, price float64) float64 { return float64(characters) * price / 1e6 }

// Spent returns the characters that were sent, and what they cost in US dollars.
func (l *Ledger) Spent() (characters int64, money float64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.spent, Cost(l.spent, l.price)
}

// Reserve implements Budget.
func (l *Ledger) Reserve(characters int64) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	next := l.spent + characters
	if l.characters > 0 && next > l.characters {
		return fmt.Errorf("%w: %d of %d characters, and the next request has %d; raise the budget and run again, what was answered is kept", ErrBudget, l.spent, l.characters, characters)
	}
	if l.money > 0 && Cost(next, l.price) > l.money {
		return fmt.Errorf("%w: %.2f of %.2f dollars, and the next request costs %.4f; raise the budget and run again, what was answered is kept", ErrBudget, Cost(l.spent, l.price), l.money, Cost(characters, l.price))
	}
	l.spent = next
	return nil
}

// Refund implements Budget.
func (l *Ledger) Refund(characters int64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.spent -= characters
}
