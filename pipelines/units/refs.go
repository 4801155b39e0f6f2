package units

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// Ref names a section of the spill file of a unit. Nothing else crosses a shuffle.
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

// refsPerElement bounds the elements that cross a shuffle, at about 15 bytes a ref.
const refsPerElement = 10_000

// appendRefs packs refs into one element: what an element costs a runner, up to two
// kilobytes, is paid once for all refs of a bundle that go to one unit.
func appendRefs(dst []byte, refs ...Ref) []byte {
	for _, r := range refs {
		for _, x := range [...]int64{r.Unit, r.Offset, r.Length, r.Records, r.Block} {
			dst = binary.AppendUvarint(dst, uint64(x))
		}
	}
	return dst
}

var errRefs = errors.New("an element of the shuffle is not a list of refs: launcher and worker are different programs")

// parseRefs appends the refs of an element to refs.
func parseRefs(refs []Ref, element []byte) ([]Ref, error) {
	for len(element) > 0 {
		var r Ref
		for _, field := range [...]*int64{&r.Unit, &r.Offset, &r.Length, &r.Records, &r.Block} {
			x, n := binary.Uvarint(element)
			if n <= 0 || int64(x) < 0 {
				return refs, errRefs
			}
			*field, element = int64(x), element[n:]
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

// parcels are the refs of a bundle, packed for the units that read them: 15 bytes a
// ref where a Route takes 48, of which a bundle of a large job has millions.
type parcels map[int64]*parcel

// parcel holds what goes to one unit.
type parcel struct {
	// full are elements of refsPerElement refs, last has so many.
	full [][]byte
	last []byte
	refs int
}

// add packs routes.
func (p *parcels) add(routes []Route) {
	if *p == nil {
		*p = parcels{}
	}
	for _, r := range routes {
		packed := (*p)[r.To]
		if packed == nil {
			packed = &parcel{}
			(*p)[r.To] = packed
		}
		if packed.refs == refsPerElement {
			packed.full, packed.last, packed.refs = append(packed.full, packed.last), nil, 0
		}
		packed.last = appendRefs(packed.last, r.Ref)
		packed.refs++
	}
}

// take returns the refs that are packed for a unit, and forgets them.
func (p parcels) take(unit int64) (refs []Ref, err error) {
	packed, ok := p[unit]
	if !ok {
		return nil, nil
	}
	delete(p, unit)
	for _, element := range append(packed.full, packed.last) {
		if refs, err = parseRefs(refs, element); err != nil {
			return nil, err
		}
	}
	return refs, nil
}

// emit hands out the elements, those of a lower unit first. The runner may keep them.
func (p parcels) emit(emit func(unit int64, element []byte)) {
	for _, unit := range slices.Sorted(maps.Keys(p)) {
		for _, element := range append(p[unit].full, p[unit].last) {
			emit(unit, element)
		}
	}
}
