package units

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
)

// Ref names a section of the spill file of a unit: the only thing that crosses
// a shuffle.
type Ref struct {
	Unit    int64
	Offset  int64
	Length  int64
	Records int64
	// Block is the size of the section's largest block in memory.
	Block int64
}

// Route is a Ref with the ordinal of the unit that reads it.
type Route struct {
	To  int64
	Ref Ref
}

// refsPerElement bounds the elements that cross a shuffle, at about 12 bytes a ref.
const refsPerElement = 10_000

// appendRefs packs refs into one element: what an element costs a runner, two
// kilobytes on Prism, is paid once for all refs of a bundle that go to one unit.
func appendRefs(dst []byte, refs []Ref) []byte {
	for _, r := range refs {
		for _, x := range [...]int64{r.Unit, r.Offset, r.Length, r.Records, r.Block} {
			dst = binary.AppendUvarint(dst, uint64(x))
		}
	}
	return dst
}

var errRefs = errors.New("an element of the shuffle is no list of refs: launcher and worker are different programs")

// parseRefs appends the refs of an element to refs.
func parseRefs(refs []Ref, element []byte) ([]Ref, error) {
	for len(element) > 0 {
		var r Ref
		for _, to := range [...]*int64{&r.Unit, &r.Offset, &r.Length, &r.Records, &r.Block} {
			x, n := binary.Uvarint(element)
			if n <= 0 || int64(x) < 0 {
				return refs, errRefs
			}
			*to, element = int64(x), element[n:]
		}
		refs = append(refs, r)
	}
	return refs, nil
}

// sortRefs brings the refs of a unit, which arrive in any order and possibly
// twice, into the order of the spilling units.
func sortRefs(refs []Ref) []Ref {
	slices.SortFunc(refs, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(a.Unit, b.Unit), cmp.Compare(a.Offset, b.Offset))
	})
	return slices.Compact(refs)
}

// byUnit sorts routes by the unit that reads them and hands out, for each, its
// refs in elements.
func byUnit(routes []Route, emit func(to int64, element []byte)) {
	slices.SortFunc(routes, func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.Ref.Unit, b.Ref.Unit), cmp.Compare(a.Ref.Offset, b.Ref.Offset))
	})
	var refs []Ref
	for i, r := range routes {
		refs = append(refs, r.Ref)
		if i+1 == len(routes) || routes[i+1].To != r.To || len(refs) == refsPerElement {
			emit(r.To, appendRefs(nil, refs)) // a fresh element: the runner may keep it
			refs = refs[:0]
		}
	}
}
