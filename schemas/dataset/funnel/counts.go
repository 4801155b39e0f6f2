package funnel

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/storage"
)

// The counts of a unit by language are in a file beside its receipt, since their number
// follows from the data. Each row says where some items of a language ended, so that the
// balance of the steps needs no proof. They are merged row by row: of the sum, only a
// window of the smallest keys is held, and where there are more, the files are read again
// for the next window. It takes no room on a disk, and all but the strangest datasets fit
// into one window.

// MostCounts is the number of counts of a window: some 60 MB while it is filled.
const MostCounts = 1 << 18

// CountRows returns the counts of a funnel by chain, language and step; what was kept comes last.
func (f *Funnel) CountRows() (rows []schemas.Count) {
	for _, c := range f.Chains {
		if len(c.Steps) == 0 {
			continue
		}
		for _, code := range slices.Sorted(maps.Keys(c.Steps[0].Languages)) {
			for _, s := range c.Steps {
				dropped := s.Languages[code].Dropped
				for _, reason := range slices.Sorted(maps.Keys(dropped)) {
					rows = append(rows, schemas.Count{Items: c.Items, Language: code, Step: s.Name, Reason: reason, Count: dropped[reason]})
				}
			}
			if n := c.Steps[len(c.Steps)-1].Languages[code].Out; n > 0 {
				rows = append(rows, schemas.Count{Items: c.Items, Language: code, Count: n})
			}
		}
	}
	return rows
}

// end is a place in a funnel where items end.
type end struct{ items, step, reason string }

// countKey is what is counted: a language, and the number of an end among those of the window.
type countKey struct {
	end      int
	language string
}

// window sums counts, and keeps those of the smallest keys behind the last one of the
// window before.
type window struct {
	shape   *Funnel
	most    int
	ends    []end
	places  [][2]int // of ends: the numbers of chain and step
	numbers map[end]int
	after   *countKey // the last key of the window before
	bound   *countKey // behind which keys are left to the next window
	counts  map[countKey]*int64
	recent  int // the end of the row before
}

func newWindow(shape *Funnel, limit int) *window {
	return &window{shape: shape, most: limit, numbers: map[end]int{}, counts: map[countKey]*int64{}}
}

// Columns of schemas.Count.
const (
	countItems = iota
	countLanguage
	countStep
	countReason
	countCount
)

// add adds rows of a file of counts.
func (w *window) add(rows []parquet.Row) error {
	for _, row := range rows {
		number, err := w.number(row)
		if err != nil {
			return err
		}
		n, code := row[countCount].Int64(), row[countLanguage].ByteArray()
		if n <= 0 {
			return fmt.Errorf("%w: a count is %d", rowfile.ErrCorrupt, n)
		}
		if w.after != nil || w.bound != nil {
			key := countKey{number, string(code)}
			if w.bound != nil && w.compare(key, *w.bound) > 0 || w.after != nil && w.compare(key, *w.after) <= 0 {
				continue
			}
		}
		sum := w.counts[countKey{number, string(code)}] // which allocates nothing
		if sum == nil {
			sum = new(int64)
			w.counts[countKey{number, string(code)}] = sum
			if len(w.counts) > 2*w.most {
				w.shed()
			}
		}
		if *sum > math.MaxInt64-n {
			return fmt.Errorf("%w: the counts of %q are more than a number holds", rowfile.ErrCorrupt, code)
		}
		*sum += n
	}
	return nil
}

// number returns the number of the end of a row.
func (w *window) number(row parquet.Row) (int, error) {
	items, step, reason := row[countItems].ByteArray(), row[countStep].ByteArray(), row[countReason].ByteArray()
	if w.recent < len(w.ends) {
		if e := w.ends[w.recent]; e.items == string(items) && e.step == string(step) && e.reason == string(reason) {
			return w.recent, nil
		}
	}
	number, ok := w.numbers[end{string(items), string(step), string(reason)}]
	if !ok {
		e := end{string(items), string(step), string(reason)}
		chain := slices.IndexFunc(w.shape.Chains, func(c Chain) bool { return c.Items == e.items })
		if chain < 0 {
			return 0, fmt.Errorf("%w: it counts %q, which no receipt does", rowfile.ErrCorrupt, e.items)
		}
		steps := w.shape.Chains[chain].Steps
		place := len(steps)
		if e.step != "" {
			place = slices.IndexFunc(steps, func(s Step) bool { return s.Name == e.step })
		}
		if place < 0 || (e.step == "") != (e.reason == "") {
			return 0, fmt.Errorf("%w: it counts %q of %q, which have no such step", rowfile.ErrCorrupt, e.step, e.items)
		}
		number = len(w.ends)
		w.numbers[e], w.ends, w.places = number, append(w.ends, e), append(w.places, [2]int{chain, place})
	}
	w.recent = number
	return number, nil
}

