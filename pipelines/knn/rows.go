package knn

import (
	"encoding/binary"

	"sentweave/pipelines/exchange"
	"sentweave/transforms/measure/mining"
)

// chunk is how many words of 64 rows a record holds.
const chunk = 512

// SpillRows spills a set of rows in records whose keys begin with a prefix.
func SpillRows(output *exchange.Output, prefix []byte, rows mining.Bits) error {
	var key, value []byte
	for from := 0; from < len(rows); from += chunk {
		value = value[:0]
		some := uint64(0)
		for _, word := range rows[from:min(from+chunk, len(rows))] {
			some |= word
			value = binary.BigEndian.AppendUint64(value, word)
		}
		if some == 0 {
			continue
		}
		key = binary.BigEndian.AppendUint32(append(key[:0], prefix...), uint32(from))
		if err := output.Add(key, value); err != nil {
			return err
		}
	}
	return nil
}

// ReadRows adds to a set the rows of a record that SpillRows made, by what follows the prefix of its key, and its value.
func ReadRows(rows mining.Bits, key, value []byte) {
	from := int(binary.BigEndian.Uint32(key))
	for i := range len(value) / 8 {
		rows[from+i] = binary.BigEndian.Uint64(value[8*i:])
	}
}
