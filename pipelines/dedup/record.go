package dedup

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"sentweave/pipelines/exchange"
	"sentweave/transforms/filters/dedup"
)

// claim is the value of a key: who has the text. Its bytes sort in the order in
// which claims win: texts of other datasets first, then pairs by their scores, then by document and sentence.
type claim struct {
	own      bool // of the documents, not of a dataset they are compared with
	rank     rank
	id       [16]byte
	sentence uint32
	unit     uint32 // ordinal of the copying unit
	row      uint32 // of the document in the unit
	// language is the hash of a sentence's, or of the two of a pair: what is in two languages is not a duplicate.
	language uint64
	pair     uint64 // of a side: what equal pairs have in common
}

const claimSize = 1 + 4 + 16 + 4 + 4 + 4 + 8 + 8

// rank orders pairs: the greatest score first, pairs without a score last.
type rank uint32

func rankOf(score *float32) rank {
	if score == nil {
		return math.MaxUint32
	}
	bits := math.Float32bits(*score + 0) // no negative zero
	if bits>>31 == 0 {
		bits = ^bits &^ (1 << 31)
	}
	return rank(bits)
}

func (c claim) append(dst []byte) []byte {
	first := byte(0)
	if c.own {
		first = 1
	}
	dst = append(binary.BigEndian.AppendUint32(append(dst, first), uint32(c.rank)), c.id[:]...)
	dst = binary.BigEndian.AppendUint32(dst, c.sentence)
	dst = binary.BigEndian.AppendUint32(dst, c.unit)
	dst = binary.BigEndian.AppendUint32(dst, c.row)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, c.language), c.pair)
}

func parseClaim(value []byte) (claim, error) {
	if len(value) != claimSize {
		return claim{}, fmt.Errorf("a claim of %d bytes, not %d", len(value), claimSize)
	}
	number := binary.BigEndian.Uint32
	c := claim{own: value[0] == 1, rank: rank(number(value[1:])), id: [16]byte(value[5:21])}
	c.sentence, c.unit, c.row = number(value[21:]), number(value[25:]), number(value[29:])
	c.language, c.pair = binary.BigEndian.Uint64(value[33:]), binary.BigEndian.Uint64(value[41:])
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
	excess         = byte('a') // the last one of a text that is told counts, so that the others come before it
	duplicate      = byte('d')
	elsewhere      = byte('e')
	nearDuplicate  = byte('n') // of the document whose id follows, which may follow elsewhere, too
	representative = byte('k') // not dropped: the document stands for a cluster, whose size follows
)

// Reasons in the funnel.
const (
	reasonDuplicate     = "duplicate"
	reasonNearDuplicate = "near_duplicate"
	reasonExcess        = "better_pairs_of_text"
	// ReasonElsewhere: another dataset holds it.
	ReasonElsewhere = "in_other_dataset"
	reasonEmpty     = "no_sentence_left"
)

// reasonOf parts the value of a loser: why the text is dropped, "" if it is not, and what is told besides.
func reasonOf(value []byte) (reason string, told []byte, err error) {
	if len(value) > 0 {
		switch told = value[1:]; value[0] {
		case excess:
			return reasonExcess, told, nil
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
