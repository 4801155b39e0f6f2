package endpoint

import (
	"fmt"
	"sync"

	"sentweave/transforms/engines"
)

// Budget is what the requests of a run may cost together, in dollars, and counts what they take. Many goroutines may use it at once.
type Budget struct {
	mutex        sync.Mutex
	limit, spent float64
	tokens       int64
}

// NewBudget returns a budget of so many dollars; 0 is no bound.
func NewBudget(dollars float64) *Budget { return &Budget{limit: dollars} }

// Spent are the tokens of all answers, as the services count them, and what was spent, with the most that requests can have cost
// of whose answers nothing is known.
func (b *Budget) Spent() (tokens int64, dollars float64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.tokens, b.spent
}

// String is Spent in words, "" where nothing was sent.
func (b *Budget) String() string {
	switch tokens, dollars := b.Spent(); {
	case tokens == 0 && dollars == 0:
		return ""
	case dollars == 0:
		return fmt.Sprintf("endpoints: %d tokens", tokens)
	default:
		return fmt.Sprintf("endpoints: %d tokens, $%.6f", tokens, dollars)
	}
}

// meter is the budget as an endpoint of a price uses it.
type meter struct {
	budget *Budget
	price  float64
}

// Reserve implements engines.Budget.
func (m *meter) Reserve(tokens int64) error {
	b, cost := m.budget, engines.Cost(tokens, m.price)
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.limit > 0 && b.spent+cost > b.limit {
		return fmt.Errorf("%w: $%.6f of $%.6f, and the next request may cost $%.6f, a token a byte: give a greater budget or fewer texts a request; the vectors so far are kept",
			engines.ErrBudget, b.spent, b.limit, cost)
	}
	b.spent += cost
	return nil
}

// settle takes the tokens that a service has counted in the place of those that were reserved.
func (m *meter) settle(reserved, used int64) {
	m.Refund(reserved - used)
	m.budget.mutex.Lock()
	defer m.budget.mutex.Unlock()
	m.budget.tokens += used
}

// Refund implements engines.Budget.
func (m *meter) Refund(tokens int64) {
	m.budget.mutex.Lock()
	defer m.budget.mutex.Unlock()
	m.budget.spent -= engines.Cost(tokens, m.price)
}
