package engines

import (
	"fmt"
	"maps"
	"slices"
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

// Ledger bounds characters and money over all engines. It counts what may have been
// billed: a request whose answer was lost counts, one that was refused does not.
type Ledger struct {
	characters int64
	money      float64

	mutex sync.Mutex
	spent map[float64]int64 // characters by price: sums of money would round
}

// NewLedger returns a ledger for that many characters, and that much money in US
// dollars. Zero of either is no bound.
func NewLedger(characters int64, money float64) (*Ledger, error) {
	if characters < 0 || money < 0 {
		return nil, fmt.Errorf("budget of %d characters and %v dollars: want no negative numbers", characters, money)
	}
	return &Ledger{characters: characters, money: money, spent: map[float64]int64{}}, nil
}

// Cost returns what characters cost at a price per million.
func Cost(characters int64, price float64) float64 { return float64(characters) * price / 1e6 }

// Spent returns the characters that were sent, and what they cost in US dollars.
func (l *Ledger) Spent() (characters int64, money float64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.sums()
}

func (l *Ledger) sums() (characters int64, money float64) {
	for _, price := range slices.Sorted(maps.Keys(l.spent)) {
		characters, money = characters+l.spent[price], money+Cost(l.spent[price], price)
	}
	return characters, money
}

// Count adds what earlier runs have spent, at a price per million characters.
func (l *Ledger) Count(characters int64, price float64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.spent[price] += characters
}

// At returns the ledger as the budget of an engine with a price per million
// characters.
func (l *Ledger) At(price float64) Budget { return account{l, price} }

// account is a ledger at a price.
type account struct {
	ledger *Ledger
	price  float64
}

// Reserve implements Budget.
func (a account) Reserve(characters int64) error {
	l := a.ledger
	l.mutex.Lock()
	defer l.mutex.Unlock()
	before, paid := l.sums()
	l.spent[a.price] += characters
	spent, cost := l.sums()
	var err error
	switch {
	case l.characters > 0 && spent > l.characters:
		err = fmt.Errorf("%w: %d of %d characters, and the next request has %d; raise the budget and run again, what was answered is kept", ErrBudget, before, l.characters, characters)
	case l.money > 0 && cost > l.money:
		err = fmt.Errorf("%w: %.2f of %.2f dollars, and the next request costs %.4f; raise the budget and run again, what was answered is kept", ErrBudget, paid, l.money, Cost(characters, a.price))
	default:
		return nil
	}
	l.spent[a.price] -= characters
	return err
}

// Refund implements Budget.
func (a account) Refund(characters int64) { a.ledger.Count(-characters, a.price) }
