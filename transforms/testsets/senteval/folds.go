package senteval

import (
	"cmp"
	"fmt"
	"slices"

	"sentweave/schemas"
	"sentweave/transforms/random"
)

// AssignFolds sets the fold of each row of the split Pool, from 0 to k-1, and of no
// other: within each label folds differ by at most one row, and over all labels too.
// The fold is drawn by seed and the item's id, so that an item is in one fold in every
// language, and the order of rows does not matter; it is one of all rows at once.
//
// These are not the folds of SentEval, which scikit-learn draws anew for each run by an
// order that SentEval sorts by length, and so differently in each language.
func AssignFolds(seed uint64, k int, rows []schemas.Benchmark) error {
	if k < 2 {
		return fmt.Errorf("assign folds: %d folds, want at least 2", k)
	}
	type drawn struct {
		task, label, id string
		number          uint64
		at              int
	}
	var list []drawn
	for i, r := range rows {
		if r.Split == Pool {
			stream := random.New(Version, seed, "senteval folds", r.ID, 0)
			list = append(list, drawn{r.Task, r.Label, r.ID, stream.Uint64(), i})
		}
	}
	slices.SortFunc(list, func(a, b drawn) int {
		return cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(a.label, b.label), cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id))
	})
	rank, task := 0, ""
	for i, d := range list {
		if d.task != task {
			rank, task = 0, d.task
		}
		if i > 0 && list[i-1].id == d.id && list[i-1].task == d.task {
			return fmt.Errorf("assign folds: item %s of %s occurs twice: give the rows of one language", d.id, d.task)
		}
		fold := int32(rank % k)
		rows[d.at].Fold = &fold
		rank++
	}
	return nil
}
