package engines

// Budget bounds what is spent. It may be asked by many goroutines at once.
type Budget interface {
	// Reserve takes the characters of a request that is about to be sent. An error
	// ends the work before it; it should wrap ErrBudget.
	Reserve(characters int64) error
	// Refund gives back those of a request that was not billed.
	Refund(characters int64)
}

// Cost returns what characters cost at a price per million.
func Cost(characters int64, price float64) float64 { return float64(characters) * price / 1e6 }
