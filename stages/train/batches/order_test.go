package batches

import (
	"fmt"
	"slices"
	"testing"

	"sentweave/schemas/dataset"
)

// TestOrderFollowsFromCountsAlone pins the order by its rule: epochs differ, and no
// row content is looked at.
func TestOrderFollowsFromCountsAlone(t *testing.T) {
	shards := []dataset.Shard{{Rows: 40_000}, {Rows: 100}, {Rows: 16_384}}
	o := newOrder(rowGroups(shards), 2, 1, "x")
	if want := []rowGroup{{0, 0, 16384}, {0, 1, 16384}, {0, 2, 7232}, {1, 0, 100}, {2, 0, 16384}}; !slices.Equal(o.groups, want) {
		t.Fatalf("row groups %v", o.groups)
	}
	orders := map[string]bool{}
	for epoch := range int64(4) {
		var groups []rowGroup
		for _, w := range o.windows(epoch) {
			if w.rows > 2*16384 {
				t.Errorf("a window of %d rows", w.rows)
			}
			groups = append(groups, w.groups...)
			p := o.permutation(w)
			slices.Sort(p)
			for i := range p {
				if p[i] != i {
					t.Fatal("no permutation")
				}
			}
		}
		orders[fmt.Sprint(groups)] = true
		if len(groups) != len(o.groups) {
			t.Errorf("epoch %d has %d row groups", epoch, len(groups))
		}
	}
	if len(orders) < 3 {
		t.Errorf("%d orders of 4 epochs", len(orders))
	}
	// Any offset is found by counting.
	for _, offset := range []int64{0, 1, 99, 40_000, 56_483, 56_484, 60_000, 3*56_484 + 17} {
		o.from(offset, func(w window, skip int) bool {
			before := int64(0)
			for epoch := range w.epoch + 1 {
				for _, v := range o.windows(epoch) {
					if epoch < w.epoch || v.index < w.index {
						before += int64(v.rows)
					}
				}
			}
			if before+int64(skip) != offset || skip >= w.rows {
				t.Errorf("offset %d is at window %d of epoch %d, row %d", offset, w.index, w.epoch, skip)
			}
			return false
		})
	}
}
