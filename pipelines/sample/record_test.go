package sample

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

// Keys come back as they were made, and are ordered by unit and stratum: the quota, then the claims by
// rank and place, whatever bytes the name of a stratum has.
func TestKeys(t *testing.T) {
	var keys [][]byte
	for unit := range 2 {
		for _, stratum := range []string{"", "\x00", "\x00\x01", "\xff", "deu-eng", "eng"} {
			keys = append(keys, appendQuota(nil, unit, stratum))
			for _, rank := range []uint64{0, 1, math.MaxUint64} {
				for _, p := range []place{{0, 0}, {0, math.MaxUint32}, {math.MaxUint32, 1}} {
					key := appendClaim(nil, unit, stratum, rank, p)
					keys = append(keys, key)
					if c, err := parseClaim(key); err != nil || c.quota || string(c.stratum) != stratum || c.place != p {
						t.Fatalf("%q: %+v, %v", key, c, err)
					}
					if row, err := parseRow(p.appendKey(nil)); err != nil || row != p.row {
						t.Fatalf("%+v: row %d, %v", p, row, err)
					}
				}
			}
			if c, err := parseClaim(appendQuota(nil, unit, stratum)); err != nil || !c.quota || string(c.stratum) != stratum {
				t.Fatalf("%q: %+v, %v", stratum, c, err)
			}
		}
	}
	seen, current := map[string]bool{}, ""
	slices.SortFunc(keys, bytes.Compare)
	for i, key := range keys {
		c, err := parseClaim(key)
		if err != nil {
			t.Fatal(err)
		}
		if group := string(key[:8]) + string(c.stratum); i == 0 || group != current {
			if seen[group] || !c.quota {
				t.Errorf("%q comes before the quota, or stands apart", key)
			}
			seen[group], current = true, group
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(appendClaim(nil, 3, "eng", 5, place{1, 2}))
	f.Add(appendQuota(nil, 3, "eng"))
	f.Add([]byte("\x00\x00\x00\x01\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, key []byte) {
		c, err := parseClaim(key)
		if err == nil && c.quota && !bytes.Equal(appendQuota(nil, 0, string(c.stratum))[4:], key[4:]) {
			t.Errorf("%q is read as %+v", key, c)
		}
		_, _ = parseRow(key)
	})
}