// compare orders keys by chain, language, step and reason.
func (w *window) compare(a, b countKey) int {
	x, y := w.places[a.end], w.places[b.end]
	return cmp.Or(cmp.Compare(x[0], y[0]), strings.Compare(a.language, b.language), cmp.Compare(x[1], y[1]),
		strings.Compare(w.ends[a.end].reason, w.ends[b.end].reason))
}

// sorted returns the keys in order.
func (w *window) sorted() []countKey {
	return slices.SortedFunc(maps.Keys(w.counts), w.compare)
}

// shed leaves all but the smallest keys to the next window.
func (w *window) shed() {
	keys := w.sorted()
	for _, key := range keys[w.most:] {
		delete(w.counts, key)
	}
	w.bound = &keys[w.most-1]
}

// next returns the sums of the window, and begins the next one if there is more.
func (w *window) next() (rows []schemas.Count, hasMore bool) {
	if len(w.counts) > w.most { // so that windows do not depend on the order of the files
		w.shed()
	}
	keys := w.sorted()
	for _, key := range keys {
		e := w.ends[key.end]
		rows = append(rows, schemas.Count{Items: e.items, Language: key.language, Step: e.step, Reason: e.reason, Count: *w.counts[key]})
	}
	if hasMore = w.bound != nil; hasMore {
		w.after, w.bound, w.counts = &keys[len(keys)-1], nil, map[countKey]*int64{}
	}
	return rows, hasMore
}

// MergeCounts sums files of counts to a funnel with the shape of f, which holds
// MostLanguages of each chain. If there are more, table is called with the sums in their
// order; otherwise it is not called. Limit is the number of counts in memory, as MostCounts.
func (f *Funnel) MergeCounts(ctx context.Context, folder storage.Folder, files []rowfile.File, limit int,
	table func([]schemas.Count) error) (*Funnel, error) {
	sum, w := f.Bare(), newWindow(f, limit)
	folded, called, languages, last := false, false, 0, ""
	for hasMore := true; hasMore; {
		if err := rowfile.EachRow[schemas.Count](ctx, folder, files, w.add); err != nil {
			return nil, err
		}
		var rows []schemas.Count
		rows, hasMore = w.next()
		for _, r := range rows {
			if key := r.Items + " " + r.Language; key != last {
				// All counts of the languages before are there.
				if last, languages = key, languages+1; languages%MostLanguages == 0 {
					folded = sum.fold(MostLanguages) || folded
				}
			}
			if err := sum.count(r.Items, r.Language, r.Step, r.Reason, r.Count); err != nil {
				return nil, err
			}
		}
		if !hasMore {
			folded = sum.fold(MostLanguages) || folded
		}
		if hasMore || called || folded {
			called = true
			if err := table(rows); err != nil {
				return nil, err
			}
		}
	}
	return sum, nil
}

// Read adds the counts of a file.
func (f *Funnel) Read(ctx context.Context, folder storage.Folder, file rowfile.File) error {
	return rowfile.EachRow[schemas.Count](ctx, folder, []rowfile.File{file}, func(rows []parquet.Row) error {
		for _, row := range rows {
			text := func(column int) string { return string(row[column].ByteArray()) }
			if err := f.count(text(countItems), text(countLanguage), text(countStep), text(countReason),
				row[countCount].Int64()); err != nil {
				return fmt.Errorf("%w: %w", rowfile.ErrCorrupt, err)
			}
		}
		return nil
	})
}
