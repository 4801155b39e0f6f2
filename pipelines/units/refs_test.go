package units

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRefs(t *testing.T) {
	for _, refs := range [][]Ref{
		nil,
		{{}},
		{{Unit: 1, Offset: 2, Length: 3, Records: 4, Block: 5}, {Unit: 1, Offset: 5, Length: 1 << 40, Records: 1 << 30, Block: 1 << 20}},
		{{Unit: math.MaxInt64, Offset: math.MaxInt64, Length: math.MaxInt64, Records: math.MaxInt64, Block: math.MaxInt64}},
	} {
		element := appendRefs(nil, refs...)
		got, err := parseRefs(nil, element)
		if diff := cmp.Diff(refs, got); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		for cut := range element {
			if got, err := parseRefs(nil, element[:cut]); err == nil && len(got) >= len(refs) {
				t.Errorf("%d of %d bytes give %v", cut, len(element), got)
			}
		}
	}
	if _, err := parseRefs(nil, appendRefs(nil, Ref{Unit: -1})); err == nil {
		t.Error("a negative number is read")
	}
}

func FuzzParseRefs(f *testing.F) {
	f.Add(appendRefs(nil, Ref{Unit: 1, Offset: 2, Length: 3, Records: 4, Block: 5}, Ref{Unit: 300, Offset: 1 << 33}))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, element []byte) {
		refs, err := parseRefs(nil, element)
		if err != nil {
			return
		}
		for _, r := range refs {
			if min(r.Unit, r.Offset, r.Length, r.Records, r.Block) < 0 {
				t.Fatalf("%+v", r)
			}
		}
		again, err := parseRefs(nil, appendRefs(nil, refs...))
		if diff := cmp.Diff(refs, again); diff != "" || err != nil {
			t.Fatalf("%v %s", err, diff)
		}
	})
}

// Attempts that a runner repeats bring their refs twice, and all come in any order.
func TestSortRefs(t *testing.T) {
	want := []Ref{{Unit: 0, Offset: 9}, {Unit: 2, Offset: 0, Length: 4}, {Unit: 2, Offset: 4}, {Unit: 10, Offset: 1}}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		given := append(append([]Ref(nil), want...), want[1], want[3], want[1])
		random.Shuffle(len(given), func(i, j int) { given[i], given[j] = given[j], given[i] })
		if diff := cmp.Diff(want, sortRefs(given)); diff != "" {
			t.Fatal(diff)
		}
	}
}

// Every route arrives once, at its unit, in elements of bounded size.
func TestParcels(t *testing.T) {
	var routes []Route
	for unit := range int64(2*refsPerElement + 1) {
		routes = append(routes, Route{To: 5, Ref: Ref{Unit: unit}})
		if unit < 3 {
			routes = append(routes, Route{To: 1 - unit%2, Ref: Ref{Unit: unit, Offset: 7 * unit}})
		}
	}
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(routes), func(i, j int) { routes[i], routes[j] = routes[j], routes[i] })
	var p parcels
	for len(routes) > 0 { // as units bring them
		n := min(len(routes), 777)
		p.add(routes[:n])
		routes = routes[n:]
	}
	got := map[int64][]Ref{}
	elements := map[int64]int{}
	p.emit(func(to int64, element []byte) {
		elements[to]++
		before := len(got[to])
		var err error
		if got[to], err = parseRefs(got[to], element); err != nil {
			t.Fatal(err)
		}
		if n := len(got[to]) - before; n == 0 || n > refsPerElement {
			t.Errorf("an element of %d refs", n)
		}
	})
	if diff := cmp.Diff(map[int64]int{0: 1, 1: 1, 5: 3}, elements); diff != "" {
		t.Errorf("elements: %s", diff)
	}
	if diff := cmp.Diff([]Ref{{Unit: 0}, {Unit: 2, Offset: 14}}, sortRefs(got[1])); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Ref{{Unit: 1, Offset: 7}}, got[0]); diff != "" {
		t.Error(diff)
	}
	if len(got[5]) != 2*refsPerElement+1 {
		t.Errorf("%d refs arrive", len(got[5]))
	}
	for i, r := range sortRefs(got[5]) {
		if r.Unit != int64(i) {
			t.Fatalf("ref %d is of unit %d", i, r.Unit)
		}
	}
	parcels(nil).emit(func(int64, []byte) { t.Error("no routes make an element") })
}
