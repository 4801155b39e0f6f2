package engines

// Budget limits spending. Many goroutines may use it at once.
type Budget interface {
	// Reserve takes the characters of a request that is about to be sent. An error,
	// which should wrap ErrBudget, ends the work before that request.
	Reserve(characters int64) error
	// Refund returns the characters of a request that was not billed.
	Refund(characters int64)
}

// Cost returns what characters cost at a price per million.
func Cost(characters int64, price float64) float64 { return float64(characters) * price / 1e6 }
