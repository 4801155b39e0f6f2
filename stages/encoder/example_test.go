package encoder_test

import (
	"context"
	"fmt"

	"sentweave/stages/encoder"
	"sentweave/transforms/measure/neighbors"
)

// All texts that are compared are encoded in one call; Slice parts the sides. A baseline needs no model.
func Example() {
	ctx := context.Background()
	bag, err := encoder.Open(ctx, "baseline:bow", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	vectors, err := bag.Encode(ctx, encoder.Texts("eng", "green tea", "black coffee", "coffee", "tea", "green tea"))
	if err != nil {
		fmt.Println(err)
		return
	}
	queries, candidates := vectors.Slice(0, 2), vectors.Slice(2, 5)
	fmt.Printf("%.4f %.4f\n", queries.Cosine(0, candidates, 1), queries.Cosine(0, candidates, 0))
	nearest, err := queries.Nearest(ctx, candidates, neighbors.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(nearest[0].Index, nearest[1].Index)
	// Output:
	// 0.7071 0.0000
	// 2 0
}
