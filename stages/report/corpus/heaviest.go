package corpus

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// heaviest counts keys, of which there may be more than memory holds, and finds those that occur most. Up to mostKeys different keys are
// counted in one pass. Of more, the first pass counts groups of keys by their hashes, and a second one the keys of the groups with the
// greatest counts: a key that is not counted then occurs less often than its group. The order of the keys changes nothing.
type heaviest struct {
	// keys are nil once there are more than most.
	keys   map[string]int64
	most   int
	groups []int64
	// The second pass counts the keys of so many groups, those in second.
	largest int
	second  map[uint64]bool
	// missed is the count of the greatest group whose keys are not counted: no key that is missing occurs more often.
	missed int64
}

// Bounds of memory: some 30 MB of keys, and 8 MB of groups. Of 10 million domains a second pass counts the keys of 4,096 groups, some
// 40,000.
const (
	mostKeys     = 1 << 18
	groupCount   = 1 << 20
	secondGroups = 1 << 12
)

// newHeaviest counts up to most keys in one pass, and of more those of the largest of so many groups in a second one.
func newHeaviest(most, groups, largest int) *heaviest {
	return &heaviest{keys: map[string]int64{}, most: most, groups: make([]int64, groups), largest: largest}
}

// add counts a key in the first pass, and in the second one where there is one.
func (h *heaviest) add(key string) {
	group := xxh3.HashString(key) % uint64(len(h.groups))
	if h.second == nil {
		h.groups[group]++
	} else if !h.second[group] {
		return
	}
	if h.keys == nil {
		return
	}
	if _, counted := h.keys[key]; !counted {
		key = strings.Clone(key) // which is a part of a longer text
	}
	if h.keys[key]++; h.second == nil && len(h.keys) > h.most {
		h.keys = nil
	}
}

// again says whether a second pass is wanted, and prepares it.
func (h *heaviest) again() bool {
	if h.keys != nil {
		return false
	}
	order := make([]uint64, len(h.groups))
	for i := range order {
		order[i] = uint64(i)
	}
	slices.SortStableFunc(order, func(a, b uint64) int { return cmp.Compare(h.groups[b], h.groups[a]) })
	h.keys, h.second, h.missed = map[string]int64{}, map[uint64]bool{}, h.groups[order[h.largest]]
	for _, group := range order[:h.largest] {
		h.second[group] = true
	}
	return true
}

// keyCount is a key with the number of times that it occurs.
type keyCount struct {
	key string
	n   int64
}

// byCount sorts keys, those that occur most first.
func byCount(counts map[string]int64) []keyCount {
	var list []keyCount
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, keyCount{key, counts[key]})
	}
	slices.SortStableFunc(list, func(a, b keyCount) int { return cmp.Compare(b.n, a.n) })
	return list
}
