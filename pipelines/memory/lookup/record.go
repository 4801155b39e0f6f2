package lookup

import (
	"encoding/binary"
	"errors"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/exchange"
	"sentweave/schemas"
	"sentweave/transforms/testsets/benchmark"
)

// errRecord is the error of bytes that no unit of this program has spilled.
var errRecord = errors.New("a record of the exchange is not one of this lookup: launcher and worker are different programs")

// keySize is the size of a key: the number of the pair, the hash of the text, in which
// runs of white space are one space: memories of others have them so.
const keySize = 2 + 16

func appendKey(dst []byte, pair int, text string) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(pair))
	hash := xxh3.HashString128(benchmark.Clean(text)).Bytes()
	return append(dst, hash[:]...)
}

// Kinds of records of a key, in the order in which they are read: what memories
// have, then who asks.
const (
	kindTold  = 0
	kindAsked = 1
)

// told is a translation that a memory has. The best one of a key comes first.
type told struct {
	rejected bool
	rank     uint32
	text     string
}

func toldOf(row schemas.Translation, rank int) told {
	return told{rejected: row.Status != schemas.TranslationOK, rank: uint32(rank), text: row.Translation}
}

func (t told) append(dst []byte) []byte {
	status := byte(0)
	if t.rejected {
		status = 1
	}
	dst = binary.BigEndian.AppendUint32(append(dst, kindTold, status), t.rank)
	return append(dst, t.text...)
}

func parseTold(value []byte) (told, error) {
	if len(value) < 6 || value[0] != kindTold || value[1] > 1 {
		return told{}, errRecord
	}
	return told{rejected: value[1] == 1, rank: binary.BigEndian.Uint32(value[2:]), text: string(value[6:])}, nil
}

// request says where a translation is wanted: by the text of an ordinal in a unit.
type request struct {
	unit, text uint32
}

func (a request) append(dst []byte) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(append(dst, kindAsked), a.unit), a.text)
}

func parseAsked(value []byte) (request, error) {
	if len(value) != 9 || value[0] != kindAsked {
		return request{}, errRecord
	}
	return request{unit: binary.BigEndian.Uint32(value[1:]), text: binary.BigEndian.Uint32(value[5:])}, nil
}

// answerKeySize is the size of the key of an answer: unit, text, pair, whether an
// earlier text asked the same.
const answerKeySize = 4 + 4 + 2 + 1

// appendAnswerKey appends the key that brings an answer to its unit, in the order of
// the texts.
func (a request) appendAnswerKey(dst []byte, pair int, repeated bool) []byte {
	dst = binary.BigEndian.AppendUint32(exchange.UnitKey(dst, int(a.unit)), a.text)
	dst = binary.BigEndian.AppendUint16(dst, uint16(pair))
	if repeated {
		return append(dst, 1)
	}
	return append(dst, 0)
}
