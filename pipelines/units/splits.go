package units

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// CheckSplits returns an error for names of which no item of open datasets of benchmarks
// has the split: nothing would be taken of it. It reads the items until all names are found.
func CheckSplits(ctx context.Context, names []string, datasets ...*Dataset) error {
	missing, existing := map[string]bool{}, map[string]bool{}
	for _, name := range names {
		missing[name] = true
	}
	var locations []string
	for _, d := range datasets {
		locations = append(locations, d.Location)
		for b, err := range dataset.Rows[schemas.Benchmark](ctx, d.folder, d.manifest) {
			if len(missing) == 0 {
				return nil
			}
			if err != nil {
				return err
			}
			existing[b.Split] = true
			delete(missing, b.Split)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("--splits: no item of %s has the split %s; there are %s", strings.Join(locations, ", "),
		strings.Join(slices.Sorted(maps.Keys(missing)), ", "), strings.Join(slices.Sorted(maps.Keys(existing)), ", "))
}
