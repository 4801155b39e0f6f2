package batches

import (
	"fmt"
	"slices"

	"sentweave/schemas"
	"sentweave/transforms/random"
)

// rowGroup is a row group of a shard: the least that is read.
type rowGroup struct {
	shard int
	index int64 // in the shard
	rows  int
}

// order is the endless shuffled sequence of a dataset's examples, epoch after
// epoch: a pure function of the rows of the shards, the seed and the name. The
// row groups are permuted for each epoch and cut into windows, and the rows of a
// window are permuted together. So any place of the sequence is found by counting.
type order struct {
	groups []rowGroup
	rows   int64
	// window is the most rows of one.
	window int
	seed   uint64
	name   string
	// sample draws by class; nil takes each example once an epoch.
	sample *sampled
}

// newOrder returns the order of row groups. A window has the rows of so many full ones, so
// that small shards are shuffled as well as large ones.
func newOrder(groups []rowGroup, window int, seed uint64, name string) *order {
	o := &order{groups: groups, window: window * schemas.Example{}.Schema().RowGroup, seed: seed, name: name}
	for _, g := range groups {
		o.rows += int64(g.rows)
	}
	return o
}

// window is a set of row groups that is shuffled together.
type window struct {
	epoch int64
	index int
	// groups are in the order of the dataset, whatever the order they were drawn in.
	groups []rowGroup
	rows   int
}

// windows returns those of an epoch, in order.
func (o *order) windows(epoch int64) []window {
	groups := slices.Clone(o.groups)
	s := random.New(Streams, o.seed, "shuffle row groups", o.name, epoch)
	random.Shuffle(&s, groups)
	var list []window
	for len(groups) > 0 {
		w := window{epoch: epoch, index: len(list)}
		n := 0
		for n < len(groups) {
			rows := int(o.rowsOf(epoch, groups[n]))
			if n > 0 && w.rows+rows > o.window {
				break
			}
			w.rows += rows
			n++
		}
		w.groups, groups = groups[:n], groups[n:]
		slices.SortFunc(w.groups, compareGroups)
		list = append(list, w)
	}
	return list
}

// permutation returns the places of the window's rows in the order in which they
// are taken.
func (o *order) permutation(w window) []int {
	places := make([]int, w.rows)
	for i := range places {
		places[i] = i
	}
	s := random.New(Streams, o.seed, "shuffle rows", fmt.Sprint(o.name, "/", w.epoch), int64(w.index))
	random.Shuffle(&s, places)
	return places
}

// shuffled returns the entries of a window, given its examples in the dataset's order.
func (o *order) shuffled(w window, list []example) []entry {
	entries := o.entries(w, list)
	shuffled := make([]entry, w.rows)
	for i, p := range o.permutation(w) {
		shuffled[i] = entries[p]
	}
	return shuffled
}

// from yields the windows that hold the row at an offset of the sequence and all
// later ones, with the number of rows to skip at the beginning.
func (o *order) from(offset int64, yield func(w window, skip int) bool) {
	skip := offset % o.rows
	for epoch := offset / o.rows; ; epoch++ {
		for _, w := range o.windows(epoch) {
			if skip >= int64(w.rows) {
				skip -= int64(w.rows)
				continue
			}
			if !yield(w, int(skip)) {
				return
			}
			skip = 0
		}
	}
}
