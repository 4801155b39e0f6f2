package endpoint

import (
	"fmt"
	"sync"

	"sentweave/transforms/engines"
)

// Budget is what the requests of a run may cost together, in dollars. Many goroutines may use it at once.
type Budget struct {
	mutex        sync.Mutex
	limit, spent float64
}

// NewBudget returns a budget of so many dollars.
func NewBudget(dollars float64) *Budget { return &Budget{limit: dollars} }

// Spent is what was spent, with the most that requests under way can cost.
func (b *Budget) Spent() float64 {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.spent
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
	if b.spent+cost > b.limit {
		return fmt.Errorf("%w: $%.6f of $%.6f, and the next request may cost $%.6f: give a greater budget; the vectors so far are kept",
			engines.ErrBudget, b.spent, b.limit, cost)
	}
	b.spent += cost
	return nil
}

// Refund implements engines.Budget.
func (m *meter) Refund(tokens int64) {
	m.budget.mutex.Lock()
	defer m.budget.mutex.Unlock()
	m.budget.spent -= engines.Cost(tokens, m.price)
}
