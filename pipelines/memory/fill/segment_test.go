package fill

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"testing"

	"sentweave/schemas"
)

func segments() (values [][]byte) {
	known := func(rank uint64, text string) segment {
		return segment{text: "text", rank: rank,
			known: schemas.Translation{Key: "k", Engine: "e", Model: "m", OptionsXXH3: "o", Status: "ok", Translation: text}}
	}
	rejected := known(1<<32+1, "")
	rejected.known.Status, rejected.known.Reason = "rejected", "empty"
	for _, s := range []segment{{count: 1, text: "text"}, {count: 300, text: "text"}, known(1, "a"), known(1, "b"), known(2, "a"),
		rejected} {
		values = append(values, s.append(nil))
	}
	return values
}

// Records of one text come in any order and grouping, and give one result: all who ask
// are counted, a translation that can be used goes before one that was rejected, an
// earlier memory before a later one.
func TestCombineSegments(t *testing.T) {
	values := segments()
	both := func(a, b []byte) []byte { return combineSegments(bytes.Clone(a), b) }
	for _, a := range values {
		for _, b := range values {
			if !bytes.Equal(both(a, b), both(b, a)) {
				t.Errorf("%q and %q are not combined as the other way round", a, b)
			}
			for _, c := range values {
				if !bytes.Equal(both(both(a, b), c), both(a, both(b, c))) {
					t.Errorf("%q, %q, %q: the grouping counts", a, b, c)
				}
			}
		}
	}
	all := values[0]
	for _, v := range values[1:] {
		all = both(all, v)
	}
	if s, err := parseSegment(all); err != nil || s.count != 301 || s.rank != 1 || s.text != "text" || s.known.Translation != "a" ||
		s.known.Engine != "e" {
		t.Errorf("%+v, %v", s, err)
	}
}

func FuzzParseSegment(f *testing.F) {
	for _, v := range segments() {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		s, err := parseSegment(value)
		if err != nil {
			return
		}
		again, err := parseSegment(s.append(nil))
		if err != nil || again != s {
			t.Errorf("%+v became %+v, %v", s, again, err)
		}
	})
}

// Keys sort by pair and hash whatever the number of buckets is, each bucket is a range
// of them, and all buckets are used.
func TestLayout(t *testing.T) {
	const pairs, texts = 3, 2000
	type keyed struct{ key, place string } // place: what follows the bucket
	for _, buckets := range []int{1, 2, 7, 256} {
		l := layout{Pairs: pairs, Buckets: buckets}
		var list []keyed
		used := map[string]bool{}
		for pair := range pairs {
			for i := range texts {
				key := l.appendKey(nil, pair, fmt.Sprint("text ", i))
				if got, err := l.pairOf(key); err != nil || got != pair {
					t.Fatalf("pair %d came back as %d, %v", pair, got, err)
				}
				list = append(list, keyed{string(key), string(key[4:])})
				used[string(key[:4])] = true
			}
		}
		byKey := slices.SortedFunc(slices.Values(list), func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
		if !slices.IsSortedFunc(byKey, func(a, b keyed) int { return cmp.Compare(a.place, b.place) }) {
			t.Errorf("%d buckets: the order depends on them", buckets)
		}
		if len(used) != buckets || byKey[len(byKey)-1].key[:4] >= string([]byte{0, 0, byte(buckets >> 8), byte(buckets)}) {
			t.Errorf("%d of %d buckets are used", len(used), buckets)
		}
	}
	if _, err := (layout{Pairs: 1, Buckets: 1}).pairOf([]byte("short")); err == nil {
		t.Error("a short key has a pair")
	}
}

func TestParseBudget(t *testing.T) {
	for text, want := range map[string]budget{
		"": {}, "500000": {characters: 500_000}, "500k": {characters: 500_000}, " 2M ": {characters: 2_000_000},
		"1G":    {characters: 1_000_000_000},
		"20USD": {dollars: 20}, "$0.5": {dollars: .5}, "0.25 USD": {dollars: .25},
	} {
		if got, err := parseBudget(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "-1", "much", "0USD", "$-1", "NaNUSD", "InfUSD", "1.5M", "20EUR", "99999999999G", "M", "5kM",
		"5Mk"} {
		if got, err := parseBudget(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
