package dedup

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"sentweave/pipelines/exchange"
	"sentweave/transforms/filters/dedup"
)

// claim is the value of a key: who has the text. Its bytes sort in the order in
// which claims win: texts of other datasets first, then by document and sentence.
type claim struct {
	own      bool // of the documents, not of a dataset they are compared with
	id       [16]byte
	sentence uint32
	unit     uint32 // ordinal of the copying unit
	row      uint32 // of the document in the unit
	// language is the hash of a sentence's: what is in two languages is not a duplicate.
	language uint64
}

const claimSize = 1 + 16 + 4 + 4 + 4 + 8

func (c claim) append(dst []byte) []byte {
	first := byte(0)
	if c.own {
		first = 1
	}
	dst = append(append(dst, first), c.id[:]...)
	dst = binary.BigEndian.AppendUint32(dst, c.sentence)
	dst = binary.BigEndian.AppendUint32(dst, c.unit)
	dst = binary.BigEndian.AppendUint32(dst, c.row)
	return binary.BigEndian.AppendUint64(dst, c.language)
}

func parseClaim(value []byte) (claim, error) {
	if len(value) != claimSize {
		return claim{}, fmt.Errorf("a claim of %d bytes, not %d", len(value), claimSize)
	}
	c := claim{own: value[0] == 1, id: [16]byte(value[1:17])}
	c.sentence = binary.BigEndian.Uint32(value[17:])
	c.unit = binary.BigEndian.Uint32(value[21:])
	c.row = binary.BigEndian.Uint32(value[25:])
	c.language = binary.BigEndian.Uint64(value[29:])
	return c, nil
}

// appendKey appends the key of a text.
func appendKey(dst []byte, k dedup.Key) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, k.Hi), k.Lo)
}

// loser is a text to drop: the key of the second exchange, which brings it to
// its unit in the order of the rows.
type loser struct {
	row, sentence uint32
}

func (l loser) appendKey(dst []byte, unit uint32) []byte {
	dst = exchange.UnitKey(dst, int(unit))
	dst = binary.BigEndian.AppendUint32(dst, l.row)
	return binary.BigEndian.AppendUint32(dst, l.sentence)
}

func parseLoser(key []byte) (loser, error) {
	if len(key) != 12 {
		return loser{}, fmt.Errorf("a loser's key of %d bytes, not 12", len(key))
	}
	return loser{binary.BigEndian.Uint32(key[4:]), binary.BigEndian.Uint32(key[8:])}, nil
}

// rawID packs the 32 digits of a document's id.
func rawID(id string) (raw [16]byte, err error) {
	if len(id) != 32 {
		return raw, fmt.Errorf("id %q is not 32 hexadecimal digits", id)
	}
	_, err = hex.Decode(raw[:], []byte(id))
	return raw, err
}

// Why a text is dropped, as the value of a loser.
const (
	duplicate      = byte('d')
	elsewhere      = byte('e')
	nearDuplicate  = byte('n') // of the document whose id follows, which may follow elsewhere, too
	representative = byte('k') // not dropped: the document stands for a cluster, whose size follows
)

// Reasons in the funnel.
const (
	reasonDuplicate     = "duplicate"
	reasonNearDuplicate = "near_duplicate"
	// ReasonElsewhere: another dataset holds it.
	ReasonElsewhere = "in_other_dataset"
	reasonEmpty     = "no_sentence_left"
)

// reasonOf parts the value of a loser: why the text is dropped, "" if it is not, and what is told besides.
func reasonOf(value []byte) (reason string, told []byte, err error) {
	if len(value) > 0 {
		switch told = value[1:]; value[0] {
		case duplicate:
			return reasonDuplicate, told, nil
		case elsewhere:
			return ReasonElsewhere, told, nil
		case nearDuplicate:
			return reasonNearDuplicate, told, nil
		case representative:
			return "", told, nil
		}
	}
	return "", nil, fmt.Errorf("the exchange names a duplicate for the reason %q, which there is not", value)
}
