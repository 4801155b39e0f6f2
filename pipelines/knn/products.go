package knn

import (
	"context"

	"sentweave/transforms/measure/neighbors"
)

// leastProducts is how many comparisons are worth the call of another library.
const leastProducts = 1 << 16

type productsKey struct{}

// WithProducts returns a context in which searches do their fast pass by p, if this process runs them. Results do not depend on it.
func WithProducts(ctx context.Context, p neighbors.Products) context.Context {
	return context.WithValue(ctx, productsKey{}, p)
}

// productsOf returns the fast products of a context for so many comparisons, nil for those in Go.
func productsOf(ctx context.Context, comparisons int) neighbors.Products {
	if comparisons < leastProducts {
		return nil
	}
	p, _ := ctx.Value(productsKey{}).(neighbors.Products)
	return p
}
