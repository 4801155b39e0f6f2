package crosslingual

import (
	"encoding/binary"
	"errors"

	"sentweave/pipelines/exchange"
)

var errRecord = errors.New("a record of the exchange is cut short: launcher and worker are different programs")

// version is what the unit that deals must know of a version of an item: its key is the
// item's id.
type version struct {
	language string
	label    string
	// premise and hypothesis say which texts it has, skip that it has no gold.
	premise, hypothesis, skip bool
	// unit is the ordinal among the units that give texts, row that of the row in it.
	unit, row uint32
}

// flags of a version, and what is wanted of a row.
const (
	flagPremise    = 1 << 0
	flagHypothesis = 1 << 1
	flagSkip       = 1 << 2
)

// append appends the record. The versions of an item sort by it, first by language.
func (v version) append(dst []byte) []byte {
	dst = appendText(dst, v.language)
	flags := byte(0)
	if v.premise {
		flags |= flagPremise
	}
	if v.hypothesis {
		flags |= flagHypothesis
	}
	if v.skip {
		flags |= flagSkip
	}
	dst = append(dst, flags)
	dst = binary.BigEndian.AppendUint32(dst, v.unit)
	dst = binary.BigEndian.AppendUint32(dst, v.row)
	return appendText(dst, v.label)
}

func parseVersion(value []byte) (v version, err error) {
	var ok bool
	if v.language, value, ok = cutText(value); !ok || len(value) < 9 {
		return version{}, errRecord
	}
	v.premise, v.hypothesis, v.skip = value[0]&flagPremise != 0, value[0]&flagHypothesis != 0, value[0]&flagSkip != 0
	v.unit, v.row = binary.BigEndian.Uint32(value[1:]), binary.BigEndian.Uint32(value[5:])
	if v.label, value, ok = cutText(value[9:]); !ok || len(value) > 0 {
		return version{}, errRecord
	}
	return v, nil
}

// appendWanted appends the key of a row whose texts are wanted. Keys sort by unit and
// row; the value is what is wanted, a byte of flags.
func appendWanted(dst []byte, unit, row uint32) []byte {
	return binary.BigEndian.AppendUint32(exchange.UnitKey(dst, int(unit)), row)
}

func parseWanted(key, value []byte) (row uint32, flags byte, err error) {
	if len(key) != 8 || len(value) != 1 {
		return 0, 0, errRecord
	}
	return binary.BigEndian.Uint32(key[4:]), value[0], nil
}

// side is a text of an item, premise or hypothesis: its key is the item's id.
type side struct {
	role                               byte // flagPremise or flagHypothesis: premises sort first
	language, label, task, split, text string
}

func (s side) append(dst []byte) []byte {
	dst = append(dst, s.role)
	for _, text := range [...]string{s.language, s.label, s.task, s.split, s.text} {
		dst = appendText(dst, text)
	}
	return dst
}

func parseSide(value []byte) (s side, err error) {
	if len(value) == 0 {
		return side{}, errRecord
	}
	s.role, value = value[0], value[1:]
	for _, text := range [...]*string{&s.language, &s.label, &s.task, &s.split, &s.text} {
		var ok bool
		if *text, value, ok = cutText(value); !ok {
			return side{}, errRecord
		}
	}
	if len(value) > 0 {
		return side{}, errRecord
	}
	return s, nil
}

func appendText(dst []byte, text string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

func cutText(value []byte) (text string, rest []byte, ok bool) {
	n, size := binary.Uvarint(value)
	if size <= 0 || n > uint64(len(value)-size) {
		return "", nil, false
	}
	return string(value[size : size+int(n)]), value[size+int(n):], true
}
