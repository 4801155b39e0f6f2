package funnel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/storage"
)

// However few counts a window holds and however the files come, the sums are the same, in
// one order, and those of adding them up in a map.
func TestMergeCounts(t *testing.T) {
	ctx, folder := t.Context(), storage.NewLocal(t.TempDir())
	r := rand.New(rand.NewPCG(1, 2))
	shape := New(NewChain("documents", "read", "quality"), NewChain("nothing", "read"), NewChain("pairs", "join"))
	want := map[schemas.Count]int64{}
	var files []rowfile.File
	for unit := range 7 {
		f := New(shape.Chains...)
		for range 60 {
			items, language := []string{"documents", "pairs"}[r.IntN(2)], fmt.Sprintf("l%02d", r.IntN(25))
			n, step, reason := 1+r.Int64N(9), "", ""
			if r.IntN(2) == 0 {
				step, reason = map[string]string{"documents": "quality", "pairs": "join"}[items], []string{"long", "short"}[r.IntN(2)]
			}
			if err := f.count(items, language, step, reason, n); err != nil {
				t.Fatal(err)
			}
			want[schemas.Count{Items: items, Language: language, Step: step, Reason: reason}] += n
		}
		file, made, err := rowfile.WriteRows(ctx, folder, fmt.Sprintf("_run/counts/p-%05d.parquet", unit), f.CountRows())
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Publish(ctx, made); err != nil {
			t.Fatal(err)
		}
		files = append(files, *made)
	}
	sorted := slices.SortedFunc(maps.Keys(want), func(a, b schemas.Count) int {
		last := func(c schemas.Count) bool { return c.Step == "" }
		order := cmp.Or(strings.Compare(a.Items, b.Items), strings.Compare(a.Language, b.Language))
		if order == 0 && last(a) != last(b) {
			return map[bool]int{true: 1, false: -1}[last(a)]
		}
		return cmp.Or(order, strings.Compare(a.Reason, b.Reason))
	})
	for i, c := range sorted {
		sorted[i].Count = want[c]
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := shape.MergeCounts(stopped, folder, files, 10, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	for _, most := range []int{1, 2, 10, 64, 65, 1000} {
		r.Shuffle(len(files), func(i, k int) { files[i], files[k] = files[k], files[i] })
		var got []schemas.Count
		sum, err := shape.MergeCounts(ctx, folder, files, most, func(rows []schemas.Count) error {
			got = append(got, rows...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if most == 1000 {
			if got != nil {
				t.Errorf("a file of %d counts is written for 25 languages", len(got))
			}
			got = sum.CountRows()
		}
		if diff := gocmp.Diff(sorted, got); diff != "" {
			t.Errorf("windows of %d give other counts:\n%s", most, diff)
		}
		if diff := gocmp.Diff(sorted, sum.CountRows()); diff != "" {
			t.Errorf("windows of %d give another funnel:\n%s", most, diff)
		}
	}
}
