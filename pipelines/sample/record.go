package sample

import (
	"encoding/binary"
	"fmt"
	"iter"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
)

// Keys of the exchanges begin with the number of the unit that they are for, and a stratum behind its
// length, so that the records of a stratum stand together, whatever bytes its name has.

// place is that of a row: the copying unit, and the number of the row there. Places are ordered as the
// rows of the dataset are, so rows of equal rank are drawn in that order however the dataset is cut.
type place struct{ unit, row uint32 }

// appendKey appends the key that brings a drawn row to its copying unit, in the order of the rows.
func (p place) appendKey(dst []byte) []byte {
	return binary.BigEndian.AppendUint32(exchange.UnitKey(dst, int(p.unit)), p.row)
}

// parseRow returns the number of the row of such a key.
func parseRow(key []byte) (uint32, error) {
	if len(key) != 8 {
		return 0, fmt.Errorf("a drawn row with a key of %d bytes, not 8", len(key))
	}
	return binary.BigEndian.Uint32(key[4:]), nil
}

// Of a stratum in a range, the quota sorts before the claims.
const (
	markQuota = 0
	markClaim = 1
)

func appendStratum(dst []byte, unit int, stratum string) []byte {
	dst = binary.BigEndian.AppendUint32(exchange.UnitKey(dst, unit), uint32(len(stratum)))
	return append(dst, stratum...)
}

// appendCount appends the key of a count for the quotas: the rows of a stratum in a range.
func appendCount(dst []byte, stratum string, bucket int) []byte {
	return binary.BigEndian.AppendUint32(appendStratum(dst, 0, stratum), uint32(bucket))
}

// appendQuota appends the key of how many rows of a stratum a range gives.
func appendQuota(dst []byte, bucket int, stratum string) []byte {
	return append(appendStratum(dst, bucket, stratum), markQuota)
}

// appendClaim appends the key of a row that may be drawn.
func appendClaim(dst []byte, unit int, stratum string, rank uint64, p place) []byte {
	dst = append(appendStratum(dst, unit, stratum), markClaim)
	dst = binary.BigEndian.AppendUint64(dst, rank)
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(dst, p.unit), p.row)
}

// claim is a quota, or a row that may be drawn. The stratum lies in the key.
type claim struct {
	stratum []byte
	quota   bool
	place   place
}

func parseClaim(key []byte) (c claim, err error) {
	stratum, rest, err := cutStratum(key)
	if err != nil {
		return c, err
	}
	switch {
	case len(rest) == 1 && rest[0] == markQuota:
		return claim{stratum: stratum, quota: true}, nil
	case len(rest) == 17 && rest[0] == markClaim:
		return claim{stratum: stratum, place: place{binary.BigEndian.Uint32(rest[9:]), binary.BigEndian.Uint32(rest[13:])}}, nil
	}
	return c, fmt.Errorf("a claim with %d bytes behind its stratum, neither 1 nor 17", len(rest))
}

// cutStratum returns the stratum of a key, and what is behind it.
func cutStratum(key []byte) (stratum, rest []byte, err error) {
	if len(key) < 8 {
		return nil, nil, fmt.Errorf("a key of %d bytes has no stratum", len(key))
	}
	n := uint64(binary.BigEndian.Uint32(key[4:]))
	if uint64(len(key)-8) < n {
		return nil, nil, fmt.Errorf("a key of %d bytes has no stratum of %d", len(key), n)
	}
	return key[8 : 8+n], key[8+n:], nil
}

// count is how many rows of a stratum lie in a range.
type count struct {
	stratum string
	bucket  int
	rows    int64
}

// counted are the counts among the records of the quotas, by stratum and range.
func counted(records iter.Seq2[spill.Record, error]) iter.Seq2[count, error] {
	return func(yield func(count, error) bool) {
		for record, err := range records {
			var c count
			if err == nil {
				var stratum, rest []byte
				stratum, rest, err = cutStratum(record.Key)
				if err == nil && len(rest) != 4 {
					err = fmt.Errorf("a count with %d bytes behind its stratum, not 4", len(rest))
				}
				if err == nil {
					c = count{string(stratum), int(binary.BigEndian.Uint32(rest)), exchange.Count(record.Value)}
				}
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}
